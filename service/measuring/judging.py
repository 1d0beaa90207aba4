"""The LLM judge on measured answers: *correct* and *faithful*, each in a call of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import msgspec

from service.drafts import job_citations
from service.judging.correctness import REVISION
from service.judging.jobs import Answer, Job
from service.judging.judge import NotNow, Stated
from service.judging.judgement import Judgement, Verdict
from service.measuring.rating import Rating

ROUNDS = 5
"""Times that a judge is asked anew which allows no call yet."""
LONGEST_PAUSE_S = 30.0
AWAY = "away"

T = TypeVar("T")


class Judging(Protocol):
    """See :class:`service.judging.judge.Judge`."""

    @property
    def model(self) -> str: ...

    @property
    def version(self) -> str: ...

    async def judge(self, job: Job, deadline_s: float) -> Judgement: ...

    async def stated(self, job: Job, facts: Sequence[str], deadline_s: float) -> Stated: ...


class AnswerJudge:
    """``deadline_s``: for each of the two judgements, calls and repairs included. An answer with no
    usable ruling stays not judged, with the reason; nothing is invented."""

    def __init__(
        self,
        judge: Judging,
        deadline_s: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._judge = judge
        self._deadline_s = deadline_s
        self._sleep = sleep
        self._is_away = False

    @property
    def header(self) -> Mapping[str, Any]:
        """As a run file names the judge."""
        version = f"{self._judge.version}/{REVISION}"
        return {"model": self._judge.model, "version": version}

    async def ruled(self, rating: Rating) -> Rating:
        """The rating with what the judge says: of the facts that code cannot decide, and of the
        answer's faithfulness to its context."""
        job = _job(rating)
        return await self._faithful(job, await self._correct(job, rating))

    async def _correct(self, job: Job, rating: Rating) -> Rating:
        facts = [fact.words for fact in rating.undetermined]
        if not facts:
            return rating
        stated = await self._patiently(lambda: self._judge.stated(job, facts, self._deadline_s))
        if stated is None:
            return rating
        cost = rating.cost_micros + stated.cost_micros
        return replace(rating.with_stated(stated.facts), cost_micros=cost)

    async def _faithful(self, job: Job, rating: Rating) -> Rating:
        judgement = await self._patiently(lambda: self._judge.judge(job, self._deadline_s))
        if judgement is None:
            return replace(rating, unjudged=AWAY)
        faithful, why = faithfulness(judgement)
        cost = rating.cost_micros + judgement.cost_micros
        return replace(rating, faithful=faithful, unjudged=why, cost_micros=cost)

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T | None:
        """None once the judge was away for all rounds: a run does not wait for each answer anew."""
        for _ in range(0 if self._is_away else ROUNDS):
            try:
                return await ask()
            except NotNow as not_now:
                await self._sleep(min(not_now.retry_after_s, LONGEST_PAUSE_S))
        self._is_away = True
        return None


def faithfulness(judgement: Judgement) -> tuple[bool | None, str]:
    """Whether every claim stands on the context; None with the reason where nobody can say. An
    answer without a claim (*I do not know*) has nothing that could be unfaithful."""
    assessment = judgement.assessment
    if assessment is None:
        return None, judgement.reason
    verdicts = {claim.verdict for claim in assessment.claims}
    if verdicts & {Verdict.UNSUPPORTED, Verdict.CONTRADICTED}:
        return False, ""
    if Verdict.MISSING in verdicts:
        return None, "partial"
    return True, ""


def _job(rating: Rating) -> Job:
    event = rating.event
    return Job(
        answer=Answer(
            job_id=event.event_id,
            app=event.app,
            identity=event.app,
            event_id=event.event_id,
            release=event.release.id or "",
            ruleset="",
            language=event.language or "",
            hour=0,
            occurred_ms=0,
            position=("measured", 0, 0),
            stratum="measured",
            u=0.0,
            pi=1.0,
            pi_audit=0.0,
            factors=0,
            audited=False,
            flagged=bool(rating.findings),
            label=rating.label,
        ),
        event=msgspec.to_builtins(event),
        citations=job_citations(rating.reading),
    )
