"""One job, from its first call to its judgement.

Nothing here invents a verdict: whatever the endpoint does, the judgement says either what the
verified ruling says, or why there is none.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from service.judging.calls import (
    HEALING,
    NO_USAGE,
    REPAIRABLE,
    UNUSABLE,
    Call,
    CallOutcome,
    Reply,
    Usage,
)
from service.judging.completions import estimated
from service.judging.correctness import correctness_call, read_correctness
from service.judging.endpoint import Breaker
from service.judging.flips import flipped
from service.judging.jobs import Job
from service.judging.judgement import Assessment, Judgement, Relevance, Status
from service.judging.material import Material, material_of
from service.judging.purse import Purse
from service.judging.rubric import (
    RUBRIC,
    RULING,
    Collision,
    relevance_call,
    repair_call,
    ruling_call,
)
from service.judging.verification import (
    Ruling,
    SchemaFault,
    assess,
    merged,
    passed_over,
    read_relevance,
    read_ruling,
)
from service.outage import Outage

TRIES = 6
"""Most attempts at one call."""
FIRST_BACKOFF_S = 0.5
LONGEST_BACKOFF_S = 30.0
MOST_CHARS = 200_000
"""Characters of an answer past which nobody is asked: no model rules on it in one reply."""
MOST_SENTENCES = 4_000
"""Sentences past which nobody is asked: a ruling on them fits no reply, and its record no topic."""
HALVINGS = 3
"""How often the material is halved for an endpoint whose context is too short."""
ASK_STORE_AGAIN_S = 1.0

DEADLINE = "deadline"
NO_SENTENCES = "no_sentences"
TOO_MANY_SENTENCES = "too_many_sentences"
ANSWER_TOO_LONG = "answer_too_long"
COLLISION = "delimiter_collision"
"""Reasons that are no outcome of a call."""

T = TypeVar("T")

Holds = Callable[[str], str | None]
"""The ref of a corpus chunk that has a claim's evidence, or None."""

_FAULTS = {
    CallOutcome.INVALID_JSON: "it was not exactly one JSON object",
    CallOutcome.TRUNCATED: "it was cut off at its length limit",
    CallOutcome.EMPTY: "it held no words",
}
_INCOMPLETE = "it passed over sentences"


