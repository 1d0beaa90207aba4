"""Which sources the sentence of a number cites, so that evidence elsewhere can be told apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

_STOPS: Final = ".!?"
"""They end a sentence where white space, a mark or nothing follows."""
_MARKS: Final = "[【<(¹²³⁴⁵⁶⁷⁸⁹"
_ENDS: Final = "\n。！？"
"""They always do."""
_NOBODY: Final[frozenset[str]] = frozenset()
_START: Final = itemgetter(0)

Mark = tuple[int, int, frozenset[str]]
"""Where a citation stands (start, end), and the names of the sources it names."""


class CitedSources:
    """What each sentence of an answer cites. A mark right behind a full stop belongs before it.

    Sentences are cut too often rather than too seldom (at ``ca.``): the piece of a sentence that
    has no mark cites nothing, and nothing is said about its numbers.
    """

    def __init__(self, answer: str, marks: Iterable[Mark]) -> None:
        self._ends = _ends(answer)
        self._names: dict[int, frozenset[str]] = {}
        last = before = 0
        for start, end, names in sorted(marks, key=_START):
            while before < len(self._ends) and self._ends[before] <= start:
                before += 1
            sentence = before
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


def _ends(answer: str) -> list[int]:
    """Where its sentences end. Looked for by one character at a time: that is far faster than a
    search for any of them."""
    ends: list[int] = []
    for stop in _STOPS:
        at = answer.find(stop)
        while at >= 0:
            at += 1
            after = answer[at : at + 1]
            if after in _MARKS or after.isspace():  # nothing is part of any text
                ends.append(at)
            at = answer.find(stop, at)
    for stop in _ENDS[:1] if answer.isascii() else _ENDS:
        at = answer.find(stop)
        while at >= 0:
            at += 1
            ends.append(at)
            at = answer.find(stop, at)
    ends.sort()
    return ends
