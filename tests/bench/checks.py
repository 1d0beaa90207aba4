"""Microseconds of each step on one event: clean and faulty, chunks known and never seen."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, Literal

import orjson

from service.checks import citations, numbers
from service.checks.model import CheckInput
from service.events import AnswerEvent, parse_event
from service.policy import AppPolicy
from tests.bench.events import EventStream

EVENTS = 400
ROUNDS = 5
FAULTS: dict[str, Literal["", "ref", "number"]] = {
    "clean": "", "invented ref": "ref", "wrong number": "number",
}  # fmt: skip


def measure() -> list[dict[str, Any]]:
    """One row a kind of event: the mean µs of each step, the median of several rounds. ``known``:
    the same chunks were checked before (a repeated text is read once)."""
    rows = []
    for name, fault in FAULTS.items():
        rounds = [_round(fault, seed) for seed in range(ROUNDS)]
        steps = rounds[0]
        rows.append(
            {"event": name, **{s: statistics.median(found[s] for found in rounds) for s in steps}}
        )
    return rows


def _round(fault: Literal["", "ref", "number"], seed: int) -> dict[str, float]:
    stream = EventStream("fresh", seed)
    raws = [stream.event(fault) for _ in range(EVENTS)]
    values = [orjson.dumps(raw) for raw in raws]
    policy = AppPolicy()
    parse, events = _timed(lambda raw: parse_event(raw), values)
    assert all(isinstance(event, AnswerEvent) for event in events)
    read, readings = _timed(lambda event: citations.read(event, policy.citations), events)
    given = [CheckInput(e, tuple(chunk.text for chunk in e.retrieved), policy) for e in events]
    cited, results = _timed(
        lambda pair: citations.check(*pair), list(zip(given, readings, strict=True))
    )
    pairs = [(one, result.owned) for one, result in zip(given, results, strict=True)]
    fresh, found = _timed(lambda pair: numbers.check(*pair), pairs)
    known, _ = _timed(lambda pair: numbers.check(*pair), pairs)
    flagged = sum(
        bool(a.findings or b.findings) for a, b in zip(results, found, strict=True)
    ) / len(events)
    return {
        "parse": parse, "citations": read + cited, "numbers": fresh, "numbers, known": known,
        "flagged": flagged,
    }  # fmt: skip


def _timed(call: Callable[[Any], Any], values: list[Any]) -> tuple[float, list[Any]]:
    """(mean µs of CPU a call, results)."""
    results = []
    began = time.process_time()
    for value in values:
        results.append(call(value))
    return (time.process_time() - began) * 1e6 / len(values), results
