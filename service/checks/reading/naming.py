"""The normalised name of a quantity: equal for equal value and unit, however it is spelled."""

from __future__ import annotations

from service.checks.reading.quantities import DATE, NUMBER, TIME, Quantity
from service.checks.reading.reader import read


def name_of(quantity: Quantity, surface: str) -> str:
    """``54 EUR``, ``2026-07-29``, ``21:45``, a code as it stands; at most 200 characters."""
    if quantity.kind is NUMBER:
        sign = "-" if quantity.sign < 0 else ""
        unit = f" {quantity.unit.name}" if quantity.unit else ""
        return f"{sign}{quantity.values[0]:.15g}{unit}"
    if quantity.kind is DATE:
        year, month, day = quantity.dates[0]
        return f"{year or '????'}-{month or 0:02d}-{day or 0:02d}"
    if quantity.kind is TIME:
        return f"{quantity.minutes[0] // 60:02d}:{quantity.minutes[0] % 60:02d}"
    return (quantity.code or surface)[:200]


def names_in(text: str) -> frozenset[str]:
    """The names of all quantities of a text, as findings of ``numbers`` carry them in ``cause``."""
    return frozenset(
        name_of(quantity, text[quantity.start : quantity.end]) for quantity in read(text).quantities
    )
