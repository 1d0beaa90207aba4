"""Leases: one holder at a time, by name, for as long as it renews."""

from __future__ import annotations

import secrets

from service.store.connection import Connection


class Lease:
    """One candidate for the lease ``name``. A holder that stops renewing loses it after ``ttl_ms``.

    A holder that was paused may believe in a lease that has run out. So each new holder gets a
    higher *fence*, kept in ``fences`` under the name: a script that writes under the lease compares
    it there and refuses whoever is no longer the last. Every method raises :class:`Outage` when the
    store is away.
    """

    def __init__(self, connection: Connection, name: str, ttl_ms: int) -> None:
        self._c = connection
        self._ttl_ms = ttl_ms
        self._token = secrets.token_hex(8)
        self.name = name

    def acquire(self) -> int | None:
        """The fence, at least 1, or None while somebody else holds the lease. Whoever holds it
        already keeps its fence and has the lease renewed."""
        keys = self._c.keys
        fence = self._c.run(
            "acquire_lease",
            [keys.lease(self.name), keys.fences],
            [self._token, self._ttl_ms, self.name],
        )
        return int(fence) or None

    def renew(self) -> bool:
        """False when the lease ran out, or is somebody else's by now."""
        return self._end(self._ttl_ms)

    def release(self) -> bool:
        """Give the lease back. False when it was not held any more."""
        return self._end(0)

    def _end(self, ttl_ms: int) -> bool:
        return bool(
            self._c.run("renew_lease", [self._c.keys.lease(self.name)], [self._token, ttl_ms])
        )
