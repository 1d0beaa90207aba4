"""The consumer of feedback: a second subscription of ``consume``, in a thread and a group of its
own, so that it never delays the answers.

At least once: a piece of feedback is committed when its effects are stored and produced; the
store's script knows a repeat by its position. An outage pauses reading; what cannot be read goes to
the dead letters. Feedback that finds no answer waits until all answers are checked that stood in
their topic when it was read, and is looked up once more: it may have overtaken its own.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import structlog

from consumers.dead_letters import UNDECODABLE, Letter, letter_of, letter_of_batch
from consumers.delivery import WAIT_S, Courier, letter_message
from consumers.kafka import PartitionConsumer, TopicFacts
from consumers.outages import RETRY_S, Outages
from consumers.progress import AnswersProgress
from service.checks import where
from service.events import Rejection
from service.feedback import REFUSED, FeedbackEvent, FeedbackOutcome
from service.health import Health
from service.joining import FeedbackJoin, Joined
from service.metrics import NO_THUMB, Metrics
from service.outage import Outage
from service.outbox import Sink, flush
from service.pipeline import DeadLetter
from service.policy import OTHER
from service.records import Record, Undecodable
from service.store import Fenced, Store, StoreOutage

log = structlog.get_logger(__name__)

IDLE_POLL_MS = 200
BUSY_POLL_MS = 3
TURN_S = 1.0
"""Work between two polls: the membership must not wait for a long backlog."""


LOOK_AGAIN_S = 60.0
PATIENCE_S = 300.0
"""For so long feedback that finds no answer waits for answers to be checked, and no longer: what
stands behind it in its partition waits with it."""


class TopicMissing(Exception):
    """There is no topic of feedback. The message names it."""


@dataclass(frozen=True, slots=True)
class FeedbackOptions:
    topic: str
    dead_letters: str
    group: str
    commit_every_s: float = 1.0


class FeedbackConsumer:
    """Built with its adapters; :meth:`run` until asked to stop. Used by one thread."""

    def __init__(
        self,
        consumer: PartitionConsumer,
        facts: TopicFacts,
        courier: Courier,
        sink: Sink,
        join: FeedbackJoin,
        progress: AnswersProgress,
        store: Store,
        metrics: Metrics,
        outages: Outages,
        options: FeedbackOptions,
    ) -> None:
        self._consumer = consumer
        self._facts = facts
        self._courier = courier
        self._sink = sink
        self._join = join
        self._progress = progress
        self._store = store
        self._metrics = metrics
        self._outages = outages
        self._options = options
        self._backlog: dict[int, deque[Record | Undecodable]] = {}
        self._done: dict[int, int] = {}
        self._polled: dict[int, float] = {}
        self._held: set[int] = set()
        self._topic_id = ""
        self._epoch = ""
        self._retry_at = 0.0
        self._commit_due = 0.0

    def run(self, stop: threading.Event) -> None:
        """What was read and not done by the stop is read again."""
        while not stop.is_set():
            self.turn()
        self._commit_due = 0.0
        self._try(self._commit)

    def turn(self) -> None:
        """One round: poll, do some of what waits, commit when it is due."""
        waiting = any(items for at, items in self._backlog.items() if at not in self._held)
        if not self._try(lambda: self._poll(BUSY_POLL_MS if waiting else IDLE_POLL_MS)):
            time.sleep(RETRY_S)
            return
        if time.monotonic() >= self._retry_at and not (
            self._try(self._work) and self._try(self._commit)
        ):
            self._retry_at = time.monotonic() + RETRY_S

    def _try(self, step: Callable[[], None]) -> bool:
        try:
            step()
        except Outage as outage:
            self._outages.note(outage)
            return False
        return True

    def _poll(self, timeout_ms: int) -> None:
        poll = self._consumer.poll(timeout_ms)
        for partition in self._consumer.drain_revoked():
            self._forget(partition)
        for fault in poll.undecodable:
            self._keep(fault.partition, [fault])
        for partition, records in poll.records.items():
            self._keep(partition, records)
        for partition in poll.unpositioned:
            self._place(partition)

    def _keep(self, partition: int, items: Iterable[Record | Undecodable]) -> None:
        waiting = self._backlog.setdefault(partition, deque())
        waiting.extend(items)
        self._backlog[partition] = deque(sorted(waiting, key=_offset))
        self._polled[partition] = time.monotonic()
        self._consumer.pause({partition})

    def _place(self, partition: int) -> None:
        """At the group's commit; at the log's start where there is none, or none that is kept."""
        topic, group = self._options.topic, self._options.group
        self._topic_id = self._facts.topic_id(topic)
        begin, end = self._facts.log_bounds(topic, partition)
        committed = self._facts.committed(group, topic).get(partition, begin)
        self._forget(partition)
        self._consumer.seek(partition, committed if begin <= committed <= end else begin)

    def _forget(self, partition: int) -> None:
        self._backlog.pop(partition, None)
        self._done.pop(partition, None)
        self._held.discard(partition)

    def _work(self) -> None:
        until = time.monotonic() + TURN_S
        for partition, waiting in self._backlog.items():
            while waiting and time.monotonic() < until:
                item = waiting[0]
                if not self._take(item):
                    break
                waiting.popleft()
                self._done[partition] = item.offset + 1 if isinstance(item, Record) else item.next
            if not waiting:
                self._consumer.resume({partition})
        self._outages.over("redis", "kafka")

    def _take(self, item: Record | Undecodable) -> bool:
        """False where its answer may still come: then it is to be taken again."""
        options = self._options
        if isinstance(item, Undecodable):
            self._metrics.observe_undecodable_batch()
            now_ms = int(time.time() * 1000)
            letter = letter_of_batch(item, options.topic, options.group, now_ms)
            self._bury(letter, UNDECODABLE)
            return True
        said = self._join.parse(item.value)
        if isinstance(said, Rejection):
            dead = DeadLetter(item, said.reason.value, said.message, said.field)
            self._bury(letter_of(dead, options.topic, options.group), dead.reason)
            self._metrics.observe_feedback(OTHER, NO_THUMB, FeedbackOutcome.REJECTED)
            return True
        final = self._is_final(item.partition)
        if not final and item.partition in self._held:
            return False
        joined = self._joined(said, item)
        if joined.outcome is FeedbackOutcome.UNMATCHED and not final:
            self._held.add(item.partition)
            return False
        self._held.discard(item.partition)
        self._metrics.observe_feedback(joined.app, joined.thumb, joined.outcome, joined.answer)
        self._metrics.observe_redactions(joined.redacted)
        if joined.to:
            self._metrics.observe_second_draw(refused=joined.to == REFUSED)
        return True

    def _is_final(self, partition: int) -> bool:
        """Whether feedback that finds no answer now never will."""
        polled = self._polled[partition]
        if time.monotonic() - polled > PATIENCE_S:
            return True
        if partition in self._held and not self._progress.covers(polled):
            self._progress.look()
        return self._progress.covers(polled)

    def _joined(self, said: FeedbackEvent, item: Record) -> Joined:
        read = (f"{self._topic_id}/{item.partition}", item.offset)
        while True:
            try:
                return self._join.take(said, read, self._opened())
            except Fenced:
                self._epoch = ""

    def _opened(self) -> str:
        """The store's epoch. An outage while it is being rebuilt."""
        if not self._epoch:
            epoch = self._store.checkpoints.open()
            if self._store.checkpoints.state():
                raise StoreOutage("`groundwatch rebuild` is running; feedback waits for it")
            self._epoch = epoch
        return self._epoch

    def _bury(self, letter: Letter, reason: str) -> None:
        for _ in self._courier.deliver(self._options.dead_letters, [letter_message(letter)]):
            time.sleep(WAIT_S)
        self._metrics.observe_dead_letter(reason)

    def _commit(self) -> None:
        """Only what is stored and produced: the commit must not run ahead of the verdicts."""
        now = time.monotonic()
        if now < self._commit_due or not self._done:
            return
        self._commit_due = now + self._options.commit_every_s
        if flush(self._store, self._sink) and self._consumer.commit(self._done, timeout_s=2.0):
            self._done.clear()