class NotNow(Exception):
    """No call was made: the budget or the endpoint does not allow one before ``retry_after_s``
    seconds. The job stays as it is."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"no call within {retry_after_s:.1f} s")
        self.retry_after_s = retry_after_s


class Caller(Protocol):
    """:class:`service.judging.client.JudgeClient`."""

    async def call(self, call: Call, deadline_s: float) -> Reply: ...


class Priced(Protocol):
    """:class:`service.budget.Prices`."""

    def cost_micros(self, usage: Usage) -> int: ...


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """``max_tokens`` bounds the answer to a ruling call, thoughts included; ``call_timeout_s`` one
    attempt; ``relevance``: whether the second call is made; ``scripted``: no model answers there.
    """

    max_tokens: int = 4_096
    call_timeout_s: float = 60.0
    relevance: bool = True
    scripted: bool = False


def version_of(
    model: str, temperature: float | None, seed: int | None, options: JudgeOptions
) -> str:
    """Model, rubric and parameters: rates of two versions are not to be mixed."""
    parameters = json.dumps([temperature, seed, options.max_tokens, options.relevance])
    return f"{model}/{RUBRIC}/{hashlib.sha256(parameters.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Stated:
    """``facts``: one a fact, None where there is no usable word on it; ``reason``: why there is on
    none of them (as a judgement's), empty otherwise."""

    facts: tuple[bool | None, ...]
    reason: str = ""
    cost_micros: int = 0


class Judge:
    """For one event loop; any number of jobs at the same time.

    ``secret`` seals watched text (:mod:`.rubric`); ``corpora``: from the name of a corpus to what
    finds evidence in it, None where it is not loaded. ``clock``: monotonic seconds; ``random``:
    uniform in [0, 1).
    """

    def __init__(
        self,
        caller: Caller,
        breaker: Breaker,
        purse: Purse,
        prices: Priced,
        *,
        model: str,
        version: str,
        secret: bytes,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        random: Callable[[], float],
        options: JudgeOptions = JudgeOptions(),
        corpora: Callable[[str], Holds | None] = lambda name: None,
    ) -> None:
        self.caller = caller
        self.breaker = breaker
        self.purse = purse
        self.prices = prices
        self.model = model
        self.version = version
        self.secret = secret
        self.clock = clock
        self.sleep = sleep
        self.random = random
        self.options = options
        self.corpora = corpora
        self._computing = asyncio.Semaphore(1)

    async def aside(self, work: Callable[[], T]) -> T:
        """``work`` in a thread, one at a time: hostile texts of some megabytes take seconds to
        read, and meanwhile this loop has calls to time and jobs to renew."""
        async with self._computing:
            return await asyncio.to_thread(work)

    async def judge(self, job: Job, deadline_s: float) -> Judgement:
        """The judgement of one answer, within ``deadline_s`` seconds.

        Raises :class:`NotNow` or :class:`service.outage.Outage` only before the first call; then
        the job is untouched.
        """
        return await _Course(self, job, deadline_s).judgement(self.options.relevance)

    async def judge_again(self, job: Job, first: Judgement, deadline_s: float) -> Judgement:
        """``first`` with ``flipped`` set, and with what the second ruling cost. Where there is none
        to compare, ``flipped`` stays None. Raises as :meth:`judge`."""
        second = await _Course(self, job, deadline_s).judgement(relevance=False)
        flip = None
        if first.assessment is not None and second.assessment is not None:
            flip = flipped(first.assessment, second.assessment)
        return replace(
            first,
            flipped=flip,
            usage=first.usage + second.usage,
            cost_micros=first.cost_micros + second.cost_micros,
            calls=first.calls + second.calls,
            attempts=(*first.attempts, *map(_again, second.attempts)),
        )

    async def stated(self, job: Job, facts: Sequence[str], deadline_s: float) -> Stated:
        """Which of the facts the answer states. Raises as :meth:`judge`."""
        return await _Course(self, job, deadline_s).stated(facts)


def _again(attempt: str) -> str:
    return f"again:{attempt.rpartition(':')[2]}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a reply is worth: a ruling, or an outcome and what was wrong."""

    outcome: CallOutcome
    ruling: Ruling | None = None
    fault: str = ""
    words: str = ""


class _Course:
    """The calls for one job, and what they add up to."""

    def __init__(self, judge: Judge, job: Job, deadline_s: float) -> None:
        self._judge = judge
        self._job = job
        self._deadline = judge.clock() + deadline_s
        self._begun: float | None = None
        self._ended = 0.0
        self._usage = NO_USAGE
        self._model = judge.model
        self._attempts: list[str] = []
        self._calls = 0

    async def judgement(self, relevance: bool) -> Judgement:
        if len(self._job.answer_text) > MOST_CHARS:
            return self._without(Status.UNDETERMINED, ANSWER_TOO_LONG)
        material = await self._judge.aside(partial(material_of, self._job))
        if not material.sentences:
            return self._without(Status.UNDETERMINED, NO_SENTENCES)
        if len(material.sentences) > MOST_SENTENCES:
            return self._without(Status.UNDETERMINED, TOO_MANY_SENTENCES)
        try:
            reply, material = await self._ask_for_ruling(material)
        except Collision:
            return self._without(Status.UNDETERMINED, COLLISION)
        if reply is None:
            return self._without(Status.FAILED, DEADLINE)
        reading = await self._usable(self._read(reply, material), material)
        if reading.ruling is None:
            unusable = reading.outcome in UNUSABLE
            status = Status.UNDETERMINED if unusable else Status.FAILED
            return self._without(status, reading.outcome.value)
        holds = self._judge.corpora(self._job.corpus)
        assessment = await self._judge.aside(partial(assess, reading.ruling, material, holds))
        return self._made(
            status=Status.JUDGED,
            assessment=assessment,
            relevance=await self._relevance() if relevance else None,
        )

    # ── the ruling ────────────────────────────────────────────────────────────────────────────

    async def _ask_for_ruling(self, material: Material) -> tuple[Reply | None, Material]:
        """The reply, and the material that it rules on: less of it, where all was too much."""
        judge = self._judge
        for halving in range(HALVINGS + 1):
            call = await judge.aside(
                partial(ruling_call, material, judge.secret, judge.options.max_tokens)
            )
            reply = await self._ask(call)
            if reply is None or reply.outcome is not CallOutcome.CONTEXT_TOO_LONG:
                break
            less = await judge.aside(partial(material_of, self._job, _chars(material) // 2))
            if halving == HALVINGS or not 0 < len(less.passages) < len(material.passages):
                break
            material = less
        return reply, material

    def _read(self, reply: Reply, material: Material) -> _Reading:
        if reply.outcome is not CallOutcome.ANSWERED or reply.data is None:
            return _Reading(reply.outcome, None, _FAULTS.get(reply.outcome, ""), reply.content)
        try:
            ruling = read_ruling(reply.data, material)
        except SchemaFault as fault:
            self._correct(CallOutcome.SCHEMA)
            return _Reading(CallOutcome.SCHEMA, None, str(fault), reply.content)
        return _Reading(CallOutcome.ANSWERED, ruling, "", reply.content)

    async def _usable(self, first: _Reading, material: Material) -> _Reading:
        """``first``, after one call in total that mends what can be mended."""
        missing: tuple[int, ...] = ()
        if first.ruling is not None:
            missing = passed_over(first.ruling, material)
        if not missing and first.outcome not in REPAIRABLE:
            return first
        second = await self._repair(first, material, missing)
        if second is None or second.outcome not in {CallOutcome.ANSWERED, *UNUSABLE}:
            return first
        if first.ruling is None:
            return second
        if second.ruling is None:
            return first
        return replace(first, ruling=merged(first.ruling, second.ruling, material))

    async def _repair(
        self, first: _Reading, material: Material, missing: Sequence[int]
    ) -> _Reading | None:
        max_tokens = self._judge.options.max_tokens
        if first.outcome is CallOutcome.TRUNCATED:
            max_tokens *= 2
        fault = first.fault or _INCOMPLETE
        try:
            call = await self._judge.aside(
                partial(
                    repair_call,
                    material, self._judge.secret, max_tokens, first.words, fault, missing,
                )
            )  # fmt: skip
        except Collision:
            return None
        reply = await self._ask(call)
        return None if reply is None else self._read(reply, material)

    async def _relevance(self) -> Relevance | None:
        """None, too, where it could not be had: that spoils no ruling."""
        try:
            job, secret = self._job, self._judge.secret
            call = await self._judge.aside(
                partial(relevance_call, job.query, job.answer_text, secret)
            )
        except Collision:
            self._attempts.append(f"relevance:{COLLISION}")
            return None
        reply = await self._ask(call)
        if reply is None or reply.data is None:
            return None
        try:
            return read_relevance(reply.data)
        except SchemaFault:
            self._correct(CallOutcome.SCHEMA)
            return None

    # ── correct? ──────────────────────────────────────────────────────────────────────────────

    async def stated(self, facts: Sequence[str]) -> Stated:
        job, judge = self._job, self._judge
        if len(job.answer_text) > MOST_CHARS:
            return self._unstated(facts, ANSWER_TOO_LONG)
        most = judge.options.max_tokens
        try:
            call = await judge.aside(
                partial(correctness_call, job.query, job.answer_text, facts, judge.secret, most)
            )
        except Collision:
            return self._unstated(facts, COLLISION)
        reply = await self._ask(call)
        if reply is None:
            return self._unstated(facts, DEADLINE)
        if reply.data is None:
            return self._unstated(facts, reply.outcome.value)
        try:
            found = read_correctness(reply.data, job.answer_text, len(facts))
        except SchemaFault:
            return self._unstated(facts, CallOutcome.SCHEMA.value)
        return Stated(found, cost_micros=judge.prices.cost_micros(self._usage))

    def _unstated(self, facts: Sequence[str], reason: str) -> Stated:
        cost = self._judge.prices.cost_micros(self._usage)
        return Stated(tuple(None for _ in facts), reason, cost)

    # ── one call ──────────────────────────────────────────────────────────────────────────────

    async def _ask(self, call: Call) -> Reply | None:
        """The reply to a call, tried again while that may heal it and there is time; None where
        there was no time for even one attempt."""
        last: Reply | None = None
        for tried in range(TRIES):
            reply = await self._attempt(call)
            if reply is None:
                break
            last = reply
            if reply.outcome not in HEALING or tried == TRIES - 1:
                break
            if not await self._wait(self._backoff(tried, reply.retry_after_s)):
                break
        return last

    def _backoff(self, tried: int, retry_after_s: float | None) -> float:
        """Full jitter, on top of what the endpoint asked for."""
        most = min(LONGEST_BACKOFF_S, FIRST_BACKOFF_S * (1 << tried))
        return (retry_after_s or 0.0) + self._judge.random() * most

    async def _attempt(self, call: Call) -> Reply | None:
        judge = self._judge
        reservation = await self._admitted(call)
        if reservation is None:
            return None
        begun = judge.clock()
        try:
            left = min(judge.options.call_timeout_s, self._deadline - begun)
            reply = await judge.caller.call(call, left)
        except BaseException:
            # It stays debited: nobody knows how far it came.
            judge.breaker.release()
            raise
        judge.breaker.record(reply.outcome, reply.retry_after_s)
        self._note(call, reply, begun)
        try:
            await judge.purse.settle(reservation, reply.usage)
        except Outage:
            # The estimate stays debited; the reply is worth more than the difference.
            pass
        return reply

    async def _admitted(self, call: Call) -> Any | None:
        """A reservation, once breaker and budget allow the call; None when time is up."""
        while self._deadline > self._judge.clock():
            wait, reservation = await self._admission(call)
            if reservation is not None:
                return reservation
            if not self._calls:
                raise NotNow(wait)
            if not await self._wait(wait):
                break
        return None

    async def _admission(self, call: Call) -> tuple[float, Any | None]:
        breaker = self._judge.breaker
        wait = breaker.admit()
        if wait > 0:
            return wait, None
        try:
            reserved = await self._judge.purse.reserve(estimated(call), self._job.answer.audited)
        except Outage:
            breaker.release()
            if not self._calls:
                raise
            return ASK_STORE_AGAIN_S, None
        except BaseException:
            breaker.release()
            raise
        if isinstance(reserved, float):
            breaker.release()
            return reserved, None
        return 0.0, reserved

    async def _wait(self, seconds: float) -> bool:
        """False, at once, where no time for a call would be left."""
        if self._judge.clock() + seconds >= self._deadline:
            return False
        await self._judge.sleep(seconds)
        return True

    # ── what it adds up to ────────────────────────────────────────────────────────────────────

    def _note(self, call: Call, reply: Reply, begun: float) -> None:
        self._begun = begun if self._begun is None else self._begun
        self._ended = self._judge.clock()
        self._calls += 1
        self._usage += reply.usage
        self._model = reply.model or self._model
        prefix = "" if call.purpose == RULING else f"{call.purpose}:"
        self._attempts.append(prefix + reply.outcome.value)

    def _correct(self, outcome: CallOutcome) -> None:
        """The last call was answered, but not with what was asked for."""
        purpose, colon, _ = self._attempts[-1].rpartition(":")
        self._attempts[-1] = f"{purpose}{colon}{outcome.value}"

    def _without(self, status: Status, reason: str) -> Judgement:
        return self._made(status=status, reason=reason)

    def _made(
        self,
        status: Status,
        reason: str = "",
        assessment: Assessment | None = None,
        relevance: Relevance | None = None,
    ) -> Judgement:
        judge = self._judge
        begun = self._ended if self._begun is None else self._begun
        return Judgement(
            status=status,
            version=judge.version,
            model=self._model,
            reason=reason,
            assessment=assessment,
            relevance=relevance,
            usage=self._usage,
            cost_micros=judge.prices.cost_micros(self._usage),
            calls=self._calls,
            latency_ms=round((self._ended - begun) * 1000),
            attempts=tuple(self._attempts),
            scripted=judge.options.scripted,
        )


def _chars(material: Material) -> int:
    texts = [material.query, material.answer, *material.said_before]
    return sum(map(len, texts)) + sum(len(passage.text) for passage in material.passages)
