"""Leases of cases, tasks and groups: one reviewer at a time, for as long as the page is open."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from service.review.desk import Lease, LeaseLost, LeaseTaken, UnknownSubject
from service.store.connection import Connection, text

DEFAULT_LEASE_MS = 600_000


class Leases:
    """They end by the clock of Redis; ``until_ms`` says when, by the clock of whoever asked. Every
    new holder of anything gets a higher fence. Every method raises :class:`Outage`."""

    def __init__(self, connection: Connection, lease_ms: int = DEFAULT_LEASE_MS) -> None:
        self._c = connection
        self.lease_ms = lease_ms

    def want(self, reviewer: str, now_ms: int) -> dict[str, str]:
        """What a script that hands out a lease is told."""
        return {
            "reviewer": reviewer,
            "token": secrets.token_urlsafe(16),
            "ttl": str(self.lease_ms),
            "until": str(now_ms + self.lease_ms),
        }

    def claim(self, subject: str, reviewer: str, now_ms: int) -> Lease:
        keys, want = self._c.keys, self.want(reviewer, now_ms)
        status, *reply = self._c.run(
            "claim",
            [keys.lease(subject)],
            [keys.prefix, subject, reviewer, want["token"], want["ttl"], want["until"]],
        )
        if status == b"unknown":
            raise UnknownSubject(subject)
        if status == b"taken":
            raise LeaseTaken(text(reply[0]), int(reply[1]))
        return self.lease(subject, want, reply)

    def lease(self, subject: str, want: Mapping[str, str], reply: Sequence[bytes]) -> Lease:
        """``reply``: token and fence, as a script answers."""
        return Lease(subject, want["reviewer"], text(reply[0]), int(reply[1]), int(want["until"]))

    def renew(self, lease: Lease, now_ms: int) -> Lease:
        """Raises :class:`LeaseLost` without a change: whoever knows the history adds it."""
        until_ms = now_ms + self.lease_ms
        if not self._keep(lease, self.lease_ms, until_ms):
            raise LeaseLost
        return replace(lease, until_ms=until_ms)

    def release(self, lease: Lease) -> bool:
        return self._keep(lease, 0, 0)

    def _keep(self, lease: Lease, ttl_ms: int, until_ms: int) -> bool:
        keys = self._c.keys
        return bool(
            self._c.run(
                "keep_claim",
                [keys.lease(lease.subject)],
                [keys.prefix, lease.subject, lease.token, ttl_ms, until_ms, lease.reviewer],
            )
        )

    def holders(self, subjects: Sequence[str]) -> dict[str, Lease]:
        pipe = self._c.client.pipeline(transaction=False)
        for subject in subjects:
            pipe.hmget(self._c.keys.lease(subject), "reviewer", "fence", "until")
        with self._c.guard():
            found = pipe.execute() if subjects else []
        return {
            subject: Lease(subject, text(reviewer), "", int(fence), int(until))
            for subject, (reviewer, fence, until) in zip(subjects, found, strict=True)
            if reviewer is not None
        }
