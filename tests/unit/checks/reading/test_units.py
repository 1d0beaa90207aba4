"""Equal quantities of one dimension meet under one key, whatever arithmetic did to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.checks.reading.units import BY_NAME, base, rounded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((72, "h"), (3, "d")),
        ((0.1 * 3, "h"), (0.3, "h")),
        ((1.1, "km"), (1100, "m")),
        ((4.35, "GB"), (4350, "MB")),
    ],
)
def test_equals_have_one_key(one: tuple[float, str], other: tuple[float, str]) -> None:
    assert base(one[0], BY_NAME[one[1]]) == base(other[0], BY_NAME[other[1]])


@given(st.integers(-(2**33), 2**33))
def test_whole_numbers_stay(value: int) -> None:
    assert rounded(float(value)) == value


@given(st.floats(1e-200, 1e200))
def test_about_ten_digits_stay(value: float) -> None:
    assert rounded(value) == pytest.approx(value, rel=2**-33)
    assert rounded(rounded(value)) == rounded(value)
