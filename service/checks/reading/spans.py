"""Sets of spans of a text, asked whether something touches them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

Span = tuple[int, int]


class Spans:
    """Spans in any order, overlapping or not; a question costs O(log n)."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touches(self, start: int, end: int) -> bool:
        """Whether a character of ``start:end`` lies in one of the spans."""
        before = bisect_left(self._starts, end) - 1
        return before >= 0 and self._ends[before] > start
