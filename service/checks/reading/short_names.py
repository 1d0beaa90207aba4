"""Short names with a digit (IP67, RJ45, LPDDR5): one that stands nowhere beside one that does."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"([A-Z]{1,6})([0-9]{1,4})([A-Za-z]{0,4})(?![A-Za-z0-9_]|[.,:][0-9])")
_RANGE = re.compile(r"(?i) ?(?:[-/\u2010-\u2015]|to|bis|through|until|à|hasta) ?[a-z]{0,6}[0-9]")
"""Behind a name of the text: A1 to A5 holds A3 too."""
_NEAR = 30
"""Characters behind a name within which bare digits may belong to it: LPDDR4/5, IP44 and 67."""


class ShortName(NamedTuple):
    """Letters, digits, and perhaps letters again; all of it stands at ``start:end``."""

    letters: str
    digits: str
    tail: str
    start: int
    end: int


def short_name(text: str, start: int) -> ShortName | None:
    """The name that begins at ``start``, if it is one of up to six capitals and four digits."""
    match = _NAME.match(text, start)
    if match is None:
        return None
    letters, digits, tail = match.groups()
    return ShortName(letters, digits, tail, start, match.end())


class Sought:
    """One name, sought in many texts."""

    def __init__(self, name: ShortName) -> None:
        letters, tail = re.escape(name.letters), re.escape(name.tail)
        self._surface = (name.letters + name.digits + name.tail).lower()
        digits = name.digits.lstrip("0")
        self._spelled = re.compile(
            rf"(?i)(?<![^\W_]){letters}[ \-\u2010-\u2015]?0*{digits}{tail}(?![^\W_])"
        )
        self._like = re.compile(
            rf"(?<![^\W_])(?<![^\W_][-.])({letters}[0-9]{{1,4}}{tail})(?![^\W_]|[.,:][0-9])"
        )
        self._bare = re.compile(rf"(?<![0-9]){name.digits}(?![0-9])")

    def stands_in(self, text: str) -> bool:
        """In any case, as a part of a longer name, or with a space or dash before the digits."""
        return self._surface in text.lower() or self._spelled.search(text) is not None

    def sibling(self, text: str) -> tuple[int, int] | None:
        """Where a name of the same letters with other digits stands. None also where a name of the
        text may stand for several (A1 to A5, LPDDR4/5)."""
        first: tuple[int, int] | None = None
        for match in self._like.finditer(text):
            end = match.end()
            if _RANGE.match(text, end) is not None or self._bare.search(text, end, end + _NEAR):
                return None
            first = first or match.span(1)
        return first
