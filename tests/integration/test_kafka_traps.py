"""Each trap of kafka-python that touches us, sprung on a real broker.

The batches that a producer cannot make (a broker checks them) are written into the broker's log.
"""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.record import util as record_util

from consumers.kafka import Fault, KafkaOptions, PartitionConsumer, Poll, RecordProducer, TopicFacts
from service.outage import Misconfiguration, Outage
from service.records import Record, Undecodable
from tests.servers.kafka import (
    ATTRIBUTES_OFFSET,
    HEADER_SIZE,
    LAST_DELTA_OFFSET,
    batches_of,
    rewrite_batch,
)

SMALL = b"a small value"
BOMB_BYTES = 300_000_000
RECOVERY_S = 12.0


class Reader:
    """Polls as the loops do: seeks what is unpositioned, keeps everything."""

    def __init__(self, consumer: PartitionConsumer) -> None:
        self.consumer = consumer
        self.records: list[Record] = []
        self.undecodable: list[Undecodable] = []
        self.positions: dict[int, int] = {}

    def poll(self, timeout_ms: int = 200) -> Poll:
        poll = self.consumer.poll(timeout_ms)
        for partition in poll.unpositioned:
            self.consumer.seek(partition, self.positions.get(partition, 0))
        for partition, records in poll.records.items():
            self.records += records
            self.positions[partition] = records[-1].offset + 1
        self.undecodable += poll.undecodable
        return poll

    def until(self, reached: Callable[[], bool], timeout_s: float = 20.0) -> float:
        """Seconds until ``reached``."""
        start = time.monotonic()
        while not reached():
            assert time.monotonic() - start < timeout_s, (
                f"{len(self.records)} records, undecodable {self.undecodable}, "
                f"assigned {set(self.consumer.assignment())}"
            )
            self.poll()
        return time.monotonic() - start

    def offsets(self, partition: int = 0) -> list[int]:
        return [record.offset for record in self.records if record.partition == partition]


def produce(producer: RecordProducer, topic: str, values: list[bytes], partition: int = 0) -> None:
    """One batch of records, acknowledged."""
    deliveries = [producer.send(topic, None, value, partition=partition) for value in values]
    assert producer.flush(15)
    assert [delivery.failed() for delivery in deliveries] == [None] * len(values)


def three_batches(
    bootstrap: str, topic: str, codec: str | None = None, size: int = 4
) -> list[bytes]:
    """Three batches of ``size`` compressible records each; the values in return."""
    values = [f"{n} ".encode() * 100 for n in range(3 * size)]
    writer = KafkaProducer(bootstrap_servers=bootstrap, compression_type=codec, linger_ms=60_000)
    for start in range(0, len(values), size):
        for value in values[start : start + size]:
            writer.send(topic, value, partition=0)
        writer.flush()
    writer.close()
    return values


def garbage(data: bytearray) -> None:
    """Compressed bytes that are not what their codec says, under a correct checksum."""
    data[HEADER_SIZE:] = random.Random(7).randbytes(len(data) - HEADER_SIZE)


def flip(data: bytearray) -> None:
    data[HEADER_SIZE + 20] ^= 0xFF


def unknown_codec(data: bytearray) -> None:
    data[ATTRIBUTES_OFFSET + 1] = data[ATTRIBUTES_OFFSET + 1] & ~0x07 | 0x06


def endless_batch(data: bytearray) -> None:
    """A broken header: it claims to end far behind the log."""
    struct.pack_into(">i", data, LAST_DELTA_OFFSET, 2_000_000_000)


def record_lengths(data: bytearray) -> None:
    data[HEADER_SIZE] ^= 0x02


