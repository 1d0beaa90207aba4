"""What answers told of themselves: how long they took, and what they used.

The numbers are a stranger's: one that no answer can have would spoil a counter for good, so it
counts as not told.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable

from service.events import AnswerEvent
from service.metrics.declared import LATENCY_STAGES, Declared
from service.metrics.releases import Place

MOST_TOKENS = 100_000_000
MOST_USD = 100_000.0
MOST_MS = 7 * 86_400_000.0


class Told:
    """Of the live answers of one batch."""

    def __init__(self) -> None:
        self._tokens: Tally[tuple[str, str, str]] = Tally()
        self._usd: dict[Place, float] = {}
        self._fields: Tally[tuple[str, str, str]] = Tally()
        self._seconds: dict[tuple[str, str, str], list[float]] = {}

    def add(self, place: Place, event: AnswerEvent) -> None:
        app, release = place
        usage = event.usage
        if usage is not None:
            known = False
            for kind, number in (("input", usage.input_tokens), ("output", usage.output_tokens)):
                if number is not None and 0 <= number <= MOST_TOKENS:
                    self._tokens[app, release, kind] += number
                    known = True
            self._fields[app, release, "tokens"] += known
            cost = usage.cost_usd
            if cost is not None and 0 <= cost <= MOST_USD:
                self._usd[place] = self._usd.get(place, 0.0) + cost
                self._fields[app, release, "cost"] += 1
        if event.latency_ms:
            self._fields[app, release, "latency"] += self._add_latency(place, event.latency_ms)

    def _add_latency(self, place: Place, latency_ms: dict[str, float]) -> bool:
        known = False
        for stage in LATENCY_STAGES:
            milliseconds = latency_ms.get(stage)
            if milliseconds is not None and 0 <= milliseconds <= MOST_MS:
                self._seconds.setdefault((*place, stage), []).append(milliseconds / 1000)
                known = True
        return known

    def count(self, declared: Declared) -> None:
        for labels, tokens in self._tokens.items():
            declared.answer_tokens.labels(*labels).inc(tokens)
        for place, usd in self._usd.items():
            declared.answer_cost.labels(*place).inc(usd)
        for labels, number in self._fields.items():
            declared.usage_reported.labels(*labels).inc(number)
        for labels, seconds in self._seconds.items():
            _observe(declared, labels, seconds)


def _observe(declared: Declared, labels: tuple[str, str, str], seconds: Iterable[float]) -> None:
    histogram = declared.answer_latency.labels(*labels)
    for value in seconds:
        histogram.observe(value)
