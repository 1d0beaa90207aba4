"""Where a quantity of the answer stands in a text: by value, as a conversion, as a rounding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from service.checks.reading import headings, phrases, releases, units, worked_out
from service.checks.reading.derivation import in_text, is_points
from service.checks.reading.digits import scaled
from service.checks.reading.evidence import Index, totals
from service.checks.reading.names import PHONE
from service.checks.reading.quantities import (
    CODE,
    DATE,
    DIGITS,
    FRACTION,
    NUMBER,
    ORDINAL,
    TIME,
    Part,
    Quantity,
    Reading,
)
from service.checks.reading.units import Unit

_IMPERIAL = frozenset(
    {"in", "ft", "yd", "mi", "ft²", "mi²", "acre", "gal", "lb", "oz", "mph", "°F", "pound"}
)
_FOREIGN = frozenset(
    {units.BY_NAME[name].dimension for name in _IMPERIAL} | {"temperature", "degree"}
)
"""Dimensions that have metric and imperial units."""
_WITH_CENTS = ("EUR", "USD", "AUD", "CAD")
_MOST_FOREIGN = 400
"""Quantities of a text that are tried for a conversion between metric and imperial."""
_SINGLE_BASES = frozenset(
    units.base(value, unit) for unit in units.BY_NAME.values() for value in (1.0, 1.5)
)
_LEAST_SCALED = 1000
"""What is smaller, and told without a scale, is not looked for below a heading."""
_MOST_EQUAL = 20
"""Equal figures of a text that are tried for the one below a heading."""
_LETTER_MEETS_DIGIT = re.compile(r"(?<=[a-z])-?(?=[0-9])|(?<=[0-9])-?(?=[a-z])")
_JOINTS = (" ", "-", "")
_SHORT_CODE = 5
"""Characters of a name that may also be spelled with a joint: ``E 4``, ``E-4``, ``§ 15 a``."""
_MOST_TRIED = 20
"""Places of a name in one text that are looked at: 14 b, where it says 14 bis 18 Uhr first."""
_TENTH = 10.0**-1
_SERIES = 12
"""Different days from which on a text counts as a time series."""


# made for every answer: a named tuple would cost ten times as much
@dataclass(slots=True, init=False)
class Source:
    """One text that may ground a number. ``kind``: grounded (chunk) | from_context | from_query."""

    kind: str
    ref: str | None
    text: str

    def __init__(self, kind: str, ref: str | None, text: str) -> None:
        self.kind = kind
        self.ref = ref
        self.text = text


@dataclass(slots=True, init=False)
class Place:
    """Where the evidence for a quantity stands, and what kind of evidence it is."""

    kind: str
    source: Source
    start: int
    end: int

    def __init__(self, kind: str, source: Source, start: int, end: int) -> None:
        self.kind = kind
        self.source = source
        self.start = start
        self.end = end


class Miss(NamedTuple):
    """A quantity that stands nowhere; ``start:end`` is the part of it that is wrong.

    ``value``: the value of that part, None when it is all of the quantity.
    """

    quantity: Quantity
    start: int
    end: int
    value: float | None


Indexed = list[tuple[Source, Index]]


def exact_place(reading: Reading, quantity: Quantity, source: Source, index: Index) -> Place | None:
    """Where the same value, date, time or name stands, in whatever spelling."""
    if quantity.kind is DATE:
        return _date_place(quantity, source, index)
    if quantity.kind is TIME:
        for minute in quantity.minutes:
            if minute in index.by_minute:
                return _at(source, index.by_minute[minute])
        return _hours_place(quantity.minutes, source, index)
    if quantity.kind is CODE:
        return _code_place(reading, quantity, source, index)
    # a step of a tenth: one decimal was written
    is_tenth = quantity.unit is None and quantity.step == _TENTH and bool(quantity.values)
    release = releases.release_name(reading.text, quantity) if is_tenth else ""
    for value in quantity.values:
        same = index.equal(value)
        if len(same) > _MOST_EQUAL:
            release = ""  # among so many, one may be it
        for found in same:
            if release and not releases.may_ground(release, index.text, found):
                continue
            if _same(reading, quantity, index, found):
                return _at(source, found)
        if release and releases.is_numbered(release, index.text):
            continue
        if (
            quantity.unit is not None
            and quantity.unit.name == "h"
            and value * 60 in index.by_minute
        ):
            return _at(source, index.by_minute[int(value * 60)])
        if quantity.unit is None and quantity.sign >= 0 and value in index.parts:
            start, end = index.parts[value]
            return Place(source.kind, source, start, end)
        if quantity.form is ORDINAL and value in index.numbered:
            return _at(source, index.numbered[value])
    return None


def _hours_place(minutes: tuple[int, ...], source: Source, index: Index) -> Place | None:
    """``17h`` reads as seventeen hours and may be five o'clock."""
    for minute in minutes:
        for found in index.equal(minute / 60):
            if found.unit is not None and found.unit.name == "h":
                return _at(source, found)
    return None


