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
        ((32.3, "TB"), (32_300, "GB")),
    ],
)
def test_equals_have_one_key(one: tuple[float, str], other: tuple[float, str]) -> None:
    assert base(one[0], BY_NAME[one[1]]) == base(other[0], BY_NAME[other[1]])


@given(st.integers(1, 20_000), st.integers(0, 4), st.sampled_from(["TB", "GB", "km", "d", "t"]))
def test_a_thousand_of_the_smaller_unit(n: int, places: int, unit: str) -> None:
    smaller = {"TB": "GB", "GB": "MB", "km": "m", "t": "kg", "d": "h"}[unit]
    times = 24 if unit == "d" else 1_000
    value = n / 10**places
    theirs = float(repr(round(value * times, 6)))
    assert base(value, BY_NAME[unit]) == base(theirs, BY_NAME[smaller])


@given(st.floats(-1e300, 1e300))
def test_ten_digits_stay(value: float) -> None:
    assert rounded(value) == float(f"{value:.10g}")
