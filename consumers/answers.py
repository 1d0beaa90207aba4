"""The consumer of answers: poll → pipeline → one script call → outbox → commit.

One thread. Each partition that is held has a job, a generator that yields wherever it would have to
wait; the loop polls (which keeps the membership) and moves every job on. An outage pauses reading
and is retried; it never drops or dead-letters anything.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field

import structlog

from consumers.batching import Window, window
from consumers.dead_letters import letter_of, letter_of_batch
from consumers.delivery import Courier, batch_message, case_message, letter_message
from consumers.kafka import PartitionConsumer, RecordProducer
from consumers.outages import RETRY_S, Outages, sleep
from consumers.pace import Pace
from consumers.placement import Halted, Placed, Placement
from service.health import Health
from service.ingest import Ingest, Job, halve, split
from service.metrics import Metrics
from service.outage import Outage
from service.pipeline import Batch, DeadLetter, Effects
from service.records import Record, Undecodable
from service.stages import Stages
from service.store import Applied, Fenced, Moved, Outbox, OutboxPending, Store

log = structlog.get_logger(__name__)

IDLE_POLL_MS = 200
BUSY_POLL_MS = 3
HALT_RETRY_S = 2.0
MAX_RECORD_BYTES = 700_000
"""A batch whose record for ``rag.verdicts`` would be larger is split: topics take 1 MB or so."""

HEARTBEAT_LATE_S = 8.0
FLOOD_AT_LEAST = 10
"""Rejected records of one batch, half of it at least, that are worth a warning in the log."""


@dataclass(frozen=True, slots=True)
class AnswersOptions:
    """Topics, group, and when to commit. ``gaps_expected``: the topic is compacted or its producers
    use transactions, so that a missing offset is a gap; else it is a loss."""

    topic: str
    dead_letters: str
    verdicts: str
    group: str
    gaps_expected: bool = False
    commit_every_s: float = 1.0
    grace_s: float = 20.0


class _Replace(Exception):
    """The partition stands elsewhere than we thought: place it again."""


@dataclass(eq=False)
class _Held:
    """One partition that this process holds. ``expected``: the next offset to be read;
    ``committable``: the offset up to which everything is stored and produced; ``epoch``: the
    store's when the partition was placed; ``stale``: it is another one by now."""

    partition: int
    epoch: str = ""
    stale: bool = False
    segment: int = 0
    topic_id: str = ""
    expected: int = 0
    placed: bool = False
    halted: Halted | None = None
    waiting: bool = True
    committable: int | None = None
    committed: int | None = None
    backlog: deque[Window] = field(default_factory=deque)
    job: Job[None] | None = None


