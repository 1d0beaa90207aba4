"""What people said, on its way to ``rag.reviews``: produced by ``serve``, one process at a time."""

from __future__ import annotations

import threading

import structlog

from service.outage import Outage
from service.outbox import FLUSH_LEASE_MS, Sink
from service.store import Store
from service.store.lease import Lease

log = structlog.get_logger(__name__)

EVERY_S = 1.0


class ReviewOutbox:
    """Thread-safe. What is written to the store stands in its outbox at once, in the same script:
    a process that dies leaves it to the next one."""

    def __init__(self, store: Store, sink: Sink) -> None:
        self._store = store
        self._sink = sink
        self._lock = threading.Lock()

    def flush(self) -> bool:
        """Produce what waits, unless another process does. True when nothing waits any more. Raises
        :class:`Outage`."""
        with self._lock:
            if not self._store.reviews.unflushed(1):
                return True
            lease = Lease(self._store.connection, "web-outbox", FLUSH_LEASE_MS)
            if lease.acquire() is None:
                return False
            try:
                return self._flush(lease)
            finally:
                lease.release()

    def _flush(self, lease: Lease) -> bool:
        while records := self._store.reviews.unflushed():
            self._sink.write(records)
            if not self._store.reviews.flushed(records) or not lease.renew():
                return False
        return True


class ReviewOutboxKeeper:
    """A daemon thread that flushes when it is told to, and every second."""

    def __init__(self, outbox: ReviewOutbox) -> None:
        self._outbox = outbox
        self._work = threading.Event()
        self._stop = threading.Event()
        self._away = False
        self._thread = threading.Thread(target=self._run, name="review-outbox", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._work.set()

    def close(self, timeout_s: float = 5.0) -> None:
        """What is not produced by then stays in the store, for the next process."""
        self._stop.set()
        self._work.set()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._work.wait(EVERY_S)
            self._work.clear()
            self._turn()

    def _turn(self) -> None:
        try:
            self._outbox.flush()
        except Outage as outage:
            if not self._away:
                log.warning("reviews_wait", error=str(outage))
            self._away = True
        else:
            self._away = False
