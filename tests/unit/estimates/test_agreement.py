"""Agreement between two people, against statsmodels and irrCAC."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.estimates.agreement import ClassTable, agreement, agreement_of
from service.estimates.estimate import Estimate

Counts = tuple[tuple[int, ...], ...]

REFERENCES: dict[Counts, dict[str, float]] = {
    ((45, 9), (6, 40)): {
        "kappa": 0.699519230769231, "kappa_se": 0.07139360269998818,
        "ac1": 0.7007481296758108, "ac1_se": 0.07171126056348263,
    },
    ((1, 3), (4, 192)): {
        "kappa": 0.20454545454545456, "kappa_se": 0.18709482338570102,
        "ac1": 0.9633896000313803, "ac1_se": 0.01410348172043136,
    },
    ((13, 5, 2), (4, 30, 9), (1, 6, 80)): {
        "kappa": 0.6749598715890852, "kappa_se": 0.054642525813415166,
        "ac1": 0.7511214895839735, "ac1_se": 0.04503123780376523,
    },
    ((7, 1, 0, 2), (0, 5, 3, 0), (2, 0, 9, 1), (0, 1, 0, 4)): {
        "kappa": 0.6111111111111112, "kappa_se": 0.10321205473512259,
        "ac1": 0.62182603997839, "ac1_se": 0.1028873967837424,
    },
    ((2, 0), (1, 2)): {
        "kappa": 0.6153846153846155, "kappa_se": 0.31754811514789905,
        "ac1": 0.6000000000000001, "ac1_se": 0.4,
    },
}  # fmt: skip
"""kappa, its standard error: ``statsmodels.stats.inter_rater.cohens_kappa`` (0.15.0); AC1, its
standard error: ``irrCAC.raw.CAC(...).gwet()`` (0.4.4, 16 digits)."""


def table(counts: Counts) -> ClassTable:
    return ClassTable(tuple("abcdef"[: len(counts)]), counts)


@pytest.mark.parametrize("counts", REFERENCES, ids=str)
def test_the_coefficients_are_those_of_statsmodels_and_irrcac(counts: Counts) -> None:
    found = agreement_of(table(counts))
    assert {
        "kappa": found.kappa.value, "kappa_se": found.kappa.se,
        "ac1": found.ac1.value, "ac1_se": found.ac1.se,
    } == pytest.approx(REFERENCES[counts], abs=1e-12)  # fmt: skip


def test_the_intervals_are_of_95_percent() -> None:
    found = agreement_of(table(((45, 9), (6, 40))))
    assert (found.kappa.low, found.kappa.high) == pytest.approx(
        (0.5595903407506926, 0.8394481207877693)
    )
    assert (found.ac1.low, found.ac1.high) == pytest.approx(
        (0.5601966416854174, 0.8412996176662042)
    )
    assert found.observed.value == 0.85
    assert (found.observed.low, found.observed.high) == pytest.approx((0.76716, 0.90694), abs=1e-5)


def test_an_interval_ends_where_the_coefficient_does() -> None:
    found = agreement_of(table(((2, 0), (1, 2))))
    assert found.kappa.high == 1.0
    assert found.ac1.high == 1.0
    assert agreement_of(table(((0, 2), (3, 0)))).kappa.low == -1.0


# --------------------------------------------------------------------------- degenerate tables


def test_of_nothing_nothing_is_said() -> None:
    found = agreement([], ("a", "b"))
    assert found.n == 0
    assert (found.observed, found.kappa, found.ac1) == (Estimate(None),) * 3


def test_kappa_has_no_value_where_all_is_of_one_class() -> None:
    found = agreement([("good", "good")] * 5, ("good", "bad"))
    assert found.kappa == Estimate(None)
    assert found.ac1 == Estimate(1.0), "agreement beyond chance, and no interval from no variance"
    assert found.observed.value == 1.0
    assert found.observed.low == pytest.approx(0.56551752)


def test_a_scale_of_one_class_has_no_coefficient() -> None:
    found = agreement([("good", "good")] * 5)
    assert found.kappa == Estimate(None)
    assert found.ac1 == Estimate(None)


@pytest.mark.parametrize("counts", [((5, 0), (0, 5)), ((1, 0), (0, 0)), ((0, 1), (0, 0))], ids=str)
def test_no_interval_of_width_0_is_given(counts: Counts) -> None:
    found = agreement_of(table(counts))
    for coefficient in (found.kappa, found.ac1):
        assert coefficient.low is coefficient.high is coefficient.se is None
    assert found.ac1.value == (1.0 if counts[0][0] else -1.0)


def test_rounding_is_no_variance() -> None:
    """statsmodels gives this kappa of 0 a standard error of 8e-9."""
    found = agreement_of(table(((3, 0), (2, 0))))
    assert found.kappa == Estimate(0.0)
    assert found.ac1.se == pytest.approx(0.4873552256402517)


# ------------------------------------------------------------------------------------- the table


def test_the_table_keeps_the_order_of_the_scale_and_takes_other_labels_in() -> None:
    found = agreement([("good", "bad"), ("bad", "bad"), ("odd", "good")], ("good", "bad"))
    assert found.table.categories == ("good", "bad", "odd")
    assert found.table.counts == ((0, 1, 0), (0, 1, 0), (1, 0, 0))
    assert (found.n, found.table.agreed) == (3, 1)


def test_an_unused_class_moves_ac1_and_not_kappa() -> None:
    pairs = [("a", "a")] * 6 + [("a", "b")] * 2 + [("b", "b")] * 2
    two, three = agreement(pairs, "ab"), agreement(pairs, "abc")
    assert two.kappa == three.kappa
    assert two.ac1.value is not None
    assert three.ac1.value is not None
    assert three.ac1.value > two.ac1.value


pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=40)


@given(pairs)
def test_who_is_first_moves_no_coefficient(labels: list[tuple[str, str]]) -> None:
    one = agreement(labels, "abc")
    other = agreement([(second, first) for first, second in labels], "abc")
    for coefficient in ("observed", "kappa", "ac1"):
        here, there = getattr(one, coefficient), getattr(other, coefficient)
        assert here.value == pytest.approx(there.value, abs=1e-9)
        assert here.se == pytest.approx(there.se, abs=1e-6)


@given(pairs)
def test_a_coefficient_lies_in_its_interval_and_in_minus_1_to_1(
    labels: list[tuple[str, str]],
) -> None:
    found = agreement(labels, "abc")
    for estimate in (found.observed, found.kappa, found.ac1):
        if estimate.value is not None:
            assert -1 - 1e-9 <= estimate.value <= 1 + 1e-9
        if estimate.low is not None and estimate.high is not None:
            assert estimate.value is not None
            assert -1 <= estimate.low <= estimate.value + 1e-9
            assert estimate.value - 1e-9 <= estimate.high <= 1
