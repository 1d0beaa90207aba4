"""Questions that retrieval did not serve: the newest ones, written with their batch."""

from __future__ import annotations

from collections.abc import Mapping

from service.questions import Question, decode_question
from service.store.connection import Connection

DAYS_KEPT = 30
_DAY_MS = 86_400_000
_AT_ONCE = 500


class Questions:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def since(self, since_ms: int, most: int) -> list[Question]:
        """Of answers given since then, the last ones first, at most ``most``."""
        with self._c.guard():
            found = self._c.client.zrevrangebyscore(
                self._c.keys.questions, "+inf", since_ms, start=0, num=most
            )
        return [decode_question(data) for data in found]

    def expire(self, now_ms: int) -> int:
        """Drop those that are older than :data:`DAYS_KEPT` days. Returns how many."""
        key, dropped = self._c.keys.questions, 0
        while True:
            with self._c.guard():
                old = self._c.client.zrangebyscore(
                    key, "-inf", now_ms - DAYS_KEPT * _DAY_MS, start=0, num=_AT_ONCE
                )
                dropped += int(self._c.client.zrem(key, *old)) if old else 0
            if len(old) < _AT_ONCE:
                return dropped

    def erase(self, user_hash: str, below: Mapping[tuple[str, int], int]) -> int:
        """Those of one user, up to the offsets. Returns how many."""
        key = self._c.keys.questions
        with self._c.guard():
            kept = self._c.client.zrange(key, 0, -1)
            gone = [data for data in kept if _is_of(decode_question(data), user_hash, below)]
            return int(self._c.client.zrem(key, *gone)) if gone else 0


def _is_of(question: Question, user_hash: str, below: Mapping[tuple[str, int], int]) -> bool:
    source, partition, offset = question.position
    return question.user == user_hash and offset < below.get((source, partition), 0)
