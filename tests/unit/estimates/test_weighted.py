"""Means over all answers from an uneven sample."""

from __future__ import annotations

import random

import pytest

from service.estimates.estimate import Estimate
from service.estimates.rates import Sums, clustered
from service.estimates.weighted import weighted, weighted_share
from service.estimates.wilson import wilson


def test_each_answer_counts_as_many_as_it_stands_for() -> None:
    # Four that stand for one each, one that stands for four.
    found = weighted([(1.0, 1.0)] * 4 + [(0.0, 0.25)])
    assert found.value == 0.5
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.5 < found.high < 1


def test_without_a_sample_there_is_no_value() -> None:
    assert weighted([]) == Estimate(None)


def test_an_even_sample_of_yes_and_no_is_a_proportion() -> None:
    found = weighted([(1.0, 0.2)] * 30 + [(0.0, 0.2)] * 70)
    low, high = wilson(30, 100)
    assert found.value == pytest.approx(0.3)
    # Its variance divides by n - 1.
    assert found.low == pytest.approx(low, abs=1e-3)
    assert found.high == pytest.approx(high, abs=1e-3)


def test_where_nothing_varies_the_interval_is_that_of_the_effective_number() -> None:
    found = weighted([(1.0, 1.0), (1.0, 0.5)])
    assert found.value == 1.0
    assert found.low == pytest.approx(wilson(9 / 5, 9 / 5)[0])


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    dice, held, rounds = random.Random(7), 0, 600
    for _ in range(rounds):
        sample = []
        for _ in range(1500):
            flagged = dice.random() < 0.2
            pi = 0.5 if flagged else 0.1
            y = float(dice.random() < (0.4 if flagged else 0.9))
            if dice.random() < pi:
                sample.append((y, pi))
        found = weighted(sample)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.2 * 0.4 + 0.8 * 0.9 <= found.high
    assert 0.925 <= held / rounds <= 0.975


def test_items_count_for_as_many_answers_as_theirs_stands_for() -> None:
    # 1 of 4 items of an answer that stands for itself, 1 of 1 of one that stands for four.
    found = weighted_share([(1.0, 4.0, 1.0), (1.0, 1.0, 0.25)])
    assert found.value == pytest.approx((1 + 4) / (4 + 4))


def test_of_an_even_sample_it_is_the_clustered_share() -> None:
    answers = [(0, 4), (1, 3), (5, 5), (0, 9), (2, 2), (0, 1)]
    x, m = sum(x for x, _ in answers), sum(m for _, m in answers)
    sums = Sums(
        len(answers), x, m,
        sum(x * x for x, _ in answers), sum(x * m for x, m in answers),
        sum(m * m for _, m in answers),
    )  # fmt: skip
    found, counted = weighted_share((x, m, 0.2) for x, m in answers), clustered(sums).estimate
    assert found.value == pytest.approx(counted.value)
    assert (found.low, found.high) == pytest.approx((counted.low, counted.high), abs=1e-12)


def test_a_share_is_never_of_zero_width() -> None:
    for sample in ([(0.0, 3.0, 0.5)], [(0.0, 3.0, 0.5), (0.0, 1.0, 1.0)], [(2.0, 2.0, 1.0)] * 5):
        found = weighted_share(sample)
        assert found.low is not None
        assert found.high is not None
        assert found.high - found.low > 0.05
    assert weighted_share([]) == Estimate(None)


def test_the_share_of_items_covers_though_they_fail_together() -> None:
    dice, held, rounds = random.Random(5), 0, 500
    for _ in range(rounds):
        sample = []
        for _ in range(300):
            flagged = dice.random() < 0.3
            pi = 0.8 if flagged else 0.3
            if dice.random() < pi:
                together = dice.random() < (0.3 if flagged else 0.05)
                sample.append((6.0 if together else 0.0, 8.0, pi))
        found = weighted_share(sample)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.75 * (0.3 * 0.3 + 0.7 * 0.05) <= found.high
    assert 0.925 <= held / rounds <= 0.985
