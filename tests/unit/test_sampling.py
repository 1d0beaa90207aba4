"""One keyed hash decides; the rates that come out are those that were asked for."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.policy import SamplingPolicy
from service.sampling import ABSTENTIONS, STRATA, draw, stratum_of, uniform

SECRET = b"a secret of the tests"
IDS = [f"id-{n}" for n in range(20_000)]
U = [uniform(SECRET, "support", event_id) for event_id in IDS]

probabilities = st.floats(0, 1)
strata = st.sampled_from(STRATA)
policies = st.builds(SamplingPolicy, audit=probabilities, **dict.fromkeys(STRATA, probabilities))


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
