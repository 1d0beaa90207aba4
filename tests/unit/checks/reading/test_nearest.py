"""The short cuts of the search for the nearest number decide as the long way does."""

from __future__ import annotations

from math import log10

from hypothesis import example, given
from hypothesis import strategies as st

from service.checks.reading import nearest
from service.checks.reading.derivation import derivation, may_be_derived, same_sentence
from service.checks.reading.reader import read

amounts = st.decimals(-1_000_000, 1_000_000, places=2).map(float) | st.floats(-1e300, 1e300)
powers = st.builds(
    lambda power, off: 10.0**power * (1 + off), st.integers(-300, 300), st.floats(-1e-8, 1e-8)
)


@given(st.floats(1e-300, 1e300) | powers)
@example(1000.0)
def test_powers_of_ten(ratio: float) -> None:
    power = log10(ratio)

    assert nearest._is_power_of_ten(ratio) == (-1e-9 < power - round(power) < 1e-9)


@given(amounts, amounts | st.just(0.0))
@example(45.0, 54.0)
@example(0.0045, 0.0)
@example(0.0085, 0.0)
def test_differences_of_swapped_digits(one: float, other: float) -> None:
    assert nearest._may_be_swapped(one, other) == (round((one - other) * 1000) % 9 == 0)


@given(st.lists(st.sampled_from("20 % |30 %|50 %|10 pp|6 |5 €|30 €|12 km|7|2. May".split("|"))))
def test_what_no_pair_gives_no_pair_of_its_sentence_gives(words: list[str]) -> None:
    numbers = read(", ".join(words)).quantities
    for target in numbers:
        if derivation("", target, same_sentence(target, numbers, [])) is not None:
            assert may_be_derived("", target, numbers)
