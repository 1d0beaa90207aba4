"""For a number that stands nowhere: the closest thing that does, and what is wrong with it."""

from __future__ import annotations

from itertools import islice
from math import floor, inf, log, log10
from typing import Final, NamedTuple

from service.checks.reading import releases, units
from service.checks.reading.evidence import Index
from service.checks.reading.grounding import Indexed, Miss, Source, comparable
from service.checks.reading.quantities import CODE, DATE, ORDINAL, TIME, Quantity

ABSENT, UNIT_MISMATCH, MAGNITUDE, SIGN, TRANSPOSED = (
    "absent",
    "unit_mismatch",
    "magnitude",
    "sign",
    "transposed",
)
_MOST_CODES = 200
_DECADES: Final = 0.4342944819032518
"""Of a natural logarithm: 1 / log(10)."""


class Near(NamedTuple):
    """``reason``: what the finding is called; ``note``: the same in words; ``rank``: 0 is best."""

    rank: int
    reason: str
    note: str
    source: Source
    found: Quantity


def nearest(miss: Miss, indexes: Indexed, release: str = "") -> Near | None:
    """The most telling near miss over all texts; the first text wins a tie.

    ``release``: the name of a release (see :func:`releases.release_name`), whose own numbers are
    nearer than any equal value.
    """
    for source, index in indexes if release else ():
        near = _near_release(release, source, index)
        if near is not None:
            return near
    best: Near | None = None
    for source, index in indexes:
        near = _near(miss, source, index)
        if near is not None and (best is None or near.rank < best.rank):
            best = near
    return best


def _near(miss: Miss, source: Source, index: Index) -> Near | None:
    quantity = miss.quantity
    if quantity.kind is DATE:
        return _near_date(quantity, source, index)
    if quantity.kind is TIME:
        if not index.by_minute:
            return None
        minute = min(index.by_minute, key=lambda other: abs(other - quantity.minutes[0]))
        return Near(5, ABSENT, "another time", source, index.by_minute[minute])
    if quantity.kind is CODE:
        for code, found in islice(index.codes.items(), _MOST_CODES):
            if swapped(code, quantity.code):
                return Near(2, TRANSPOSED, "digits swapped", source, found)
        return None
    value = quantity.values[0] if miss.value is None else miss.value
    return _near_number(quantity, value, source, index)


def _near_release(release: str, source: Source, index: Index) -> Near | None:
    """Another number of the same name: HDMI 2.1."""
    at = releases.number_of(release, index.text)
    for found in index.quantities if at >= 0 else ():
        if found.value_start == at:
            return Near(5, ABSENT, "another value", source, found)
    return None


def _near_number(quantity: Quantity, value: float, source: Source, index: Index) -> Near | None:
    same = index.equal(value)
    if same:
        for found in same:
            if comparable(quantity, found) and (found.sign < 0) != (quantity.sign < 0):
                return Near(0, SIGN, "another sign", source, found)
        return Near(1, UNIT_MISMATCH, "another unit", source, same[0])
    scaled = closest = None
    distance = inf
    unit = quantity.unit
    for found in index.quantities:
        for other in found.values:
            if found.unit is unit and abs(other - value) < distance:
                distance, closest = abs(other - value), found
            ratio = value / other if other else 0.0
            if 0.10001 < ratio < 9.9999:
                if _may_be_swapped(value, other) and swapped(shown(value), shown(other)):
                    return Near(2, TRANSPOSED, "digits swapped", source, found)
            elif scaled is None and ratio > 0 and _is_power_of_ten(ratio):
                scaled = found if _is_scale_slip(quantity, found, value) else None
    if scaled is not None:
        return Near(3, MAGNITUDE, "another scale", source, scaled)
    return None if closest is None else Near(6, ABSENT, "another value", source, closest)


# Asked of every number of every text: what is nearly always so is told first, by arithmetic that
# compiled code does without making objects.


def _may_be_swapped(one: float, other: float) -> bool:
    """Exchanging two digits changes a number by a multiple of nine."""
    apart = (one - other) * 1000
    rest = abs(apart) % 9.0
    return (rest <= 0.5 or rest >= 8.5) and round(apart) % 9 == 0


def _is_power_of_ten(ratio: float) -> bool:
    rough = log(ratio) * _DECADES
    if abs(rough - floor(rough + 0.5)) > 1e-8:
        return False
    power = log10(ratio)
    return -1e-9 < power - round(power) < 1e-9


def _is_scale_slip(quantity: Quantity, scaled: Quantity, value: float) -> bool:
    """One digit is alike by chance (the first, 10), unless both say of what."""
    if scaled.form is ORDINAL or not units.comparable(quantity.unit, scaled.unit):
        return False
    if quantity.unit is not None and scaled.unit is not None:
        return True
    return len(f"{value:.12e}".partition("e")[0].replace(".", "").strip("0")) > 1


def _near_date(quantity: Quantity, source: Source, index: Index) -> Near | None:
    _, month, day = quantity.dates[0]
    known = index.by_day.get((month, day))
    if known:
        return Near(4, ABSENT, "another year", source, known[0][1])
    swapped = index.by_day.get((day, month))
    if swapped:
        return Near(2, TRANSPOSED, "day and month swapped", source, swapped[0][1])
    some = next(iter(index.by_day.values()), None)
    return Near(5, ABSENT, "another date", source, some[0][1]) if some else None


def shown(value: float) -> str:
    """The digits of a value as people write it: 64.96 → ``6496``, 350000 → ``350000``."""
    text = repr(value)
    return text.removesuffix(".0").replace(".", "") if "e" not in text else text


def swapped(one: str, other: str) -> bool:
    """Two strings that differ by exchanging two characters."""
    if len(one) != len(other) or one == other:
        return False
    apart = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(apart) != 2:
        return False
    left, right = apart
    return one[left] == other[right] and one[right] == other[left]
