"""The rate over all answers from a judge's verdicts and people's labels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.estimates.estimate import Estimate
from service.estimates.stratified import (
    Labelled,
    Stratum,
    cell_weights,
    judged_number,
    labels_needed,
    one_stratum,
    sensitivity_weighted,
    specificity_weighted,
    stratified,
)
from service.estimates.wilson import wilson
from tests.unit.estimates.references import AGREEING, FLAGGED_FIRST

Cells = Mapping[str, tuple[int, int, int]]


def judged_in(cells: Cells) -> list[Stratum]:
    return one_stratum({verdict: float(judged) for verdict, (judged, _, _) in cells.items()})


def labels_in(cells: Cells) -> dict[Any, Labelled]:
    return {verdict: Labelled(n, bad) for verdict, (_, n, bad) in cells.items()}


def numbers(found: Estimate) -> tuple[float | None, float | None, float | None]:
    return found.value, found.low, found.high


@pytest.mark.parametrize("reference", [FLAGGED_FIRST, AGREEING], ids=["flagged_first", "agreeing"])
def test_the_rate_is_that_of_the_reference(reference: Mapping[str, Any]) -> None:
    found = stratified(judged_in(reference["cells"]), labels_in(reference["cells"]))
    assert numbers(found) == pytest.approx(reference["stratified"], abs=1e-9)


def test_a_stratum_without_labels_may_be_anything() -> None:
    cells = FLAGGED_FIRST["cells"]
    labels = labels_in(cells)
    del labels["fine"]
    found = stratified(judged_in(cells), labels)
    assert numbers(found) == pytest.approx(FLAGGED_FIRST["unaudited"], abs=1e-9)


def test_the_sensitivity_is_weighted_by_what_the_labels_stand_for() -> None:
    cells = FLAGGED_FIRST["cells"]
    weights = cell_weights(judged_in(cells))
    found = sensitivity_weighted(weights, labels_in(cells), {"bad"})
    assert numbers(found) == pytest.approx(FLAGGED_FIRST["sensitivity"], abs=1e-9)
    # Counted as they are, the labels say how people chose.
    assert 72 / 74 > 0.97


def test_the_specificity_is_the_sensitivity_for_the_good_ones() -> None:
    weights, labels = {"bad": 0.1, "fine": 0.9}, {"bad": Labelled(10, 8), "fine": Labelled(50, 1)}
    found = specificity_weighted(weights, labels, {"bad"})
    assert found.value == pytest.approx(0.9 * 49 / 50 / (0.9 * 49 / 50 + 0.1 * 2 / 10))
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0.9 < found.low < found.value < found.high < 1


def test_no_bad_answer_seen_tells_nothing_of_the_sensitivity() -> None:
    assert sensitivity_weighted({"bad": 0.1, "fine": 0.9}, {"fine": Labelled(9)}, {"bad"}) == (
        Estimate(None)
    )


def test_none_missed_is_no_certainty() -> None:
    weights, labels = {"bad": 0.1, "fine": 0.9}, {"bad": Labelled(9, 9), "fine": Labelled(90)}
    found = sensitivity_weighted(weights, labels, {"bad"})
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert 0.5 < found.low < 0.9


def test_only_missed_ones_leave_the_lower_end_at_none() -> None:
    weights, labels = {"bad": 0.1, "fine": 0.9}, {"bad": Labelled(9), "fine": Labelled(90, 3)}
    found = sensitivity_weighted(weights, labels, {"bad"})
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high is not None
    assert 0 < found.high < 1


def test_strata_that_were_drawn_unevenly_count_by_their_answers() -> None:
    """1,000 flagged answers (40 % bad, all judged) and 10,000 others (1 %, one in a hundred judged)
    are 4.5 % bad; by the judged ones alone it would be 36 %."""
    strata = [
        Stratum(1000 / 11_000, 1000, {"flagged": 1.0}),
        Stratum(10_000 / 11_000, 100, {"rest": 1.0}),
    ]
    labels = {"flagged": Labelled(200, 80), "rest": Labelled(100, 1)}
    found = stratified(strata, labels)
    assert found.value == pytest.approx((1000 * 0.4 + 10_000 * 0.01) / 11_000)


def test_the_variance_of_the_judged_sample_is_summed_by_stratum() -> None:
    strata = [Stratum(0.5, 40, {"bad": 0.25, "fine": 0.75}), Stratum(0.5, 10, {"fine": 1.0})]
    sure = {"bad": Labelled(1e12, 1e12), "fine": Labelled(1e12, 0)}
    found = stratified(strata, sure)
    margin = 1.959963984540054 * (0.25 * (0.25 - 0.0625) / 40) ** 0.5
    assert numbers(found) == pytest.approx((0.125, 0.125 - margin, 0.125 + margin), abs=1e-5)


def test_a_stratum_that_nobody_judged_may_be_anything() -> None:
    found = stratified([Stratum(0.9, 90, {"fine": 1.0}), Stratum(0.1, 0, {})],
                       {"fine": Labelled(1e12, 0)})  # fmt: skip
    assert numbers(found) == pytest.approx((0.05, 0.0, 0.1), abs=1e-5)


def test_without_any_answer_there_is_no_value() -> None:
    assert stratified([], {}) == Estimate(None)
    assert labels_needed([], {}) is None


def test_a_judge_that_tells_nothing_apart_leaves_the_labels_their_own_interval() -> None:
    found = stratified(one_stratum({"fine": 1e12}), {"fine": Labelled(50, 5)})
    assert (found.low, found.high) == pytest.approx(wilson(5, 50), abs=1e-6)


def test_as_many_labels_as_are_needed_are_enough_and_one_less_is_not() -> None:
    strata = one_stratum({"bad": 2000.0, "fine": 18_000.0})
    labels = {"bad": Labelled(20, 10), "fine": Labelled(80, 2)}
    needed = labels_needed(strata, labels)
    assert needed is not None
    assert needed > 100

    def half_width(more: float) -> float:
        weights = {"bad": 0.1, "fine": 0.9}
        grown = {
            cell: Labelled(one.labels + more * weights[cell],
                           one.share * (one.labels + more * weights[cell]))
            for cell, one in labels.items()
        }  # fmt: skip
        found = stratified(strata, grown)
        assert found.low is not None
        assert found.high is not None
        return (found.high - found.low) / 2

    assert half_width(needed) <= 0.02 < half_width(needed - 1)


def test_enough_labels_need_no_more() -> None:
    assert labels_needed(one_stratum({"fine": 1e9}), {"fine": Labelled(1e6, 1e4)}) == 0


def test_too_few_judged_answers_cannot_be_made_up_by_labels() -> None:
    assert labels_needed(one_stratum({"bad": 10.0, "fine": 10.0}), {"bad": Labelled(9, 9)}) is None


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(0, 60), st.integers(0, 60)), min_size=1))
def test_the_interval_holds_the_value_and_stays_within_0_and_1(
    drawn: list[tuple[int, int, int]],
) -> None:
    cells = {str(at): (m, n, min(n, bad)) for at, (m, n, bad) in enumerate(drawn)}
    found = stratified(judged_in(cells), labels_in(cells))
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high > found.low


@pytest.mark.parametrize(("judged", "labelled"), [(60, 60), (400, 100)])
def test_the_limits_of_both_hold_where_the_judged_are_few(judged: int, labelled: int) -> None:
    """The cells' weights are counted on few answers as well. With them taken for known, both limits
    held in nine of ten runs only."""
    dice = random.Random(7)
    sensitivity, specificity, runs = 0.8, 0.9, 600
    held = Counter[str]()
    for _ in range(runs):
        bad = [dice.random() < 0.3 for _ in range(judged)]
        rows = [(one, dice.random() < (sensitivity if one else 1 - specificity)) for one in bad]
        weights = {name: said / judged for name, said in Counter(
            "bad" if said else "fine" for _, said in rows).items()}  # fmt: skip
        of = {name: [one for one, said in rows[:labelled] if said is (name == "bad")]
              for name in ("bad", "fine")}  # fmt: skip
        labels = {name: Labelled(len(ones), sum(ones)) for name, ones in of.items()}
        for name, found, true in (
            ("sensitivity", sensitivity_weighted(weights, labels, {"bad"}, judged), sensitivity),
            ("specificity", specificity_weighted(weights, labels, {"bad"}, judged), specificity),
        ):
            assert found.low is not None
            assert found.high is not None
            held[name] += found.low <= true <= found.high
    assert min(held.values()) > 0.93 * runs


def test_a_judge_that_called_nothing_bad_so_far_is_not_known_to_be_always_right() -> None:
    found = specificity_weighted({"fine": 1.0}, {"fine": Labelled(1, 0)}, {"bad"}, 5)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert found.low < 0.6


def test_strata_judged_alike_count_as_they_are() -> None:
    assert judged_number([Stratum(0.5, 50, {}), Stratum(0.5, 50, {})]) == pytest.approx(100)
    assert judged_number([Stratum(0.9, 10, {}), Stratum(0.1, 90, {})]) < 13
    assert judged_number([Stratum(1.0, 0, {})]) == 0
