"""What the broker knows about topics and groups, and reading a whole topic."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, TypeVar

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition, errors
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic, OffsetSpec
from kafka.protocol.consumer import IsolationLevel

from consumers.kafka.batches import bounded_batches
from consumers.kafka.options import KafkaOptions, connect, outages, require_fast_checksums
from service.outage import Outage
from service.records import Record, Undecodable

T = TypeVar("T")
RETRY_AFTER_S = 0.1
Start = Literal["earliest", "latest"] | datetime


class TopicFacts:
    """Each call takes at most twice ``request_timeout_ms`` (the first one may connect before) and
    raises :class:`Outage` on failure, also when the topic does not exist."""

    def __init__(self, options: KafkaOptions) -> None:
        """Does not connect yet: the first call does."""
        self._options = options
        self._client: Any = None
        self._reader: Any = None

    def topic_id(self, topic: str) -> str:
        """The broker's id of the topic: another one means that it was deleted and made anew."""
        return str(self._describe(topic)["topic_id"])

    def exists(self, topic: str) -> bool:
        def ask(admin: Any) -> bool:
            error = errors.for_code(admin.describe_topics([topic])[0]["error_code"])
            if error not in (errors.NoError, errors.UnknownTopicOrPartitionError):
                raise error
            return error is errors.NoError

        return self._ask(f"asking about {topic}", ask)

    def partition_count(self, topic: str) -> int:
        return len(self._describe(topic)["partitions"])

    def log_bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """(first offset kept, offset after the last one written), open transactions included."""
        start = self._offsets(topic, [partition], OffsetSpec.EARLIEST)
        end = self._offsets(topic, [partition], OffsetSpec.LATEST)
        return start[partition], end[partition]

    def ends(self, topic: str) -> dict[int, int]:
        """{partition: offset after the last record that readers may have}; of an open transaction
        none may be read yet."""
        partitions = list(range(self.partition_count(topic)))
        return self._offsets(topic, partitions, OffsetSpec.LATEST, IsolationLevel.READ_COMMITTED)

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """{partition: next offset} that the group committed; partitions without one are absent."""
        by_group = self._ask(
            f"asking for the offsets of group {group}",
            lambda admin: admin.list_group_offsets({group: None}),
        )
        return {
            tp.partition: int(committed.offset)
            for tp, committed in by_group.get(group, {}).items()
            if tp.topic == topic and committed.offset >= 0
        }

    def offsets_for(self, topic: str, start: Start) -> dict[int, int]:
        """{partition: offset} at which ``start`` is; its end where nothing is that young.

        A datetime needs a time zone, else ``ValueError``.
        """
        partitions = list(range(self.partition_count(topic)))
        if start == "earliest":
            return self._offsets(topic, partitions, OffsetSpec.EARLIEST)
        ends = self._offsets(topic, partitions, OffsetSpec.LATEST)
        if start == "latest":
            return ends
        if start.tzinfo is None:
            raise ValueError("a start needs a time zone")
        at = self._offsets(topic, partitions, int(start.timestamp() * 1000))
        return {
            partition: offset if offset >= 0 else ends[partition]
            for partition, offset in at.items()
        }

    def has_offset_gaps(self, topic: str) -> bool:
        """Whether the topic is compacted, so that missing offsets are no loss."""
        return "compact" in self._config(topic, "cleanup.policy")

    def max_message_bytes(self, topic: str) -> int:
        """The largest batch that the topic takes, after compression."""
        return int(self._config(topic, "max.message.bytes"))

    def create_topic(
        self,
        topic: str,
        partitions: int = 1,
        configs: Mapping[str, str] | None = None,
        replication: int = 1,
    ) -> None:
        new = NewTopic(
            topic,
            num_partitions=partitions,
            replication_factor=replication,
            topic_configs=dict(configs or {}),
        )
        self._ask(f"creating {topic}", lambda admin: admin.create_topics([new]))
        self._ask(f"creating {topic}", lambda admin: admin.wait_for_topics([topic]))

    def read_all(self, topic: str) -> Iterator[Record | Undecodable]:
        """Everything that stands in the topic now, partition by partition, without a group.

        Ends where the topic ended at the time of the call, whatever was written since; by
        position, since the last offsets may be transaction markers. A batch that cannot be
        decoded stands in its place. Raises :class:`Outage` when the broker goes away.
        """
        partitions = list(range(self.partition_count(topic)))
        starts = self._offsets(topic, partitions, OffsetSpec.EARLIEST)
        ends = self._offsets(topic, partitions, OffsetSpec.LATEST, IsolationLevel.READ_COMMITTED)
        for partition in partitions:
            if starts[partition] < ends[partition]:
                yield from self._read_all(topic, partition, starts[partition], ends[partition])

    def record_at(self, topic: str, partition: int, offset: int) -> Record | None:
        """The one record at this offset; None when there is none (any more). Its reader is kept
        until :meth:`close`: to connect anew takes some 200 ms."""
        if partition >= self.partition_count(topic):
            return None
        begin, end = self.log_bounds(topic, partition)
        if not begin <= offset < end:
            return None
        if self._reader is None:
            self._reader = self._connect_reader()
        found = None
        try:
            for item in self._read(self._reader, topic, partition, offset, offset + 1):
                if isinstance(item, Record) and item.offset == offset:
                    found = item
        except Outage:
            self._close_reader()
            raise
        return found

    def close(self) -> None:
        self._close_reader()
        if self._client is not None:
            self._client.close()
            self._client = None

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close(autocommit=False, timeout_ms=1000)
            self._reader = None

    def _read_all(
        self, topic: str, partition: int, start: int, end: int
    ) -> Iterator[Record | Undecodable]:
        consumer = self._connect_reader()
        try:
            yield from self._read(consumer, topic, partition, start, end)
        finally:
            consumer.close(autocommit=False, timeout_ms=1000)

    def _connect_reader(self) -> Any:
        require_fast_checksums()
        consumer = connect(
            self._options,
            KafkaConsumer,
            enable_auto_commit=False,
            auto_offset_reset="none",
            isolation_level="read_committed",
            allow_auto_create_topics=False,
        )
        consumer._fetcher.PartitionRecords = bounded_batches(  # noqa: SLF001
            self._options.max_decompressed_bytes
        )
        return consumer

    def _read(
        self, consumer: Any, topic: str, partition: int, start: int, end: int
    ) -> Iterator[Record | Undecodable]:
        at = TopicPartition(topic, partition)
        consumer.assign([at])
        consumer.seek(at, start)
        position = start
        while position < end:
            with outages(f"reading {topic}"):
                fetched = consumer.poll(timeout_ms=self._options.request_timeout_ms)
                reached = consumer.position(at, timeout_ms=1000)
            if reached is None or (not fetched and reached == position):
                raise Outage(f"reading {topic}: nothing arrives; is the broker up?")
            position = reached
            yield from (item for item in fetched.get(at, ()) if _offset(item) < end)

    def _describe(self, topic: str) -> dict[str, Any]:
        def ask(admin: Any) -> dict[str, Any]:
            described: dict[str, Any] = admin.describe_topics([topic])[0]
            error = errors.for_code(described["error_code"])
            if error is not errors.NoError:
                raise error
            return described

        return self._ask(f"asking about {topic}", ask)

    def _config(self, topic: str, name: str) -> str:
        self._describe(topic)  # the configuration of a missing topic is empty, not an error
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, configs={name: None})
        answer = self._ask(
            f"asking for the configuration of {topic}",
            lambda admin: admin.describe_configs([resource], config_filter="all"),
        )
        return str(answer["topic"][topic][name]["value"])

    def _offsets(
        self,
        topic: str,
        partitions: list[int],
        spec: Any,
        isolation: Any = IsolationLevel.READ_UNCOMMITTED,
    ) -> dict[int, int]:
        asked = {TopicPartition(topic, partition): spec for partition in partitions}
        answer = self._ask(
            f"asking for the offsets of {topic}",
            lambda admin: admin.list_partition_offsets(asked, isolation_level=isolation),
        )
        return {tp.partition: int(found.offset) for tp, found in answer.items()}

    def _ask(self, doing: str, question: Callable[[Any], T]) -> T:
        """Put a question until it is answered, ``request_timeout_ms`` at most."""
        if self._client is None:
            self._client = connect(self._options, KafkaAdminClient)
        give_up = time.monotonic() + self._options.request_timeout_ms / 1000
        with outages(doing):
            while True:
                try:
                    return question(self._client)
                except (errors.UnknownTopicOrPartitionError, errors.KafkaTimeoutError):
                    raise
                except errors.RetriableError:
                    # A coordinator that moves, a topic whose leader is not elected yet.
                    if time.monotonic() > give_up:
                        raise
                    time.sleep(RETRY_AFTER_S)


def _offset(item: Record | Undecodable) -> int:
    return item.offset if isinstance(item, Record) else item.first
