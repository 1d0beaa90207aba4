"""The embedded service: no Kafka. Events go straight into the pipeline; verdicts and dead letters
are appended to local JSONL files, from which a ``memory://`` store is restored at the start."""

from __future__ import annotations

import base64
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import structlog

from service.accounting import Kind, Row
from service.drafts import case_id
from service.events import Rejection
from service.feedback import FeedbackOutcome
from service.ingest import Ingest
from service.intake import Overloaded, Receipt
from service.joining import FeedbackJoin
from service.metrics import NO_THUMB, Metrics
from service.outage import Misconfiguration, Outage
from service.outbox import Sink, flush
from service.pipeline import Batch, DeadLetter, Effects
from service.policy import OTHER
from service.rebuild import rebuild
from service.records import Record
from service.store import Moved, OutboxPending, Refused, Store

log = structlog.get_logger(__name__)

TOPIC_ID = "embedded"
HTTP = "http/0"
"""Where embedded feedback comes from; its offsets are a running number."""
WAITING_REQUESTS = 32


class Journal:
    """An append-only JSONL file of one process. A torn last line (a crash while writing) is cut
    off first."""

    def __init__(self, path: Path) -> None:
        """Raises :class:`Misconfiguration` when the file cannot be written, or when another process
        appends to it: both would count from the same position, and one would be lost."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.path = path
            self._file: BinaryIO = path.open("ab", buffering=0)
            _lock(self._file)
        except BlockingIOError:
            raise Misconfiguration(
                f"another groundwatch process uses {path.parent}: stop it, or give this one a "
                "folder of its own (GROUNDWATCH_DATA_DIR)"
            ) from None
        except OSError as error:
            raise Misconfiguration(
                f"cannot write {path}: {error.strerror}; see GROUNDWATCH_DATA_DIR"
            ) from None
        self._lock = threading.Lock()
        self._cut_torn_line()

    def append(self, lines: Sequence[bytes]) -> None:
        """All lines or none. Raises :class:`Outage` when they cannot be written (a full disk)."""
        if not lines:
            return
        data = memoryview(b"".join(line + b"\n" for line in lines))
        with self._lock:
            end = self._file.seek(0, os.SEEK_END)
            try:
                while data:
                    data = data[self._file.write(data) :]
            except OSError as error:
                self._file.truncate(end)
                raise Outage(f"cannot write {self.path.name}: {error.strerror}") from None

    def write(self, records: Sequence[bytes]) -> None:
        """As a sink of records."""
        self.append(records)

    def read(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            for line in file:
                yield line.rstrip(b"\n")

    def close(self) -> None:
        self._file.close()

    def _cut_torn_line(self) -> None:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            end, step = size, 1 << 16
            while end > 0:
                file.seek(max(0, end - step))
                chunk = file.read(min(step, end))
                newline = chunk.rfind(b"\n")
                if newline >= 0:
                    end = max(0, end - step) + newline + 1
                    break
                end = max(0, end - step)
        if end != size:
            self._file.truncate(end)


def _lock(file: BinaryIO) -> None:
    """Hold the file for this process; BlockingIOError when another one does. Windows has no such
    lock: there nothing keeps two processes apart."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise


