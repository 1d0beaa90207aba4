"""Many questions for one target, some at the same time, the answers in the questions' order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from service.measuring.targets.port import (
    FailureReason,
    Target,
    TargetAnswer,
    TargetFailure,
    TargetRequest,
)

TRIES = 3
"""Of one question, while the target is away."""
FIRST_PAUSE_S = 0.5
GIVE_UP_AFTER = 3
"""Questions in a row that found the target away in each of their tries: then no other is asked."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asked:
    request: TargetRequest
    got: TargetAnswer | TargetFailure


async def ask_all(
    target: Target, requests: Sequence[TargetRequest], sleep: Sleep = asyncio.sleep
) -> AsyncIterator[Asked]:
    """Each request with what came of it, in order, as soon as those before it are there. Once the
    target is away, all that are left are ``not_asked``."""
    line = _Line(target, sleep)
    tasks = [asyncio.create_task(line.ask(request)) for request in requests]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Line:
    """The questions that wait for their turn."""

    def __init__(self, target: Target, sleep: Sleep) -> None:
        self._target = target
        self._sleep = sleep
        self._turn = asyncio.Semaphore(target.concurrency)
        self._away_in_a_row = 0
        self._last: TargetFailure | None = None

    async def ask(self, request: TargetRequest) -> Asked:
        async with self._turn:
            if self._last is not None and self._away_in_a_row >= GIVE_UP_AFTER:
                return Asked(request, _left(self._last))
            got = await self._patiently(request)
            if isinstance(got, TargetFailure) and got.away:
                self._away_in_a_row += 1
                self._last = got
            else:
                self._away_in_a_row = 0
            return Asked(request, got)

    async def _patiently(self, request: TargetRequest) -> TargetAnswer | TargetFailure:
        for tried in range(TRIES):
            got = await self._target.ask(request)
            if isinstance(got, TargetAnswer) or not got.away or tried == TRIES - 1:
                break
            if got.reason is FailureReason.TIMEOUT:
                # It took as long as one is ready to wait; a second time costs as much.
                break
            await self._sleep(FIRST_PAUSE_S * (1 << tried))
        return got


def _left(last: TargetFailure) -> TargetFailure:
    return TargetFailure(
        FailureReason.NOT_ASKED, f"not asked any more once the target was away: {last.message}"
    )
