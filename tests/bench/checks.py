"""Microseconds of CPU of every check, run as :func:`service.checks.run_together` runs them: on
clean and on wrong answers, over chunks never seen and chunks drawn by Zipf's law."""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar, get_args
from unittest.mock import patch

import orjson

from service.checks import CHECKS, TOGETHER, citations, run_together, running
from service.checks.model import CheckInput, NotEvaluated
from service.events import AnswerEvent, parse_event
from service.ingest import COLLECT_AFTER
from service.policy import AppPolicy
from tests.bench.events import Chunks, EventStream, Kind

T = TypeVar("T")

EVENTS = 8_000
"""Measured, of each kind of chunks, after as many that fill the caches."""
BATCH = 500
MAIN = ("citations", "numbers")
COLUMNS: dict[str, tuple[Kind, ...]] = {
    "clean": ("literal", "respelled"),
    "literal": ("literal",),
    "respelled": ("respelled",),
    "invented ref": ("ref",),
    "wrong number": ("number",),
    "run": get_args(Kind),
}
"""Events that are averaged together. ``run``: all of them, as the consumer meets them."""

TARGETS_MAIN = {"clean": 150.0, "literal": 150.0, "respelled": 600.0, "wrong number": 600.0}
"""µs of :data:`MAIN` together: 150 for a clean answer, 600 where chunks are read in full."""
TARGET_ALL = 350.0
"""µs of all checks, averaged over the ``zipf`` run."""


def measure(events: int = EVENTS) -> list[dict[str, Any]]:
    """One row a kind of chunks and of events: the mean µs of parsing and of each check, and the
    share of answers with a finding. ``citations`` includes reading the marks."""
    threshold = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER)  # as in the consumer
    try:
        return [row for chunks in get_args(Chunks) for row in _rows(chunks, events)]
    finally:
        gc.set_threshold(*threshold)


def main_checks(row: dict[str, Any]) -> float:
    return float(sum(row[name] for name in MAIN))


def all_checks(row: dict[str, Any]) -> float:
    return float(sum(row[name] for name in CHECKS))


def _rows(chunks: Chunks, events: int) -> Iterator[dict[str, Any]]:
    bench = _Bench(chunks)
    bench.run(events)
    bench.forget()
    bench.run(events)
    for name, kinds in COLUMNS.items():
        count = sum(bench.counts[kind] for kind in kinds)
        spent = {
            step: sum(bench.spent[kind, step] for kind in kinds) * 1e6 / count
            for step in ("parse", *CHECKS)
        }
        flagged = sum(bench.flagged[kind] for kind in kinds) / count
        yield {"chunks": chunks, "event": name, "count": count, **spent, "flagged": flagged}


class _Bench:
    """Seconds by (kind of event, step), a batch at a time as the consumer does it. A stop-watch
    around each check costs about as much as the small ones: its own time is taken off."""

    def __init__(self, chunks: Chunks) -> None:
        self._stream = EventStream(chunks)
        self._policy = AppPolicy()
        self._kind: Kind = "literal"
        self._kinds: dict[int, Kind] = {}
        self._checks = {
            name: self._around_check(name, call) for name, call in running._CHECKS.items()
        }
        self._own = 0.0
        self.forget()
        self._own = self._stopwatch()
        self.forget()

    def forget(self) -> None:
        self.spent: defaultdict[tuple[Kind, str], float] = defaultdict(float)
        self.counts: defaultdict[Kind, int] = defaultdict(int)
        self.flagged: defaultdict[Kind, int] = defaultdict(int)

    def run(self, events: int) -> None:
        parse = self._around("parse", parse_event)
        read = self._around("citations", citations.read)
        made = ((orjson.dumps(self._stream.event()), self._stream.kind) for _ in range(events))
        with patch.object(running, "_CHECKS", self._checks):
            while batch := list(islice(made, BATCH)):
                items = []
                for value, self._kind in batch:
                    event = parse(value)
                    assert isinstance(event, AnswerEvent)
                    items.append((event, self._kind, read(event, self._policy.citations)))
                for start in range(0, len(items), TOGETHER):
                    self._check(items[start : start + TOGETHER])

    def _check(self, items: list[tuple[AnswerEvent, Kind, citations.CitationReading]]) -> None:
        asked = []
        kinds = {}
        for event, kind, reading in items:
            texts = tuple(chunk.text for chunk in event.retrieved)
            asked.append((CheckInput(event, texts, self._policy), reading))
            kinds[id(event)] = kind
        self._kinds = kinds
        for (_, kind, _), found in zip(items, run_together(asked), strict=True):
            results = found.values()
            assert all(one.not_evaluated is not NotEvaluated.CHECK_ERROR for one in results)
            self.counts[kind] += 1
            self.flagged[kind] += any(result.findings for result in results)

    def _around_check(self, step: str, call: Callable[..., T]) -> Callable[..., T]:
        timed = self._around(step, call)

        def of_its_kind(run: Any) -> T:
            self._kind = self._kinds[id(run.given.event)]
            return timed(run)

        return of_its_kind

    def _around(self, step: str, call: Callable[..., T]) -> Callable[..., T]:
        clock = time.thread_time

        def timed(*given: Any) -> T:
            began = clock()
            result = call(*given)
            self.spent[self._kind, step] += clock() - began - self._own
            return result

        return timed

    def _stopwatch(self, calls: int = 20_000) -> float:
        """Seconds that it finds for a call of nothing."""
        nothing = self._around("nothing", lambda run: run)
        for _ in range(calls):
            nothing(None)
        return self.spent[self._kind, "nothing"] / calls