class EmbeddedIntake:
    """Takes events as batches of one source, one after the other. Thread-safe."""

    asynchronous = False

    def __init__(
        self,
        store: Store,
        ingest: Ingest,
        data_dir: Path,
        source: str = "http",
        clock_ms: Callable[[], int] = lambda: int(time.time() * 1000),
    ) -> None:
        self._store = store
        self._ingest = ingest
        self._source = source
        self._clock_ms = clock_ms
        self._verdicts = Journal(data_dir / "verdicts.jsonl")
        self._dead_letters = Journal(data_dir / "dead-letters.jsonl")
        self.reviews = Journal(data_dir / "reviews.jsonl")
        self._lock = threading.Lock()
        self._waiting = threading.BoundedSemaphore(WAITING_REQUESTS)
        self._epoch = ""

    def open(self) -> None:
        """Restore an empty store from the journal (``memory://`` at each start, a Redis that was
        flushed); flush what a former process left."""
        self._store.checkpoints.open()
        # A store that holds anything may be somebody else's: a rebuild would wipe it.
        empty = not self._store.checkpoints.books()
        if empty and self._verdicts.path.stat().st_size:
            records = chain(self._verdicts.read(), self.reviews.read())
            report = rebuild(self._store, records, lambda _: None)
            if report.unknown or report.holes:
                log.error(
                    "journal_damaged",
                    path=str(self._verdicts.path.parent),
                    unreadable=report.unknown,
                    holes=report.holes,
                    consequence="what stood there is not in the books",
                )
        self._epoch = self._store.checkpoints.open()
        self._store.checkpoints.start(self._source, TOPIC_ID, {0: 0})
        if self._store.checkpoints.get(self._source, 0) is None:
            self._store.checkpoints.open_segment(self._source, 0, 0, TOPIC_ID)
        self._flush()

    def close(self) -> None:
        self._verdicts.close()
        self._dead_letters.close()
        self.reviews.close()

    def submit(self, events: list[bytes]) -> list[Receipt]:
        """See :class:`service.intake.Intake`."""
        if not self._waiting.acquire(blocking=False):
            raise Overloaded(retry_after_s=1)
        try:
            with self._lock:
                effects = self._take(events)
        finally:
            self._waiting.release()
        rejections = {dead.record.offset: dead for dead in effects.dead_letters}
        kept = self._store.archive.kept([case.case_id for case in effects.cases])
        return [_receipt(row, effects, rejections, kept) for row in effects.rows]

    def _take(self, events: Sequence[bytes]) -> Effects:
        now, buried, stages = self._clock_ms(), False, self._ingest.stages()
        while True:
            checkpoint = self._store.checkpoints.get(self._source, 0)
            if checkpoint is None:
                self.open()
                continue
            first = checkpoint.next
            records = [Record(0, first + n, now, None, event) for n, event in enumerate(events)]
            effects = self._ingest.prepare(
                Batch(
                    source=self._source,
                    partition=0,
                    topic_id=TOPIC_ID,
                    segment=checkpoint.segment,
                    first=first,
                    next=first + len(records),
                    received=len(records),
                    gaps=0,
                    lost={},
                    items=self._ingest.read(records, stages),
                ),
                stages,
            )
            if not buried:
                self._dead_letters.append(
                    [_letter(dead, self._source) for dead in effects.dead_letters]
                )
                buried = True
            try:
                effects, applied = self._ingest.apply(effects, self._epoch, stages)
            except (Moved, OutboxPending):
                # Another process shares this store: take the next free position.
                self._flush()
            except Refused:
                self._epoch = self._store.checkpoints.open()
            else:
                self._ingest.observe(effects, applied)
                with stages.time("produce"):
                    self._flush()
                stages.close(effects, applied)
                return effects

    def write(self, records: Sequence[bytes]) -> None:
        """Append what the judge found to the verdicts. Raises :class:`Outage`."""
        self._verdicts.append(records)

    def _flush(self) -> None:
        outbox = self._store.ledger.outbox(self._source, 0)
        if outbox is not None:
            self._verdicts.append([*outbox.cases, outbox.batch])
            self._store.ledger.clear_outbox(self._source, 0, outbox.batch_id)


class EmbeddedFeedback:
    """Feedback without Kafka, joined at once with the answer's case, or not. Thread-safe."""

    asynchronous = False

    def __init__(self, store: Store, join: FeedbackJoin, sink: Sink, metrics: Metrics) -> None:
        self._store = store
        self._join = join
        self._sink = sink
        self._metrics = metrics
        self._lock = threading.Lock()

    def submit(self, events: list[bytes]) -> list[Receipt]:
        """See :class:`service.intake.Intake`."""
        with self._lock:
            receipts = [self._take(event) for event in events]
            flush(self._store, self._sink)
        return receipts

    def _take(self, raw: bytes) -> Receipt:
        said = self._join.parse(raw)
        if isinstance(said, Rejection):
            self._metrics.observe_feedback(OTHER, NO_THUMB, FeedbackOutcome.REJECTED)
            return Receipt(
                "rejected", reason=said.reason.value, field=said.field, message=said.message
            )
        while True:
            read = (HTTP, self._store.feedback.next_read(HTTP))
            try:
                joined = self._join.take(said, read, self._store.checkpoints.open())
            except Refused:
                continue
            if joined.outcome is not FeedbackOutcome.REPEATED:
                break
        self._metrics.observe_feedback(joined.app, joined.thumb, joined.outcome, joined.answer)
        self._metrics.observe_redactions(joined.redacted)
        return Receipt(joined.outcome.value, event_id=said.event_id)


def _letter(dead: DeadLetter, source: str) -> bytes:
    """The raw bytes in base64: they may be anything."""
    return orjson.dumps(
        {
            "reason": dead.reason,
            "message": dead.message,
            "source": source,
            "offset": dead.record.offset,
            "timestamp_ms": dead.record.timestamp_ms,
            "value_base64": base64.b64encode(dead.record.value or b"").decode(),
        }
    )


def _receipt(
    row: Row, effects: Effects, rejections: dict[int, DeadLetter], kept: frozenset[str]
) -> Receipt:
    if row.kind is Kind.REJECTED:
        dead = rejections[row.offset]
        return Receipt("rejected", reason=dead.reason, field=dead.field, message=dead.message)
    if row.kind is not Kind.CHECKED:
        return Receipt(row.kind.value, event_id=row.event_id)
    results = effects.results[row.offset]
    findings: list[dict[str, Any]] = [
        asdict(finding) for result in results.values() for finding in result.findings
    ]
    case = case_id(row.identity, row.event_id)
    verdict = {
        "checks": {name: result.outcome.value for name, result in results.items()},
        "findings": findings,
        # None too for one of a flood, which is counted in its groups without a case.
        "case_id": case if case in kept else None,
    }
    return Receipt("checked", event_id=row.event_id, verdict=verdict)
