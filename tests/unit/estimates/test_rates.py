"""Rates against values worked out by hand, and their intervals against simulated traffic."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from service.accounting import CheckRow, Kind, Row, counters_of
from service.estimates.differences import difference
from service.estimates.rates import Rate, Sums, clustered, rates_of
from service.estimates.wilson import wilson


def sums_of(answers: list[tuple[int, int]]) -> Sums:
    """Of (x, m) of each answer."""
    return Sums(
        len(answers),
        sum(x for x, _ in answers),
        sum(m for _, m in answers),
        sum(x * x for x, _ in answers),
        sum(x * m for x, m in answers),
        sum(m * m for _, m in answers),
    )


def test_a_proportion_has_a_wilson_interval() -> None:
    estimate = Rate.of(10, 100).estimate
    assert estimate.value == 0.1
    assert (round(estimate.low or 0, 6), round(estimate.high or 0, 6)) == (0.055229, 0.174366)


def test_no_data_is_no_rate_of_zero() -> None:
    assert Rate.of(0, 0).value is None
    assert Rate.of(0, 0).estimate.value is None
    assert difference(Rate.of(0, 0), Rate.of(1, 2)) is None
    assert clustered(Sums(0, 0, 0, 0, 0, 0)).value is None


def test_the_variance_of_a_ratio_by_hand() -> None:
    # (x, m) = (1, 2), (0, 3), (2, 2): R = 3/7; x - R m = 1/7, -9/7, 8/7; squares (1+81+64)/49.
    rate = clustered(sums_of([(1, 2), (0, 3), (2, 2)]))
    ratio, variance = 3 / 7, 3 / 2 * (146 / 49) / 49
    assert rate.value == pytest.approx(ratio)
    assert rate.effective == pytest.approx(ratio * (1 - ratio) / variance)
    assert (rate.hits, rate.trials, rate.answers) == (3, 7, 3)


def test_one_citation_an_answer_is_an_ordinary_proportion() -> None:
    rate = clustered(sums_of([(1, 1)] * 30 + [(0, 1)] * 270))
    assert rate.effective == pytest.approx(300 * 299 / 300)
    low, high = wilson(30, 300)
    assert rate.estimate.low == pytest.approx(low, abs=2e-4)
    assert rate.estimate.high == pytest.approx(high, abs=2e-4)


def test_citations_that_fail_together_are_worth_fewer() -> None:
    together = clustered(sums_of([(5, 5)] * 10 + [(0, 5)] * 90))
    assert together.trials == 500
    assert together.effective == pytest.approx(99, abs=1)
    apart = clustered(sums_of([(1, 5)] * 50 + [(0, 5)] * 50))
    assert apart.effective == 500


@pytest.mark.parametrize("failed", [0, 1])
def test_an_interval_does_not_collapse_where_all_are_alike(failed: int) -> None:
    rate = clustered(sums_of([(failed * 4, 4)] * 20))
    assert rate.effective == 20
    assert (rate.estimate.low, rate.estimate.high) == wilson(failed * 20, 20)


def simulated(rng: random.Random, answers: int, bad: float) -> list[tuple[int, int]]:
    """A tenth of the answers fail in each citation with one half, the rest seldom."""
    found = []
    for _ in range(answers):
        m = rng.choice((1, 1, 2, 3, 6))
        share = 0.5 if rng.random() < bad else 0.01
        found.append((sum(rng.random() < share for _ in range(m)), m))
    return found


def test_intervals_by_citation_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = random.Random(6)
    truth = 0.1 * 0.5 + 0.9 * 0.01
    runs, inside, naive = 600, 0, 0
    for _ in range(runs):
        rate = clustered(sums_of(simulated(rng, 300, 0.1)))
        low, high = rate.estimate.low, rate.estimate.high
        assert low is not None
        assert high is not None
        inside += low <= truth <= high
        low, high = wilson(rate.hits, rate.trials)
        naive += low <= truth <= high
    assert 0.925 <= inside / runs <= 0.98
    assert naive / runs < 0.90


def test_a_difference_by_hand() -> None:
    # Newcombe 1998, table II, method 10, (a): 56/70 - 48/80.
    found = difference(Rate.of(48, 80), Rate.of(56, 70))
    assert found is not None
    assert round(found.value, 4) == 0.2
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)
    assert found.told
    assert found.more is None


def test_what_is_not_told_says_how_many_more_would() -> None:
    def told(scale: int) -> bool:
        again = difference(Rate.of(4 * scale, 100 * scale), Rate.of(3 * scale, 50 * scale))
        return again is not None and again.told

    found = difference(Rate.of(4, 100), Rate.of(3, 50))
    assert found is not None
    assert not found.told
    enough = next(scale for scale in range(1, 1000) if told(scale))
    assert found.more is not None
    assert (enough - 2) * 150 < found.more <= (enough - 1) * 150


def test_equal_rates_are_never_told_apart() -> None:
    same = difference(Rate.of(5, 100), Rate.of(5, 100))
    assert same is not None
    assert (same.value, same.told, same.more) == (0, False, None)


def test_intervals_of_differences_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = random.Random(7)
    runs, inside = 400, 0
    for _ in range(runs):
        first = clustered(sums_of(simulated(rng, 200, 0.05)))
        second = clustered(sums_of(simulated(rng, 200, 0.15)))
        found = difference(first, second)
        assert found is not None
        inside += found.low <= 0.1 * (0.5 - 0.01) <= found.high
    # Binomial noise of the simulation itself: 3 standard errors of 95 % over the runs.
    assert inside / runs > 0.95 - 3 * sqrt(0.95 * 0.05 / runs)


def test_the_sums_are_those_that_the_counters_hold() -> None:
    def row(failed: int, evaluated: int, label: str) -> Row:
        citing = "fail" if failed else "pass" if evaluated else "not_applicable"
        checks = {"citations": CheckRow(citing, evaluated, failed), "numbers": CheckRow("pass", 2)}
        causes = (("citations", "unknown_ref", "r", "high", "r"),) if failed else ()
        return Row(0, Kind.CHECKED, purpose="live", checks=checks, label=label, causes=causes)

    answers = [(2, 3), (0, 4), (0, 0)]
    labels = ("answer", "answer", "no_answer")
    unread = Row(0, Kind.CHECKED, purpose="live", label="answer", checks={
        "citations": CheckRow("not_evaluated", not_evaluated="too_large"),
        "numbers": CheckRow("disabled")})  # fmt: skip
    rows = [row(x, m, label) for (x, m), label in zip(answers, labels, strict=True)] + [unread]
    ((_, counter),) = counters_of(rows).items()
    rates = rates_of({field.rsplit("\x1f", 1)[1]: n for field, n in counter.items()})
    assert rates.checked == 4
    assert rates.unresolved_citations == clustered(sums_of([(2, 3), (0, 4)]))
    assert rates.unresolved_answers == Rate.of(1, 2)
    assert rates.unsupported == Rate.of(0, 3)
    assert rates.abstained == Rate.of(1, 4)
    assert rates.citing == Rate.of(3, 4)
    assert rates.unread_citations == Rate.of(1, 4)
    assert rates.unread_numbers == Rate.of(0, 3)
    assert rates.flagged == Rate.of(1, 4)
