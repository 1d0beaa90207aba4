"""The audit set judged once more, by the judge as it is configured now: what a new version changes,
before it rules on anything. Its calls come out of the shared budget; nothing is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import orjson

from service.checks.citations import read
from service.drafts import job_citations
from service.events import AnswerEvent, parse_event
from service.judging.calibration import Ruled, verdict_of
from service.judging.drift import Twice
from service.judging.jobs import HOUR_MS, Answer, Job
from service.judging.judge import NotNow
from service.judging.judgement import Judgement
from service.policy import Policy
from service.review.tasks import Task


class Judging(Protocol):
    """See :class:`service.judging.judge.Judge`."""

    async def judge(self, job: Job, deadline_s: float) -> Judgement: ...


@dataclass(frozen=True, slots=True)
class Labelled:
    """An audited answer as people called it (``bad``, ``fine``), and as it was judged before."""

    task: Task
    said: str
    before: Ruled


def job_of(task: Task, policy: Policy) -> Job | None:
    """None where the answer is not kept whole, or is no event any more. ``audited`` is False: the
    part of the budget that is reserved for audits stays theirs."""
    if task.reduced:
        return None
    event = parse_event(orjson.dumps(task.event))
    if not isinstance(event, AnswerEvent):
        return None
    answer = Answer(
        job_id=task.task_id, app=task.app, identity=task.app, event_id=task.event_id,
        release=task.release, ruleset="", language=task.language,
        hour=task.occurred_ms // HOUR_MS, occurred_ms=task.occurred_ms,
        position=("rejudged", 0, 0), stratum="", u=0.0, pi=1.0, pi_audit=1.0, factors=0,
        audited=False, flagged=False, label="",
    )  # fmt: skip
    citations = read(event, policy.of(event.app).citations)
    return Job(answer, task.event, job_citations(citations))


async def rejudged(
    answers: Sequence[Labelled],
    policy: Policy,
    judge: Judging,
    deadline_s: float,
    concurrency: int,
    on_done: Callable[[int], object],
) -> list[Twice]:
    """Of those that could be judged: within the budget, and kept whole. ``on_done``: told how many
    were tried. The rest is left out, neither agreeing nor differing."""
    slots, found, tried = asyncio.Semaphore(concurrency), list[Twice](), 0

    async def one(answer: Labelled) -> None:
        nonlocal tried
        async with slots:
            job = job_of(answer.task, policy)
            judgement = None if job is None else await _judged(judge, job, deadline_s)
        if judgement is not None:
            before, now = answer.before.verdict, verdict_of(judgement)
            found.append(Twice(answer.task.task_id, before, now, answer.said))
        tried += 1
        on_done(tried)

    async with asyncio.TaskGroup() as group:
        for answer in answers:
            group.create_task(one(answer))
    return sorted(found)


async def _judged(judge: Judging, job: Job, deadline_s: float) -> Judgement | None:
    """None where budget or endpoint do not allow a call within the deadline."""
    until = asyncio.get_running_loop().time() + deadline_s
    while True:
        left = until - asyncio.get_running_loop().time()
        try:
            return await judge.judge(job, left) if left > 0 else None
        except NotNow as not_now:
            if not_now.retry_after_s >= left:
                return None
            await asyncio.sleep(not_now.retry_after_s)
