"""What answers told of themselves: how long they took, and what they used.

The numbers are a stranger's: one that no answer can have would spoil a counter for good, so it
counts as not told.
"""

from __future__ import annotations

from service.events import AnswerEvent, Usage
from service.metrics.declared import LATENCY_BUCKETS, LATENCY_STAGES, Declared
from service.metrics.histograms import observe_all
from service.metrics.releases import Place

MOST_TOKENS = 100_000_000
MOST_USD = 100_000.0
MOST_MS = 7 * 86_400_000.0


class Told:
    """Of the live answers of one batch and place, summed."""

    __slots__ = ("_costs", "_input", "_milliseconds", "_output", "_timed", "_tokens", "_usd")

    def __init__(self) -> None:
        self._input = self._output = self._tokens = self._costs = self._timed = 0
        self._usd = 0.0
        self._milliseconds: dict[str, list[float]] = {stage: [] for stage in LATENCY_STAGES}

    def add(self, event: AnswerEvent) -> None:
        if event.usage is not None:
            self._add_usage(event.usage)
        if event.latency_ms:
            self._add_latency(event.latency_ms)

    def _add_usage(self, usage: Usage) -> None:
        tokens_in, tokens_out, usd = usage.input_tokens, usage.output_tokens, usage.cost_usd
        told = False
        if tokens_in is not None and 0 <= tokens_in <= MOST_TOKENS:
            self._input += tokens_in
            told = True
        if tokens_out is not None and 0 <= tokens_out <= MOST_TOKENS:
            self._output += tokens_out
            told = True
        self._tokens += told
        if usd is not None and 0 <= usd <= MOST_USD:
            self._usd += usd
            self._costs += 1

    def _add_latency(self, latency_ms: dict[str, float]) -> None:
        told = False
        for stage, times in self._milliseconds.items():
            milliseconds = latency_ms.get(stage)
            if milliseconds is not None and 0 <= milliseconds <= MOST_MS:
                times.append(milliseconds)
                told = True
        self._timed += told

    def count(self, declared: Declared, place: Place) -> None:
        for kind, tokens in (("input", self._input), ("output", self._output)):
            declared.answer_tokens.labels(*place, kind).inc(tokens)
        declared.answer_cost.labels(*place).inc(self._usd)
        reported = {"tokens": self._tokens, "cost": self._costs, "latency": self._timed}
        for field, number in reported.items():
            declared.usage_reported.labels(*place, field).inc(number)
        for stage, times in self._milliseconds.items():
            if times:
                seconds = [milliseconds / 1000 for milliseconds in times]
                observe_all(declared.answer_latency.labels(*place, stage), LATENCY_BUCKETS, seconds)
