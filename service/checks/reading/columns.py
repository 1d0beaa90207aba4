"""Units that a heading of a column or row tells, or a key: ``Storage (GB)``, ``weight_kg``."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple

from service.checks.reading import headings, units
from service.checks.reading.quantities import NUMBER, Quantity
from service.checks.reading.units import Unit

ToldUnit = tuple[Unit, int]
"""A unit, and the power of ten that stands with it."""

_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]|]{1,24})[)\]][ *_:]*\Z")
_BEHIND_IN = re.compile(r"(?:\b[Ii]n|^IN) ([^()\[\]|]{1,16}?)[ *_:]*\Z")
_NEITHER: Final = frozenset(
    {"min", "max", "in", "an", "x", "a", "d", "t", "go", "won", "mo", "mal"}
)
"""Spellings that say something else as often: the least, a column's letter."""
_OPENS_CELL = re.compile(r"\| ?[*_~<>≤≥]{0,4} ?\Z")
_CLOSES_CELL = re.compile(r"[*_]{0,4} ?(?:\||\n|\Z)")
_KEY = re.compile(r"([a-z0-9]+)_([a-zA-Z]{1,8})[\"'`]{0,2} ?[:=] ?[\"']?\Z")
_KEYED: Final = frozenset(
    "mg g kg km cm mm ml kb mb gb tb ms kw kwh wh kcal kj mah eur usd chf gbp percent pct hours "
    "minutes days weeks months years seconds celsius bytes mbps ghz mhz s h w".split()
)
"""What says a unit at the end of a key. ``price_min`` is the least, ``size_m`` a medium one."""
_NO_KEY: Final = frozenset({"per", "pro", "in", "to", "no", "by"})
_LONGEST_LINE: Final = 2_000
_LONGEST_KEY: Final = 40
_LONGEST_END: Final = 16
"""Characters of the longest unit of a key, with what stands between it and the number."""


class Table(NamedTuple):
    """Lines with bars, one after the other; what the cells of the first say, from the left."""

    start: int
    end: int
    told: list[ToldUnit | None]


def tables(text: str) -> list[Table]:
    """The tables of a text in whose headings some unit stands, or in whose rows one may."""
    found: list[Table] = []
    start, end = -1, 0
    told: list[ToldUnit | None] = []
    if "|" not in text:
        return found
    while end <= len(text):
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        is_row = 0 <= text.find("|", end, stop) and stop - end <= _LONGEST_LINE
        if is_row and start < 0:
            start = end
            told = [told_by(cell) for cell in _cells(text[end:stop])]
        elif not is_row and start >= 0:
            found.append(Table(start, end, told))
            start = -1
        end = stop + 1
    if start >= 0:
        found.append(Table(start, len(text), told))
    return found


def _cells(line: str) -> list[str]:
    """The first cell may open with a bar, and need not."""
    return line.strip().removeprefix("|").split("|")


def told_by(heading: str) -> ToldUnit | None:
    """The unit that a heading names in brackets or behind ``in``, when nothing else is there."""
    heading = heading.strip()
    match = _IN_BRACKETS.search(heading) or _BEHIND_IN.search(heading)
    if match is None:
        return None
    words = match.group(1).strip()
    if words.lower() in _NEITHER:
        return None
    measure = units.read(f"1 {words}", 1)
    if measure.end == len(words) + 2:
        return None if measure.unit is None else (measure.unit, measure.power)
    return headings.money(words)


def unit_of(text: str, found: list[Table], quantity: Quantity) -> ToldUnit | None:
    """The unit that is told for a plain figure alone in its cell, or behind a key."""
    if quantity.kind is not NUMBER or quantity.power:
        return None
    start, end = quantity.start, quantity.end
    key = None
    near = start - _LONGEST_END if start > _LONGEST_END else 0
    if text.rfind("_", near, start) >= 0:
        key = _KEY.search(text, max(0, start - _LONGEST_KEY), start)
    if key is not None:
        word = key.group(2).lower()
        if word not in _KEYED or key.group(1) in _NO_KEY:
            return None
        return units.UNITS.get(word) or units.BY_NAME[word.upper()], 0
    if not found or _CLOSES_CELL.match(text, end) is None:
        return None
    if _OPENS_CELL.search(text, max(0, start - 8), start) is None:
        return None
    return _of_cell(text, found, start)


def _of_cell(text: str, found: list[Table], at: int) -> ToldUnit | None:
    number = bisect_right(found, at, key=_start_of) - 1
    if number < 0 or at >= found[number].end:
        return None
    table = found[number]
    line = text[text.rfind("\n", 0, at) + 1 : at]
    cells = _cells(line + "?")
    above = table.told[len(cells) - 1] if len(cells) <= len(table.told) else None
    beside = told_by(cells[0]) if len(cells) > 1 else None
    if above is not None and beside is not None:
        return above if above == beside else None
    return above or beside


def _start_of(table: Table) -> int:
    return table.start
