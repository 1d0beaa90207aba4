"""Sends answer events to groundwatch from within an application. Copy this file; it needs nothing
but Python (and kafka-python, where you produce to Kafka yourself).

    emitter = Emitter(HttpSender("http://groundwatch:8321"))
    emitter.emit({"event_id": "…", "query": "…", "retrieved": […], "answer": "…"})

``emit`` never waits for the network and never raises. A thread sends in the background; what it
cannot send in time is dropped and counted (:meth:`Emitter.counts`).
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import threading
import time
import urllib.error
import urllib.request
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

log = logging.getLogger("groundwatch.emitter")

Send = Callable[[Sequence[bytes]], int]
"""Sends a batch of events, each as JSON, and returns how many of them were refused for good. It
raises :class:`NotNow`, or anything else, when the whole batch should be sent again later."""


class NotNow(Exception):
    """The receiver asks to come back after ``after_s`` seconds."""

    def __init__(self, after_s: float) -> None:
        super().__init__(f"come back after {after_s:g} s")
        self.after_s = after_s


@dataclass(frozen=True)
class Counts:
    """Of one emitter since it was made: emitted = sent + refused + dropped_full + dropped_unsent +
    waiting. ``refused``: no JSON, or the receiver will never take it. ``dropped_full``: the queue
    was full. ``dropped_unsent``: tried until ``give_up_s``, or left over when it was closed."""

    emitted: int = 0
    sent: int = 0
    refused: int = 0
    dropped_full: int = 0
    dropped_unsent: int = 0
    waiting: int = 0


class Emitter:
    """Events on their way, at most ``max_events`` and ``max_bytes`` of them.

    A batch is at most ``batch`` events and 4 MiB; what has waited for ``linger_s`` is sent. A batch
    that fails is sent again, more and more rarely, for ``give_up_s`` seconds. At the end of the
    process what is left is sent for ``close_s`` seconds at most.
    """

    def __init__(
        self,
        send: Send,
        *,
        max_events: int = 1_000,
        max_bytes: int = 32 << 20,
        batch: int = 50,
        linger_s: float = 0.5,
        give_up_s: float = 60.0,
        close_s: float = 3.0,
    ) -> None:
        self._send = send
        self._max_events, self._max_bytes = max_events, max_bytes
        self._batch, self._linger_s = batch, linger_s
        self._give_up_s, self._close_s = give_up_s, close_s
        self._reset()
        _emitters.add(self)

    def _reset(self) -> None:
        """As new: after a fork, the thread and what it had are the parent's."""
        self._changed = threading.Condition()
        self._counts: Counts = Counts()
        self._waiting: deque[bytes] = deque()
        self._bytes: int = 0
        self._under_way: int = 0
        self._thread: threading.Thread | None = None
        self._closed: bool = False
        self._hurry: bool = False
        self._abandoned: bool = False
        self._close_by = float("inf")
        self._complained_at = float("-inf")

    def emit(self, event: Mapping[str, Any]) -> bool:
        """Queue an answer event (a dict of the contract). False when it was not taken."""
        try:
            raw = json.dumps(event, ensure_ascii=False, allow_nan=False).encode()
        except Exception as error:  # noqa: BLE001 (whatever is in an event, the application goes on)
            with self._changed:
                self._counts = replace(
                    self._counts,
                    emitted=self._counts.emitted + 1,
                    refused=self._counts.refused + 1,
                )
            self._complain("an event is no JSON (%s)", type(error).__name__)
            return False
        return self._queue(raw)

    def counts(self) -> Counts:
        with self._changed:
            return replace(self._counts, waiting=len(self._waiting) + self._under_way)

    def flush(self, timeout_s: float) -> bool:
        """Wait until everything is sent; False when that takes longer."""
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            done = self._changed.wait_for(
                lambda: not self._waiting and not self._under_way, timeout_s
            )
            self._hurry = False
            return done

    def close(self) -> None:
        """Send what is left, for ``close_s`` seconds at most; the rest is dropped and counted."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._close_by = time.monotonic() + self._close_s
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(self._close_s)
        with self._changed:
            left = len(self._waiting) + self._under_way
            self._waiting.clear()
            self._bytes = self._under_way = 0
            self._add(dropped_unsent=left)
            self._abandoned = True
            self._changed.notify_all()
        if left:
            log.warning("%d events were dropped at the end", left)

    # The queue.

    def _queue(self, raw: bytes) -> bool:
        with self._changed:
            full = (
                self._closed
                or len(self._waiting) + self._under_way >= self._max_events
                or self._bytes + len(raw) > self._max_bytes
            )
            self._add(emitted=1, dropped_full=int(full))
            if not full:
                self._waiting.append(raw)
                self._bytes += len(raw)
                self._start()
                self._changed.notify_all()
        if full:
            self._complain("events are dropped: the queue is full or closed")
        return not full

    def _start(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="groundwatch", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more threads for now: the next event tries again
                return
            self._thread = thread

    def _add(self, **more: int) -> None:
        current = {name: getattr(self._counts, name) + n for name, n in more.items()}
        self._counts = replace(self._counts, **current)

    # The thread.

    def _run(self) -> None:
        while batch := self._take():
            sent, refused = self._try(batch)
            with self._changed:
                if self._abandoned:
                    return
                self._under_way = 0
                self._bytes -= sum(map(len, batch))
                if sent:
                    self._add(sent=len(batch) - refused, refused=refused)
                else:
                    self._add(dropped_unsent=len(batch))
                self._changed.notify_all()
            if refused:
                self._complain("%d events were refused; see the service's log", refused)
            if not sent:
                self._complain("%d events could not be sent", len(batch))

    def _take(self) -> list[bytes]:
        """The next batch; empty when closed and nothing is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            self._changed.wait_for(
                lambda: len(self._waiting) >= self._batch or self._closed or self._hurry,
                self._linger_s,
            )
            batch: list[bytes] = []
            size = 0
            while self._waiting and len(batch) < self._batch:
                size += len(self._waiting[0])
                if batch and size > MAX_BATCH_BYTES:
                    break
                batch.append(self._waiting.popleft())
            self._under_way = len(batch)
            return batch

    def _try(self, batch: Sequence[bytes]) -> tuple[bool, int]:
        """(whether it was taken, how many of it were refused)."""
        give_up = time.monotonic() + self._give_up_s
        pause = FIRST_PAUSE_S
        while True:
            after = pause
            try:
                return True, self._send(batch)
            except NotNow as asked:
                after = max(pause, asked.after_s)
            except Exception as error:  # noqa: BLE001 (a sender may raise anything)
                self._complain("sending failed (%s); it is tried again", type(error).__name__)
            if not self._wait(after, give_up):
                return False, 0
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _wait(self, after_s: float, give_up: float) -> bool:
        """Whether there is time for another attempt, once ``after_s`` have passed. Closing cuts the
        wait short, once."""
        with self._changed:
            if time.monotonic() + after_s > min(give_up, self._close_by):
                return False
            closed = self._closed
            self._changed.wait_for(lambda: self._abandoned or self._closed != closed, after_s)
            return not self._abandoned

    def _complain(self, message: str, *values: object) -> None:
        """At most once a minute, and never a text of an event."""
        now = time.monotonic()
        if now - self._complained_at >= COMPLAIN_EVERY_S:
            self._complained_at = now
            log.warning(message, *values)