@pytest.mark.parametrize(
    ("codec", "edit", "fix_crc", "why"),
    [
        ("gzip", garbage, True, Fault.STREAM),
        ("snappy", garbage, True, Fault.STREAM),
        ("lz4", garbage, True, Fault.STREAM),
        ("zstd", garbage, True, Fault.STREAM),
        ("lz4", unknown_codec, True, Fault.CODEC),
        (None, record_lengths, True, Fault.STRUCTURE),
        (None, flip, False, Fault.CRC),
        ("lz4", endless_batch, False, Fault.CRC),
    ],
)
def test_an_undecodable_batch_is_passed_exactly_once(
    topic, broker, join, topic_facts, codec, edit, fix_crc, why
) -> None:
    values = three_batches(broker.bootstrap, topic, codec)
    batches = batches_of(broker, topic)
    assert [(batch.first, batch.next) for batch in batches] == [(0, 4), (4, 8), (8, 12)]
    rewrite_batch(broker, topic, batches[1], edit, fix_crc=fix_crc)
    reader = Reader(join(topic))
    reader.until(lambda: len(reader.records) == 8)
    burned = time.process_time()
    for _ in range(3):
        reader.poll(300)
    assert time.process_time() - burned < 0.5, "the poll after it burns a core"
    assert reader.offsets() == [0, 1, 2, 3, 8, 9, 10, 11]
    assert [record.value for record in reader.records] == values[:4] + values[8:]
    assert reader.undecodable == [Undecodable(0, 4, 8, why)]
    assert reader.consumer.position(0) == 12
    assert [item for item in topic_facts.read_all(topic) if isinstance(item, Undecodable)] == [
        Undecodable(0, 4, 8, why)
    ]


def test_the_last_batch_too_and_with_a_broken_header(topic, broker, join, producer) -> None:
    three_batches(broker.bootstrap, topic, "lz4")
    rewrite_batch(broker, topic, batches_of(broker, topic)[2], flip, fix_crc=False)
    reader = Reader(join(topic))
    reader.until(lambda: bool(reader.undecodable))
    assert reader.undecodable == [Undecodable(0, 8, 12, Fault.CRC)]
    assert reader.consumer.position(0) == 12
    produce(producer, topic, [SMALL])
    reader.until(lambda: reader.offsets()[-1:] == [12])


def test_an_undecodable_batch_from_its_middle_on(topic, broker, join) -> None:
    three_batches(broker.bootstrap, topic, "zstd")
    rewrite_batch(broker, topic, batches_of(broker, topic)[1], garbage)
    reader = Reader(join(topic))
    reader.positions[0] = 6
    reader.until(lambda: len(reader.records) == 4)
    assert reader.undecodable == [Undecodable(0, 6, 8, Fault.STREAM)]
    assert reader.offsets() == [8, 9, 10, 11]


def test_other_partitions_lose_nothing_to_a_bad_one(make_topic, broker, join, producer) -> None:
    topic = make_topic(3)
    three_batches(broker.bootstrap, topic, "lz4")
    for batch in batches_of(broker, topic):
        rewrite_batch(broker, topic, batch, garbage)
    for partition in (1, 2):
        produce(producer, topic, [SMALL] * 200, partition)
    reader = Reader(join(topic))
    reader.until(lambda: len(reader.records) == 400 and len(reader.undecodable) == 3)
    assert [(fault.first, fault.next) for fault in reader.undecodable] == [(0, 4), (4, 8), (8, 12)]
    assert reader.offsets(1) == reader.offsets(2) == list(range(200))


def test_a_bomb_is_capped(topic, kafka_bootstrap, join, producer) -> None:
    writer = KafkaProducer(
        bootstrap_servers=kafka_bootstrap,
        compression_type="zstd",
        max_request_size=BOMB_BYTES + 1000,
        batch_size=BOMB_BYTES + 1000,
    )
    writer.send(topic, bytes(BOMB_BYTES), partition=0)
    writer.flush()
    writer.close()
    produce(producer, topic, [SMALL])
    in_child = f"""
import resource, sys
from consumers.kafka import KafkaOptions, PartitionConsumer
consumer = PartitionConsumer(KafkaOptions({kafka_bootstrap!r}), {topic!r}, {topic + "-group"!r})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
seen = []
while len(seen) < 2:
    poll = consumer.poll(500)
    [consumer.seek(partition, 0) for partition in poll.unpositioned]
    seen += poll.undecodable + poll.records.get(0, [])
print(seen[0].first, seen[0].next, seen[0].why, seen[1].offset)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
consumer.close(1.0)
"""
    done = subprocess.run(
        [sys.executable, "-c", in_child], capture_output=True, text=True, timeout=60, check=True
    )
    what, grown_mib = done.stdout.splitlines()
    assert what == f"0 1 {Fault.SIZE} 1"
    assert int(grown_mib) < 150, "MiB, with a cap of 64 MiB"


@pytest.mark.parametrize("codec", [None, "gzip", "snappy", "lz4", "zstd"])
def test_every_codec_is_read(topic, kafka_bootstrap, join, codec) -> None:
    values = three_batches(kafka_bootstrap, topic, codec, size=50)
    reader = Reader(join(topic))
    reader.until(lambda: len(reader.records) == 150)
    assert [record.value for record in reader.records] == values
    assert reader.undecodable == []


