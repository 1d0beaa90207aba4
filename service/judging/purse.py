"""Where the calls of the judge are paid from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from service.budget import Budget
from service.judging.calls import Usage
from service.store.budget import Account, Reservation, Wait


class Purse(Protocol):
    """Both methods raise :class:`service.outage.Outage` when the account cannot be reached."""

    async def reserve(self, estimate: Usage, audited: bool) -> Any:
        """A reservation for :meth:`settle`, or (a float) the seconds after which to ask again."""

    async def settle(self, reservation: Any, usage: Usage) -> None:
        """What the call took in fact."""


class StorePurse:
    """The account that all workers share. ``now_ms``: milliseconds since 1970, UTC."""

    def __init__(self, account: Account, budget: Budget, now_ms: Callable[[], int]) -> None:
        self._account = account
        self._budget = budget
        self._now_ms = now_ms

    async def reserve(self, estimate: Usage, audited: bool) -> Reservation | float:
        money = self._budget.prices.cost_micros(estimate)
        reserved = await asyncio.to_thread(
            self._account.reserve,
            self._now_ms(),
            estimate.tokens,
            money,
            audited,
            self._budget,
        )
        return reserved.seconds if isinstance(reserved, Wait) else reserved

    async def settle(self, reservation: Reservation, usage: Usage) -> None:
        money = self._budget.prices.cost_micros(usage)
        await asyncio.to_thread(self._account.settle, reservation, usage.tokens, money)