MAX_BATCH_BYTES = 4 << 20
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 10.0
COMPLAIN_EVERY_S = 60.0

_emitters: weakref.WeakSet[Emitter] = weakref.WeakSet()


def _close_all() -> None:
    for emitter in list(_emitters):
        emitter.close()


def _forget_the_parent() -> None:
    for emitter in list(_emitters):
        emitter._reset()  # noqa: SLF001 (of this module)


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_the_parent)


class HttpSender:
    """``POST /v1/answers`` of `groundwatch serve`. ``url``: its address, without the path.
    ``headers``: more of them, such as an API key."""

    def __init__(
        self, url: str, *, headers: Mapping[str, str] | None = None, timeout_s: float = 10.0
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError("wanted http:// or https://")
        self._url = url.rstrip("/") + "/v1/answers"
        self._headers = {"Content-Type": "application/x-ndjson", **(headers or {})}
        self._timeout_s = timeout_s

    def __call__(self, batch: Sequence[bytes]) -> int:
        request = urllib.request.Request(  # noqa: S310 (http or https, see above)
            self._url, b"\n".join(batch), self._headers, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:  # noqa: S310
                receipts = json.load(answer)["results"]
        except urllib.error.HTTPError as error:
            with error:
                if error.code in (408, 429) or error.code >= 500:
                    raise NotNow(_seconds(error.headers.get("Retry-After"))) from None
                log.warning("groundwatch refuses a batch with status %d", error.code)
                return len(batch)
        return sum(receipt["state"] == "rejected" for receipt in receipts)


def _seconds(told: str | None) -> float:
    return float(told) if told and told.isdecimal() else 1.0


class KafkaSender:
    """Produces into the topic of the answers with kafka-python. ``options``: those of its
    ``KafkaProducer`` (``security_protocol`` …). Connects when the first batch is sent."""

    def __init__(self, bootstrap: str, topic: str = "rag.answers", **options: Any) -> None:
        self._topic = topic
        self._options = {
            "bootstrap_servers": bootstrap.split(","),
            "acks": "all",
            "request_timeout_ms": 10_000,
            "delivery_timeout_ms": 20_000,
            "reconnect_backoff_max_ms": 1_000,
            "max_request_size": 16 << 20,
            **options,
        }
        self._producer: Any = None
        self._pid = 0

    def __call__(self, batch: Sequence[bytes]) -> int:
        from kafka import KafkaProducer

        if self._pid != os.getpid():  # a producer's threads stay behind in a fork
            self._producer = KafkaProducer(**self._options)
            self._pid = os.getpid()
        return sum(not self._delivered(event) for event in [self._begin(raw) for raw in batch])

    def close(self) -> None:
        if self._producer is not None and self._pid == os.getpid():
            self._producer.close(timeout=5)

    def _begin(self, event: bytes) -> Any:
        from kafka import errors

        try:
            return self._producer.send(self._topic, event)
        except errors.MessageSizeTooLargeError:
            return None

    def _delivered(self, sent: Any) -> bool:
        """False when Kafka will never take it; raises when it may later."""
        from kafka import errors

        try:
            if sent is not None:
                # Longer than the producer itself tries: then it is certain what became of it.
                sent.get(30)
        except errors.MessageSizeTooLargeError:
            return False
        return sent is not None
