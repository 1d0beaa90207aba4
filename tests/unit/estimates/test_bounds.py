"""Estimates against bounds."""

from __future__ import annotations

import pytest

from service.estimates.bounds import Outcome, at_least, worst
from service.estimates.estimate import Estimate


@pytest.mark.parametrize(
    ("bound", "outcome"),
    [
        (0.7, Outcome.PASS),
        (0.8, Outcome.PASS),
        (0.81, Outcome.UNDECIDED),
        (0.95, Outcome.UNDECIDED),
        (0.951, Outcome.FAIL),
    ],
)
def test_only_a_whole_interval_decides(bound: float, outcome: Outcome) -> None:
    assert at_least(Estimate(0.9, 0.8, 0.95), bound) is outcome


def test_without_an_interval_nothing_is_decided() -> None:
    assert at_least(Estimate(None), 0.0) is Outcome.UNDECIDED
    assert at_least(Estimate(1.0), 0.0) is Outcome.UNDECIDED


def test_the_worst_decides() -> None:
    assert worst([]) is Outcome.PASS
    assert worst([Outcome.PASS, Outcome.UNDECIDED]) is Outcome.UNDECIDED
    assert worst([Outcome.UNDECIDED, Outcome.FAIL, Outcome.PASS]) is Outcome.FAIL