def _at(source: Source, found: Quantity, kind: str | None = None) -> Place:
    in_chunk = source.kind == "grounded"
    return Place(kind if kind and in_chunk else source.kind, source, found.start, found.end)


def comparable(mine: Quantity, theirs: Quantity) -> bool:
    """Whether equal values say the same: one unit, a unit left out, or a looser word for it."""
    if mine.unit is None and theirs.unit is not None:
        is_share = theirs.unit.dimension in ("share", "points")
        return not is_share or mine.form is ORDINAL
    return units.comparable(mine.unit, theirs.unit)


def _same(reading: Reading, mine: Quantity, index: Index, theirs: Quantity) -> bool:
    """Whether two quantities of equal value say the same: units, signs, what they count."""
    if not comparable(mine, theirs):
        return False
    if mine.unit is None and theirs.unit is not None and theirs.unit.hard:
        if phrases.counts_something(reading.text, mine):
            return False
    elif theirs.unit is None and mine.unit is not None and mine.unit.hard and not theirs.power:
        if phrases.counts_something(index.text, theirs):
            return False
    return _signs_agree(reading, mine, index, theirs)


def _signs_agree(reading: Reading, mine: Quantity, index: Index, theirs: Quantity) -> bool:
    """A sign may be said in words: a loss of 3 is -3."""
    if (mine.sign < 0) == (theirs.sign < 0) or mine.values[0] == 0:
        return True
    if mine.sign < 0:
        return phrases.says_loss(index.text, theirs)
    return phrases.says_loss(reading.text, mine)


def _date_place(quantity: Quantity, source: Source, index: Index) -> Place | None:
    for year, month, day in quantity.dates:
        known = index.by_month.get(month) if day is None else index.by_day.get((month, day))
        for (other, _, _), found in known or ():
            if year is None or year == other or (other is None and _has_number(index, float(year))):
                return _at(source, found)
    for value in quantity.values:
        for found in index.equal(value):
            return _at(source, found)
    return None


def _has_number(index: Index, value: float) -> bool:
    return value in index.parts or value in index.by_value


def _code_place(reading: Reading, quantity: Quantity, source: Source, index: Index) -> Place | None:
    found = index.codes.get(quantity.code)
    if found is not None:
        return _at(source, found)
    if quantity.code.isdigit() and releases.is_zero_release(reading.text, quantity):
        same = index.equal(float(quantity.code))
        for found in same[:_MOST_EQUAL]:
            if len(same) > _MOST_EQUAL or releases.may_ground("version", index.text, found):
                return _at(source, found)
        return None
    if quantity.code.startswith(PHONE):
        return _phone_place(quantity.code, source, index)
    text = index.lowered
    for code in _spellings(quantity.code) if len(text) == len(index.text) else ():
        at = _whole(text, code)
        if at >= 0:
            return Place(source.kind, source, at, at + len(code))
    return None


def _spellings(code: str) -> list[str]:
    if len(code) > _SHORT_CODE:
        return [code]
    return [code, *(_LETTER_MEETS_DIGIT.sub(joint, code) for joint in _JOINTS)]


def _whole(text: str, code: str) -> int:
    """Where ``code`` stands with no letter or digit beside it; -1 when soon nowhere."""
    at = text.find(code)
    for _ in range(_MOST_TRIED):
        if at < 0:
            break
        end = at + len(code)
        if not text[end : end + 1].isalnum() and not text[at - 1 : at].isalnum():
            return at
        at = text.find(code, end)
    return -1


def _phone_place(code: str, source: Source, index: Index) -> Place | None:
    """Country and area codes may be left out: one number is the end of the other."""
    own = code.removeprefix(PHONE).lstrip("0")
    for other, found in index.codes.items():
        if other.startswith(PHONE):
            theirs = other.removeprefix(PHONE).lstrip("0")
            if own.endswith(theirs) or theirs.endswith(own):
                return _at(source, found)
    digits = code.removeprefix(PHONE)
    same = index.by_value.get(float(digits)) if len(digits) <= 15 else None
    return _at(source, same) if same else None


