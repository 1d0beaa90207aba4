"""No step keeps the loop for long."""

from __future__ import annotations

from consumers.pace import FIRST, MOST, STEP_BYTES, STEP_S, Pace
from service.events import Rejection, RejectReason
from service.pipeline import Item
from service.records import Record


def items(count: int, size: int = 10) -> list[Item]:
    refused = Rejection(RejectReason.SCHEMA, "x")
    return [Item(Record(0, n, 0, None, b"x" * size), refused) for n in range(count)]


def test_the_first_step_is_careful() -> None:
    assert Pace().step(items(500)) == FIRST
    assert Pace().step(items(3)) == 3


def test_fast_records_are_taken_in_ever_larger_steps() -> None:
    pace, steps = Pace(), []
    for _ in range(8):
        steps.append(pace.step(items(5_000)))
        pace.learn(steps[-1], 0.0005 * steps[-1])
    assert steps == sorted(steps)
    assert steps[-1] == MOST


def test_slow_records_shorten_the_next_step_at_once() -> None:
    pace = Pace()
    for _ in range(8):
        pace.learn(500, 0.1)
    pace.learn(500, 90.0)
    assert pace.step(items(500)) == int(STEP_S * 500 / 90)
    pace.learn(1, 60.0)
    assert pace.step(items(500)) == 1


def test_large_records_fill_a_step_by_their_size() -> None:
    assert Pace().step(items(50, STEP_BYTES // 4)) == 4
    assert Pace().step(items(2, STEP_BYTES + 1)) == 1


def test_a_clock_that_stands_still_divides_nothing() -> None:
    pace = Pace()
    pace.learn(500, 0.0)
    assert pace.step(items(5_000)) == 2 * FIRST
