"""Scales that a heading tells for the figures below it: ``Umsatz (Mio. €)``, ``in USD m``."""

from __future__ import annotations

import re
from functools import lru_cache

from service.checks.reading import units
from service.checks.reading.quantities import NUMBER, Quantity

Told = dict[int, int]
"""Power of ten → where the first heading that tells it as a scale ends."""
POWERS = (3, 6, 9)

_MONEY = r"(?:USD|US\$|EUR|Euro|GBP|CHF|SEK|[$€£¥])"
# a dot behind an abbreviation may be left out in a heading, where no noun can be meant
_WORDS = {word.rstrip("."): power for word, power in units.SCALES.items() if power in POWERS}
_SHORT = {"k": 3, "t": 3, "m": 6, "b": 9}
_WORD = "|".join(map(re.escape, sorted(_WORDS, key=len, reverse=True)))
_SCALE = re.compile(
    rf"(?:(?:{_MONEY} ?)?(?P<word>{_WORD})\.?(?: (?:of )?{_MONEY}| ?[$€£¥])?"
    rf"|{_MONEY} ?(?P<behind>[kmb])|(?P<ahead>[tkm]) ?(?:€|EUR|CHF|USD|\$))"
    r" ?(?=[)\]|:,;.\n]|\Z)",
    re.IGNORECASE | re.ASCII,  # else ſ is an s and ı an i, and no such word is in the table
)
_OPENINGS = ("(", "[", "/", ",", "in", "In", "IN")
_STARTS = frozenset("$€£¥BCEGKMSTUbcegkmstu")
_BEFORE_CELL = re.compile(r"[|\t:;] ?[*_€$£+-]{0,4} ?\Z")
_AFTER_CELL = re.compile(r"[*_]{0,3} ?(?:[|\t;\n]|\Z)")


def scales(text: str) -> Told:
    """The scales that headings of ``text`` tell."""
    first: Told = {}
    for start in sorted(_openings(text)):
        match = _SCALE.match(text, start)
        if match is not None:
            first.setdefault(_power(match), match.end())
    return first


_CURRENCY = re.compile(_MONEY, re.IGNORECASE | re.ASCII)


def money(words: str) -> tuple[units.Unit, int] | None:
    """The currency and the power of ten of a scale: ``USD m``, ``Tsd. €``; None of others."""
    match = _SCALE.fullmatch(words)
    currency = None if match is None else _CURRENCY.search(words)
    if match is None or currency is None:
        return None
    unit = units.UNITS.get(currency.group().lower())
    return None if unit is None else (unit, _power(match))


def _openings(text: str) -> list[int]:
    """Where a scale may begin. Found without a pattern, which would try each character."""
    found: list[int] = []
    for opening in _OPENINGS:
        at = text.find(opening)
        while at >= 0:
            end = at + len(opening)
            start = end + 1 if text[end : end + 1] == " " else end
            if text[start : start + 1] in _STARTS and not _is_in_word(text, at, opening):
                found.append(start)
            at = text.find(opening, end)
    return found


def _is_in_word(text: str, at: int, opening: str) -> bool:
    before = text[at - 1 : at]
    return len(opening) > 1 and (before.isalnum() or before == "_")


told_in_answer = lru_cache(maxsize=4)(scales)
"""Remembered for the misses of one answer, which ask again and again."""


def _power(match: re.Match[str]) -> int:
    word = match["word"]
    return _WORDS[word.lower()] if word else _SHORT[(match["behind"] or match["ahead"]).lower()]


def is_cell(text: str, quantity: Quantity) -> bool:
    """Whether a plain figure stands in a cell of its own, or behind a colon."""
    if quantity.kind is not NUMBER or quantity.power or not quantity.values:
        return False
    return (
        _BEFORE_CELL.search(text, max(0, quantity.start - 8), quantity.start) is not None
        or _AFTER_CELL.match(text, quantity.end) is not None
    )
