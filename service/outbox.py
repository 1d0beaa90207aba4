"""The outbox of what comes late, judgements and feedback: whoever writes to it may produce it, one
at a time."""

from __future__ import annotations

from typing import Protocol

from service.store import Store
from service.store.judgements import record_of
from service.store.lease import Lease

FLUSH_LEASE_MS = 30_000


class Sink(Protocol):
    """Where records of ``rag.verdicts`` go."""

    def write(self, records: list[bytes]) -> None:
        """All of them, acknowledged, before this returns. Raises :class:`service.outage.Outage`."""


def flush(store: Store, sink: Sink) -> bool:
    """Produce what waits, unless another process does. True when nothing waits any more. Raises
    :class:`service.outage.Outage`."""
    if not store.judgements.unflushed():
        return True
    lease = Lease(store.connection, "late-outbox", FLUSH_LEASE_MS)
    if lease.acquire() is None:
        return False
    try:
        while entries := store.judgements.unflushed():
            sink.write([record_of(entry) for entry in entries])
            if not store.judgements.flushed(entries) or not lease.renew():
                return False
    finally:
        lease.release()
    return True
