"""Which sources the sentence of a number cites, so that evidence elsewhere can be told apart."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter

# one set of first characters keeps the search fast
_END = re.compile(r"[.!?。！？\n](?:(?<![.!?])|(?=[\s\[【<(¹²³⁴⁵⁶⁷⁸⁹]|\Z))")
_NOBODY: frozenset[str] = frozenset()

Mark = tuple[int, int, frozenset[str]]
"""Where a citation stands (start, end), and the names of the sources it names."""


class CitedSources:
    """What each sentence of an answer cites. A mark right behind a full stop belongs before it.

    Sentences are cut too often rather than too seldom (at ``ca.``): the piece of a sentence that
    has no mark cites nothing, and nothing is said about its numbers.
    """

    def __init__(self, answer: str, marks: Iterable[Mark]) -> None:
        self._ends = [match.end() for match in _END.finditer(answer)]
        self._names: dict[int, frozenset[str]] = {}
        last = 0
        for start, end, names in sorted(marks, key=itemgetter(0)):
            sentence = bisect_right(self._ends, start)
            if sentence and self._follows_stop(answer, sentence, last, start):
                sentence -= 1
            others = self._names.get(sentence)
            self._names[sentence] = others | names if others else names
            last = end

    def _follows_stop(self, answer: str, sentence: int, last: int, start: int) -> bool:
        begin = max(self._ends[sentence - 1], last)
        gap = answer[begin:start]
        if gap and not gap.isspace():
            return False
        return answer[self._ends[sentence - 1] - 1] != "\n"

    def names(self, at: int) -> frozenset[str]:
        """What the sentence around offset ``at`` cites; empty when it cites nothing."""
        return self._names.get(bisect_right(self._ends, at), _NOBODY)
