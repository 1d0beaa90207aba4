"""One topic, one group, one consumer: polling by partition, with positions that the caller owns."""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kafka import KafkaConsumer, TopicPartition, errors
from kafka.consumer.subscription_state import ConsumerRebalanceListener
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.structs import OffsetAndMetadata

from consumers.kafka.batches import bounded_batches
from consumers.kafka.options import KafkaOptions, connect, outages, require_fast_checksums
from service.outage import Outage
from service.records import Record, Undecodable

JOIN_WAIT_MS = 3_000
"""Longer than the others of a group take to notice a rebalance by their heartbeats."""

Event = tuple[bool, frozenset[int]]
"""Of a rebalance: (assigned?, partitions)."""


@dataclass(slots=True)
class Poll:
    """What one poll brought.

    ``records``: by partition, in the order of their offsets. ``undecodable``: batches that were
    skipped, each reported once. ``unpositioned``: assigned partitions that deliver nothing before
    the caller seeks them: new ones, and those whose position the broker does not have (any more).
    """

    records: dict[int, list[Record]] = field(default_factory=dict)
    undecodable: list[Undecodable] = field(default_factory=list)
    unpositioned: set[int] = field(default_factory=set)


class _Rebalances(ConsumerRebalanceListener):  # type: ignore[misc]  # kafka has no types
    """Runs on the client's IO thread, where an exception can block the group: it only notes."""

    def __init__(self) -> None:
        self.events: deque[Event] = deque()

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        self.events.append((True, _numbers(assigned)))

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self.events.append((False, _numbers(revoked)))

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        self.events.append((False, _numbers(lost)))


