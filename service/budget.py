"""How much judging an installation can afford, and the factors that keep to it. Pure.

docs/judge/sampling.md has the formulas with an example. Money is counted in millionths of whatever
currency the prices are in; a day is a UTC day.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.forecast import Forecast
from service.judging.calls import Usage
from service.policy import OTHER, Policy
from service.sampling import Factors

DAY_MS = 86_400_000
MINUTE_MS = 60_000

PRIOR_USAGE = Usage(4_000, 1_000)
"""Of one answer, while few were judged: a ruling over five chunks of 500 tokens and the small call
for relevance. An estimate; it gives way to what is measured."""
PRIOR_CALLS = 2
PRIOR_ANSWERS = 10
"""The estimate counts as much as this many judged answers."""
MOST_CALLS = 4
"""No answer is taken for more than these: ruling, repair, relevance, one again. An endpoint that is
away for an hour leaves many attempts and no answer; tomorrow's sample must not pay for that."""
MOVED = 0.02
"""Factors that moved by less are not published: nobody would see a difference."""
_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens, in any one currency."""

    input: float = 0.0
    output: float = 0.0

    def cost_micros(self, usage: Usage) -> int:
        """What the tokens cost, in millionths of the currency, rounded up."""
        cost = usage.prompt_tokens * self.input + usage.completion_tokens * self.output
        # What is left of 0.1 + 0.2 must not round up.
        return math.ceil(round(cost, 6))


@dataclass(frozen=True, slots=True)
class Budget:
    """None: no bound. ``prices`` turn tokens into money."""

    tokens_per_day: int | None = None
    money_micros_per_day: int | None = None
    calls_per_minute: int | None = None
    prices: Prices = Prices()


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one judged answer on average, all its calls together."""

    tokens: float
    money_micros: float
    calls: float


@dataclass(frozen=True, slots=True)
class Reserve:
    """The part of a day's budget that only audited answers may use."""

    tokens: int = 0
    money_micros: int = 0


@dataclass(frozen=True, slots=True)
class Spending:
    """What was debited today, the estimates of calls in flight included; ``audit_*``: of it, for
    audited answers. ``calls``: today, ``calls_last_minute``: in the last 60 seconds.

    ``answers``: those that the judge was done with today and yesterday, ``settled_*``: what the
    calls of these two days came to. ``pending``: answers that are drawn and wait for the judge.
    """

    tokens: int = 0
    money_micros: int = 0
    audit_tokens: int = 0
    audit_money_micros: int = 0
    calls: int = 0
    calls_last_minute: int = 0
    answers: int = 0
    settled_tokens: int = 0
    settled_money_micros: int = 0
    settled_calls: int = 0
    pending: int = 0

    def mean(self, prices: Prices) -> Cost:
        """The mean cost of an answer, drawn towards the estimate while there are few."""
        n = max(self.answers, self.settled_calls / MOST_CALLS) + PRIOR_ANSWERS
        prior_micros = PRIOR_ANSWERS * prices.cost_micros(PRIOR_USAGE)
        return Cost(
            (self.settled_tokens + PRIOR_ANSWERS * PRIOR_USAGE.tokens) / n,
            (self.settled_money_micros + prior_micros) / n,
            (self.settled_calls + PRIOR_ANSWERS * PRIOR_CALLS) / n,
        )


@dataclass(frozen=True, slots=True)
class BudgetState:
    """The numbers to show. ``*_left``: for answers that are not audited, None without a bound;
    ``reserve``: what is kept for audits beside that."""

    tokens_left: int | None
    money_micros_left: int | None
    calls_left_this_minute: int | None
    reserve: Reserve
    mean: Cost
    factors: Factors


def state_of(budget: Budget, spending: Spending, reserve: Reserve, factors: Factors) -> BudgetState:
    """``reserve``: the whole day's; what audits have used of it is no longer kept."""
    kept = Reserve(
        max(0, reserve.tokens - spending.audit_tokens),
        max(0, reserve.money_micros - spending.audit_money_micros),
    )
    return BudgetState(
        _left(budget.tokens_per_day, spending.tokens + kept.tokens),
        _left(budget.money_micros_per_day, spending.money_micros + kept.money_micros),
        _left(budget.calls_per_minute, spending.calls_last_minute),
        kept,
        spending.mean(budget.prices),
        factors,
    )


def _left(bound: int | None, used: int) -> int | None:
    return None if bound is None else max(0, bound - used)


def audits_of(policy: Policy, forecast: Forecast) -> dict[str, float]:
    """π_audit by app: ``audit_per_day`` of the expected answers, at most ``audit_max``. It is set
    before the answers come, so that each of them has the same chance. Apps whose traffic is not
    known yet are absent: their policy's ``audit`` holds."""
    audits = {}
    for app, traffic in forecast.items():
        if traffic.known and traffic.per_day:
            rules = policy.of(app).sampling
            audits[app] = min(rules.audit_max, rules.audit_per_day / traffic.per_day)
    return audits


