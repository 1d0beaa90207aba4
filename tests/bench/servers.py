"""The broker and the Redis of one bench, and topics that are filled once for all runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import redis

from consumers.kafka import KafkaOptions, RecordProducer, TopicFacts
from service.outage import Outage
from tests.bench.events import Chunks, EventStream
from tests.servers.redis import RedisServer
from tools.kafka.broker import Broker

PARTITIONS = 4


@dataclass(frozen=True)
class Servers:
    """``broker_pid`` and ``redis_pid``: None for servers of others, whose CPU we cannot read.
    ``disabled``: checks that the installations on them do without."""

    bootstrap: str
    broker_pid: int | None
    redis_url: str
    redis_pid: int | None
    facts: TopicFacts
    options: KafkaOptions
    disabled: tuple[str, ...] = ()


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Private ones, or those that TEST_KAFKA_BOOTSTRAP and TEST_REDIS_URL name."""
    with contextlib.ExitStack() as stack:
        bootstrap, broker_pid = os.environ.get("TEST_KAFKA_BOOTSTRAP"), None
        if not bootstrap:
            broker = Broker(folder / "kafka")
            stack.callback(broker.stop)
            broker.start()
            bootstrap, broker_pid = broker.bootstrap, broker.pid
        url = os.environ.get("TEST_REDIS_URL")
        redis_pid = None
        if not url:
            server = RedisServer(folder / "redis")
            stack.callback(server.stop)
            server.start()
            url = server.url
            with redis.Redis.from_url(url) as client:
                redis_pid = int(client.info("server")["process_id"])
        options = KafkaOptions(bootstrap)
        facts = TopicFacts(options)
        stack.callback(facts.close)
        yield Servers(bootstrap, broker_pid, url, redis_pid, facts, options)


@dataclass(frozen=True)
class Filled:
    """A topic with its events: how many, how many of them are wrong, their mean size in bytes."""

    topic: str
    events: int
    faulty: int
    mean_bytes: float


def fill(servers: Servers, chunks: Chunks, count: int) -> Filled:
    """The topic of these events; made unless it stands there from an earlier run."""
    topic = f"bench-{chunks}-{count}"
    stream, size = EventStream(chunks), 0
    with contextlib.suppress(Outage):
        held = sum(servers.facts.log_bounds(topic, p)[1] for p in range(PARTITIONS))
        if held == count:
            sample = list(stream.take(200))
            return Filled(topic, count, count // 20, sum(map(len, sample)) / len(sample))
        raise SystemExit(f"{topic} holds {held} records, not {count}: delete it")
    servers.facts.create_topic(topic, PARTITIONS, {"max.message.bytes": "2097152"})
    producer = RecordProducer(servers.options)
    try:
        for number, raw in enumerate(stream.take(count)):
            size += len(raw)
            producer.send(topic, None, raw, partition=number % PARTITIONS)
            if number % 1_000 == 999 and not producer.flush(60):
                raise SystemExit("the broker does not acknowledge")
        if not producer.flush(60):
            raise SystemExit("the broker does not acknowledge")
    finally:
        producer.close()
    return Filled(topic, count, stream.faulty, size / count)
