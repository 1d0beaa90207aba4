"""Gates: whether a rule holds, does not, or cannot be decided yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from service.estimates.bounds import Outcome as State  # runs have outcomes of their own
from service.estimates.differences import Difference, against, held_equal
from service.estimates.paired import sort_out
from service.estimates.rates import RATES, Rates
from service.estimates.strata import Strata, one_rate, parts_held_equal
from service.measuring.compared_text import more
from service.measuring.comparing import LOWER_IS_BETTER
from service.measuring.rules import MeasureRule, RateRule, RegressionRule
from service.measuring.runs import Outcome, Run
from service.measuring.summary import questions_in_words

CLOSE = 1e-9
"""What is this close to its bound is on it: 27 of 30 is 0.9."""


VALUES = {State.PASS: 1, State.UNDECIDED: 0, State.FAIL: -1}
"""The state as a number, for what reads numbers only."""


class UnknownMeasure(ValueError):
    """A rule names a measure that its run does not have."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """On one rule. ``told``: why, as a sentence; ``value``: what was measured, with ``low`` and
    ``high`` where an interval decided; ``n``: questions or answers; ``questions``: that failed."""

    rule: str
    state: State
    told: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one gate. ``release``: the one in question, None where no rule speaks of one."""

    gate: str
    state: State
    rulings: tuple[Ruling, ...]
    release: str | None = None


def rule_on_measure(rule: MeasureRule, run: Run) -> Ruling:
    """A question set is decided by its mean as it is, from ``min_n`` questions on: those questions
    are all there are. Those that got no answer leave a pass undecided where it might not hold with
    them. Raises :class:`UnknownMeasure`."""
    chosen = list(_chosen(run, rule, rule.measure))
    told_values = (outcome.measures.get(rule.measure) for outcome in chosen)
    values = [value for value in told_values if value is not None]
    n, without = len(values), len(chosen) - len(values)
    left = f"; {without} more have no value" if without else ""
    if n < rule.min_n:
        told = f"{questions_in_words(n)} with a value, {rule.min_n} are wanted{left}"
        return Ruling(rule.title, State.UNDECIDED, told, n=n)
    mean = fsum(values) / n
    unanswered = sum(
        outcome.error is not None and outcome.measures.get(rule.measure) is None
        for outcome in chosen
    )
    told = f"{mean:.4g} over {questions_in_words(n)}{left}"
    if not _holds(rule, mean):
        state = State.FAIL
    elif unanswered and not (rule.is_floor and _holds(rule, fsum(values) / (n + unanswered))):
        state = State.UNDECIDED
        told += f", {unanswered} of them for want of an answer, with which it might not hold"
    else:
        state = State.PASS
    return Ruling(rule.title, state, told, mean, n=n)


def _holds(rule: MeasureRule, mean: float) -> bool:
    beyond = rule.bound - mean if rule.is_floor else mean - rule.bound
    return beyond <= CLOSE


def rule_on_regression(rule: RegressionRule, run: Run, before: Run) -> Ruling:
    """By name. A question that has no value any more decides nothing, and is no pass. Raises
    :class:`UnknownMeasure`."""
    measure = rule.no_regression_of
    old = {one.query_id: one.measures.get(measure) for one in _chosen(before, rule, measure)}
    new = {one.query_id: one.measures.get(measure) for one in _chosen(run, rule, measure)}
    known = old.keys() | new.keys()
    # A question may have become critical since: what either run calls so, counts.
    old |= {name: one.measures.get(measure) for name, one in before.by_id.items() if name in known}
    new |= {name: one.measures.get(measure) for name, one in run.by_id.items() if name in known}
    found = sort_out(old, new, measure in LOWER_IS_BETTER)
    n = len(found.improved) + len(found.regressed) + len(found.unchanged)
    if found.regressed:
        regressed = questions_in_words(len(found.regressed))
        told = f"{regressed} of {n} regressed: {', '.join(found.regressed)}"
        return Ruling(rule.title, State.FAIL, told, n=n, questions=found.regressed)
    if found.only_first:
        told = f"no value any more for {', '.join(found.only_first)}"
        return Ruling(rule.title, State.UNDECIDED, told, n=n, questions=found.only_first)
    if not n:
        return Ruling(rule.title, State.UNDECIDED, "no such question has a value in both runs")
    return Ruling(rule.title, State.PASS, f"none of {questions_in_words(n)} regressed", n=n)


def rule_on_rate(rule: RateRule, rates: Rates) -> Ruling:
    """Of one release against a fixed bound."""
    rate = RATES[rule.rate](rates)
    found = against(rate, rule.bound, rule.confidence)
    if found is None:
        return Ruling(rule.title, State.UNDECIDED, "no answers that this rate is of")
    state = _inside(_negative(found) if rule.is_floor else found)
    low, high = found.low + rule.bound, found.high + rule.bound
    told = f"{rate.value:.2%} [{low:.2%}, {high:.2%}] over {rate.answers:,} answers"
    told += "" if state is not State.UNDECIDED else more(found)
    return Ruling(rule.title, state, told, rate.value, low, high, rate.answers)


def rule_on_ratio(
    rule: RateRule, release: str, new: Strata, old_release: str, old: Strata
) -> Ruling:
    """Of one release against another, over the mix of traffic that they have in common. The
    interval is that of p_new - ratio · p_old - margin."""
    before, after = one_rate(old, rule.rate), one_rate(new, rule.rate)
    held = held_equal(before, after, rule.demand)
    if held is None:
        parts = parts_held_equal(old, new)
        told = f"{release} and {old_release} have no answers of one {parts} to be compared"
        return Ruling(rule.title, State.UNDECIDED, told)
    found = held.difference
    state = _inside(found)
    n = sum(rate.answers for side in (before, after) for rate in side.values())
    n -= sum(held.left_out)
    told = (
        f"{held.first.value:.2%} in {old_release}, {held.second.value:.2%} in {release} over "
        f"{n:,} answers of one mix of {parts_held_equal(old, new)}; over the bound by "
        f"{_points(found)}"
    )
    if any(held.left_out):
        told += f"; left out: {held.left_out[0]:,} and {held.left_out[1]:,} answers of other kinds"
    told += "" if state is not State.UNDECIDED else more(found)
    return Ruling(rule.title, state, told, found.value, found.low, found.high, n)


def _inside(found: Difference) -> State:
    """``found``: what was measured minus what is allowed. On the bound is within it."""
    if found.high <= CLOSE:
        return State.PASS
    return State.FAIL if found.low > CLOSE else State.UNDECIDED


def _negative(found: Difference) -> Difference:
    return Difference(-found.value, -found.high, -found.low, found.more)


def _chosen(run: Run, rule: MeasureRule | RegressionRule, measure: str) -> Iterable[Outcome]:
    if not any(measure in outcome.measures for outcome in run.outcomes):
        have = sorted({name for outcome in run.outcomes for name in outcome.measures})
        raise UnknownMeasure(
            f"{rule.of}: no question has the measure {measure}; it has {', '.join(have) or 'none'}"
        )
    for outcome in run.outcomes:
        critical = rule.questions == "all" or outcome.critical
        if critical and (rule.tag is None or rule.tag in outcome.tags):
            yield outcome


def _points(found: Difference) -> str:
    return f"{found.value * 100:+.2f} points [{found.low * 100:+.2f}, {found.high * 100:+.2f}]"
