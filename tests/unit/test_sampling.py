"""One keyed hash decides; the rates that come out are those that were asked for."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.policy import SamplingPolicy
from service.sampling import (
    ABSTENTIONS,
    BUDGET_SKIPPED,
    INITIAL_FACTORS,
    SAMPLED_OUT,
    SELECTED,
    STRATA,
    Draw,
    Factors,
    decode_factors,
    disposition,
    draw,
    encode_factors,
    stratum_of,
    uniform,
    with_feedback,
)

SECRET = b"a secret of the tests"
IDS = [f"id-{n}" for n in range(20_000)]
U = [uniform(SECRET, "support", event_id) for event_id in IDS]

probabilities = st.floats(0, 1)
strata = st.sampled_from(STRATA)
policies = st.builds(SamplingPolicy, audit=probabilities, **dict.fromkeys(STRATA, probabilities))
labels = st.sampled_from(["support", "sales", "other"])
by_app = st.dictionaries(labels, probabilities)
published = st.builds(
    Factors, st.integers(0, 1 << 40), by_app, by_app, st.booleans(), st.integers(0, 1 << 50)
)


def within_binomial(hits: int, n: int, p: float) -> bool:
    """Five standard deviations: one failure in a million choices of the secret."""
    return abs(hits - n * p) <= 5 * math.sqrt(n * p * (1 - p)) + 1e-9


@given(st.binary(min_size=1, max_size=64), st.text(max_size=20), st.text(max_size=20))
def test_u_is_in_the_half_open_interval_and_repeatable(secret: bytes, app: str, name: str) -> None:
    u = uniform(secret, app, name)
    assert 0 <= u < 1
    assert u == uniform(secret, app, name)


def test_u_is_uniform() -> None:
    for low, high in itertools.pairwise(n / 20 for n in range(21)):
        assert within_binomial(sum(low <= u < high for u in U), len(U), high - low)


def test_u_depends_on_the_secret_the_app_and_the_id() -> None:
    other = {
        "secret": [uniform(b"another", "support", name) for name in IDS],
        "app": [uniform(SECRET, "sales", name) for name in IDS],
    }
    for values in other.values():
        agreeing = sum((u < 0.5) == (v < 0.5) for u, v in zip(U, values, strict=True))
        assert within_binomial(agreeing, len(U), 0.5)
    assert len(set(U)) == len(U)
    # The border between app and id is part of what is hashed.
    assert uniform(SECRET, "ab", "c") != uniform(SECRET, "a", "bc")


@pytest.mark.parametrize("stratum", STRATA)
def test_realised_rates_are_the_probabilities(stratum: str) -> None:
    rates = dict(zip(STRATA, (0.3, 0.2, 0.1, 0.05, 0.01), strict=True))
    policy = SamplingPolicy(audit=0.005, **rates)
    draws = [draw(SECRET, "support", name, stratum, policy) for name in IDS]
    assert within_binomial(sum(d.judged for d in draws), len(IDS), rates[stratum])
    assert within_binomial(sum(d.audited for d in draws), len(IDS), 0.005)


@given(st.text(max_size=20), strata, policies)
def test_every_audited_answer_is_judged(name: str, stratum: str, policy: SamplingPolicy) -> None:
    drawn = draw(SECRET, "support", name, stratum, policy)
    assert drawn.pi >= drawn.pi_audit == policy.audit
    assert drawn.judged or not drawn.audited
    assert drawn.stratum == stratum


@given(st.text(max_size=20), policies, policies)
def test_u_knows_no_stratum_and_no_policy(
    name: str, one: SamplingPolicy, other: SamplingPolicy
) -> None:
    drawn = {
        draw(SECRET, "support", name, stratum, policy).u
        for stratum in STRATA
        for policy in (one, other)
    }
    assert drawn == {uniform(SECRET, "support", name)}


@given(st.text(max_size=20), strata, probabilities, probabilities)
def test_a_larger_probability_keeps_whom_a_smaller_one_chose(
    name: str, stratum: str, one: float, other: float
) -> None:
    small, large = sorted((one, other))
    chosen = [
        draw(SECRET, "a", name, stratum, everywhere(pi, audit=0)).judged for pi in (small, large)
    ]
    assert chosen[1] or not chosen[0]


def test_none_and_all() -> None:
    nobody, everybody = everywhere(0, audit=0), everywhere(0, audit=1)
    for name in IDS[:500]:
        assert not draw(SECRET, "a", name, "flagged", nobody).judged
        assert draw(SECRET, "a", name, "rest", everybody).audited
        assert draw(SECRET, "a", name, "rest", everybody).judged


def everywhere(pi: float, audit: float) -> SamplingPolicy:
    return SamplingPolicy(audit=audit, **dict.fromkeys(STRATA, pi))


def test_every_stratum_has_its_probability() -> None:
    assert set(STRATA) <= SamplingPolicy.model_fields.keys()


def test_the_first_stratum_that_claims_an_answer_has_it() -> None:
    everything = ("low_overlap", "empty_retrieval", "scope_mismatch")
    assert stratum_of("high", "no_answer", everything) == "flagged_high"
    for severity in ("low", "medium"):
        assert stratum_of(severity, "no_answer", everything) == "flagged"
    for label in ABSTENTIONS:
        assert stratum_of(None, label, everything) == "abstained"
    assert stratum_of(None, "answer", everything) == "low_overlap"
    assert stratum_of(None, "answer", ("scope_mismatch",)) == "rest"
    assert stratum_of(None, "", ()) == "rest"


# With factors.

RATES = dict(zip(STRATA, (0.5, 0.3, 0.2, 0.1, 0.02), strict=True))
RULES = SamplingPolicy(audit=0.004, **RATES)


def factors_of(judge: float, audit: float = 0.004, *, exhausted: bool = False) -> Factors:
    return Factors(7, {"support": judge}, {"support": audit}, exhausted)


def drawn_by(factors: Factors, name: str, stratum: str, rules: SamplingPolicy = RULES) -> Draw:
    return draw(SECRET, "support", name, stratum, rules, factors, "support")


@given(published)
def test_factors_survive_being_stored(factors: Factors) -> None:
    assert decode_factors(encode_factors(factors)) == factors


@given(st.text(max_size=20), strata, policies)
def test_the_initial_factors_are_the_policys_own(
    name: str, stratum: str, policy: SamplingPolicy
) -> None:
    drawn = draw(SECRET, "a", name, stratum, policy, Factors.initial(), "support")
    assert drawn == draw(SECRET, "a", name, stratum, policy)
    assert drawn.pi == max(getattr(policy, stratum), policy.audit)
    assert (drawn.factors, Factors.initial()) == (0, INITIAL_FACTORS)


def test_an_app_that_is_new_to_the_factors_saves_as_the_others_do() -> None:
    factors = Factors(3, {"support": 0.5, "sales": 0.2}, {"support": 0.1})
    assert factors.judge_of("support") == 0.5
    assert factors.judge_of("new") == 0.2
    assert factors.audit_of("new", RULES) == RULES.audit


@given(st.text(max_size=20), strata, policies, published, labels)
def test_pi_is_the_formula_and_holds_every_audit(
    name: str, stratum: str, policy: SamplingPolicy, factors: Factors, label: str
) -> None:
    drawn = draw(SECRET, "sent", name, stratum, policy, factors, label)
    assert drawn.pi_audit == factors.audit.get(label, policy.audit)
    wanted = getattr(policy, stratum) * factors.judge_of(label)
    assert drawn.wanted == min(1, max(drawn.pi_audit, wanted))
    assert drawn.pi == (drawn.pi_audit if factors.exhausted else drawn.wanted)
    assert 0 <= drawn.pi_audit <= drawn.pi <= drawn.wanted <= 1
    assert drawn.judged or not drawn.audited
    assert drawn.factors == factors.version
    if drawn.audited:
        assert disposition(drawn, factors) == SELECTED


@pytest.mark.parametrize("factor", [1.0, 0.4, 0.05])
@pytest.mark.parametrize("stratum", STRATA)
def test_realised_rates_are_the_scaled_probabilities(stratum: str, factor: float) -> None:
    factors = factors_of(factor)
    draws = [drawn_by(factors, name, stratum) for name in IDS]
    wanted = max(0.004, RATES[stratum] * factor)
    assert within_binomial(sum(d.judged for d in draws), len(IDS), wanted)
    assert within_binomial(sum(d.audited for d in draws), len(IDS), 0.004)
    assert {d.pi for d in draws} == {wanted}


@given(strata, probabilities, published)
def test_changing_one_stratum_moves_no_answer_of_another(
    moved: str, pi: float, factors: Factors
) -> None:
    changed = RULES.model_copy(update={moved: pi})
    for stratum in set(STRATA) - {moved}:
        for name in IDS[:50]:
            before, after = (drawn_by(factors, name, stratum, r) for r in (RULES, changed))
            assert before == after


@given(st.text(max_size=20), strata)
def test_what_becomes_of_an_answer(name: str, stratum: str) -> None:
    plenty, nothing = factors_of(0.8, 0.1), factors_of(0.8, 0.1, exhausted=True)
    drawn, late = drawn_by(plenty, name, stratum), drawn_by(nothing, name, stratum)
    assert disposition(drawn, plenty) == (SELECTED if drawn.judged else SAMPLED_OUT)
    if drawn.audited:
        assert disposition(late, nothing) == SELECTED
    else:
        assert disposition(late, nothing) == (BUDGET_SKIPPED if drawn.judged else SAMPLED_OUT)


def test_all_three_become_of_something() -> None:
    nothing = factors_of(0.8, 0.1, exhausted=True)
    became = [disposition(drawn_by(nothing, name, "flagged_high"), nothing) for name in IDS]
    for what, share in ((SELECTED, 0.1), (BUDGET_SKIPPED, 0.3), (SAMPLED_OUT, 0.6)):
        assert within_binomial(became.count(what), len(IDS), share)


def test_a_boundary_belongs_to_those_that_are_not_drawn() -> None:
    assert not Draw(0.2, "rest", 0.2, 0.1).judged
    assert not Draw(0.1, "rest", 0.2, 0.1).audited


# The second draw.


@given(st.text(max_size=20), strata, policies, published, probabilities)
def test_feedback_draws_with_the_same_u_and_the_larger_probability(
    name: str, stratum: str, policy: SamplingPolicy, factors: Factors, pi: float
) -> None:
    first = draw(SECRET, "sent", name, stratum, policy, factors, "support")
    second = with_feedback(first, pi)
    assert second.pi == max(first.pi, pi)
    assert (second.u, second.stratum, second.pi_audit, second.audited, second.factors) == (
        first.u, first.stratum, first.pi_audit, first.audited, first.factors,
    )  # fmt: skip
    assert second.judged or not first.judged
    assert with_feedback(second, pi) == second
    assert first.pi == draw(SECRET, "sent", name, stratum, policy, factors, "support").pi


def test_a_second_draw_adds_nothing_while_the_budget_is_exhausted() -> None:
    nothing = factors_of(1, exhausted=True)
    first = Draw(0.3, "rest", 0.2, 0.1, 1, 0.2)
    second = with_feedback(first, 0.5, nothing)
    assert (second.pi, disposition(second, nothing)) == (0.2, BUDGET_SKIPPED)
    # Who was selected before stays so, with the chance that it had.
    selected = with_feedback(Draw(0.15, "rest", 0.2, 0.1, 1, 0.2), 0.5, nothing)
    assert (selected.pi, disposition(selected, nothing)) == (0.2, SELECTED)
    # And who was skipped for the budget can be drawn once there is some.
    skipped = Draw(0.3, "rest", 0.1, 0.1, 1, 0.4)
    again = with_feedback(skipped, 0.35, factors_of(1))
    assert (again.pi, disposition(again, factors_of(1))) == (0.35, SELECTED)


def test_realised_rates_of_a_second_draw() -> None:
    first = [drawn_by(factors_of(0.4), name, "flagged") for name in IDS]
    second = [with_feedback(drawn, 0.5) for drawn in first]
    assert within_binomial(sum(d.judged for d in second), len(IDS), 0.5)
    # Half of those that were left out before: P(u < .5 | u ≥ .12).
    left = [late for early, late in zip(first, second, strict=True) if not early.judged]
    assert within_binomial(sum(d.judged for d in left), len(left), (0.5 - 0.12) / (1 - 0.12))


# Horvitz and Thompson: a total is estimated by Σ y/π over the selected, without bias, and with the
# variance Σ y²·(1 − π)/π as each answer is drawn on its own (Poisson sampling).

SECRETS = [f"secret {n}".encode() for n in range(400)]
POPULATION = [
    (f"id-{n}", STRATA[n % len(STRATA)], 1 + n % 7, n % 3 == 0, n // 100) for n in range(600)
]
"""(event id, stratum, y, whether somebody complained, batch)"""
BATCHES = [
    factors_of(1.0), factors_of(0.3), factors_of(0.05, audit=0.02), factors_of(0.6, exhausted=True),
    factors_of(0.7, audit=0.2), INITIAL_FACTORS,
]  # fmt: skip
"""Factors go up and down from batch to batch; in one of them the budget is exhausted."""
GENEROUS = SamplingPolicy(audit=0.15, **dict(zip(STRATA, (0.9, 0.7, 0.5, 0.4, 0.3), strict=True)))


def estimate(secret: bytes, *, feedback: bool, audits: bool) -> tuple[float, float]:
    """The total of y from one sample, and the exact variance of such estimates."""
    total = variance = 0.0
    for name, stratum, y, complained, batch in POPULATION:
        factors = BATCHES[batch]
        drawn = draw(secret, "support", name, stratum, GENEROUS, factors, "support")
        if feedback and complained:
            factors = BATCHES[-batch]  # of another time than the answer's
            drawn = with_feedback(drawn, 0.6, factors)
        if audits:
            selected, pi = drawn.audited, drawn.pi_audit
        else:
            selected, pi = disposition(drawn, factors) == SELECTED, drawn.pi
        total += y / pi if selected else 0.0
        variance += y * y * (1 - pi) / pi
    return total, variance


@pytest.mark.parametrize(
    ("feedback", "audits"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_weighted_totals_are_right_on_average(feedback: bool, audits: bool) -> None:
    found = [estimate(secret, feedback=feedback, audits=audits) for secret in SECRETS]
    totals, variance = [total for total, _ in found], found[0][1]
    mean, truth = sum(totals) / len(totals), sum(y for _, _, y, _, _ in POPULATION)
    assert abs(mean - truth) < 4 * math.sqrt(variance / len(totals))
    # And they scatter as the formula says: a variance of n totals is known to within √(2/n) or so.
    scatter = sum((total - mean) ** 2 for total in totals) / (len(totals) - 1)
    assert abs(scatter / variance - 1) < 5 * math.sqrt(2 / len(totals))


def test_with_other_weights_the_total_is_wrong() -> None:
    """With π as if nothing had been skipped for the budget: the test above can fail."""
    totals = []
    for secret in SECRETS:
        total = 0.0
        for name, stratum, y, _, batch in POPULATION:
            drawn = draw(secret, "support", name, stratum, GENEROUS, BATCHES[batch], "support")
            if disposition(drawn, BATCHES[batch]) == SELECTED:
                total += y / drawn.wanted
        totals.append(total)
    truth = sum(y for _, _, y, _, _ in POPULATION)
    _, variance = estimate(SECRETS[0], feedback=False, audits=False)
    mean = sum(totals) / len(totals)
    assert abs(mean - truth) > 10 * math.sqrt(variance / len(totals))