def loose_place(reading: Reading, quantity: Quantity, indexes: Indexed) -> Place | None:
    """A conversion of a number that stands there, or a marked and correct rounding of one."""
    if quantity.kind is not NUMBER:
        return None
    unit = quantity.unit
    is_fraction = quantity.form is FRACTION and unit is None
    for source, index in indexes if is_fraction or is_points(unit) else ():
        points = in_text(quantity, index.quantities) or _as_share(quantity, index)
        if points is not None:
            return _at(source, points, "derived")
    if unit is not None:
        bases = [(value, units.base(value, unit)) for value in quantity.values]
        for source, index in indexes:
            found = _converted(quantity, unit, bases, index)
            if found is not None and _signs_agree(reading, quantity, index, found):
                return _at(source, found, "derived")
    for source, index in indexes:
        found = _below_heading(reading, quantity, index)
        if found is not None:
            return _at(source, found, "derived")
    span = phrases.tolerance(reading.text, quantity)
    value, half = quantity.values[0], quantity.step / 2
    low, high = span or (value - half, value + half)
    for source, index in indexes:
        if span is None and not index.is_record:
            continue
        for found in index.between(low, high):
            if (span or found.step < quantity.step) and _same(reading, quantity, index, found):
                return _at(source, found, "approximate")
    may_be = worked_out.may_be_worked_out(reading.text, quantity)
    for source, index in indexes if may_be else ():
        given = index.worked_out.find(reading.text, quantity)
        if given is not None:
            return _at(source, given, "derived")
    return None


def told_together(reading: Reading, indexes: Indexed) -> dict[int, Place]:
    """By the id of the quantity: 1 hour and 35 minutes, where the text says 95 minutes."""
    places: dict[int, Place] = {}
    for total in totals(reading.text, reading.quantities):
        for source, index in indexes:
            found = index.by_base(total.dimension).get(total.base)
            if found is not None:
                for quantity in (total.one, total.other):
                    places.setdefault(id(quantity), _at(source, found, "derived"))
                break
    return places


def _as_share(quantity: Quantity, index: Index) -> Quantity | None:
    """Two thirds, where the text says 67 %."""
    if quantity.form is not FRACTION or quantity.unit is not None:
        return None
    share = 100 * quantity.values[0]
    for found in index.between(share - 1, share + 1):
        if found.unit is not None and found.unit.name == "%":
            return found
    return None


def _below_heading(reading: Reading, mine: Quantity, index: Index) -> Quantity | None:
    """48.2 million, where 48.2 stands in a table whose heading says ``USD m``; or the reverse."""
    if mine.power or abs(mine.values[0]) >= _LEAST_SCALED:
        for power in headings.POWERS:
            for found in _equal(index, mine, -power):
                # headings are looked for last: few texts hold such a figure
                if headings.is_cell(index.text, found) and _is_below(index, found, power):
                    if _same(reading, mine, index, found):
                        return found
    if not headings.is_cell(reading.text, mine):
        return None
    for power, start in headings.told_in_answer(reading.text).items():
        for found in _equal(index, mine, power) if mine.start >= start else ():
            if _signs_agree(reading, mine, index, found):
                return found
    return None


def _is_below(index: Index, found: Quantity, power: int) -> bool:
    start = index.scales.get(power)
    return start is not None and found.start >= start


def _equal(index: Index, mine: Quantity, power: int) -> list[Quantity]:
    """The first quantities of a text that are worth mine times ten to the ``power``."""
    found: list[Quantity] = []
    for value in mine.values:
        found += index.equal(units.rounded(scaled(value, power)))[:_MOST_EQUAL]
    return found


