"""A store whose answers are judged, and judgements of any kind for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from service.judging.calls import Usage
from service.judging.jobs import Job
from service.judging.judgement import (
    Assessment,
    Cause,
    Claim,
    Judgement,
    Quote,
    Relevance,
    Status,
    Verdict,
)
from service.judging.results import judged_of
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.sampling import STRATA
from service.store import Taken
from tests.contract.world import MakeWorld, World, event

WORKER = "worker-1"
ALWAYS = dict.fromkeys(STRATA, 1.0)


def judged_world(make_world: MakeWorld, audit: float = 0.0, **caps: Any) -> World:
    """Every answer is drawn for the judge; a share ``audit`` of them for people as well."""
    world = make_world(**caps)
    app = AppPolicy(sampling=SamplingPolicy(audit=audit, **ALWAYS))
    world.terms = replace(
        world.terms, judge=True, policy=Policy(apps={"support": app, "sales": app})
    )
    world.store.jobs.open()
    return world


def taken(world: World, *names: str, **more: Any) -> list[Taken]:
    """The jobs of these answers (clean unless ``cites`` says otherwise)."""
    world.take([event(name, **more) for name in names])
    return world.store.jobs.take(WORKER, 100)


def claim(verdict: Verdict, text: str = "A seat costs 45 €", **parts: Any) -> Claim:
    evidence: tuple[Quote, ...] = (Quote("pricing#plans", "Pro: 45 € a seat.", 0, 17),)
    if verdict in (Verdict.UNSUPPORTED, Verdict.MISSING):
        evidence, parts = (), {"cause": Cause.RETRIEVAL, **parts}
    return Claim(1, 0, len(text), text, verdict, "because", evidence, **parts)


def judgement(*claims: Claim, relevance: Relevance = Relevance.COMPLETE, **parts: Any) -> Judgement:
    good = sum(one.verdict is Verdict.SUPPORTED for one in claims)
    assessment = Assessment(
        claims=claims,
        faithfulness=good / len(claims) if claims else None,
        context_sufficient=True,
        useful=("pricing#plans",),
        context_precision=1.0,
        contradicting=(),
        answer_kind="answer",
        abstention_right=None,
        **parts,
    )
    return Judgement(
        Status.JUDGED, "m/r/p", "m", assessment=assessment, relevance=relevance,
        usage=Usage(900, 100), cost_micros=12, calls=2, latency_ms=700,
        attempts=("answered", "relevance:answered"),
    )  # fmt: skip


GOOD = judgement(claim(Verdict.SUPPORTED))
WRONG = judgement(claim(Verdict.CONTRADICTED, cause=Cause.GENERATION))
THIN = judgement(claim(Verdict.SUPPORTED), claim(Verdict.UNSUPPORTED))
MUTE = Judgement(Status.UNDETERMINED, "m/r/p", "m", reason="refused", calls=1)
LOST = Judgement(Status.FAILED, "m/r/p", "m", reason="timeout", calls=3)
ALL = (GOOD, WRONG, THIN, MUTE, LOST)


def job_of(job: Taken) -> Job:
    assert job.job is not None
    return job.job


def settle(world: World, job: Taken, said: Judgement) -> str:
    return world.store.judgements.settle(
        job.entry, judged_of(job_of(job), said), job_of(job), world.epoch
    )


def flushed(world: World) -> list[bytes]:
    """Everything in the judge's outbox, which is then empty."""
    from service.store.judgements import record_of

    records = []
    while entries := world.store.judgements.unflushed():
        records += [record_of(entry) for entry in entries]
        assert world.store.judgements.flushed(entries)
    return records