def test_a_listener_that_cannot_raise_lets_the_group_go_on(make_topic, join, producer) -> None:
    """An exception in it would hold up the group; ours notes, whatever it is told."""
    topic = make_topic(2)
    first, second = Reader(join(topic)), Reader(join(topic))
    first.until(lambda: first.consumer.assignment() == {0, 1})
    give_up = time.monotonic() + 20
    while {len(reader.consumer.assignment()) for reader in (first, second)} != {1}:
        assert time.monotonic() < give_up
        first.poll(100)
        second.poll(100)
    assert first.consumer.drain_revoked() == set(second.consumer.assignment())
    assert first.consumer.drain_revoked() == set()
    second.consumer.close(5)
    first.until(lambda: first.consumer.assignment() == {0, 1})


def test_kept_partitions_stay_paused_and_new_ones_arrive_unpositioned(
    make_topic, join, producer
) -> None:
    topic = make_topic(4)
    first, second = Reader(join(topic)), Reader(join(topic))
    first.until(lambda: first.consumer.assignment() == {0, 1, 2, 3})
    first.consumer.pause({0, 1, 2, 3})
    give_up = time.monotonic() + 20
    while {len(reader.consumer.assignment()) for reader in (first, second)} != {2}:
        assert time.monotonic() < give_up
        first.poll(100)
        second.poll(100)
    kept = first.consumer.assignment()
    assert first.consumer.paused() == kept
    for partition in range(4):
        produce(producer, topic, [SMALL], partition)
    second.until(lambda: len(second.records) == 2)
    for _ in range(3):
        assert first.poll(200).records == {}
    # The other leaves: its partitions come back, unpositioned and not paused.
    second.consumer.close(5)
    came_back: set[int] = set()
    give_up = time.monotonic() + 20
    while first.consumer.assignment() != {0, 1, 2, 3}:
        assert time.monotonic() < give_up
        came_back |= first.poll(100).unpositioned
    first.until(lambda: len(first.records) == 2)
    assert came_back == {0, 1, 2, 3} - kept
    assert {record.partition for record in first.records} == came_back
    assert first.consumer.paused() == kept
    first.consumer.resume(kept)
    first.until(lambda: len(first.records) == 4)


def test_what_was_parked_by_a_pause_comes_back(make_topic, kafka_bootstrap, join, producer) -> None:
    """The client parks what it has fetched of a paused partition, and may forget it there."""
    topic = make_topic(2)
    for partition in (0, 1):
        produce(producer, topic, [SMALL] * 20, partition)
    reader = Reader(join(topic, KafkaOptions(kafka_bootstrap, max_poll_records=7)))
    reader.until(lambda: bool(reader.records))
    first = reader.records[0].partition
    reader.consumer.pause({first})
    reader.until(lambda: len(reader.offsets(1 - first)) == 20)
    reader.poll(500)
    reader.consumer.resume({first})
    reader.until(lambda: len(reader.records) == 40)
    assert reader.offsets(first) == list(range(20))


def test_the_broker_goes_and_comes_back(topic, broker, join, producer, kafka_bootstrap) -> None:
    produce(producer, topic, [b"before"])
    reader = Reader(join(topic))
    reader.until(lambda: len(reader.records) == 1)
    broker.kill()

    started = time.monotonic()
    poll = reader.poll(1000)
    assert (poll.records, poll.undecodable) == ({}, [])
    assert time.monotonic() - started < 2
    started = time.monotonic()
    assert not reader.consumer.commit({0: 1}, 1.0)
    assert time.monotonic() - started < 2
    deliveries = [producer.send(topic, None, b"during %d" % n) for n in range(8)]
    assert not deliveries[0].wait(0.5)
    assert [(delivery.done(), delivery.failed()) for delivery in deliveries] == [(False, None)] * 8
    assert not producer.flush(0.5)
    started = time.monotonic()
    with pytest.raises(Outage, match="no Kafka broker took us in"):
        RecordProducer(KafkaOptions(kafka_bootstrap, bootstrap_timeout_ms=1000))
    facts = TopicFacts(KafkaOptions(kafka_bootstrap, bootstrap_timeout_ms=1000))
    with pytest.raises(Outage, match="check the address"):
        facts.topic_id(topic)
    assert time.monotonic() - started < 4

    broker.start()
    assert reader.until(lambda: len(reader.records) == 9) < RECOVERY_S
    assert all(delivery.wait(5) for delivery in deliveries)
    assert [delivery.failed() for delivery in deliveries] == [None] * 8
    # What timed out arrived once: nobody sent it again.
    reader.poll(1000)
    assert sorted(record.value or b"" for record in reader.records[1:]) == [
        b"during %d" % n for n in range(8)
    ]
    assert reader.consumer.commit({0: 9}, 10)


