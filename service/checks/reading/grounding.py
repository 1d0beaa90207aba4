"""Where a quantity of the answer stands in a text: by value, as a conversion, as a rounding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import NamedTuple

from service.checks.reading import headings, phrases, rates, releases, units, worked_out
from service.checks.reading.derivation import in_text, is_points
from service.checks.reading.digits import scaled
from service.checks.reading.evidence import Index, ratios, totals
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
    "in ft yd mi nmi ft² mi² acre gal lb oz mph kn °F pound psi mmHg kcal".split()
)
"""And others that no round factor joins to the rest of their dimension."""
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
_MOST_SAME = 100
"""Equal figures of a text that are tried for one of the answer."""
_MOST_EQUAL = 20
"""Equal figures of a text that are tried for the one below a heading, or for a time."""
_LETTER_MEETS_DIGIT = re.compile(r"(?<=[a-z])-?(?=[0-9])|(?<=[0-9])-?(?=[a-z])")
_JOINTS = (" ", "-", "")
_SHORT_CODE = 8
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
        for found in same[:_MOST_SAME]:
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


def _slashed_day(quantity: Quantity, source: Source, index: Index) -> Place | None:
    """``07/09`` may be the seventh of September, or the ninth of July."""
    one, other = [int(value) for value, _, _ in quantity.parts]
    for day in ((one, other), (other, one)):
        if day in index.by_day:
            return _at(source, index.by_day[day][0][1])
    return None


def _loose_time_place(reading: Reading, quantity: Quantity, indexes: Indexed) -> Place | None:
    """``10:30``, where the text says ``10.30`` or ``at 10``; or the reverse."""
    if quantity.kind is TIME:
        for minute in quantity.minutes:
            for told in (minute, minute - 720) if minute >= _ONE_PM else (minute,):
                for source, index in indexes:
                    found = _told_at(told, index)
                    if found is not None:
                        return _at(source, found)
        return None
    own = _dotted_minute(reading.text, quantity)
    if own is None and _is_at_hour(reading.text, quantity):
        own = 60 * int(quantity.values[0])
    for source, index in indexes if own is not None else ():
        if own in index.by_minute:
            return _at(source, index.by_minute[own])
    return None


_ONE_PM = 780


def _told_at(minute: int, index: Index) -> Quantity | None:
    """A number that may be this time."""
    for found in index.equal(float(f"{minute // 60}.{minute % 60:02}"))[:_MOST_EQUAL]:
        if _dotted_minute(index.text, found) == minute:
            return found
        if minute % 60 == 0 and _is_at_hour(index.text, found):
            return found
    return None


_AT_HOUR = re.compile(r"(?i)(?<![^\W_])(?:at|um|alle|dalle|às|om|kl\.|a las|à|godz\.) $")


def _is_at_hour(text: str, number: Quantity) -> bool:
    """``alle 18``, ``at 9``: a whole number that may be an hour."""
    if number.unit is not None or number.form is not DIGITS or number.kind is not NUMBER:
        return False
    if number.sign or number.value_end - number.value_start > 2 or number.values[0] > 24:
        return False
    return _AT_HOUR.search(text, max(0, number.start - 7), number.start) is not None


_DOTTED = re.compile(r"([01]?[0-9]|2[0-3])\.([0-5][0-9])")


def _dotted_minute(text: str, number: Quantity) -> int | None:
    """The minute after midnight that a number such as ``10.30`` or ``8.15 h`` may stand for."""
    if number.form is not DIGITS or number.kind is not NUMBER:
        return None
    if number.unit is not None and number.unit.name != "h":
        return None
    if number.sign or not 4 <= number.value_end - number.value_start <= 5:
        return None
    dotted = _DOTTED.fullmatch(text, number.value_start, number.value_end)
    return None if dotted is None else 60 * int(dotted[1]) + int(dotted[2])


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
    if mine.unit is None and theirs.unit is not None:
        if not letter_agrees(reading.text, mine, theirs.unit):
            return False
    elif theirs.unit is None and mine.unit is not None:
        if not letter_agrees(index.text, theirs, mine.unit):
            return False
        if not _as_told(reading, mine, mine.unit, index, theirs):
            return False
    if mine.unit is None and theirs.unit is not None and theirs.unit.hard:
        if phrases.counts_something(reading.text, mine):
            return False
    elif theirs.unit is None and mine.unit is not None and mine.unit.hard and not theirs.power:
        if phrases.counts_something(index.text, theirs):
            return False
    if mine.unit is not None or theirs.unit is None:
        if not _rates_agree(reading, mine, index, theirs):
            return False
    return _signs_agree(reading, mine, index, theirs)


def _rates_agree(reading: Reading, mine: Quantity, index: Index, theirs: Quantity) -> bool:
    """$5 per hour are not $5 per day; where only one says for what, they may be the same."""
    if not rates.may_follow(reading.text, mine.end) or theirs.kind is not NUMBER:
        return True
    if mine.unit is not None and theirs.unit is None:
        return True
    per = index.per(theirs)
    return per is None or not rates.differ(rates.behind(reading.text, mine.end), per)


def _as_told(reading: Reading, mine: Quantity, unit: Unit, index: Index, theirs: Quantity) -> bool:
    """Whether a number without a unit may have mine, by the heading above it or the key before."""
    told = index.told_unit(theirs)
    if told is None:
        return True
    other, power = told
    if not units.comparable(unit, other):
        if len(other.name) == 1 and other.dimension != unit.dimension and not other.hard:
            return True  # Runs (h): at home
        if unit.dimension == "multiple" or units.is_dollar(unit, other):
            return True
        return unit.dimension in _OTHER_SHARES and other.dimension in _OTHER_SHARES
    if not power or not other.hard or power in headings.told_in_answer(reading.text):
        return True
    worth = [units.rounded(scaled(value, power)) for value in theirs.values]
    return any(units.rounded(value) in worth for value in mine.values)


def letter_agrees(text: str, quantity: Quantity, other: Unit) -> bool:
    """Whether a letter behind a number without a unit (``20 A``) is no unit but ``other``.

    A plan and a gate have letters too: one counts where the other side measures the same
    dimension (20 mA), or where the number has decimals.
    """
    if quantity.step >= 1.0 and not units.has_letter(other.dimension):
        return True
    letter = units.letter(text, quantity.end)
    if letter is None:
        return True
    if letter.dimension != other.dimension:
        return quantity.step >= 1.0
    return letter.factor == other.factor


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
    """A conversion of a number that stands there, a marked and correct rounding of one, or a time
    that is spelled like a number."""
    if quantity.kind in (NUMBER, TIME):
        place = _loose_time_place(reading, quantity, indexes)
        if place is not None:
            return place
    if quantity.kind is not NUMBER:
        return None
    if quantity.separable and quantity.form is FRACTION:
        for source, index in indexes:
            place = _slashed_day(quantity, source, index)
            if place is not None:
                return place
    unit = quantity.unit or units.letter(reading.text, quantity.end)
    is_fraction = quantity.form is FRACTION and unit is None
    for source, index in indexes if is_fraction or is_points(unit) else ():
        points = in_text(quantity, index.quantities) or _as_share(quantity, index)
        if points is not None:
            return _at(source, points, "derived")
    span = phrases.tolerance(reading.text, quantity)
    if unit is not None:
        bases = [(value, units.base(value, unit)) for value in quantity.values]
        rate = rates.worth(reading.text, quantity)
        for source, index in indexes:
            found = None if rate is None else _as_rate(rate, index)
            if found is None:
                found = _converted(quantity, unit, bases, span, index)
                if found is not None and not _rates_agree(reading, quantity, index, found):
                    continue
            if found is not None and _signs_agree(reading, quantity, index, found):
                return _at(source, found, "derived")
    for source, index in indexes:
        found = _below_heading(reading, quantity, index)
        if found is not None:
            return _at(source, found, "derived")
    value, half = quantity.values[0], quantity.step / 2
    low, high = span or (value - half, value + half)
    if span is not None and unit is not None:
        for source, index in indexes:
            found = _about_converted(quantity, unit, span, index)
            if found is not None and _signs_agree(reading, quantity, index, found):
                if _rates_agree(reading, quantity, index, found):
                    return _at(source, found, "approximate")
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
    """By the id of the quantity: 1 hour and 35 minutes, where the text says 95 minutes; one in
    five, where it says 20 %."""
    places: dict[int, Place] = {}
    for total in totals(reading.text, reading.quantities):
        for source, index in indexes:
            found = index.by_base(total.dimension).get(total.base)
            if found is not None:
                for quantity in (total.one, total.other):
                    places.setdefault(id(quantity), _at(source, found, "derived"))
                break
    for ratio in ratios(reading.text, reading.quantities):
        allowed = 0.0 if ratio.base.is_integer() else 0.5
        for source, index in indexes:
            shares = index.between(ratio.base - allowed, ratio.base + allowed)
            share = next((q for q in shares if q.unit is not None and q.unit.name == "%"), None)
            if share is not None:
                for quantity in (ratio.one, ratio.other):
                    places.setdefault(id(quantity), _at(source, share, "derived"))
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
    quantity: Quantity,
    unit: Unit,
    bases: list[tuple[float, tuple[str, float]]],
    span: tuple[float, float] | None,
    index: Index,
) -> Quantity | None:
    """``bases``: each value of the quantity, and its key in the base of its dimension. ``span``:
    what it may stand for when it is marked as rounded."""
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
        for ratio in index.ratios:
            if abs(ratio.base - quantity.values[0]) <= quantity.step / 2:
                return ratio.other
    for other in index.quantities[:_MOST_FOREIGN] if dimension in _FOREIGN else ():
        worth = _foreign(other, unit)
        if worth is None or _is_copied(quantity, other, worth):
            continue
        if abs(worth - quantity.values[0]) <= _allowed(quantity, worth):
            return other
        if span is not None and span[0] <= worth <= span[1]:
            return other
    return None


_MOST_COPIED_OFF = 0.01
"""Share of a value by which the same digits in another unit are taken for no conversion."""


def _is_copied(mine: Quantity, theirs: Quantity, worth: float) -> bool:
    """100 miles for 100 km: the digits are the text's, and the unit is not."""
    value = mine.values[0]
    return value in theirs.values and abs(worth - value) > value * _MOST_COPIED_OFF


def _allowed(quantity: Quantity, worth: float) -> float:
    """How far a conversion may be off that no word marks as rounded. It shows two digits at least:
    60 miles are no 62, which 5 km may be for 3 miles."""
    digits = 10.0 ** (floor(log10(abs(worth))) - 1) if worth and isfinite(worth) else 0.0
    step = max(min(phrases.shown_step(quantity), digits), quantity.step)
    return 0.51 * max(step, abs(worth) * 0.02)


def _as_rate(rate: tuple[rates.RateKey, list[float]], index: Index) -> Quantity | None:
    """0.7 g/l, where the text says 70 mg/dl."""
    known = index.by_rate.get(rate[0])
    for amount in rate[1] if known else ():
        if known is not None and amount in known:
            return known[amount]
    return None


def _about_converted(
    mine: Quantity, unit: Unit, span: tuple[float, float], index: Index
) -> Quantity | None:
    """About 13 km, where the text says 12,870 m. ``span``: in my unit."""
    low, high = span[0] * unit.factor, span[1] * unit.factor
    for found in index.of_base_between(unit.dimension, low, high):
        if not any(value in found.values for value in mine.values):
            return found
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
