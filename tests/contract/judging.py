"""A judge with everything real but its patience: client, endpoint, breaker; waits are counted, not
slept."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from service.budget import Prices
from service.judging.calls import Usage
from service.judging.client import EndpointOptions, JudgeClient
from service.judging.endpoint import Breaker
from service.judging.jobs import Job
from service.judging.judge import Judge, JudgeOptions, version_of
from service.judging.judgement import Judgement
from service.judging.rubric import watched_in
from tests.servers.llm import Answer, Request, completion
from tests.unit.judging.made import claim, reply

SECRET = b"a secret of the tests"
PRICES = Prices(input=2.0, output=8.0)
MODEL = "judge-model"


class Clock:
    """Real seconds, plus those that were waited for without sleeping."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __call__(self) -> float:
        return time.monotonic() + sum(self.waits)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


@dataclass
class Ledger:
    """A purse that writes down what it is asked. ``waits``: what it answers instead of a
    reservation, in turn; after that it always pays."""

    waits: list[float] = field(default_factory=list)
    reserved: list[tuple[Usage, bool]] = field(default_factory=list)
    settled: list[tuple[int, Usage]] = field(default_factory=list)

    async def reserve(self, estimate: Usage, audited: bool) -> Any:
        if self.waits:
            return self.waits.pop(0)
        self.reserved.append((estimate, audited))
        return len(self.reserved)

    async def settle(self, reservation: Any, usage: Usage) -> None:
        self.settled.append((reservation, usage))


class Bench:
    """One installation's judge at ``base_url``, for one test."""

    def __init__(self, base_url: str, purse: Any = None, **options: Any) -> None:
        self.clock = Clock()
        self.ledger = Ledger()
        self.breaker = Breaker(self.clock)
        self.corpora: Callable[[str], Any] = lambda name: None
        self._purse = purse or self.ledger
        self._endpoint = EndpointOptions(base_url, MODEL)
        self._options = JudgeOptions(**{"max_tokens": 500, "relevance": False, **options})

    @asynccontextmanager
    async def judge(self) -> Any:
        client = JudgeClient(self._endpoint)
        judge = Judge(
            client,
            self.breaker,
            self._purse,
            PRICES,
            model=MODEL,
            version=version_of(MODEL, 0.0, None, self._options),
            secret=SECRET,
            clock=self.clock,
            sleep=self.clock.sleep,
            random=random.Random(1).random,
            options=self._options,
            corpora=self.corpora,
        )
        try:
            yield judge
        finally:
            await client.close()

    def of(self, *jobs: Job, deadline_s: float = 60.0) -> list[Judgement]:
        """The judgements, one after the other."""

        async def run() -> list[Judgement]:
            async with self.judge() as judge:
                return [await judge.judge(job, deadline_s) for job in jobs]

        return asyncio.run(run())


def watched(request: Request) -> dict[str, Any]:
    return watched_in(request.body["messages"][-1]["content"])


def numbers_in(request: Request) -> list[int]:
    return [sentence["number"] for sentence in watched(request)["sentences"]]


def ruled(data: Mapping[str, Any], **more: Any) -> Answer:
    return Answer(completion(json.dumps(data), **more))


def supported(request: Request, *leave_out: int, **more: Any) -> Answer:
    """Every sentence but these supported by the beginning of the first passage."""
    quote = watched(request)["passages"][0]["text"][:20]
    claims = {
        number: [claim("SUPPORTED", (1, quote))]
        for number in numbers_in(request)
        if number not in leave_out
    }
    return ruled(reply(claims, **more))


def in_turn(*answers: Answer | Callable[[Request], Answer]) -> Callable[[Request], Answer]:
    """A script that gives these in turn, and the last one again and again."""
    left: Iterator[Any] = iter(answers)
    last: list[Any] = []

    def script(request: Request) -> Answer:
        last[:] = [next(left, last[-1] if last else None)]
        answer = last[0]
        return answer if isinstance(answer, Answer) else answer(request)

    return script
