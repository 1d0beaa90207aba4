"""Factors keep to what is left, audits come first, and nothing moves without need."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.budget import (
    DAY_MS,
    PRIOR_USAGE,
    Budget,
    Cost,
    Prices,
    Reserve,
    Spending,
    affordable,
    audits_of,
    factors_of,
    reserve_of,
    state_of,
)
from service.forecast import Forecast, Traffic
from service.judging.calls import Usage
from service.policy import AppPolicy, Policy
from service.sampling import INITIAL_FACTORS, STRATA, Factors

POLICY = Policy(apps={"support": AppPolicy(), "sales": AppPolicy()})
NOON = 20_000 * DAY_MS + DAY_MS // 2
RATES = AppPolicy().sampling
TOKENS = 4_000
SEASONED = Spending(answers=100_000, settled_tokens=100_000 * TOKENS, settled_calls=200_000)
"""So many judged answers that the estimate of the beginning no longer shows."""


def traffic(rest: dict[str, float], per_day: float = 20_000, known: bool = True) -> Traffic:
    return Traffic(per_day, rest, 0, known)


ONE_APP: Forecast = {"support": traffic({"flagged": 1_000, "rest": 9_000})}
"""With π_audit .001: 199 and 81 to be drawn beside the audits at factor 1."""


def factors(
    budget: Budget,
    forecast: Forecast = ONE_APP,
    spending: Spending = SEASONED,
    policy: Policy = POLICY,
    previous: Factors = INITIAL_FACTORS,
) -> Factors:
    return factors_of(policy, forecast, budget, spending, NOON, previous)


def drawn_beside_audits(found: Factors, forecast: Forecast, policy: Policy = POLICY) -> float:
    total = 0.0
    for app, expected in forecast.items():
        rules = policy.of(app).sampling
        pi_audit = found.audit_of(app, rules)
        for stratum, number in expected.rest.items():
            pi = getattr(rules, stratum) * found.judge_of(app)
            total += number * (max(pi, pi_audit) - pi_audit)
    return total


def tokens_for(answers: float) -> Budget:
    """Beside the audits' reserve."""
    reserve = reserve_of(POLICY, ONE_APP, Budget(tokens_per_day=1 << 60), SEASONED)
    return Budget(tokens_per_day=round(answers * TOKENS) + reserve.tokens)


# Costs.


def test_prices_are_of_a_million_tokens() -> None:
    assert Prices(2.5, 10.0).cost_micros(Usage(1_000_000, 1_000_000)) == 12_500_000
    assert Prices(0.15, 0.6).cost_micros(Usage(1_000, 100)) == 210
    assert Prices(0.1, 0.2).cost_micros(Usage(10, 10)) == 3
    assert Prices(0.15, 0.6).cost_micros(Usage(1, 0)) == 1
    assert Prices().cost_micros(Usage(5, 5)) == 0


def test_the_mean_cost_begins_as_an_estimate_and_becomes_what_was_measured() -> None:
    prices = Prices(1.0, 2.0)
    assert Spending().mean(prices) == Cost(PRIOR_USAGE.tokens, prices.cost_micros(PRIOR_USAGE), 2)
    some = Spending(
        answers=10, settled_tokens=10_000, settled_money_micros=20_000, settled_calls=30
    )
    assert some.mean(prices) == Cost(3_000, 4_000, 2.5)
    assert SEASONED.mean(prices).tokens == pytest.approx(TOKENS, rel=1e-3)


def test_an_outage_does_not_make_answers_dear() -> None:
    """A thousand attempts of 1,000 tokens, and one answer: four calls are the most."""
    outage = Spending(answers=1, settled_tokens=1_000_000, settled_calls=1_000)
    assert outage.mean(Prices()).calls < 4
    assert outage.mean(Prices()).tokens == pytest.approx((1_000_000 + 50_000) / 260)


# Audits.


def test_audits_are_a_number_a_day() -> None:
    forecast = {"support": traffic({}, per_day=10_000), "sales": traffic({}, per_day=50)}
    assert audits_of(POLICY, forecast) == {"support": 0.002, "sales": 0.2}


def test_audits_of_unknown_traffic_are_the_policys() -> None:
    assert audits_of(POLICY, {"support": traffic({}, known=False)}) == {}
    found = factors(Budget(), {"support": traffic({"rest": 10}, known=False)})
    assert found.audit_of("support", RATES) == RATES.audit


def test_audits_are_each_apps_own() -> None:
    policy = Policy.model_validate(
        {"apps": {"a": {"sampling": {"audit_per_day": 5}}, "b": {"sampling": {"audit_max": 0.01}},
                  "c": {"sampling": {"audit_per_day": 0}}}}
    )  # fmt: skip
    forecast = {app: traffic({}, per_day=100) for app in "abc"}
    assert audits_of(policy, forecast) == {"a": 0.05, "b": 0.01, "c": 0}