class AnswersConsumer:
    """Built with its adapters; :meth:`run` until asked to stop."""

    def __init__(
        self,
        consumer: PartitionConsumer,
        producer: RecordProducer,
        placement: Placement,
        store: Store,
        ingest: Ingest,
        metrics: Metrics,
        health: Health,
        options: AnswersOptions,
    ) -> None:
        self._consumer = consumer
        self._outages = Outages(metrics, health)
        self._courier = Courier(producer, self._outages)
        self._placement = placement
        self._store = store
        self._ingest = ingest
        self._metrics = metrics
        self._health = health
        self._options = options
        self._held: dict[int, _Held] = {}
        self._pace = Pace()
        self._writer = secrets.token_hex(4)
        self._commit_due = 0.0

    # The loop.

    def run(self, stop: threading.Event) -> None:
        """Consume until ``stop`` is set, then drain, flush and commit within the grace period."""
        while not stop.is_set():
            self.turn()
        self._drain()

    def turn(self) -> None:
        """One round: poll, move every partition on, commit when it is due."""
        self._health.tick()
        self._metrics.observe_turn()
        busy = any(held.waiting for held in self._held.values())
        try:
            poll = self._consumer.poll(BUSY_POLL_MS if busy else IDLE_POLL_MS)
        except Outage as outage:
            self._outages.note(outage)
            time.sleep(RETRY_S)
            return
        for partition in self._consumer.drain_revoked():
            if self._held.pop(partition, None) is not None:
                log.info("partition_revoked", topic=self._options.topic, partition=partition)
        for partition in poll.unpositioned:
            self._hold(partition)
        for partition in set(poll.records) | {fault.partition for fault in poll.undecodable}:
            faults = [fault for fault in poll.undecodable if fault.partition == partition]
            self._receive(partition, poll.records.get(partition, []), faults)
        self._advance_all()
        self._commit()
        self._report()

    def _hold(self, partition: int) -> None:
        held = self._held.get(partition)
        if held is None or held.placed:
            # New to us, or its position is out of range: either way it must be placed.
            self._held[partition] = held = _Held(partition)
            held.job = self._job(held)

    def _receive(self, partition: int, records: list[Record], faults: list[Undecodable]) -> None:
        held = self._held.get(partition)
        if held is None or not held.placed:
            return
        received = window(held.expected, records, faults)
        held.expected = received.next
        held.backlog.append(received)
        held.waiting = True
        self._consumer.pause({partition})

    def _advance_all(self) -> None:
        """One step of every job. Where Redis does not answer, each would wait for it in turn: one
        failure ends the round, so that polls and heartbeats stay frequent."""
        before = self._outages.failures
        for held in list(self._held.values()):
            self._advance(held)
            if self._outages.failures > before:
                break

    def _advance(self, held: _Held) -> None:
        if held.job is not None and held.waiting:
            next(held.job, None)

    def _drain(self) -> None:
        """Finish what has been read, as far as the grace period goes; the rest is read again."""
        until = time.monotonic() + self._options.grace_s
        self._consumer.pause(self._held)
        while time.monotonic() < until and not self._outages.down:
            working = [held for held in self._held.values() if held.placed and held.backlog]
            if not working:
                break
            self._health.tick()
            for held in working:
                self._advance(held)
            time.sleep(0.002)
        self._commit_due = 0.0
        self._commit()

    # One partition's job.

    def _job(self, held: _Held) -> Job[None]:
        yield from self._place(held)
        while held.placed:
            if not held.backlog and not held.stale:
                held.waiting = False
                self._consumer.resume({held.partition})
                yield
                continue
            try:
                if held.stale:
                    raise _Replace
                yield from self._take(held, held.backlog[0])
                held.backlog.popleft()
            except _Replace:
                held.placed = False
                # The old place must not be committed over the new one, which may lie before it.
                held.committable = None
                held.backlog.clear()
                yield from self._place(held)

    def _place(self, held: _Held) -> Job[None]:
        """Until the partition stands at its checkpoint with an empty outbox."""
        held.waiting = True
        while not held.placed:
            try:
                placed = self._placement.place(held.partition, self._commit_one)
            except Outage as outage:
                self._outages.note(outage)
                yield from sleep(RETRY_S)
                continue
            self._outages.over("kafka", "redis")
            if isinstance(placed, Placed):
                yield from self._settle(held, placed)
                continue
            if placed is not None and placed != held.halted:
                log.error(
                    "partition_halted",
                    partition=held.partition,
                    reason=placed.reason,
                    mend=placed.mend,
                )
            held.halted = placed
            yield from sleep(HALT_RETRY_S)

    def _settle(self, held: _Held, placed: Placed) -> Job[None]:
        """Flush what a former owner left, record the account's start and losses, and seek."""
        held.halted, held.epoch, held.stale = None, placed.epoch, False
        yield from self._flush(held.partition)
        held.segment, held.topic_id = placed.segment, placed.topic_id
        begin = placed.next + placed.lost
        if placed.announce or placed.lost:
            lost = {"retention": placed.lost} if placed.lost else {}
            batch, stages = self._empty(held, placed.next, begin, lost), self._ingest.stages()
            try:
                effects = yield from self._prepared(batch, stages)
                yield from self._store_effects(held, effects, stages)
            except _Replace:
                return
        if placed.uncommitted and not self._commit_one(held.partition, begin):
            # Nothing is read before a commit tells that there is an account: without it a lost
            # store would look like a first start.
            log.warning("commit_refused", partition=held.partition, offset=begin)
            yield from sleep(RETRY_S)
            return
        if self._consumer.seek(held.partition, begin):
            held.expected = held.committable = begin
            held.placed = True
            log.info("partition_placed", partition=held.partition, offset=begin, lost=placed.lost)
        else:
            yield from sleep(RETRY_S)

    def _empty(self, held: _Held, first: int, end: int, lost: dict[str, int]) -> Batch:
        return Batch(
            source=self._options.topic, partition=held.partition, topic_id=held.topic_id,
            segment=held.segment, first=first, next=end, received=0, gaps=0, lost=lost, items=(),
            writer=self._writer,
        )  # fmt: skip

    def _batch(self, held: _Held, received: Window, stages: Stages) -> Batch:
        holes = received.holes
        gaps = holes if self._options.gaps_expected else 0
        lost = {"undecodable": received.undecodable, "offset_gap": holes - gaps}
        return Batch(
            source=self._options.topic,
            partition=held.partition,
            topic_id=held.topic_id,
            segment=held.segment,
            first=received.first,
            next=received.next,
            received=received.received,
            gaps=gaps,
            lost={reason: number for reason, number in lost.items() if number},
            items=self._ingest.read(received.records, stages),
            writer=self._writer,
        )

    def _take(self, held: _Held, received: Window) -> Job[None]:
        """Dead letters first, then the store, then the outbox: a crash anywhere loses nothing."""
        if received.faults:
            yield from self._bury_batches(received.faults)
        stages = self._ingest.stages()
        batches = deque([self._batch(held, received, stages)])
        while batches:
            batch = batches.popleft()
            count = self._pace.step(batch.items)
            if count < len(batch.items):
                batch, rest = split(batch, count)
                batches.appendleft(rest)
            effects = yield from self._prepared(batch, stages)
            if self._ingest.record_bytes(effects) > MAX_RECORD_BYTES and len(batch.items) > 1:
                batches.extendleft(reversed(halve(batch)))
                continue
            if len(effects.dead_letters) >= max(FLOOD_AT_LEAST, len(effects.rows) // 2):
                # Somebody deployed a broken sender. Nothing stops for it: the raw bytes are kept.
                log.warning(
                    "dead_letter_flood",
                    partition=held.partition,
                    rejected=len(effects.dead_letters),
                    of=len(effects.rows),
                )
            yield from self._bury(effects.dead_letters)
            yield from self._store_effects(held, effects, stages)
            stages = self._ingest.stages()

    def _prepared(self, batch: Batch, stages: Stages) -> Job[Effects]:
        return self._outages.retried_job(lambda: self._preparing(batch, stages))

    def _preparing(self, batch: Batch, stages: Stages) -> Job[Effects]:
        self._health.tick()
        preparing = self._ingest.preparing(batch, stages)
        yield next(preparing)
        began = time.monotonic()  # what others did meanwhile is not this batch's time
        effects = yield from preparing
        if batch.items:
            self._pace.learn(len(batch.items), time.monotonic() - began)
        return effects

    def _store_effects(self, held: _Held, effects: Effects, stages: Stages) -> Job[None]:
        batch = effects.batch
        applied: Applied | None = None
        while applied is None:
            try:
                effects, applied = yield from self._ingest.applying(effects, held.epoch, stages)
            except Outage as outage:
                self._outages.note(outage)
                yield from sleep(RETRY_S)
            except OutboxPending:
                yield from self._flush(held.partition)
            except Moved as refusal:
                if (refusal.next, refusal.pending) != (batch.next, batch.batch_id):
                    log.warning(
                        "checkpoint_moved",
                        partition=held.partition,
                        expected=batch.first,
                        found=refusal.next,
                    )
                    raise _Replace from None
                # Our own call got through; only its answer was lost.
                outbox = yield from self._outbox(held.partition)
                applied = _what_was_applied(effects, outbox)
            except Fenced:
                log.warning("fenced", partition=held.partition)
                raise _Replace from None
        self._outages.over("redis")
        self._ingest.observe(effects, applied)
        if (yield from self._flush(held.partition, stages)) != batch.batch_id:
            # Somebody else put it on record, or nobody and the store was lost: the commit must not
            # run ahead of the verdicts.
            raise _Replace
        stages.close(effects, applied)
        held.committable = batch.next

    # The outbox and dead letters.

    def _outbox(self, partition: int) -> Job[Outbox | None]:
        topic = self._options.topic
        return self._outages.retried(lambda: self._store.ledger.outbox(topic, partition))

    def _flush(self, partition: int, stages: Stages | None = None) -> Job[str | None]:
        """Produce the outbox: the cases, then the batch that closes them; then forget it.

        Returns the batch's id, or None when there was none or it vanished meanwhile.
        """
        outbox = yield from self._outbox(partition)
        if outbox is None:
            return None
        topic, verdicts = self._options.topic, self._options.verdicts
        with (stages or self._ingest.stages()).time("produce"):
            yield from self._courier.deliver(verdicts, map(case_message, outbox.cases))
            yield from self._courier.deliver(
                verdicts, [batch_message(f"{topic}/{partition}", outbox.batch)]
            )
        batch_id = outbox.batch_id
        cleared = yield from self._outages.retried(
            lambda: self._store.ledger.clear_outbox(topic, partition, batch_id)
        )
        return batch_id if cleared else None

    def _bury(self, dead: tuple[DeadLetter, ...]) -> Job[None]:
        options = self._options
        letters = [letter_of(letter, options.topic, options.group) for letter in dead]
        return self._courier.deliver(options.dead_letters, map(letter_message, letters))

    def _bury_batches(self, faults: tuple[Undecodable, ...]) -> Job[None]:
        options, now = self._options, int(time.time() * 1000)
        for _ in faults:
            self._metrics.observe_undecodable_batch()
            self._metrics.observe_dead_letter("undecodable")
        letters = [letter_of_batch(fault, options.topic, options.group, now) for fault in faults]
        return self._courier.deliver(options.dead_letters, map(letter_message, letters))

    # Commits, health, metrics.

    def _commit(self) -> None:
        now = time.monotonic()
        if now < self._commit_due:
            return
        self._commit_due = now + self._options.commit_every_s
        self._watch_heartbeat()
        self._watch_store()
        self._metrics.set_lag(self._lag())
        offsets = {
            held.partition: held.committable
            for held in self._held.values()
            if held.committable is not None and held.committable != held.committed
        }
        if not offsets:
            return
        if self._consumer.commit(offsets, timeout_s=2.0):
            for partition, offset in offsets.items():
                self._held[partition].committed = offset
        else:
            # A hint that did not arrive: the checkpoint is the truth.
            self._metrics.observe_commit_failure()

    def _lag(self) -> dict[int, int]:
        """Behind the log's end in what is stored: what waits in a backlog is not done. An outage
        pauses reading, and the lag must be seen to grow all the same."""
        return {
            partition: behind + sum(part.next - part.first for part in held.backlog)
            for partition, behind in self._consumer.lag(ask=bool(self._outages.down)).items()
            if (held := self._held.get(partition)) is not None
        }

    def _watch_heartbeat(self) -> None:
        """An empty poll cannot tell an idle topic from an absent broker; a late heartbeat can."""
        age = self._consumer.heartbeat_age_s()
        if age is not None and age > HEARTBEAT_LATE_S:
            self._outages.note(Outage(f"no heartbeat got through to the group for {age:.0f} s"))
        elif age is not None:
            self._outages.over("kafka")

    def _watch_store(self) -> None:
        """A partition without traffic must notice a lost or older store and a reset too."""
        partitions = list(self._held)
        try:
            epoch, offsets = self._store.checkpoints.glance(self._options.topic, partitions)
        except Outage as outage:
            self._outages.note(outage)
            return
        if not any(held.waiting for held in self._held.values()):
            # Else the jobs say when it is over: Redis may answer and yet take no writes.
            self._outages.over("redis")
        for held in self._held.values():
            moved = not held.waiting and offsets.get(held.partition) != held.expected
            if held.placed and (held.epoch != epoch or moved):
                held.stale = held.waiting = True
                held.committable = None

    def _commit_one(self, partition: int, offset: int) -> bool:
        return self._consumer.commit({partition: offset}, timeout_s=2.0)

    def _report(self) -> None:
        halted = Counter(held.halted.reason for held in self._held.values() if held.halted)
        self._metrics.set_halted(halted)
        joined = self._consumer.joined()
        self._health.set("group", joined, "" if joined else "not a member of the group (yet)")
        named = [
            f"{self._options.topic}/{held.partition}: {held.halted.reason}: {held.halted.mend}"
            for held in self._held.values()
            if held.halted is not None
        ]
        self._health.set("partitions", not named, "; ".join(named))


def _what_was_applied(effects: Effects, outbox: Outbox | None) -> Applied:
    """The effects may have been computed once more since: what is stored is in the outbox."""
    cases = len(outbox.cases) if outbox is not None else 0
    return Applied(cases, max(0, len(effects.cases) - cases))
