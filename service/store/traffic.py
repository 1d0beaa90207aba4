"""The last week's live answers by app, hour and stratum, for the forecast."""

from __future__ import annotations

from service.forecast import HOUR_MS, WEEK_HOURS, Hours, strata_of
from service.store.connection import Connection, pairs, text

FRESH_HOURS = 2
"""Younger hours are read each time, the others once an hour: few answers come later."""
_AT_ONCE = 100


class RecentTraffic:
    """Reads the hourly counters; remembers those of hours gone by, which hardly change."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection
        self._kept: dict[str, dict[str, int]] = {}
        self._read_in = 0

    def read(self, now_ms: int) -> Hours:
        """(app label, hour) → stratum → live answers, of the last seven days. Raises
        :class:`Outage` when the store is away."""
        now = now_ms // HOUR_MS
        if now != self._read_in:
            self._kept, self._read_in = {}, now
        with self._c.guard():
            found = self._c.client.zrangebyscore(
                self._c.keys.hours, now - WEEK_HOURS, now, withscores=True
            )
        hours = {text(member): int(hour) for member, hour in found}
        self._fill(
            [m for m, hour in hours.items() if hour > now - FRESH_HOURS or m not in self._kept]
        )
        return {(m.rpartition(":")[0], hour): self._kept[m] for m, hour in hours.items()}

    def _fill(self, members: list[str]) -> None:
        for start in range(0, len(members), _AT_ONCE):
            page = members[start : start + _AT_ONCE]
            pipe = self._c.client.pipeline(transaction=False)
            for member in page:
                app, _, hour = member.rpartition(":")
                pipe.hgetall(self._c.keys.counters(app, int(hour)))
            with self._c.guard():
                replies = pipe.execute()
            for member, reply in zip(page, replies, strict=True):
                self._kept[member] = strata_of({field: int(n) for field, n in pairs(reply).items()})
