"""What the adapter promises, on a real broker."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition

from consumers.kafka import KafkaOptions, PartitionConsumer, RecordProducer, TopicFacts
from service.outage import Outage
from service.records import Record, Undecodable

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def produce(producer: RecordProducer, topic: str, values: list[bytes], partition: int = 0) -> None:
    deliveries = [producer.send(topic, None, value, partition=partition) for value in values]
    assert producer.flush(15)
    assert [delivery.failed() for delivery in deliveries] == [None] * len(values)


def until(
    consumer: PartitionConsumer,
    enough: Callable[[list[Record]], bool],
    start: int = 0,
    timeout_s: float = 20,
) -> list[Record]:
    """Poll, positioning new partitions at ``start``, until the records suffice."""
    records: list[Record] = []
    give_up = time.monotonic() + timeout_s
    while not enough(records):
        assert time.monotonic() < give_up, f"only {len(records)} records came"
        poll = consumer.poll(200)
        for partition in poll.unpositioned:
            assert consumer.seek(partition, start)
        for arrived in poll.records.values():
            records += arrived
    return records


def until_assigned(
    consumer: PartitionConsumer, partitions: set[int], timeout_s: float = 20
) -> None:
    give_up = time.monotonic() + timeout_s
    while consumer.assignment() != partitions:
        assert time.monotonic() < give_up, f"assigned {set(consumer.assignment())}"
        consumer.poll(100)


def test_a_record_arrives_as_it_was_sent(topic, producer, join) -> None:
    sent = producer.send(topic, b"key", b"value", [("name", b"\xff")], 0, 1_700_000_000_000)
    tombstone = producer.send(topic, b"key", None)
    assert sent.wait(10)
    assert tombstone.wait(10)
    assert (sent.failed(), sent.offset(), tombstone.offset()) == (None, 0, 1)
    first, second = until(join(topic), lambda got: len(got) == 2)
    assert first == Record(0, 0, 1_700_000_000_000, b"key", b"value", (("name", b"\xff"),))
    assert (second.value, second.headers) == (None, ())


def test_nothing_is_delivered_before_the_caller_seeks(topic, producer, join) -> None:
    produce(producer, topic, [b"a", b"b", b"c"])
    consumer = join(topic)
    until_assigned(consumer, {0})
    assert consumer.position(0) is None
    for _ in range(3):
        poll = consumer.poll(300)
        assert (poll.records, poll.unpositioned) == ({}, {0})
    assert consumer.seek(0, 1)
    assert [record.value for record in until(consumer, lambda got: len(got) == 2)] == [b"b", b"c"]
    assert consumer.position(0) == 3
    assert not consumer.seek(7, 0)


def test_the_groups_commits_do_not_move_a_consumer(
    topic, group, producer, join, topic_facts, kafka_options
) -> None:
    produce(producer, topic, [b"%d" % n for n in range(10)])
    first = join(topic)
    until(first, lambda got: len(got) == 10)
    assert first.commit({0: 10}, 5)
    assert topic_facts.committed(group, topic) == {0: 10}
    first.close(5)
    second = join(topic)
    assert second.poll(3000).records == {}
    assert [record.offset for record in until(second, lambda got: len(got) == 6, start=4)] == [
        *range(4, 10)
    ]


def test_pause_and_resume(topic, producer, join) -> None:
    consumer = join(topic)
    until_assigned(consumer, {0})
    consumer.seek(0, 0)
    consumer.pause({0, 9})
    produce(producer, topic, [b"a"])
    assert consumer.poll(700).records == {}
    assert consumer.paused() == {0}
    # Seeking is not resuming.
    consumer.seek(0, 0)
    assert consumer.poll(700).records == {}
    consumer.resume({0})
    assert len(until(consumer, lambda got: len(got) == 1)) == 1


def test_bounded_polls(topic, producer, join, kafka_bootstrap) -> None:
    produce(producer, topic, [b"%d" % n for n in range(50)])
    consumer = join(topic, KafkaOptions(kafka_bootstrap, max_poll_records=7))
    until_assigned(consumer, {0})
    consumer.seek(0, 0)
    offsets: list[int] = []
    while len(offsets) < 50:
        records = consumer.poll(500).records.get(0, [])
        assert len(records) <= 7
        offsets += [record.offset for record in records]
    assert offsets == list(range(50))


def test_a_commit_for_a_partition_not_held_is_refused(topic, join, topic_facts, group) -> None:
    consumer = join(topic)
    assert not consumer.commit({0: 1}, 2)
    until_assigned(consumer, {0})
    assert not consumer.commit({0: 0, 5: 1}, 5)
    assert topic_facts.committed(group, topic) == {0: 0}


def test_heartbeats_are_seen(topic, join) -> None:
    consumer = join(topic)
    until_assigned(consumer, {0})
    give_up = time.monotonic() + 5
    while consumer.heartbeat_age_s() is None:
        assert time.monotonic() < give_up
        consumer.poll(100)
    assert 0 <= consumer.heartbeat_age_s() < 3


def test_facts_of_a_topic(make_topic, producer, topic_facts) -> None:
    topic = make_topic(3, {"max.message.bytes": "2000000"})
    produce(producer, topic, [b"a", b"b"], partition=1)
    assert topic_facts.partition_count(topic) == 3
    assert topic_facts.max_message_bytes(topic) == 2_000_000
    assert not topic_facts.has_offset_gaps(topic)
    assert topic_facts.has_offset_gaps(make_topic(1, {"cleanup.policy": "compact,delete"}))
    assert topic_facts.log_bounds(topic, 1) == (0, 2)
    assert topic_facts.offsets_for(topic, "earliest") == {0: 0, 1: 0, 2: 0}
    assert topic_facts.offsets_for(topic, "latest") == {0: 0, 1: 2, 2: 0}


def test_a_start_in_time(topic, producer, topic_facts) -> None:
    for day in range(3):
        moment = LONG_AGO + timedelta(days=day)
        producer.send(topic, None, b"x", timestamp_ms=int(moment.timestamp() * 1000))
        assert producer.flush(10)
    assert topic_facts.offsets_for(topic, LONG_AGO + timedelta(hours=1)) == {0: 1}
    assert topic_facts.offsets_for(topic, LONG_AGO + timedelta(days=9)) == {0: 3}
    with pytest.raises(ValueError, match="time zone"):
        topic_facts.offsets_for(topic, datetime(2026, 1, 1))  # noqa: DTZ001


def test_the_logs_start_moves(topic, producer, topic_facts, kafka_bootstrap) -> None:
    produce(producer, topic, [b"a", b"b", b"c"])
    delete_before(kafka_bootstrap, topic, 2)
    assert topic_facts.log_bounds(topic, 0) == (2, 3)
    assert [record.offset for record in topic_facts.read_all(topic)] == [2]


def delete_before(bootstrap: str, topic: str, offset: int) -> None:
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.delete_records({TopicPartition(topic, 0): offset})
    admin.close()


def test_a_missing_topic_is_an_outage(topic_facts) -> None:
    for question in (
        topic_facts.topic_id,
        topic_facts.partition_count,
        topic_facts.max_message_bytes,
        lambda name: topic_facts.log_bounds(name, 0),
        lambda name: topic_facts.offsets_for(name, "latest"),
        lambda name: list(topic_facts.read_all(name)),
    ):
        with pytest.raises(Outage, match="no such topic"):
            question("test-missing")


def test_a_topic_made_anew_has_another_id(topic, topic_facts, kafka_bootstrap) -> None:
    before = topic_facts.topic_id(topic)
    assert topic_facts.topic_id(topic) == before
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    admin.delete_topics([topic])
    admin.close()
    give_up = time.monotonic() + 15
    while True:
        try:
            topic_facts.create_topic(topic)
            break
        except Outage:
            assert time.monotonic() < give_up
            time.sleep(0.2)
    assert topic_facts.topic_id(topic) != before


def test_read_all_ends_where_the_topic_ended(make_topic, producer, topic_facts) -> None:
    topic = make_topic(3)
    for partition in (0, 2):
        produce(producer, topic, [b"%d" % n for n in range(100)], partition)
    reading = topic_facts.read_all(topic)
    seen = [next(reading)]
    produce(producer, topic, [b"late"] * 5, 2)
    seen += list(reading)
    assert [(item.partition, item.offset) for item in seen if isinstance(item, Record)] == [
        (partition, offset) for partition in (0, 2) for offset in range(100)
    ]
    assert not any(isinstance(item, Undecodable) for item in seen)


def test_transactions_are_read_as_they_ended(
    topic, kafka_bootstrap, join, topic_facts: TopicFacts
) -> None:
    writer = KafkaProducer(bootstrap_servers=kafka_bootstrap, transactional_id=f"tx-{topic}")
    writer.init_transactions()
    for value, keep in ((b"kept 1", True), (b"aborted", False), (b"kept 2", True), (b"no", False)):
        writer.begin_transaction()
        writer.send(topic, value, partition=0)
        writer.flush()
        if keep:
            writer.commit_transaction()
        else:
            writer.abort_transaction()
    writer.close()
    # Record, marker, record, marker, …: offsets 0 to 7.
    consumer = join(topic)
    records = until(consumer, lambda got: len(got) == 2)
    assert [(record.offset, record.value) for record in records] == [(0, b"kept 1"), (4, b"kept 2")]
    give_up = time.monotonic() + 10
    while consumer.position(0) != 8:
        assert time.monotonic() < give_up, "the markers at the end are never passed"
        assert consumer.poll(200).records == {}
    assert topic_facts.log_bounds(topic, 0) == (0, 8)
    kept = [item for item in topic_facts.read_all(topic) if isinstance(item, Record)]
    assert [record.value for record in kept] == [b"kept 1", b"kept 2"]


def test_an_open_transaction_is_not_waited_for(topic, kafka_bootstrap, topic_facts) -> None:
    writer = KafkaProducer(bootstrap_servers=kafka_bootstrap, transactional_id=f"tx-{topic}")
    writer.init_transactions()
    writer.begin_transaction()
    writer.send(topic, b"open", partition=0)
    writer.flush()
    assert topic_facts.log_bounds(topic, 0) == (0, 1)
    assert list(topic_facts.read_all(topic)) == []
    writer.abort_transaction()
    writer.close()


def test_too_large_is_told_apart(make_topic, producer, kafka_options) -> None:
    small = make_topic(1, {"max.message.bytes": "1000"})
    by_broker = producer.send(small, None, random.Random(1).randbytes(5000))
    by_client = producer.send(small, None, bytes(kafka_options.max_request_bytes + 1))
    assert by_client.done()
    assert by_client.failed() == "too_large"
    in_its_batch = producer.send(small, None, b"small")
    assert producer.flush(10)
    assert by_broker.failed() == "too_large"
    assert in_its_batch.failed() is None
    # The producer survives what the broker refused.
    after = producer.send(small, None, b"small")
    assert after.wait(10)
    assert after.failed() is None


def test_the_buffer_is_bounded(topic, kafka_bootstrap, broker) -> None:
    producer = RecordProducer(KafkaOptions(kafka_bootstrap, max_buffered_bytes=10_000))
    producer.send(topic, None, b"warm").wait(10)
    broker.freeze()
    for _ in range(10):
        producer.send(topic, None, bytes(1000))
    with pytest.raises(Outage, match="wait to be produced"):
        producer.send(topic, None, bytes(1000))
    broker.thaw()
    assert producer.flush(15)
    assert producer.send(topic, None, bytes(1000)).wait(10)
    producer.close()
