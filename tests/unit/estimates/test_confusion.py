"""The judge held against people."""

from __future__ import annotations

import pytest

from service.estimates.confusion import BAD, FINE, confusion
from service.estimates.estimate import Estimate
from service.estimates.stratified import Labelled, sensitivity_weighted, specificity_weighted

PAIRS = [(BAD, BAD)] * 8 + [(BAD, FINE)] * 2 + [(FINE, BAD)] * 1 + [(FINE, FINE)] * 49
LABELS = {BAD: Labelled(10, 8), FINE: Labelled(50, 1)}
WEIGHTS = {BAD: 0.1, FINE: 0.9}


def test_the_table_counts_labels_and_the_shares_weigh_them() -> None:
    found = confusion(PAIRS, WEIGHTS, LABELS, {BAD}, 500)
    assert [found.count(judge, people) for judge in (BAD, FINE) for people in (BAD, FINE)] == [
        8, 2, 1, 49,
    ]  # fmt: skip
    assert found.n == 60
    assert found.sensitivity == sensitivity_weighted(WEIGHTS, LABELS, {BAD}, 500)
    assert found.sensitivity.value == pytest.approx(0.1 * 0.8 / (0.1 * 0.8 + 0.9 * 0.02))
    assert found.specificity == specificity_weighted(WEIGHTS, LABELS, {BAD}, 500)
    assert found.agreement.observed.value == pytest.approx(57 / 60)
    assert found.agreement.kappa.value == pytest.approx(0.8125, abs=0.01)


def test_without_labels_there_is_a_table_of_nothing() -> None:
    found = confusion([], WEIGHTS, {}, {BAD}, 500)
    assert found.n == 0
    assert found.sensitivity == found.specificity == Estimate(None)
