"""Ranges: in ``3–5 Werktage``, ``$5-10`` and ``2–5 May`` one unit or month holds for both ends."""

from __future__ import annotations

import re

from service.checks.reading import units
from service.checks.reading.digits import scaled
from service.checks.reading.passage import Passage
from service.checks.reading.quantities import (
    CARDINAL,
    DATE,
    DIGITS,
    NUMBER,
    ORDINAL,
    TIME,
    Quantity,
)

_LINK = re.compile(
    r" ?(?:-|–|/|to|(?:- )?bis|bis zum|à|a|and|und|et|y|or|oder|ou|o|through|auf|al|tot"
    r"|t/m|até|do|~|至|到|から|,) ?"
)
_DAY_LINK = re.compile(r"\. ?(?:-|–|/|bis|bis zum|und|oder|und am|,) ?")
"""In German a dot makes the first of two days an ordinal: ``12. bis 14. Juni``."""
_LONGEST_LINK = 7
_LONGEST_DAY_LINK = 10
_CLOSED = re.compile(r" ?(?:[.,;:!?)|]|\Z|\n)| (?:pro|je|im|in|per|a|an|und|and|statt)\b")
_DASHES = ("-", "–", "/")
_SPOKEN_ENDINGS = ("tausend", "hundert")
"""Of German compounds: zwei- bis dreitausend."""
_HOUR_AND_MINUTE = re.compile(r"([01]?[0-9]|2[0-4])\.([0-5][0-9])")


def share_units(passage: Passage) -> None:
    """Give each end of a range what stands only at the other. ``passage.found`` is in order."""
    merged: set[int] = set()
    found = passage.found
    for number in range(1, len(found)):
        one, other = found[number - 1], found[number]
        distance = other.start - one.end
        if distance > _LONGEST_LINK and (distance > _LONGEST_DAY_LINK or other.kind is not DATE):
            continue
        gap = passage.text[one.end : other.start]
        if gap == " " and _are_cents(passage.text, one, other):
            one.values = (one.values[0] + other.values[0] / 100,)
            one.end, one.step = other.end, 0.01
            merged.add(id(other))
        if not _LINK.fullmatch(gap):
            if gap[:1] == "." and one.kind is NUMBER and other.kind is DATE:
                if _DAY_LINK.fullmatch(gap):
                    _share_day(one, other)
            continue
        if one.kind is NUMBER and other.kind is NUMBER:
            _share(passage.text, one, other, gap.strip())
        elif one.kind is NUMBER:
            if not _share_clock(passage.text, one, other):
                _share_day(one, other)
        elif other.kind is NUMBER and gap.strip() in _DASHES:
            _share_day(other, one)
    if merged:
        passage.found = [quantity for quantity in found if id(quantity) not in merged]


def _are_cents(text: str, money: Quantity, other: Quantity) -> bool:
    """``vier Euro zwanzig``, ``13 Euro 90``: what follows the currency are its cents."""
    if money.unit is None or not money.unit.dimension.startswith("money") or money.power:
        return False
    if other.kind is not NUMBER or other.unit is not None or other.end != other.value_end:
        return False
    if other.form not in (DIGITS, CARDINAL) or money.end == money.value_end:
        return False
    value = other.values[0]
    whole = money.values[0] == int(money.values[0])
    return (
        whole
        and 10 <= value < 100
        and value == int(value)
        and _CLOSED.match(text, other.end) is not None
    )


def _share(text: str, one: Quantity, other: Quantity, link: str) -> None:
    if link in _DASHES:
        if _are_years(one, other):
            other.values = (*other.values, one.values[0] // 100 * 100 + other.values[0])
        _share_millions(text, one, other)
    had_unit = one.unit is not None
    if one.form not in (DIGITS, CARDINAL):
        return
    if one.unit is None and other.unit is not None:
        one.unit = other.unit
        if other.power and not one.power:
            one.values = (*one.values, *(scaled(value, other.power) for value in one.values))
            return
    elif other.unit is None and one.unit is not None and one.unit.hard and link in _DASHES:
        other.unit = one.unit
    if not one.power and (not had_unit or one.unit is other.unit):
        _share_scale(text, one, other)


def _share_scale(text: str, one: Quantity, other: Quantity) -> None:
    """``€10–15k``, ``between two and three million``: the first may be thousands, too."""
    power = other.power or _spoken_power(text, other)
    if power:
        larger = scaled(one.values[0], power)
        if larger < other.values[0]:
            one.values = (*one.values, larger)


def _spoken_power(text: str, number: Quantity) -> int:
    """Of ten, that the last words of a spoken number say: three hundred thousand."""
    if number.form is not CARDINAL:
        return 0
    power = 0
    for word in reversed(text[number.value_start : number.value_end].lower().split(" ")):
        for ending in _SPOKEN_ENDINGS:
            if word.endswith(ending):
                return power + units.SCALES[ending]
        if word not in units.SCALES:
            break
        power += units.SCALES[word]
    return power


def _share_millions(text: str, money: Quantity, other: Quantity) -> None:
    """``€5–10m``: no metres."""
    if money.unit is None or other.unit is None or other.unit.name != "m":
        return
    if money.unit.dimension.startswith("money") and text[other.value_end : other.end] == "m":
        other.unit, other.power = money.unit, 6
        other.values = tuple([scaled(value, 6) for value in other.values])
        other.step *= 1e6


def _are_years(one: Quantity, other: Quantity) -> bool:
    """``2018-19``: the second year without its century."""
    if one.unit or other.unit or one.form is not DIGITS or other.form is not DIGITS:
        return False
    if other.value_end - other.value_start != 2 or one.value_end - one.value_start != 4:
        return False
    year = one.values[0]
    return 1000 <= year <= 2999 and year % 100 < other.values[0]


def _share_clock(text: str, number: Quantity, whole: Quantity) -> bool:
    """``7.30 bis 13.15 Uhr``: the first is an hour and its minutes, too."""
    if whole.kind is not TIME or number.unit is not None or number.sign or number.power:
        return False
    dotted = _HOUR_AND_MINUTE.fullmatch(text, number.value_start, number.value_end)
    if dotted is None:
        return False
    hour, minute = int(dotted[1]), int(dotted[2])
    _read_as_hour(number, hour * 60 + minute, hour, whole, dotted.end(1))
    return True


def _read_as_hour(number: Quantity, minute: int, hour: int, whole: Quantity, end: int) -> None:
    """``end``: where the hour ends. Before a later time of the afternoon it may be one, too."""
    late = whole.minutes[0] >= 720 and hour < 12
    number.kind, number.parts = TIME, ((float(hour), number.value_start, end),)
    number.minutes = (minute, minute + 720) if late else (minute,)


def _share_day(number: Quantity, whole: Quantity) -> None:
    """``2–5 May``, ``June 27–29``, ``9–17 Uhr``: both ends are days, or hours."""
    if number.unit is not None or number.sign or number.parts:
        return
    value = number.values[0]
    if number.form not in (DIGITS, ORDINAL) or value != int(value) or value > 31:
        return
    part = (value, number.value_start, number.value_end)
    if whole.kind is DATE and value >= 1 and len(whole.dates) == 1:
        year, month, day = whole.dates[0]
        if day is not None:
            number.kind, number.dates, number.parts = (
                DATE,
                ((year, month, int(value)),),
                (part,),
            )
    elif whole.kind is TIME and value <= 24 and number.start < whole.start:
        _read_as_hour(number, int(value) * 60, int(value), whole, number.value_end)
