"""How much of a batch to check in one step, so that no step keeps the loop for long."""

from __future__ import annotations

from collections.abc import Sequence

from service.pipeline import Item

STEP_S = 2.0
"""Seconds that one step should take at most: polls, heartbeats and the probes wait for it."""
STEP_BYTES = 5 << 20
FIRST = 50
MOST = 1_000


class Pace:
    """Learns what a record costs. An answer costs a fraction of a millisecond as a rule, and a
    quarter of a second where somebody sends hundreds of numbers that stand nowhere."""

    def __init__(self) -> None:
        self._records = FIRST

    def step(self, items: Sequence[Item]) -> int:
        """How many of these items (at least one) to take in the next step."""
        size = 0
        for count, item in enumerate(items[: self._records]):
            size += len(item.record.value or b"")
            if size > STEP_BYTES:
                return max(1, count)
        return min(len(items), self._records)

    def learn(self, records: int, seconds: float) -> None:
        """``records`` took ``seconds``: slower at once, faster step by step."""
        affordable = int(STEP_S * records / seconds) if seconds > 0 else MOST
        self._records = max(1, min(affordable, 2 * self._records, MOST))
