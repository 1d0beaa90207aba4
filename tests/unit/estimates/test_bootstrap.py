"""The mean over questions and its interval."""

from __future__ import annotations

import random
from math import sqrt
from statistics import fmean, pstdev

import pytest

from service.estimates.bootstrap import FEWEST, percentile_interval, question_mean
from service.estimates.estimate import Estimate
from service.estimates.wilson import wilson


def test_without_a_question_nothing_is_known() -> None:
    assert question_mean([]) == Estimate(None)


@pytest.mark.parametrize("values", [[0.0, 1.0, 0.5, 1.0], [1.0] * 200, [0.0] * 40], ids=len)
def test_few_questions_and_equal_values_have_wilsons_interval(values: list[float]) -> None:
    found = question_mean(values)
    assert (found.low, found.high) == wilson(sum(values), len(values))
    assert found.low != found.high


def test_from_thirty_questions_on_it_is_the_bootstraps() -> None:
    values = [0.0, 1.0] * (FEWEST // 2)
    found = question_mean(values)
    assert (found.low, found.high) == percentile_interval(values)
    assert (found.low, found.high) != wilson(sum(values), len(values))


def test_order_has_no_part_in_it_and_the_seed_has() -> None:
    rng = random.Random(1)
    values = [rng.random() for _ in range(50)]
    assert percentile_interval(values) == percentile_interval(values[::-1])
    assert percentile_interval(values, 1) != percentile_interval(values, 2)


def test_on_many_values_it_is_the_normal_interval_nearly() -> None:
    """What a bootstrap of a mean converges to, for values of any range."""
    rng = random.Random(2)
    values = [rng.uniform(-1, 1) for _ in range(400)]
    low, high = percentile_interval(values)
    margin = 1.96 * pstdev(values) / sqrt(len(values))
    assert low == pytest.approx(fmean(values) - margin, abs=0.1 * margin)
    assert high == pytest.approx(fmean(values) + margin, abs=0.1 * margin)


def test_it_covers_the_truth_about_as_often_as_it_says() -> None:
    """Recall of two needed refs, each found with probability 0.8; below 30 questions Wilson's."""
    rng = random.Random(3)
    for n, least in ((12, 0.95), (60, 0.91)):
        covered = 0
        for _ in range(100):
            drawn = [((rng.random() < 0.8) + (rng.random() < 0.8)) / 2 for _ in range(n)]
            found = question_mean(drawn)
            assert found.low is not None
            assert found.high is not None
            covered += found.low <= 0.8 <= found.high
        assert covered / 100 >= least
