"""One keyed hash decides; the rates that come out are those that were asked for."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.policy import SamplingPolicy
from service.sampling import FLAGGED, REST, draw, uniform

SECRET = b"a secret of the tests"
IDS = [f"id-{n}" for n in range(20_000)]
U = [uniform(SECRET, "support", event_id) for event_id in IDS]

probabilities = st.floats(0, 1)
policies = st.builds(SamplingPolicy, audit=probabilities, flagged=probabilities, rest=probabilities)


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


@pytest.mark.parametrize("flagged", [True, False])
def test_realised_rates_are_the_probabilities(flagged: bool) -> None:
    policy = SamplingPolicy(audit=0.005, flagged=0.2, rest=0.01)
    draws = [draw(SECRET, "support", name, flagged, policy) for name in IDS]
    assert within_binomial(sum(d.judged for d in draws), len(IDS), 0.2 if flagged else 0.01)
    assert within_binomial(sum(d.audited for d in draws), len(IDS), 0.005)


@given(st.text(max_size=20), st.booleans(), policies)
def test_every_audited_answer_is_judged(name: str, flagged: bool, policy: SamplingPolicy) -> None:
    drawn = draw(SECRET, "support", name, flagged, policy)
    assert drawn.pi >= drawn.pi_audit == policy.audit
    assert drawn.judged or not drawn.audited
    assert drawn.stratum == (FLAGGED if flagged else REST)


@given(st.text(max_size=20), policies, policies)
def test_u_knows_no_stratum_and_no_policy(
    name: str, one: SamplingPolicy, other: SamplingPolicy
) -> None:
    drawn = {
        draw(SECRET, "support", name, flagged, policy).u
        for flagged in (True, False)
        for policy in (one, other)
    }
    assert drawn == {uniform(SECRET, "support", name)}


@given(st.text(max_size=20), st.booleans(), probabilities, probabilities)
def test_a_larger_probability_keeps_whom_a_smaller_one_chose(
    name: str, flagged: bool, one: float, other: float
) -> None:
    small, large = sorted((one, other))
    chosen = [
        draw(SECRET, "a", name, flagged, SamplingPolicy(audit=0, flagged=pi, rest=pi)).judged
        for pi in (small, large)
    ]
    assert chosen[1] or not chosen[0]


def test_none_and_all() -> None:
    nobody = SamplingPolicy(audit=0, flagged=0, rest=0)
    everybody = SamplingPolicy(audit=1, flagged=0, rest=0)
    for name in IDS[:500]:
        assert not draw(SECRET, "a", name, True, nobody).judged
        assert draw(SECRET, "a", name, False, everybody).audited
        assert draw(SECRET, "a", name, False, everybody).judged