def test_the_reserve_has_room_for_chance() -> None:
    """π_audit .001: of 9,000 answers until now and 7,000 to come, 16 audits; three standard
    deviations more are 28."""
    forecast = {"support": Traffic(20_000, {"rest": 7_000}, 9_000, True)}
    budget = Budget(tokens_per_day=10_000_000, money_micros_per_day=5)
    spending = replace(SEASONED, settled_money_micros=100_000)
    reserve = reserve_of(POLICY, forecast, budget, spending)
    assert reserve.tokens == pytest.approx(28 * TOKENS, rel=1e-3)
    assert reserve.money_micros == 5
    assert reserve_of(POLICY, forecast, Budget(), spending) == Reserve()


# Factors.


def test_without_a_bound_the_policy_holds() -> None:
    found = factors(Budget())
    assert set(found.judge.values()) == {1.0}
    assert found.judge.keys() == {"support", "sales", "other"}
    assert not found.exhausted


def test_enough_is_enough() -> None:
    assert factors(tokens_for(10_000)).judge["support"] == 1.0


@pytest.mark.parametrize("answers", [60, 100, 200, 290])
def test_what_is_left_is_what_will_be_drawn(answers: int) -> None:
    found = factors(tokens_for(answers))
    assert 0.05 < found.judge["support"] < 1
    wanted = answers - math.sqrt(answers)
    assert drawn_beside_audits(found, ONE_APP) == pytest.approx(wanted, rel=2e-3)
    assert not found.exhausted


def test_the_formula_by_hand() -> None:
    """81 less 9 for chance: 1,000 · (.2f − .001) + 9,000 · (.01f − .001) = 72 at f = 82/290."""
    assert factors(tokens_for(81)).judge["support"] == pytest.approx(82 / 290, rel=1e-2)


def test_one_factor_for_the_whole_installation() -> None:
    forecast = {"support": traffic({"rest": 50_000}), "sales": traffic({"flagged": 500})}
    found = factors(tokens_for(100), forecast)
    assert len(set(found.judge.values())) == 1


def test_waiting_answers_are_spent_already() -> None:
    waiting = factors(tokens_for(150), spending=replace(SEASONED, pending=50))
    assert waiting.judge == pytest.approx(factors(tokens_for(100)).judge, rel=1e-3)


@pytest.mark.parametrize("kind", ["tokens", "money", "calls"])
def test_the_scarcest_kind_decides(kind: str) -> None:
    spending = replace(SEASONED, settled_money_micros=100_000 * 600)
    scarce = {
        "tokens": Budget(tokens_per_day=100 * TOKENS, money_micros_per_day=10**9),
        "money": Budget(tokens_per_day=10**9, money_micros_per_day=100 * 600),
        "calls": Budget(tokens_per_day=10**9, calls_per_minute=1),
    }[kind]
    state = state_of(scarce, spending, Reserve(), INITIAL_FACTORS)
    # One call a minute until midnight, and two an answer.
    expected = 360 if kind == "calls" else 100
    assert affordable(scarce, state, 0, NOON) == pytest.approx(expected, rel=1e-3)


def test_judging_slows_and_does_not_stop() -> None:
    """The same budget, more and more of it spent: the factor falls, to the floor and not below."""
    budget, found = tokens_for(300), []
    for spent in range(0, 300, 10):
        spending = replace(SEASONED, tokens=spent * TOKENS)
        found.append(factors(budget, spending=spending))
    rates = [one.judge["support"] for one in found]
    assert rates == sorted(rates, reverse=True)
    assert min(rates) == RATES.floor
    # The floor draws 9 flagged answers and nothing beside the audits of the rest.
    assert [one.exhausted for one in found] == [300 - spent < 9 for spent in range(0, 300, 10)]


def test_exhausted_is_when_not_even_the_floor_fits() -> None:
    assert not factors(tokens_for(9.1)).exhausted
    gone = factors(tokens_for(8.9))
    assert gone.exhausted
    assert gone.judge["support"] == RATES.floor
    assert factors(Budget(tokens_per_day=0), {}).exhausted


def test_a_floor_is_each_apps_own() -> None:
    policy = Policy.model_validate({"apps": {"support": {"sampling": {"floor": 0.4}}}})
    found = factors(tokens_for(20), policy=policy)
    assert found.judge["support"] == 0.4
    assert found.judge["other"] < 0.1
    assert found.exhausted


def test_audits_come_first() -> None:
    """With room for the audits alone, nothing else is drawn."""
    found = factors(tokens_for(0))
    assert found.exhausted
    assert found.audit == {"support": 0.001}


