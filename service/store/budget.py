"""The account of judging, one for all workers, debited before each call; the factors in force."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from service.budget import DAY_MS, MINUTE_MS, Budget, Reserve, Spending
from service.sampling import INITIAL_FACTORS, Factors, decode_factors, encode_factors
from service.store.connection import Connection, pairs, text

DAY_KEPT_S = 3 * 86_400
"""Today, yesterday (for the mean cost), and a day for calls that are settled late."""
ASK_AGAIN_S = 60.0
"""A budget that is used up for today is asked again: calls in flight may give some of it back."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """The debit of one call. Until it is settled, the day (since 1970) has paid the estimate: a
    worker that dies leaves it debited, as nobody knows whether its call was made."""

    id: str
    day: int
    tokens: int
    money_micros: int
    audited: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """No call now; ask again in ``seconds``. ``reason``: ``calls`` (a minute), or ``tokens`` or
    ``money`` when today's are used up (an audited answer may still be allowed then)."""

    seconds: float
    reason: str


class Account:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def reserve(
        self, now_ms: int, tokens: int, money_micros: int, audited: bool, budget: Budget
    ) -> Reservation | Wait:
        """Debit the estimate of one call from the UTC day of ``now_ms``.

        Together, all workers never reserve more than the bounds; what a call takes beyond its
        estimate comes on top when it is settled. Only audited answers may use the reserve that was
        published with the factors. Within any 60 seconds (by the workers' clocks) no more calls
        than ``calls_per_minute`` are allowed.
        """
        keys, day = self._c.keys, now_ms // DAY_MS
        reservation = Reservation(secrets.token_hex(8), day, tokens, money_micros, audited)
        bounds = (budget.tokens_per_day, budget.money_micros_per_day, budget.calls_per_minute)
        args: list[Any] = [reservation.id, now_ms, tokens, money_micros, int(audited)]
        args += ["" if bound is None else bound for bound in bounds]
        reply = self._c.run(
            "reserve",
            [keys.budget(day), keys.open_reservations(day), keys.calls, keys.factors],
            [*args, DAY_KEPT_S],
        )
        reason, wait_ms = text(reply[0]), int(reply[1])
        if reason == "ok":
            return reservation
        midnight_s = (DAY_MS - now_ms % DAY_MS) / 1000
        return Wait(wait_ms / 1000 if reason == "calls" else min(ASK_AGAIN_S, midnight_s), reason)

    def settle(self, reservation: Reservation, tokens: int, money_micros: int) -> bool:
        """Replace the estimate by what the call took. False when that was done before."""
        keys, day = self._c.keys, reservation.day
        return bool(
            self._c.run(
                "settle",
                [keys.budget(day), keys.open_reservations(day)],
                [reservation.id, tokens, money_micros],
            )
        )

    def count_answer(self, now_ms: int) -> None:
        """The judge is done with an answer, whatever came of it: the mean cost is per answer."""
        key = self._c.keys.budget(now_ms // DAY_MS)
        with self._c.guard():
            self._c.client.hincrby(key, "answers", 1)
            self._c.client.expire(key, DAY_KEPT_S)

    def spending(self, now_ms: int, pending: int = 0) -> Spending:
        """``pending``: answers that wait for the judge; the account does not know them."""
        keys, day = self._c.keys, now_ms // DAY_MS
        pipe = self._c.client.pipeline(transaction=False)
        pipe.hgetall(keys.budget(day))
        pipe.hgetall(keys.budget(day - 1))
        pipe.lrange(keys.calls, 0, -1)
        with self._c.guard():
            today, yesterday, calls = pipe.execute()
        now, before = _numbers(today), _numbers(yesterday)

        def both(name: str) -> int:
            return now.get(name, 0) + before.get(name, 0)

        return Spending(
            tokens=now.get("tokens", 0),
            money_micros=now.get("money", 0),
            audit_tokens=now.get("audit_tokens", 0),
            audit_money_micros=now.get("audit_money", 0),
            calls=now.get("calls", 0),
            calls_last_minute=sum(int(ms) > now_ms - MINUTE_MS for ms in calls),
            answers=both("answers"),
            settled_tokens=both("settled_tokens"),
            settled_money_micros=both("settled_money"),
            settled_calls=both("settled_calls"),
            pending=pending,
        )

    def publish(
        self, factors: Factors, reserve: Reserve, over: Factors, lease: str, fence: int
    ) -> bool:
        """Put the factors and today's reserve in force. ``over``: the factors that were read
        before. False, without effect, when the lease has had another holder since ``fence`` or
        somebody published in between."""
        keys = self._c.keys
        args: list[Any] = [lease, fence, over.version, factors.version, encode_factors(factors)]
        return bool(
            self._c.run(
                "publish_factors",
                [keys.factors, keys.fences],
                [*args, reserve.tokens, reserve.money_micros],
            )
        )

    def reserve_kept(self) -> Reserve:
        """What was published for the audits of a whole day."""
        with self._c.guard():
            tokens, money = self._c.client.hmget(
                self._c.keys.factors, "reserve_tokens", "reserve_money"
            )
        return Reserve(int(tokens or 0), int(money or 0))


def read_factors(connection: Connection) -> Factors:
    """Those in force; the initial ones before anybody published. One round trip. Raises
    :class:`Outage` when the store is away."""
    with connection.guard():
        body = connection.client.hget(connection.keys.factors, "body")
    return INITIAL_FACTORS if body is None else decode_factors(body)


def _numbers(reply: Any) -> dict[str, int]:
    return {name: int(value) for name, value in pairs(reply).items()}