def reserve_of(policy: Policy, forecast: Forecast, budget: Budget, spending: Spending) -> Reserve:
    """What this whole day's audits may cost: (m + 3√m) · the mean cost, for m expected audits
    (three standard deviations of a Poisson number). At most the whole budget."""
    audits, cost = audits_of(policy, forecast), spending.mean(budget.prices)
    expected = sum(
        audits.get(app, policy.of(app).sampling.audit)
        * (traffic.today + sum(traffic.rest.values()))
        for app, traffic in forecast.items()
    )
    answers = expected + 3 * math.sqrt(expected)
    return Reserve(
        _part(budget.tokens_per_day, answers * cost.tokens),
        _part(budget.money_micros_per_day, answers * cost.money_micros),
    )


def _part(bound: int | None, wanted: float) -> int:
    return 0 if bound is None else min(bound, math.ceil(wanted))


def affordable(budget: Budget, state: BudgetState, pending: int, now_ms: int) -> float:
    """How many more answers that are not audited may be drawn until midnight: what is left of the
    scarcest kind over its mean cost, less those that wait already. Infinite without a bound."""
    minutes = (DAY_MS - now_ms % DAY_MS) / MINUTE_MS
    calls = None if budget.calls_per_minute is None else budget.calls_per_minute * minutes
    kinds = (
        (state.tokens_left, state.mean.tokens),
        (state.money_micros_left, state.mean.money_micros),
        (calls, state.mean.calls),
    )
    answers = [left / cost for left, cost in kinds if left is not None and cost]
    return max(0.0, min(answers, default=math.inf) - pending)


class _Share(NamedTuple):
    """``number`` answers of one app and stratum that are still expected today."""

    number: float
    pi: float
    pi_audit: float
    floor: float

    def drawn(self, factor: float) -> float:
        """Of them drawn beside the audits."""
        return self.number * max(0.0, self.pi * max(self.floor, factor) - self.pi_audit)


def factors_of(
    policy: Policy,
    forecast: Forecast,
    budget: Budget,
    spending: Spending,
    now_ms: int,
    previous: Factors,
) -> Factors:
    """The factors for now, or ``previous`` itself unless something moved by more than 2 %.

    One common factor f scales every app: the largest up to 1 with
    Σ N · (max(π_audit, π · max(floor, f)) − π_audit) ≤ A − √A, over apps and strata with N answers
    expected until midnight; A as in :func:`affordable`, √A is room for chance. When the floors
    alone exceed A, or A is less than one answer, the budget is exhausted.
    """
    audits = audits_of(policy, forecast)
    shares = _shares(policy, forecast, audits)
    reserve = reserve_of(policy, forecast, budget, spending)
    state = state_of(budget, spending, reserve, previous)
    most = affordable(budget, state, spending.pending, now_ms)
    common = _largest(lambda f: _drawn(shares, f), _less_chance(most))
    found = Factors(
        previous.version + 1,
        {label: max(policy.of(label).sampling.floor, common) for label in (*policy.apps, OTHER)},
        audits,
        most < 1 or _drawn(shares, 0.0) > most,
        now_ms,
    )
    return found if _moved(previous, found) else previous


def _shares(policy: Policy, forecast: Forecast, audits: Mapping[str, float]) -> tuple[_Share, ...]:
    shares = []
    for app, traffic in forecast.items():
        rules = policy.of(app).sampling
        pi_audit = audits.get(app, rules.audit)
        for stratum, number in traffic.rest.items():
            shares.append(_Share(number, getattr(rules, stratum), pi_audit, rules.floor))
    return tuple(shares)


def _less_chance(number: float) -> float:
    return max(0.0, number - math.sqrt(number)) if math.isfinite(number) else number


def _drawn(shares: Sequence[_Share], factor: float) -> float:
    return sum(share.drawn(factor) for share in shares)


def _largest(cost: Callable[[float], float], bound: float) -> float:
    """The largest f in [0, 1] with ``cost(f)`` ≤ ``bound``, for a cost that never falls; 0 when
    there is none."""
    if cost(1.0) <= bound:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if cost(middle) <= bound else (low, middle)
    return low


def _moved(old: Factors, new: Factors) -> bool:
    if not old.version or old.exhausted != new.exhausted:
        return True
    return _differ(old.judge, new.judge) or _differ(old.audit, new.audit)


def _differ(old: Mapping[str, float], new: Mapping[str, float]) -> bool:
    return old.keys() != new.keys() or any(
        abs(old[app] - value) > MOVED * max(old[app], value) for app, value in new.items()
    )