class PartitionConsumer:
    """A member of ``group`` on ``topic``. Used by one thread.

    Offsets committed to Kafka are a hint to others; this consumer never starts from them: every
    partition that is assigned is ``unpositioned`` until :meth:`seek`, and no record of it is
    delivered before. Positions never jump by themselves (no automatic offset reset).

    Reads committed records only: a record of an aborted transaction was never said, and is not
    to be checked. Transaction markers leave gaps between offsets.
    """

    def __init__(self, options: KafkaOptions, topic: str, group: str) -> None:
        """Raises :class:`Outage` or :class:`Misconfiguration` (see :func:`connect`)."""
        require_fast_checksums()
        self._topic = topic
        self._rebalances = _Rebalances()
        self._assigned: set[int] = set()
        self._unpositioned: set[int] = set()
        self._paused: set[int] = set()
        self._revoked: set[int] = set()
        self._topic_id: object = None
        self._consumer = connect(
            options,
            KafkaConsumer,
            group_id=group,
            group_instance_id=options.group_instance_id,
            enable_auto_commit=False,
            auto_offset_reset="none",
            isolation_level="read_committed",
            partition_assignment_strategy=[CooperativeStickyAssignor],
            session_timeout_ms=options.session_timeout_ms,
            heartbeat_interval_ms=options.heartbeat_interval_ms,
            max_poll_interval_ms=options.max_poll_interval_ms,
            max_poll_records=options.max_poll_records,
            # One fetch a broker is under way at a time. While it waits at the end of one partition,
            # those that were resumed meanwhile get nothing, whatever they hold.
            fetch_max_wait_ms=options.fetch_max_wait_ms,
            allow_auto_create_topics=False,
            # Partitions that are added are seen within this time.
            metadata_max_age_ms=60_000,
        )
        # The one seam for it; tests/integration/test_kafka_traps.py notices when it moves.
        self._consumer._fetcher.PartitionRecords = bounded_batches(  # noqa: SLF001
            options.max_decompressed_bytes
        )
        self._consumer.subscribe([topic], listener=self._rebalances)

    def poll(self, timeout_ms: int) -> Poll:
        """What has arrived, waiting up to ``timeout_ms`` for it. Empty while the broker is away.

        Raises :class:`Outage` when the broker refuses us (authorization, a fenced instance).
        """
        fetched = self._fetch(timeout_ms)
        self._follow_rebalances()
        self._follow_topic()
        poll = Poll(unpositioned=set(self._unpositioned))
        for partition, items in fetched.items():
            if partition in self._unpositioned or partition not in self._assigned:
                continue
            records = [item for item in items if isinstance(item, Record)]
            if records:
                poll.records[partition] = records
            if len(records) != len(items):
                poll.undecodable += [item for item in items if isinstance(item, Undecodable)]
        return poll

    def assignment(self) -> frozenset[int]:
        """The partitions held, as of the last poll."""
        return frozenset(self._assigned)

    def seek(self, partition: int, offset: int) -> bool:
        """Deliver from ``offset`` on. False when the partition is not held (any more)."""
        self._follow_rebalances()
        if partition not in self._assigned:
            return False
        try:
            self._consumer.seek(self._at(partition), offset)
        except (ValueError, KeyError):
            return False
        self._unpositioned.discard(partition)
        if partition not in self._paused:
            self._switch(self._consumer.resume, {partition})
        return True

    def pause(self, partitions: Iterable[int]) -> None:
        """Deliver nothing of these; they stay paused for as long as they are held."""
        chosen = self._assigned & set(partitions)
        self._paused |= chosen
        self._switch(self._consumer.pause, chosen)

    def resume(self, partitions: Iterable[int]) -> None:
        chosen = self._assigned & set(partitions)
        self._paused -= chosen
        self._switch(self._consumer.resume, chosen - self._unpositioned)

    def paused(self) -> frozenset[int]:
        """Those that :meth:`pause` paused and that are still held."""
        return frozenset(self._paused)

    def position(self, partition: int) -> int | None:
        """The offset that comes next; None when the partition is not held or unpositioned."""
        if partition not in self._assigned or partition in self._unpositioned:
            return None
        try:
            position = self._consumer.position(self._at(partition), timeout_ms=1000)
        except (errors.KafkaError, AssertionError, KeyError):
            return None
        return None if position is None else int(position)

    def commit(self, offsets: Mapping[int, int], timeout_s: float) -> bool:
        """Commit {partition: next offset}. False when the broker is away, when this member was
        fenced, or when a partition is not held (those that are held are committed all the same)."""
        held = {
            self._at(partition): OffsetAndMetadata(offset, "", -1)
            for partition, offset in offsets.items()
            if partition in self._assigned
        }
        if held:
            try:
                self._consumer.commit(held, timeout_ms=int(timeout_s * 1000))
            except errors.KafkaError:
                return False
        return len(held) == len(offsets)

    def drain_revoked(self) -> set[int]:
        """The partitions revoked or lost since the last call. One that came back is among them."""
        self._follow_rebalances()
        revoked, self._revoked = self._revoked, set()
        return revoked

    def joined(self) -> bool:
        """Whether this member is in the group, with partitions or (a spare one) without."""
        return int(self._consumer.group_metadata().generation_id) >= 0

    def lag(self, *, ask: bool = False) -> dict[int, int]:
        """{partition: records behind the log's end}, from what the last fetch told; partitions of
        which nothing was fetched yet are absent. ``ask``: the broker is asked, for up to a second,
        as of what is paused nothing is fetched."""
        behind = {}
        ends = self._log_ends() if ask else {}
        for partition in self._assigned - self._unpositioned:
            with contextlib.suppress(KeyError, AssertionError):
                end = ends.get(partition, self._consumer.highwater(self._at(partition)))
                position = self.position(partition)
                if end is not None and position is not None:
                    behind[partition] = max(0, int(end) - position)
        return behind

    def heartbeat_age_s(self) -> float | None:
        """Seconds since the last heartbeat was sent to the group's coordinator; None before."""
        groups = self._consumer.metrics() or {}
        for values in groups.values():
            age = values.get("last-heartbeat-seconds-ago")
            if age is not None:
                return float(age) if math.isfinite(age) else None
        return None

    def close(self, timeout_s: float) -> None:
        """Leave the group (a static member stays in it until its session ends)."""
        with contextlib.suppress(errors.KafkaError):
            self._consumer.close(autocommit=False, timeout_ms=int(timeout_s * 1000))

    def _fetch(self, timeout_ms: int) -> dict[int, list[Record | Undecodable]]:
        self._unpark()
        try:
            with outages(f"polling {self._topic}"):
                try:
                    self._finish_join()
                    fetched = self._consumer.poll(timeout_ms=timeout_ms)
                except errors.OffsetOutOfRangeError as error:
                    self._unposition(_numbers(error.args[0]))
                    return {}
                except errors.LogTruncationError as error:
                    self._unposition(_numbers(error.divergent_offsets))
                    return {}
                except (errors.NoOffsetForPartitionError, errors.RetriableError):
                    # New partitions become unpositioned below; an absent broker is an empty poll.
                    return {}
        except Outage:
            self._follow_rebalances()
            raise
        return {tp.partition: items for tp, items in fetched.items()}

    def _finish_join(self) -> None:
        """Stay with a join until it is done. kafka-python takes up its outcome only in a poll that
        still waits for it: one that was done between two short polls is forgotten, the heartbeats
        stay off, and the broker gives the partitions away while we think that we hold them."""
        coordinator = self._consumer._coordinator  # noqa: SLF001
        if coordinator.coordinator_unknown():
            return
        if coordinator._join_task is not None:  # noqa: SLF001
            coordinator.request_rejoin()
        if coordinator.need_rejoin():
            coordinator.poll(timeout_ms=JOIN_WAIT_MS)

    def _unpark(self) -> None:
        """kafka-python parks what it has read of a paused partition, and gives it back only while
        its reading slot is None; a slot that is merely used up keeps it parked for ever."""
        fetcher = self._consumer._fetcher  # noqa: SLF001
        if fetcher._next_partition_records is not None and not fetcher._next_partition_records:  # noqa: SLF001
            fetcher._next_partition_records = None  # noqa: SLF001

    def _log_ends(self) -> dict[int, int]:
        held = [self._at(partition) for partition in self._assigned - self._unpositioned]
        try:
            ends = self._consumer.end_offsets(held, timeout_ms=1000) if held else {}
        except errors.KafkaError:
            return {}
        return {at.partition: int(end) for at, end in ends.items()}

    def _follow_rebalances(self) -> None:
        new: set[int] = set()
        while self._rebalances.events:
            assigned, partitions = self._rebalances.events.popleft()
            self._paused -= partitions
            if assigned:
                self._assigned |= partitions
                new |= partitions
            else:
                self._assigned -= partitions
                self._unpositioned -= partitions
                self._revoked |= partitions
        self._unposition(frozenset(new))

    def _follow_topic(self) -> None:
        """Another topic under the same name is no continuation, even where our offsets exist in
        it: fetches go by name, and only the metadata tells. A fetch from a topic that is gone
        fails, and the client asks for them anew."""
        topic_id = self._consumer._client.cluster.topic_id(self._topic)  # noqa: SLF001
        if topic_id is None or topic_id == self._topic_id:
            return
        if self._topic_id is not None:
            self._unposition(frozenset(self._assigned))
        self._topic_id = topic_id

    def _unposition(self, partitions: frozenset[int]) -> None:
        """Hold these back until they are sought. A placeholder position, never fetched from,
        keeps one partition without any from stopping the others."""
        for partition in partitions & self._assigned:
            self._unpositioned.add(partition)
            self._switch(self._consumer.pause, {partition})
            with contextlib.suppress(ValueError, KeyError):
                self._consumer.seek(self._at(partition), 0)

    def _switch(self, switch: Callable[[TopicPartition], object], partitions: set[int]) -> None:
        for partition in partitions:
            # Revoked a moment ago, on the IO thread: the next poll says so.
            with contextlib.suppress(KeyError):
                switch(self._at(partition))

    def _at(self, partition: int) -> TopicPartition:
        return TopicPartition(self._topic, partition)


def _numbers(partitions: Iterable[TopicPartition]) -> frozenset[int]:
    return frozenset(tp.partition for tp in partitions)