def _offset(item: Record | Undecodable) -> int:
    return item.offset if isinstance(item, Record) else item.first


class FeedbackThread:
    """Feedback beside something else in the same process, until closed. ``consumer``: opens one;
    it raises :class:`TopicMissing` where there is no such topic (yet)."""

    def __init__(
        self, consumer: Callable[[], AbstractContextManager[FeedbackConsumer]], health: Health
    ) -> None:
        self._consumer = consumer
        self._health = health
        self._stop = threading.Event()
        self._told = ""
        self._thread = threading.Thread(target=self._run, name="feedback", daemon=True)
        self._thread.start()

    def close(self, timeout_s: float) -> None:
        self._stop.set()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self._consumer() as consumer:
                    self._tell("on", "feedback_on")
                    consumer.run(self._stop)
            except TopicMissing as missing:
                self._tell(f"off: {missing}", "feedback_off")
                self._stop.wait(LOOK_AGAIN_S)
            except Outage as outage:
                self._tell(f"waits: {outage}", "feedback_waits")
                self._stop.wait(RETRY_S)
            except Exception as error:  # noqa: BLE001 (told, and gone on after)
                # A fault of ours must not end feedback for good, nor touch the answers.
                log.error("feedback_broken", error=where(error))
                self._stop.wait(LOOK_AGAIN_S)

    def _tell(self, state: str, event: str) -> None:
        """Once a change; feedback that is off or waits makes nothing unready."""
        self._health.set("feedback", True, state)
        if state != self._told:
            self._told = state
            log.info(event, state=state)
