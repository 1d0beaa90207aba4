"""Which sentences a citation's mark belongs to, and which of them are nothing but marks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

Span = tuple[int, int]

_SOURCE_WORDS = re.compile(
    r"(?i)\b(?:sources?|references?|see|citations?|quellen?|quellenangaben?|siehe|vgl|belege?|"
    r"nachweise?|fuentes?|véase|referencias?|voir|références?|and|und|et|y)\b"
)
_NOTHING = re.compile(r"[\s\W_]*")


def touched(starts: Sequence[int], start: int, end: int) -> range:
    """The sentences, by their place in ``starts`` (ascending), that the span [start, end) of a
    citation reaches into. One that stands behind a sentence belongs to it."""
    first = max(0, bisect_right(starts, start) - 1)
    last = first
    while last + 1 < len(starts) and starts[last + 1] < end:
        last += 1
    return range(first, last + 1) if starts else range(0)


def says_nothing(text: str, start: int, end: int, marks: Iterable[Span]) -> bool:
    """Whether nothing is left of the sentence [start, end) without the citations in it, which
    ``marks`` has in order: ``[1][2]``, ``Source: pricing#plans``."""
    parts, at = [], start
    for first, last in marks:
        parts.append(text[at:first])
        at = max(at, last)
    parts.append(text[at:end])
    return _NOTHING.fullmatch(_SOURCE_WORDS.sub("", "".join(parts))) is not None
