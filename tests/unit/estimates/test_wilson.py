"""Wilson intervals against the values of statsmodels."""

from __future__ import annotations

import pytest

from service.estimates.wilson import wilson

STATSMODELS = {
    (0, 20): (0.0, 0.1611251580528193),
    (3, 20): (0.052368745896216595, 0.3604188647407569),
    (20, 20): (0.8388748419471808, 1.0),
    (45, 49): (0.8081087240342871, 0.9677971823322363),
    (192, 196): (0.9487099978701368, 0.9920357368208876),
}
"""``proportion_confint(hits, trials, method="wilson")`` of statsmodels."""


@pytest.mark.parametrize("counts", STATSMODELS, ids=str)
def test_it_is_the_interval_of_statsmodels(counts: tuple[int, int]) -> None:
    assert wilson(*counts) == pytest.approx(STATSMODELS[counts], abs=1e-12)


def test_without_a_trial_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_a_fraction_of_a_trial_lies_between_its_neighbours() -> None:
    """The fewer trials the wider, also between whole numbers."""
    low, high = wilson(7.5, 15)
    assert wilson(5, 10)[0] < low < wilson(8, 16)[0]
    assert wilson(8, 16)[1] < high < wilson(5, 10)[1]
