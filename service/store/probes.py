"""What probes found last, of each app and release: one hash, bounded."""

from __future__ import annotations

from service.accounting import SEPARATOR
from service.measuring.probed import ProbeResult, decode_result, encode_result
from service.store.connection import Connection

KEPT = 60
"""Results in all; the oldest goes."""


class Probes:
    """Every method raises :class:`~service.outage.Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def keep(self, result: ProbeResult) -> None:
        """In the place of an earlier result of the same app and release. Two probes at once may
        leave one result more than :data:`KEPT`, until the next one."""
        key, field = self._c.keys.probes, SEPARATOR.join((result.app, result.release))
        with self._c.guard():
            self._c.client.hset(key, field, encode_result(result))
            stored = self._c.client.hgetall(key)
        surplus = len(stored) - KEPT
        if surplus > 0:
            ages = {name: _at_ms(raw) for name, raw in stored.items()}
            with self._c.guard():
                self._c.client.hdel(key, *sorted(ages, key=ages.__getitem__)[:surplus])

    def results(self) -> tuple[ProbeResult, ...]:
        """By app, the newest first. What another version wrote and this one cannot read is left
        out: the next probe replaces it."""
        with self._c.guard():
            stored = self._c.client.hgetall(self._c.keys.probes)
        read = [decode_result(raw) for raw in stored.values()]
        found = [result for result in read if result is not None]
        return tuple(sorted(found, key=lambda result: (result.app, -result.at_ms)))


def _at_ms(raw: bytes) -> int:
    result = decode_result(raw)
    return 0 if result is None else result.at_ms