def test_a_producer_closes_in_time_while_the_broker_is_away(topic, broker, kafka_options) -> None:
    producer = RecordProducer(kafka_options)
    assert producer.send(topic, None, SMALL).wait(10)
    broker.freeze()
    given_up = producer.send(topic, None, SMALL)
    before = threading.active_count()
    started = time.monotonic()
    producer.close(0.5)
    assert time.monotonic() - started < 3
    assert given_up.failed() is not None
    assert threading.active_count() < before


def test_a_position_out_of_range_is_reported(topic, kafka_bootstrap, join, producer) -> None:
    produce(producer, topic, [SMALL] * 10)
    reader = Reader(join(topic))
    reader.until(lambda: len(reader.records) == 10)
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    admin.delete_records({TopicPartition(topic, 0): 6})
    admin.close()
    for outside in (3, 99):
        reader.consumer.seek(0, outside)
        poll = reader.consumer.poll(2000)
        assert (poll.records, poll.unpositioned) == ({}, {0})
        assert reader.consumer.position(0) is None
        # It is said until the caller acts, and costs nothing meanwhile.
        assert reader.consumer.poll(100).unpositioned == {0}
    reader.records.clear()
    reader.consumer.seek(0, 6)
    reader.until(lambda: reader.offsets() == [6, 7, 8, 9])


def test_a_partition_without_a_position_does_not_stop_the_others(
    make_topic, join, producer
) -> None:
    topic = make_topic(2)
    produce(producer, topic, [SMALL], 0)
    produce(producer, topic, [SMALL], 1)
    consumer = join(topic)
    give_up = time.monotonic() + 20
    while consumer.assignment() != {0, 1}:
        assert time.monotonic() < give_up
        consumer.poll(100)
    consumer.seek(1, 0)
    arrived: list[int] = []
    while not arrived:
        assert time.monotonic() < give_up
        poll = consumer.poll(200)
        assert poll.unpositioned == {0}
        arrived += poll.records
    assert arrived == [1]


def test_producing_to_a_missing_topic_is_an_outage(kafka_options) -> None:
    producer = RecordProducer(kafka_options)
    started = time.monotonic()
    with pytest.raises(Outage, match="does it exist"):
        producer.send("test-missing", None, SMALL)
    assert time.monotonic() - started < kafka_options.max_block_ms / 1000 + 1
    producer.close()


def test_a_session_that_ended_is_fenced(topic, kafka_bootstrap, join, producer) -> None:
    """A member that did not poll in time is out: its commit is refused, its partition is lost."""
    produce(producer, topic, [SMALL])
    slow = Reader(join(topic, KafkaOptions(kafka_bootstrap, max_poll_interval_ms=1500)))
    slow.until(lambda: len(slow.records) == 1)
    other = Reader(join(topic))
    other.until(lambda: other.consumer.assignment() == {0})
    assert not slow.consumer.commit({0: 1}, 5)
    slow.poll(100)
    assert slow.consumer.drain_revoked() == {0}
    assert slow.consumer.assignment() == frozenset()


def test_checksums_in_pure_python_are_refused(kafka_options, topic, monkeypatch) -> None:
    monkeypatch.setattr(record_util, "crc32c_c", None)
    with pytest.raises(Misconfiguration, match="crc32c"):
        PartitionConsumer(kafka_options, topic, "group")
    with pytest.raises(Misconfiguration, match="crc32c"):
        RecordProducer(kafka_options)


def test_a_join_that_ends_between_two_short_polls_is_taken_up(topic, group, kafka_options) -> None:
    for number in range(4):
        member = PartitionConsumer(kafka_options, topic, f"{group}-{number}")
        until = time.monotonic() + 3.5
        while time.monotonic() < until:
            member.poll(3)
            time.sleep(0.004)
        assert member.assignment() == {0}
        # A member whose join was forgotten sends no heartbeats.
        age = member.heartbeat_age_s()
        member.close(1.0)
        assert age is not None
        assert age < 2.5
