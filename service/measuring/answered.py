"""Every question asked, its answer rated and, where there is a judge, judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from service.events import AnswerEvent
from service.measuring.facts import Fact
from service.measuring.judging import AnswerJudge
from service.measuring.questions import Behaviour
from service.measuring.rating import Rating, rate
from service.measuring.targets.asking import Asked, ask_all
from service.measuring.targets.port import (
    FailureReason,
    Target,
    TargetFailure,
    TargetRequest,
    event_of,
)
from service.policy import Policy

JUDGED_AT_ONCE = 4

Tell = Callable[[int], object]
"""Told how many questions are through."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A question and what is expected of its answer; ``app``: whose policy checks it."""

    request: TargetRequest
    app: str
    behaviour: Behaviour = "answer"
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """``got``: the answer's rating, or why there is no answer. ``knows_retrieved``: whether it is
    known which chunks the answer rests on."""

    expectation: Expectation
    got: Rating | TargetFailure
    knows_retrieved: bool = True

    @property
    def event(self) -> AnswerEvent | None:
        return self.got.event if isinstance(self.got, Rating) else None


NOT_ASKED = TargetFailure(FailureReason.NOT_ASKED, "ended before its turn came")


class Answering:
    """One measurement. ``answered`` is whole at any time, also of one that was broken off: what did
    not get its turn is ``not_asked``."""

    def __init__(self, expected: Sequence[Expectation], policy: Policy) -> None:
        self._expected = expected
        self._policy = policy
        self._answered = {number: Answered(one, NOT_ASKED) for number, one in enumerate(expected)}
        self._through = 0
        self._rating = asyncio.Lock()

    @property
    def answered(self) -> tuple[Answered, ...]:
        """One a question, in the questions' order."""
        return tuple(self._answered.values())

    async def run(
        self, target: Target, judge: AnswerJudge | None = None, tell: Tell = lambda _: None
    ) -> None:
        """Closes the target in the end."""
        turn = asyncio.Semaphore(JUDGED_AT_ONCE)
        requests = [one.request for one in self._expected]
        judging: list[asyncio.Task[None]] = []
        try:
            number = 0
            async for asked in ask_all(target, requests):
                judging.append(asyncio.create_task(self._rated(number, asked, judge, turn, tell)))
                number += 1
            await asyncio.gather(*judging)
        finally:
            for task in judging:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*judging, return_exceptions=True)
            await target.close()

    async def _rated(
        self,
        number: int,
        asked: Asked,
        judge: AnswerJudge | None,
        turn: asyncio.Semaphore,
        tell: Tell,
    ) -> None:
        expected = self._expected[number]
        if isinstance(asked.got, TargetFailure):
            self._answered[number] = Answered(expected, asked.got)
        else:
            event = event_of(asked.request, asked.got, expected.app)
            knows = asked.got.retrieved is not None or asked.request.retrieved is not None
            rules = self._policy.of(expected.app)
            # Hostile texts may take seconds to read; what the checks remember is for one thread.
            async with self._rating:
                rating = await asyncio.to_thread(
                    rate, event, rules, expected.facts, expected.behaviour
                )
            self._answered[number] = Answered(expected, rating, knows)
            if judge is not None:
                async with turn:
                    rating = await judge.ruled(rating)
                self._answered[number] = Answered(expected, rating, knows)
        self._through += 1
        tell(self._through)
