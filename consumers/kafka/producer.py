"""Producing, acknowledged by all replicas, with an outcome for every record."""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from collections.abc import Sequence
from threading import Event, Lock
from typing import Any

from kafka import KafkaProducer, errors

from consumers.kafka.options import KafkaOptions, connect, outages, require_fast_checksums
from service.outage import Outage

TOO_LARGE = "too_large"
RETRIABLE = "retriable"
BATCH_BYTES = 256 << 10
"""Before compression: with one request in flight small batches would make it slow."""


class Delivery:
    """What becomes of one record. While it is not done it may still arrive: never send it again
    before (a future that timed out eight times was delivered eight times)."""

    __slots__ = ("_fault", "_future")

    def __init__(self, future: Any = None, fault: str | None = None) -> None:
        self._future = future
        self._fault = fault

    def done(self) -> bool:
        return self._future is None or bool(self._future.is_done)

    def failed(self) -> str | None:
        """None while open and when acknowledged; else ``too_large`` (never to be retried
        unchanged), ``retriable`` (send it again), or the broker's word for a refusal."""
        if self._future is None or not self._future.is_done or self._future.exception is None:
            return self._fault
        return _fault(self._future.exception)

    def offset(self) -> int | None:
        """Where it stands in its partition, once acknowledged."""
        if self._future is None or not self._future.succeeded():
            return None
        return int(self._future.value.offset)

    def wait(self, timeout_s: float) -> bool:
        """Whether it is done, at the latest after ``timeout_s``."""
        if not self.done():
            _wait(self._future, timeout_s)
        return self.done()


class RecordProducer:
    """acks=all, lz4, in order by partition. May be shared by threads.

    At least once: a broker that dies between writing and acknowledging gets the record again, and
    readers drop what they have seen. The client's idempotent mode is off on purpose: there one
    record that the broker refuses (too large, not authorized) is fatal for good, and every later
    record fails with that first one's error.
    """

    def __init__(self, options: KafkaOptions) -> None:
        """Raises :class:`Outage` or :class:`Misconfiguration`."""
        require_fast_checksums()
        # The library's debug lines repeat keys, values and headers.
        logging.getLogger("kafka.producer").setLevel(logging.INFO)
        self._max_buffered = options.max_buffered_bytes
        self._buffered = 0
        self._open: deque[tuple[Any, int]] = deque()
        self._lock = Lock()
        self._producer = connect(
            options,
            KafkaProducer,
            acks="all",
            enable_idempotence=False,
            # More than one would let a retry overtake.
            max_in_flight_requests_per_connection=1,
            batch_size=BATCH_BYTES,
            compression_type="lz4",
            linger_ms=options.linger_ms,
            max_block_ms=options.max_block_ms,
            max_request_size=options.max_request_bytes,
            delivery_timeout_ms=options.delivery_timeout_ms,
            allow_auto_create_topics=False,
        )

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]] = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Delivery:
        """Hand one record to the client. Blocks up to ``max_block_ms`` for a topic not yet known.

        Raises :class:`Outage` when the topic cannot be had in that time, or when
        ``max_buffered_bytes`` wait already: nothing was sent then.
        """
        if key is None and value is None:
            # The client refuses such a record; the letter of a batch or of a tombstone is one.
            key = b""
        size = len(key or b"") + len(value or b"")
        self._reserve(size)
        try:
            future = self._hand_over(
                topic,
                value=value,
                key=key,
                headers=list(headers),
                partition=partition,
                timestamp_ms=timestamp_ms,
            )
        except BaseException:
            self._release(size)
            raise
        if future is None:
            self._release(size)
            return Delivery(fault=TOO_LARGE)
        with self._lock:
            self._open.append((future, size))
        return Delivery(future)

    def flush(self, timeout_s: float) -> bool:
        """Whether everything sent so far has an outcome, at the latest after ``timeout_s``."""
        # The library's own flush waits so long for every batch, and fails where one was split.
        give_up = time.monotonic() + timeout_s
        with self._lock:
            waited_for = [future for future, _ in self._open if not future.is_done]
        for future in waited_for:
            _wait(future, give_up - time.monotonic())
        return all(future.is_done for future in waited_for)

    def close(self, timeout_s: float = 5.0) -> None:
        """What has no outcome by then is given up."""
        if not self.flush(timeout_s):
            # Its own close() raises then, and leaves its thread behind.
            self._producer._sender.force_close()  # noqa: SLF001
        with contextlib.suppress(errors.KafkaError):
            self._producer.close(timeout=1.0)

    def _hand_over(self, topic: str, **record: Any) -> Any:
        """The record's future; None when the client itself finds it too large."""
        with outages(f"producing to {topic} (does it exist?)"):
            try:
                future = self._producer.send(topic, **record)
            except errors.MessageSizeTooLargeError:
                return None
            if future.is_done and future.failed():
                # It never left: the look-up of the topic's partitions failed.
                raise future.exception
            return future

    def _reserve(self, size: int) -> None:
        with self._lock:
            while self._open and self._open[0][0].is_done:
                self._buffered -= self._open.popleft()[1]
            if self._open and self._buffered + size > self._max_buffered:
                raise Outage(
                    f"{self._buffered} bytes wait to be produced; the broker is away or slow"
                )
            self._buffered += size

    def _release(self, size: int) -> None:
        with self._lock:
            self._buffered -= size


def _wait(future: Any, timeout_s: float) -> None:
    if not future.is_done and timeout_s > 0:
        settled = Event()
        future.add_both(lambda _outcome: settled.set())
        settled.wait(timeout_s)


def _fault(error: BaseException) -> str:
    if isinstance(error, errors.MessageSizeTooLargeError | errors.RecordListTooLargeError):
        return TOO_LARGE
    if isinstance(error, errors.RetriableError):
        return RETRIABLE
    return type(error).__name__.removesuffix("Error")
