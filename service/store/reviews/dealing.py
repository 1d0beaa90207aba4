"""What a reviewer gets next."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from service.access.roles import ALL, Grant
from service.review.cases import CaseFilter, lowest_priority
from service.review.desk import Lease
from service.store.connection import Connection, text
from service.store.reviews.leases import Leases

STEPS = 500
"""Cases that one script call looks at: some milliseconds for which Redis serves nobody else."""
FAR = 2_000
"""Cases of groups that others are at, past which somebody is sent for a group of his own."""


class Dealing:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, leases: Leases, grant: Grant = ALL) -> None:
        self._c = connection
        self._leases = leases
        self._apps = grant.apps

    def next_case(
        self, reviewer: str, filter: CaseFilter, now_ms: int, passed: Sequence[str]
    ) -> Lease | None:
        keys, want = self._c.keys, self._leases.want(reviewer, now_ms)
        indexes = [keys.index(*index) for index in filter.indexes() if index[0] != "status"]
        among = {} if self._apps is None else {"apps": [keys.index("app", a) for a in self._apps]}
        since_ms = filter.since_ms or 0
        walk = {"start": 0, "after": "", "fallback": "", "far": FAR}
        while True:
            spec = {
                "want": want, "indexes": indexes, "passed": list(passed), "steps": STEPS,
                "since": since_ms, "lowest": lowest_priority(since_ms), **among, **walk,
            }  # fmt: skip
            status, *reply = self._c.run(
                "next_case", [keys.index("status", "open")], [keys.prefix, orjson.dumps(spec)]
            )
            if status == b"ok":
                return self._leases.lease("case:" + text(reply[0]), want, reply[1:])
            if status == b"none":
                return None
            walk = {
                "start": int(reply[0]),
                "after": text(reply[1]),
                "fallback": text(reply[2]),
                "far": int(reply[3]),
            }

    def next_task(self, reviewer: str, now_ms: int) -> Lease | None:
        keys, want = self._c.keys, self._leases.want(reviewer, now_ms)
        among = {} if self._apps is None else {"apps": dict.fromkeys(self._apps, True)}
        start = 0
        while True:
            spec = {"want": want, "start": start, "steps": STEPS, **among}
            status, *reply = self._c.run(
                "next_task", [keys.tasks("open")], [keys.prefix, orjson.dumps(spec)]
            )
            if status == b"ok":
                return self._leases.lease("task:" + text(reply[0]), want, reply[1:])
            if status == b"none":
                return None
            # An overlap, for what was taken away meanwhile.
            start += STEPS * 9 // 10
