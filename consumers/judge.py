"""The judge's worker: jobs in, judgements out, several at once in one event loop.

A job belongs to this worker while it renews it; when the worker dies, another takes it over. Its
judgement and its end are one script call, so that a job is never judged twice in the books and
never lost. Where the endpoint is away or the budget used up, jobs wait; what waits too long ends as
failed, counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import structlog

from service import bootstrap
from service.bootstrap import Parts
from service.checks import where
from service.events import trace_id_of
from service.health import Health
from service.judging.corpora import Corpora
from service.judging.endpoint import FAILING, Breaker, State, trouble_of
from service.judging.jobs import Job
from service.judging.judge import Judge, NotNow
from service.judging.judgement import Judgement, Status
from service.judging.results import Judged, judged_of
from service.metrics import Metrics
from service.outage import Outage
from service.outbox import Sink, flush
from service.sampling import uniform
from service.store import Fenced, Gone, Store, Taken
from service.store.budget import Account
from service.traces import NO_TRACES, Span, Traces

if TYPE_CHECKING:
    from service.judging.client import JudgeClient

log = structlog.get_logger(__name__)

T = TypeVar("T")

IDLE_S = 0.3
RETRY_S = 1.0
FLUSH_EVERY_S = 0.5
TRIES = 5
"""Rounds that one job gets while others succeed: then it is not the endpoint that fails."""
LONGEST_PAUSE_S = 60.0
MOST_HELD = 1_000
"""Jobs in this worker's hands, those that wait for the budget or the endpoint included: they take
no slot, so that audited answers, for which budget is reserved, never queue behind them."""


class Judging(Protocol):
    """See :class:`service.judging.judge.Judge`."""

    @property
    def version(self) -> str: ...

    @property
    def breaker(self) -> Breaker: ...

    async def judge(self, job: Job, deadline_s: float) -> Judgement: ...

    async def judge_again(self, job: Job, first: Judgement, deadline_s: float) -> Judgement: ...


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """``deadline_s``: for one round at one job; ``max_age_s``: after which a job that waits has
    failed; ``grace_s``: after the stop, for what is under way; ``flip_share``: of the answers is
    judged twice, which ones by a hash with ``secret``; ``takeover_s``: a job that nobody renewed
    for so long is taken over; ``says``: what health tells of a worker that is well."""

    concurrency: int = 4
    deadline_s: float = 120.0
    max_age_s: float = 86_400.0
    grace_s: float = 20.0
    flip_share: float = 0.01
    secret: bytes = b"-"
    takeover_s: float = 60.0
    says: str = ""


class JudgeWorker:
    """Built with its adapters; :meth:`run` until asked to stop."""

    def __init__(
        self,
        store: Store,
        judge: Judging,
        corpora: Corpora,
        sink: Sink,
        metrics: Metrics,
        health: Health,
        options: JudgeOptions,
        wall_clock: Callable[[], float] = time.time,
        traces: Traces = NO_TRACES,
    ) -> None:
        self._store = store
        self._judge = judge
        self._corpora = corpora
        self._sink = sink
        self._metrics = metrics
        self._health = health
        self._options = options
        self._wall_clock = wall_clock
        self._traces = traces
        self._name = secrets.token_hex(6)
        self._epoch = ""
        self._account = Account(store.connection)
        self._slots = asyncio.Semaphore(options.concurrency)
        self._parked = 0
        self._troubled = False
        self._waiting: dict[object, str] = {}
        self._active: dict[str, asyncio.Task[None]] = {}
        self._settled = 0

    async def run(self, stop: threading.Event) -> None:
        """Work until ``stop`` is set; then finish what is under way within the grace period. The
        rest is taken over by others."""
        await self._patiently(self._open)
        keepers = [
            asyncio.create_task(self._keep(self._renew, self._options.takeover_s / 4)),
            asyncio.create_task(self._keep(self.flush, FLUSH_EVERY_S)),
        ]
        try:
            while not stop.is_set():
                self._health.tick()
                self._report()
                if not await self._pull():
                    await asyncio.sleep(IDLE_S)
            if self._active:
                await asyncio.wait(self._active.values(), timeout=self._options.grace_s)
        finally:
            for task in [*self._active.values(), *keepers]:
                task.cancel()
            await asyncio.gather(*self._active.values(), *keepers, return_exceptions=True)
        with contextlib.suppress(Outage):
            await asyncio.to_thread(self.flush)

    def _open(self) -> None:
        self._epoch = self._store.checkpoints.open()
        self._store.jobs.open()

    def _report(self) -> None:
        breaker = self._judge.breaker
        self._metrics.set_breaker(breaker.state is not State.CLOSED)
        if breaker.trouble:
            self._health.set("endpoint", False, breaker.trouble)
        elif self._troubled:
            self._health.set("endpoint", True)
        self._troubled = bool(breaker.trouble)

    # Taking jobs.

    async def _pull(self) -> bool:
        """Take as many jobs as there is room for. False when there was nothing to take."""
        room = self._options.concurrency - (len(self._active) - self._parked)
        if room <= 0 or len(self._active) >= MOST_HELD:
            return False
        taken = await self._patiently(lambda: self._take(room))
        for job in taken:
            if job.entry not in self._active:
                task = asyncio.create_task(self._work(job))
                self._active[job.entry] = task
                task.add_done_callback(partial(self._forget, job.entry))
        return bool(taken)

    def _forget(self, entry: str, _: asyncio.Task[None]) -> None:
        self._active.pop(entry, None)

    def _take(self, room: int) -> list[Taken]:
        dead_ms = int(self._options.takeover_s * 1000)
        left = self._store.jobs.take_over(self._name, dead_ms, room)
        return left or self._store.jobs.take(self._name, room)

    async def _keep(self, call: Callable[[], None], every_s: float) -> None:
        """The call, again and again, whatever comes of it: a keeper that ended in silence would let
        go of jobs, or leave judgements unproduced, while everything looks well."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await self._patiently(call)
            except Exception as error:  # noqa: BLE001 (see above: it is told, and goes on)
                log.error("keeper_failed", keeper=call.__name__, error=where(error))

    def _renew(self) -> None:
        self._store.jobs.renew(self._name, list(self._active))

    # One job.

    async def _work(self, taken: Taken) -> None:
        if taken.job is None:
            # Of a newer release, perhaps: it stays, and shows in the backlog.
            log.error("job_unreadable", entry=taken.entry)
            return
        began_ns = time.time_ns()
        try:
            judgement = await self._judgement(taken, taken.job)
            await self._settle(taken.entry, judged_of(taken.job, judgement), taken.job)
            if self._traces.on:
                self._traces.record(_span(taken.job, judgement, began_ns, time.time_ns()))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 (a fault of ours in one job)
            # It must not stop the others. The job stays in the stream.
            log.error("job_broken", entry=taken.entry, error=where(error))
            await asyncio.sleep(LONGEST_PAUSE_S)

    async def _judgement(self, taken: Taken, job: Job) -> Judgement:
        tries, settled = 0, self._settled
        while True:
            if self._wall_clock() - taken.written_ms / 1000 > self._options.max_age_s:
                return Judgement(Status.FAILED, self._judge.version, reason="deadline")
            await self._patiently(partial(self._corpora.refresh, job.corpus))
            try:
                async with self._slots:
                    judgement = await self._once_or_twice(job)
            except NotNow as wait:
                await self._park(min(wait.retry_after_s, LONGEST_PAUSE_S))
                continue
            except Outage:
                await asyncio.sleep(RETRY_S)
                continue
            if judgement.status is not Status.FAILED or judgement.reason not in FAILING:
                return judgement
            # While nothing succeeds it is the endpoint, which heals; else it is this job.
            tries = tries + 1 if self._settled > settled else 0
            settled = self._settled
            if tries >= TRIES:
                return judgement
            await asyncio.sleep(random.uniform(0.5, 1.0) * RETRY_S * 2 ** min(tries, 5))  # noqa: S311 (jitter, no secret)

    async def _park(self, seconds: float) -> None:
        self._parked += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._parked -= 1

    async def _once_or_twice(self, job: Job) -> Judgement:
        deadline_s = self._options.deadline_s
        first = await self._judge.judge(job, deadline_s)
        u = uniform(self._options.secret, "flip", job.answer.job_id)
        if first.status is not Status.JUDGED or u >= self._options.flip_share:
            return first
        try:
            return await self._judge.judge_again(job, first, deadline_s)
        except (NotNow, Outage):
            return first

    async def _settle(self, entry: str, judged: Judged, job: Job) -> None:
        payloads = await self._patiently(self._store.ledger.has_room)

        def store() -> str:
            return self._store.judgements.settle(entry, judged, job, self._epoch, payloads=payloads)

        while True:
            try:
                became = await self._patiently(store)
            except Fenced:
                await self._patiently(self._open)
            except Gone:
                log.info("job_gone", entry=entry)
                return
            else:
                break
        if judged.judgement.calls:
            now_ms = int(self._wall_clock() * 1000)
            await self._patiently(partial(self._account.count_answer, now_ms))
        self._settled += judged.judgement.status is not Status.FAILED
        self._metrics.observe_judgement(judged, became)

    # The outbox.

    def flush(self) -> None:
        """Produce what judgements left behind, unless another process does. Raises
        :class:`Outage`."""
        flush(self._store, self._sink)

    async def _patiently(self, call: Callable[[], T]) -> T:
        """The call's result from a thread, however often something is away in between. While any
        call waits, this worker is not ready, whatever else goes well."""
        this = object()
        try:
            while True:
                try:
                    return await asyncio.to_thread(call)
                except Outage as outage:
                    if this not in self._waiting:
                        log.warning("judge_waits", error=str(outage))
                    self._waiting[this] = str(outage)
                    self._tell()
                    await asyncio.sleep(RETRY_S)
        finally:
            self._waiting.pop(this, None)
            self._tell()

    def _tell(self) -> None:
        trouble = next(iter(self._waiting.values()), "")
        self._health.set("judge", not trouble, trouble or self._options.says)


