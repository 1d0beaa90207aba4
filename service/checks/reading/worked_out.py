"""What two neighbours in one sentence of a text give: the years, hours or days between them, the
change from one to the other, a price for each. Kept narrow, as all arithmetic: it excuses errors.

Worked out once for a text, so that each number of an answer is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from service.checks.reading import phrases, units
from service.checks.reading.calendar import Date
from service.checks.reading.digits import scaled
from service.checks.reading.quantities import (
    CARDINAL,
    DATE,
    DIGITS,
    NUMBER,
    TIME,
    Quantity,
)

_NEAR = 60
"""Characters between two numbers that are told together."""
_BREAK = re.compile(r"[.!?][)\"'”“]? +[^\Wa-z\d_]|\n|[。！？]")
_LINK = re.compile(
    r" ?(?:-|–|—|/|→|~|至|到|から"
    r"|to|till|until|through|and|bis|bis zum|bis zu|auf|und|à|au|a|hasta) ?"
)
_DAY_LINK = re.compile(r"\.? ?(?:-|–|—|/|to|till|until|through|bis|bis zum|au|al) ?(?:the |den )?")
_FROM = re.compile(r"(?i)\b(?:from|von|de|desde) (?:[€$£] ?)?$")
_LONGEST_FROM = 12
_AGE = re.compile(r"(?i)\b(?:aged?|(?:an|the) age of|im alter von|alter:?|mit) $")
_EACH = re.compile(
    r"(?i) ?(?:/|(?:each|apiece|a piece|per|pro|je|das stück|die person|chacune?|par|cada|por)\b)"
)
_OF = re.compile(r"(?i)\b(?:of|at|à|zu|je|mit|with|ab|from|over|über|for up to|bis) ?[€$£]?$")
"""Between a count and an amount that is already one of each: 6 boxes of 12 kg."""
_EACH_BEFORE = re.compile(
    r"(?i)\b(?:je|jeweils|each|(?:pro|per|par|por) [^\W\d_]{2,20}"
    r"(?: (?:is|are|costs?|sind(?: das)?|ist|kostet|kosten|etwa))?) (?:[€$£] ?)?$"
)
_LONGEST_BEFORE = 40
_BY_CHANCE = 10
"""Years below it, between two that no word links, lie between some two years of any life."""
_MOST_SHARED = 10_000
_CENT = 0.01
_SCALES_APART = 1_000
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
"""Between them a whole number is a year, rather than a count."""


class WorkedOut:
    """Each table: a result → the first of the two quantities that give it."""

    def __init__(self, text: str, quantities: Sequence[Quantity]) -> None:
        self._years: dict[int, Quantity] = {}
        self._minutes: dict[int, Quantity] = {}
        self._days: dict[int, Quantity] = {}
        self._changes: dict[tuple[str, float], Quantity] = {}
        self._percents: dict[tuple[int, float], Quantity] = {}
        self._each: dict[tuple[str, int, float], Quantity] = {}
        for one, other in pairwise(quantities):
            distance = other.start - one.end
            if not 0 <= distance <= _NEAR:
                continue
            if _BREAK.search(text, one.end, min(len(text), other.start + 1)) is not None:
                continue
            gap = text[one.end : other.start]
            if one.kind is NUMBER and other.kind is NUMBER:
                self._add_numbers(text, gap, one, other)
            elif one.kind is TIME and other.kind is TIME:
                for minutes in _minutes_between(one, other):
                    self._minutes.setdefault(minutes, one)
            elif one.kind is DATE and other.kind is DATE:
                self._add_dates(gap, one, other)
            self._add_years(gap, one, other)

    def find(self, text: str, target: Quantity) -> Quantity | None:
        """One of two quantities that give the target, a number of ``text`` (an answer) of which
        :func:`may_be_worked_out` holds."""
        value, unit = target.values[0], target.unit
        if unit is None or unit.name == "a":
            return self._years.get(int(value)) if value.is_integer() else None
        if unit.dimension == "time":
            seconds = value * unit.factor
            if unit.name in ("h", "min"):
                return self._minutes.get(round(seconds / 60)) if seconds % 60 == 0 else None
            return self._days.get(round(seconds / 86400)) if seconds % 86400 == 0 else None
        if unit.name == "%":
            digits = _decimals(target)
            return self._percents.get((digits, round(value, digits)))
        for other in target.values:
            found = self._changes.get((unit.name, units.rounded(other)))
            if found is not None:
                return found
        if self._each and _is_each(text, target):
            digits = 2 if target.step <= _CENT else _EXACT
            return self._each.get((unit.name, digits, _shown(value, digits)))
        return None

    def _add_numbers(self, text: str, gap: str, one: Quantity, other: Quantity) -> None:
        if one.unit is not None and one.unit is other.unit:
            if one.unit.dimension in _NO_CHANGE:
                return
            if _LINK.fullmatch(gap) and _said_before(_FROM, text, one):
                self._add_change(one, other)
        elif one.unit is not None and _shares(text, other):
            self._add_each(text, one, other)
        elif other.unit is not None and _shares(text, one) and _OF.search(gap) is None:
            self._add_each(text, other, one)

    def _add_change(self, one: Quantity, other: Quantity) -> None:
        if other.unit is None:
            return
        # 80 in "from 80 to 92 million" has the scale of the other
        before, after = one.values[-1], other.values[0]
        if other.power and not one.power and abs(after) >= _SCALES_APART * abs(before):
            before = scaled(before, other.power)
        self._changes.setdefault((other.unit.name, units.rounded(abs(after - before))), one)
        if before:
            percent = 100 * abs(after - before) / abs(before)
            for digits in (0, 1, 2):
                self._percents.setdefault((digits, round(percent, digits)), one)

    def _add_each(self, text: str, amount: Quantity, count: Quantity) -> None:
        if amount.unit is None or amount.unit.dimension in _NO_CHANGE or _is_each(text, amount):
            return
        each = amount.values[0] / count.values[0]
        for digits in (2, _EXACT):
            self._each.setdefault((amount.unit.name, digits, _shown(each, digits)), amount)

    def _add_dates(self, gap: str, one: Quantity, other: Quantity) -> None:
        if len(one.dates) != 1 or len(other.dates) != 1 or _DAY_LINK.fullmatch(gap) is None:
            return
        days = _days_between(one.dates[0], other.dates[0])
        if days > 0:
            self._days.setdefault(days, one)
            self._days.setdefault(days + 1, one)

    def _add_years(self, gap: str, one: Quantity, other: Quantity) -> None:
        begin, end = _year(one), _year(other)
        if not 0 < begin < end:
            return
        years = end - begin
        if years >= _BY_CHANCE or _LINK.fullmatch(gap) is not None:
            self._years.setdefault(years, one)
            if one.kind is DATE and other.kind is DATE and _is_earlier(other, one):
                self._years.setdefault(years - 1, one)


def may_be_worked_out(text: str, target: Quantity) -> bool:
    """Whether a number of ``text`` (an answer) is of a kind that is. Without a unit only an age."""
    if target.kind is not NUMBER or target.form not in (DIGITS, CARDINAL):
        return False
    return target.unit is not None or _said_before(_AGE, text, target)


def _minutes_between(one: Quantity, other: Quantity) -> list[int]:
    """Without am or pm a time is two; over midnight only where they cannot lie in one day."""
    apart = [end - begin for begin in one.minutes for end in other.minutes]
    return [minutes for minutes in apart if minutes > 0] or [minutes % 1440 for minutes in apart]


_EXACT = 9
_NO_CHANGE = frozenset({"share", "points", "time", "months"})


def _shown(value: float, digits: int) -> float:
    return units.rounded(value) if digits == _EXACT else round(value, digits)


def _decimals(target: Quantity) -> int:
    if target.step >= 1.0:
        return 0
    return 1 if target.step > _CENT * 2 else 2


def _said_before(words: re.Pattern[str], text: str, quantity: Quantity) -> bool:
    start = max(0, quantity.start - _LONGEST_BEFORE)
    return words.search(text[start : quantity.start]) is not None


def _is_each(text: str, target: Quantity) -> bool:
    return _EACH.match(text, target.end) is not None or _said_before(_EACH_BEFORE, text, target)


def _shares(text: str, count: Quantity) -> bool:
    """Whether it counts what something is shared among: 24 filters, 6 people."""
    value = count.values[0]
    if count.unit is not None or count.form not in (DIGITS, CARDINAL) or not value.is_integer():
        return False
    if not 2 <= value <= _MOST_SHARED or _FIRST_YEAR <= value <= _LAST_YEAR:
        return False
    return phrases.counts_something(text, count)


def _year(quantity: Quantity) -> int:
    """A year between 1000 and 2999; 0 for anything else."""
    if quantity.kind is DATE:
        return (quantity.dates[0][0] or 0) if len(quantity.dates) == 1 else 0
    if quantity.kind is not NUMBER or quantity.unit is not None or quantity.form is not DIGITS:
        return 0
    value = quantity.values[-1]
    return int(value) if 1000 <= value <= 2999 and value.is_integer() else 0


def _is_earlier(one: Quantity, other: Quantity) -> bool:
    """In the year, by day and month; False where one has none."""
    _, month, day = one.dates[0]
    _, other_month, other_day = other.dates[0]
    if month is None or day is None or other_month is None or other_day is None:
        return False
    return (month, day) < (other_month, other_day)


def _days_between(one: Date, other: Date) -> int:
    """0 where they do not follow each other, or are no days."""
    year = one[0] or other[0] or 2001
    try:
        begin = date(year, one[1] or 0, one[2] or 0)
        end = date(other[0] or year, other[1] or 0, other[2] or 0)
    except ValueError:
        return 0
    return max(0, (end - begin).days)
