"""Scales that a heading tells for the figures below it."""

from __future__ import annotations

import pytest

from service.checks.reading import headings
from service.checks.reading.reader import read


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("| Umsatz (Mio. €) |", [6]),
        ("Sales (USD m)", [6]),
        ("Sales ($bn), staff (k)", [9]),
        ("Angaben in Tsd. Euro:", [3]),
        ("All figures in thousands of EUR.", [3]),
        ("Kosten [T€]", [3]),
        ("Ingresos (millones €)", [6]),
        ("Umsatz (Mill €)", [6]),
        ("(M\u0130O €) (m\u0131o €) (million\u017f) (\u212a €)", []),
        ("Länge (m), Gewicht (t)", []),
        ("Homes in millions of towns", []),
        ("sold for 3 million (2 million of it in May)", []),
    ],
)
def test_powers_of_ten(text: str, powers: list[int]) -> None:
    assert list(headings.scales(text)) == powers


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("| Nord | 48,2 |", [True]),
        ("Nord; 48,2\nSüd; 7,9", [True, True]),
        ("Nord: **48,2** im Jahr", [True]),
        ("Es waren 48,2 im Jahr", [False]),
        ("| Nord | 48,2 Mio. |", [False]),
    ],
)
def test_cells(text: str, cells: list[bool]) -> None:
    reading = read(text)

    assert [headings.is_cell(text, quantity) for quantity in reading.quantities] == cells