def test_audits_that_were_judged_leave_the_rest_as_it_was() -> None:
    budget = tokens_for(100)
    reserve = reserve_of(POLICY, ONE_APP, budget, SEASONED)
    before = state_of(budget, SEASONED, reserve, INITIAL_FACTORS)
    judged = replace(SEASONED, tokens=5 * TOKENS, audit_tokens=5 * TOKENS)
    after = state_of(budget, judged, reserve, INITIAL_FACTORS)
    assert after.tokens_left == before.tokens_left
    assert after.reserve.tokens == reserve.tokens - 5 * TOKENS


def test_the_version_goes_up_only_when_something_moved() -> None:
    first = factors(tokens_for(100))
    assert (first.version, first.published_ms) == (1, NOON)
    assert factors(tokens_for(101), previous=first) is first
    second = factors(tokens_for(110), previous=first)
    assert second.version == 2
    # Small steps add up: they are compared with what was published.
    steps = [first]
    for answers in range(101, 140):
        steps.append(factors(tokens_for(answers), previous=steps[-1]))
    assert steps[-1].judge["support"] > 1.3 * first.judge["support"]
    assert 10 < steps[-1].version < 35


def test_a_new_app_or_an_exhausted_budget_is_a_move() -> None:
    first = factors(Budget())
    assert factors(Budget(), previous=first) is first
    more = Policy(apps={**POLICY.apps, "new": AppPolicy()})
    assert factors(Budget(), policy=more, previous=first).version == 2
    low = factors(tokens_for(9.1), previous=first)
    assert factors(tokens_for(8.9), previous=low).version == low.version + 1


amounts = st.none() | st.integers(0, 10**9)
forecasts = st.dictionaries(
    st.sampled_from(["support", "sales", "other"]),
    st.builds(
        Traffic,
        per_day=st.floats(0, 1e6),
        rest=st.dictionaries(st.sampled_from(STRATA), st.floats(0, 1e6)),
        today=st.integers(0, 10**6),
        known=st.booleans(),
    ),
)
spendings = st.builds(
    Spending,
    **dict.fromkeys(("tokens", "money_micros", "audit_tokens", "settled_tokens",
                     "settled_money_micros", "settled_calls", "answers", "pending"),
                    st.integers(0, 10**9)),
)  # fmt: skip


@given(forecasts, spendings, amounts, amounts, st.none() | st.integers(1, 10_000))
def test_factors_are_between_the_floor_and_one_and_keep_to_what_is_left(
    forecast: Forecast, spending: Spending, tokens: int | None, money: int | None, calls: int | None
) -> None:
    budget = Budget(tokens, money, calls, Prices(1.0, 2.0))
    found = factors(budget, forecast, spending)
    assert all(RATES.floor <= factor <= 1 for factor in found.judge.values())
    assert all(0 <= pi <= RATES.audit_max for pi in found.audit.values())
    reserve = reserve_of(POLICY, forecast, budget, spending)
    state = state_of(budget, spending, reserve, found)
    most = affordable(budget, state, spending.pending, NOON)
    if not found.exhausted:
        floor_costs = drawn_beside_audits(
            replace(found, judge=dict.fromkeys(found.judge, RATES.floor)), forecast
        )
        bound = max(most, floor_costs)
        assert drawn_beside_audits(found, forecast) <= bound * (1 + 1e-6) + 1e-6
        assert floor_costs <= most * (1 + 1e-9)
    if (tokens, money, calls) == (None, None, None):
        assert not found.exhausted


def test_the_documented_day_in_money() -> None:
    prices = Prices(input=0.5, output=2.0)
    answers = 100_000
    assert prices.cost_micros(Usage(3_400, 600)) == 2_900
    spending = Spending(
        answers=answers, settled_tokens=4_000 * answers, settled_money_micros=2_900 * answers,
        settled_calls=2 * answers,
    )  # fmt: skip
    number = 20_000
    rest = {
        "flagged_high": 0.02 * number, "flagged": 0.08 * number, "abstained": 0.1 * number,
        "low_overlap": 0.1 * number, "rest": 0.7 * number,
    }  # fmt: skip
    forecast = {"support": Traffic(number, rest, 0, True)}
    policy, budget = Policy(), Budget(money_micros_per_day=1_000_000, prices=prices)
    reserve = reserve_of(policy, forecast, budget, spending)
    assert reserve.money_micros == pytest.approx(96_900, abs=100)
    state = state_of(budget, spending, reserve, INITIAL_FACTORS)
    assert affordable(budget, state, 0, 0) == pytest.approx(311, abs=1)
    found = factors_of(policy, forecast, budget, spending, 0, INITIAL_FACTORS)
    assert found.judge["other"] == pytest.approx(0.40, abs=0.005)
    assert drawn_beside_audits(found, forecast, policy) == pytest.approx(294, abs=1)
