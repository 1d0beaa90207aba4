"""What ends by itself: settled cases and tasks after their time, groups when there are too many."""

from __future__ import annotations

from dataclasses import dataclass

from service.review.cases import DAY_MS
from service.store.connection import Connection

AT_ONCE = 50
"""Cases and tasks that one script call ends."""
GROUPS_AT_ONCE = 500
FULL, ROOM = 0.95, 0.9
"""Of the groups that may exist: from where on old ones go, and down to where."""


@dataclass(frozen=True, slots=True)
class Ended:
    cases: int = 0
    tasks: int = 0
    groups: int = 0


class Retention:
    """Labels stay, whatever ends. Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, keep_days: int, max_groups: int) -> None:
        self._c = connection
        self._keep_ms = keep_days * DAY_MS
        self._max_groups = max_groups

    def turn(self, now_ms: int, most: int = 1_000) -> Ended:
        """One bounded turn: at most ``most`` of a kind, in short steps."""
        keys, until_ms = self._c.keys, now_ms - self._keep_ms
        return Ended(
            self._retire(keys.index("since", "resolved"), "case", until_ms, most),
            sum(
                self._retire(keys.tasks(state), "task", until_ms, most)
                for state in ("done", "expired")
            ),
            self._retire_groups(most),
        )

    def _retire(self, settled: str, kind: str, until_ms: int, most: int) -> int:
        ended = 0
        while ended < most:
            count = int(
                self._c.run("retire", [settled], [self._c.keys.prefix, kind, until_ms, AT_ONCE])
            )
            ended += count
            if count < AT_ONCE:
                break
        return ended

    def _retire_groups(self, most: int) -> int:
        keys, gone, rank = self._c.keys, 0, 0
        with self._c.guard():
            number = int(self._c.client.zcard(keys.groups))
        if number <= FULL * self._max_groups:
            return 0
        excess = min(most, number - int(ROOM * self._max_groups))
        while gone < excess and rank < number:
            step = min(GROUPS_AT_ONCE, excess - gone)
            count = int(self._c.run("retire_groups", [keys.groups], [keys.prefix, rank, step]))
            gone += count
            # Those that stay are passed over; the others moved down.
            rank += step - count
        return gone