def _span(job: Job, judgement: Judgement, began_ns: int, ended_ns: int) -> Span:
    """One job, with what it waited for budget and endpoint."""
    link = trace_id_of(job.event.get("trace_id"))
    return Span(
        "judge",
        began_ns,
        ended_ns,
        {
            "groundwatch.app": job.answer.app,
            "groundwatch.stratum": job.answer.stratum,
            "groundwatch.status": judgement.status.value,
            "groundwatch.calls": judgement.calls,
            "gen_ai.request.model": judgement.model,
            "gen_ai.usage.input_tokens": judgement.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": judgement.usage.completion_tokens,
        },
        links=(link,) if link else (),
        failed=judgement.status is Status.FAILED,
    )


async def run_judge(
    parts: Parts, sink: Sink, health: Health, stop: threading.Event, scripted: bool = False
) -> None:
    """One worker with its own client, until ``stop`` is set. ``scripted``: what answers at the
    endpoint is no model."""
    settings = parts.settings
    corpora = Corpora(parts.documents)
    judge, client = bootstrap.judge(parts, corpora, scripted)
    health.set("endpoint", True, "not asked yet")
    introduction = asyncio.create_task(_introduce(judge, client, health))
    try:
        worker = JudgeWorker(
            parts.store,
            judge,
            corpora,
            sink,
            parts.metrics,
            health,
            JudgeOptions(
                settings.judge_concurrency,
                settings.judge_deadline_s,
                settings.judge_max_age_s,
                settings.grace_s,
                settings.judge_flip_share,
                parts.terms().secret,
                settings.judge_takeover_s,
                f"asks {settings.judge_model}",
            ),
            traces=parts.traces,
        )
        await worker.run(stop)
    finally:
        introduction.cancel()
        await asyncio.gather(introduction, return_exceptions=True)
        await client.close()


async def _introduce(judge: Judge, client: JudgeClient, health: Health) -> None:
    """Find out how this endpoint gives JSON; where it cannot be asked, the jobs will find out."""
    found = await client.probe()
    with contextlib.suppress(Outage):
        debit = await judge.purse.reserve(found.usage, audited=True)
        if not isinstance(debit, float):
            await judge.purse.settle(debit, found.usage)
    trouble = trouble_of(found.outcome)
    health.set(
        "endpoint", True, trouble or f"{found.outcome.value}; JSON by {found.structured.value}"
    )
    note = log.info if found.usable else log.warning
    note("judge_endpoint", outcome=found.outcome.value, structured=found.structured.value,
         detail=found.detail, trouble=trouble)  # fmt: skip


class JudgeThread:
    """A worker beside something else in the same process: the embedded service, or the demo."""

    def __init__(self, parts: Parts, sink: Sink, health: Health, scripted: bool = False) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(run_judge(parts, sink, health, self._stop, scripted)),
            name="judge",
            daemon=True,
        )
        self._thread.start()

    def close(self, timeout_s: float = 5.0) -> None:
        self._stop.set()
        self._thread.join(timeout_s)