def _converted(
    quantity: Quantity, unit: Unit, bases: list[tuple[float, tuple[str, float]]], index: Index
) -> Quantity | None:
    """``bases``: each value of the quantity, and its key in the base of its dimension."""
    dimension = unit.dimension
    of_dimension = index.by_base(dimension)
    for value, key in bases:
        found = of_dimension.get(key[1])
        if found is None and unit.hard:
            if dimension in _OTHER_SHARES:
                found = _in_basis_points(key[1], unit, index)
            else:
                found = _in_cents(value, unit, index)
        if found is None and key in _SINGLE_BASES:
            # 60 minutes where the text says "an hour"
            found = index.singles.get(key)
        if found is not None:
            return found
    if unit.name == "%":
        for fraction in index.fractions:
            if any(
                abs(100 * value - quantity.values[0]) <= quantity.step / 2
                for value in fraction.values
            ):
                return fraction
    for other in index.quantities[:_MOST_FOREIGN] if dimension in _FOREIGN else ():
        worth = _foreign(other, unit)
        if worth is None:
            continue
        allowed = 0.51 * max(phrases.shown_step(quantity), abs(worth) * 0.02)
        if abs(worth - quantity.values[0]) <= allowed:
            return other
    return None


_OTHER_SHARES = {"share": "points", "points": "share"}


def _in_basis_points(value: float, unit: Unit, index: Index) -> Quantity | None:
    """70 basis points may be called 0.7 %, though percentage points are no percent.

    ``value``: in the base of the unit's dimension.
    """
    found = index.by_base(_OTHER_SHARES[unit.dimension]).get(value)
    if found is None or found.unit is None or "bp" not in (unit.name, found.unit.name):
        return None
    return found


def _in_cents(value: float, unit: Unit, index: Index) -> Quantity | None:
    """99 cents are 0.99 of whatever money has cents."""
    if unit.name == "ct":
        for name in _WITH_CENTS:
            found = index.by_base(f"money {name}").get(units.rounded(value / 100))
            if found is not None:
                return found
        return None
    return index.by_base("money ct").get(units.rounded(value * 100))


def _foreign(quantity: Quantity, mine: Unit) -> float | None:
    """A quantity in my unit, when one of the two is metric and the other imperial."""
    theirs = quantity.unit
    if theirs is None or (theirs.name in _IMPERIAL) == (mine.name in _IMPERIAL):
        return None
    value = quantity.values[0]
    if theirs.dimension == mine.dimension:
        return value * theirs.factor / mine.factor
    if theirs.name == "°F" and mine.name in ("°C", "°"):
        return (value - 32) / 1.8
    if theirs.name in ("°C", "°") and mine.name == "°F":
        return value * 1.8 + 32
    return None


def missing_parts(quantity: Quantity, indexes: Indexed) -> list[Miss]:
    """The narrowest part that stands nowhere: a year, a day, one of ``23/24``; or all of it.

    Empty when the parts stand there for themselves.
    """
    if quantity.kind is DATE and not quantity.separable:
        return [] if _stands_in_series(quantity, indexes) else [_missing_date(quantity, indexes)]
    if quantity.separable:
        missing = [
            Miss(quantity, start, end, value)
            for value, start, end in quantity.parts
            if not any(_stands_bare(value, index) for _, index in indexes)
        ]
        together = len(missing) == len(quantity.parts) or _is_grouped(quantity)
        if not together or (not missing and quantity.unit is None):
            return missing
    return [Miss(quantity, quantity.start, quantity.end, None)]


def _is_grouped(quantity: Quantity) -> bool:
    """``30 120``: one number, unless both of its groups stand there for themselves."""
    return quantity.kind is NUMBER and quantity.form is DIGITS and quantity.values[0] < 1e7


def _stands_in_series(quantity: Quantity, indexes: Indexed) -> bool:
    """In a time series every day of a month recurs in many rows: only its parts can be checked."""
    return any(
        len(index.by_day) >= _SERIES and all(value in index.parts for value, _, _ in quantity.parts)
        for _, index in indexes
    )


def _stands_bare(value: float, index: Index) -> bool:
    return value in index.parts or any(
        found.unit is None or not found.unit.hard for found in index.equal(value)
    )


def _missing_date(quantity: Quantity, indexes: Indexed) -> Miss:
    whole = Miss(quantity, quantity.start, quantity.end, None)
    year_part: Part | None = next((part for part in quantity.parts if part[0] >= 1000), None)
    if year_part is None:
        return whole
    value, start, end = year_part
    days = [(month, day) for _, month, day in quantity.dates if day is not None]
    if any(day in index.by_day for day in days for _, index in indexes):
        return Miss(quantity, start, end, value)
    if not any(_stands_bare(value, index) for _, index in indexes):
        return whole
    if start - quantity.start < quantity.end - end:
        return Miss(quantity, end, quantity.end, None)
    return Miss(quantity, quantity.start, start, None)
