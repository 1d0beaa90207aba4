"""Calls beside the loop: in order, their results and faults, and none that nobody waits for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TypeVar

import pytest

from consumers.aside import Aside
from consumers.outages import Job
from service.store import StoreOutage

T = TypeVar("T")


@pytest.fixture
def aside() -> Iterator[Aside]:
    made = Aside()
    yield made
    made.close()


def finish(job: Job[T]) -> T:
    while True:
        try:
            next(job)
        except StopIteration as end:
            found: T = end.value
            return found


def test_the_loop_goes_round_while_the_call_waits(aside) -> None:
    answered = threading.Event()
    job = aside.run(lambda: answered.wait(10))
    for _ in range(3):
        next(job)
    answered.set()
    assert finish(job) is True


def test_the_call_runs_in_another_thread(aside) -> None:
    assert finish(aside.run(threading.get_ident)) != threading.get_ident()


def test_a_fault_is_raised_where_the_result_is_waited_for(aside) -> None:
    def away() -> None:
        raise StoreOutage("away")

    with pytest.raises(StoreOutage):
        finish(aside.run(away))


def test_calls_are_made_in_order(aside) -> None:
    made: list[int] = []
    jobs = [aside.run(lambda n=n: made.append(n)) for n in range(5)]
    for job in jobs:
        next(job, None)
    for job in reversed(jobs):
        finish(job)
    assert made == [0, 1, 2, 3, 4]


def test_a_call_that_nobody_waits_for_is_not_begun(aside) -> None:
    answered, made = threading.Event(), threading.Event()
    first, second = aside.run(lambda: answered.wait(10)), aside.run(made.set)
    next(first)
    next(second)
    second.close()
    answered.set()
    finish(first)
    finish(aside.run(lambda: None))
    assert not made.is_set()


def test_closing_waits_for_what_is_under_way(aside) -> None:
    begun, answered, done = threading.Event(), threading.Event(), threading.Event()

    def call() -> None:
        begun.set()
        answered.wait(10)
        done.set()

    next(aside.run(call))
    assert begun.wait(10)
    threading.Timer(0.1, answered.set).start()
    aside.close()
    assert done.is_set()
