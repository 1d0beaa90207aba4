"""Paired comparisons against published values, against scipy, and turned round."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.estimates.paired import (
    DRAWS,
    mcnemar,
    mean_difference,
    paired_test,
    score_interval,
    sign_flip,
    sort_out,
)

Pairs = list[tuple[float, float]]
BINARY: Any = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40
)
GRADED: Any = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40)


def table(both: int, lost: int, gained: int, neither: int) -> Pairs:
    return (
        [(1.0, 1.0)] * both + [(1.0, 0.0)] * lost + [(0.0, 1.0)] * gained + [(0.0, 0.0)] * neither
    )


def test_who_moved_is_named_even_where_the_means_are_equal() -> None:
    first = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.5, "e": None, "f": 1.0}
    second = {"a": 0.0, "b": 1.0, "c": 1.0, "d": 0.5, "e": 1.0, "g": 1.0}
    found = sort_out(first, second)
    assert (found.improved, found.regressed, found.unchanged) == (("b",), ("a",), ("c", "d"))
    assert (found.only_first, found.only_second) == (("f",), ("e", "g"))
    lower = sort_out(first, second, lower_is_better=True)
    assert (lower.improved, lower.regressed) == (("a",), ("b",))


@pytest.mark.parametrize(
    ("cells", "value", "low", "high"),
    # Newcombe, Stat. Med. 17 (1998) 2635-2650, method 10: his intervals are of first - second.
    [((36, 12, 2, 0), 0.2, 0.0569, 0.3404), ((36, 14, 0, 0), 0.28, 0.1528, 0.4167)],
)
def test_the_paired_score_interval_is_newcombes(
    cells: tuple[int, int, int, int], value: float, low: float, high: float
) -> None:
    found = score_interval(table(*cells))
    assert found.value == pytest.approx(-value)
    assert (round(-(found.high or 0), 4), round(-(found.low or 0), 4)) == (low, high)


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    # scipy 1.17.1, scipy.stats.binomtest(gained, gained + lost).pvalue
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 1, 0.21875),
        (9, 9, 1.0),
        (30, 12, 0.007915897334896727),
        (800, 900, 0.016320682494448686),
    ],
)
def test_mcnemar_is_the_sign_test(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(
    "differences",
    [[0.5, 1 / 3, -1 / 3, 2 / 3, 0.0, 0.25, 1.0, -0.2], [0.1] * 6, [0.31, -0.22, 0.5, 0.07]],
)
def test_the_exact_sign_flip_test_counts_every_choice_of_signs(differences: list[float]) -> None:
    observed = abs(sum(differences)) - 1e-9
    choices = list(product((1, -1), repeat=len(differences)))
    far = sum(
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True))) >= observed
        for signs in choices
    )
    found = sign_flip(differences)
    assert found.method == "sign-flip exact"
    assert found.p == pytest.approx(far / len(choices))


def test_drawn_signs_agree_with_all_signs_and_come_out_the_same_again() -> None:
    rng = random.Random(7)
    tenths = [round(rng.gauss(0.1, 0.4), 1) for _ in range(60)]
    uneven = [value + rng.uniform(-1e-5, 1e-5) for value in tenths]
    exact, drawn = sign_flip(tenths), sign_flip(uneven, seed=3)
    assert (exact.method, drawn.method) == ("sign-flip exact", "sign-flip drawn")
    assert drawn == sign_flip(uneven, seed=3)
    assert 0.01 < exact.p < 0.99
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    assert sign_flip([1 + value for value in uneven]).p == 1 / (DRAWS + 1)


def test_values_of_0_and_1_are_tested_by_mcnemar() -> None:
    found = paired_test(table(5, 1, 8, 3))
    assert found is not None
    assert (found.method, found.p) == ("McNemar exact", mcnemar(8, 1))
    assert paired_test([]) is None


def flipped(pairs: Pairs) -> Pairs:
    return [(second, first) for first, second in pairs]


@settings(max_examples=60, deadline=None)
@given(pairs=st.one_of(BINARY, GRADED))
def test_a_difference_turned_round_changes_its_sign_and_nothing_else(pairs: Pairs) -> None:
    there, back = mean_difference(pairs), mean_difference(flipped(pairs))
    assert there.value == pytest.approx(-(back.value or 0.0), abs=1e-12)
    assert there.low == pytest.approx(-(back.high or 0.0), abs=1e-12)
    assert there.high == pytest.approx(-(back.low or 0.0), abs=1e-12)
    one, other = paired_test(pairs), paired_test(flipped(pairs))
    assert one is not None
    assert other is not None
    assert one.method == other.method
    assert one.p == pytest.approx(other.p, abs=0 if one.method != "sign-flip drawn" else 0.02)


@settings(max_examples=60, deadline=None)
@given(pairs=st.one_of(BINARY, GRADED))
def test_an_interval_holds_its_value_and_is_never_of_zero_width(pairs: Pairs) -> None:
    found = score_interval(pairs)
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert -1 - 1e-12 <= found.low <= found.value <= found.high <= 1 + 1e-12
    assert found.high - found.low > 0.01


def test_questions_that_all_stayed_the_same_leave_an_interval() -> None:
    found = mean_difference([(0.5, 0.5)] * 40)
    assert found.value == 0.0
    assert found.low == pytest.approx(-(found.high or 0))
    assert (found.high or 0) > 0.05


def test_unbounded_values_have_no_interval_from_a_few_questions() -> None:
    few = mean_difference([(900.0, 1000.0), (800.0, 1000.0)], shares=False)
    assert (few.value, few.low, few.high) == (150.0, None, None)
    many = mean_difference([(900.0 + i, 1000.0) for i in range(30)], shares=False)
    free = mean_difference([(0.0, 0.0)] * 18, shares=False)  # costs of nothing are no shares
    assert (free.value, free.low) == (0.0, None)
    assert many.low is not None
    assert many.low < 85.5 < (many.high or 0)


def test_the_score_interval_covers() -> None:
    """0/1 values that go together, and graded ones: 95 % of 400 samples, give or take."""
    rng = random.Random(11)
    for graded in (False, True):
        held = 0
        for _ in range(400):
            pairs = [pair_of(rng, graded) for _ in range(25)]
            found = score_interval(pairs)
            held += (found.low or 0) <= -0.1 <= (found.high or 0)
        assert held >= 400 * 0.93


def pair_of(rng: random.Random, graded: bool) -> tuple[float, float]:
    """A question that is as hard for both; the second does 0.1 worse on average."""
    ease = rng.random()
    first, second = float(rng.random() < ease), float(rng.random() < ease * 0.8)
    return ((first + ease) / 2, (second + ease * 0.8) / 2) if graded else (first, second)
