"""Real servers, one of each a session; topics and groups of their own for every test.

``TEST_KAFKA_BOOTSTRAP`` and ``TEST_REDIS_URL`` name servers to use instead of private ones; tests
that stop, freeze or edit a server are then skipped.
"""

from __future__ import annotations

import gc
import os
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as redis_client

from consumers.kafka import KafkaOptions, PartitionConsumer, RecordProducer, TopicFacts
from tests.integration.world import World
from tests.servers import one_at_a_time, unavailable
from tests.servers.kafka import Broker
from tests.servers.redis import RedisMissing, RedisServer
from tools.kafka.jars import KafkaMissing, broker_jars

HERE = Path(__file__).parent
MakeTopic = Callable[..., str]
MakeWorld = Callable[..., World]
Join = Callable[..., PartitionConsumer]


@pytest.fixture(autouse=True)
def _collect_sockets() -> Iterator[None]:
    """kafka-python leaves the socket of a failed connection attempt to the garbage collector, which
    must not come upon it in the middle of a test that forbids warnings. What outlives a test is
    kept out of later collections: going through all that a worker holds by now takes longer than
    many a test."""
    _collect_sockets_now()
    gc.freeze()
    yield
    _collect_sockets_now()


def _collect_sockets_now() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unclosed <(socket|ssl)", ResourceWarning)
        gc.collect()


def pytest_unconfigure() -> None:
    """Those of the session's last fixtures: else the run would end with them, as an error."""
    _collect_sockets_now()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    unclosed = pytest.mark.filterwarnings("ignore:unclosed <(socket|ssl):ResourceWarning")
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(unclosed)


@pytest.fixture(scope="session")
def _own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker | None]:
    if os.environ.get("TEST_KAFKA_BOOTSTRAP"):
        yield None
        return
    broker = Broker(tmp_path_factory.mktemp("kafka"))
    try:
        with one_at_a_time():
            broker_jars()
        broker.start()
    except KafkaMissing as error:
        unavailable(str(error))
    yield broker
    broker.stop()
    _collect_sockets_now()


@pytest.fixture
def broker(_own_broker: Broker | None) -> Iterator[Broker]:
    """The session's broker, to be killed or frozen: it is up again for the next test."""
    if _own_broker is None:
        pytest.skip("needs a broker of its own; unset TEST_KAFKA_BOOTSTRAP")
    yield _own_broker
    _own_broker.thaw()
    if not _own_broker.is_running():
        _own_broker.start()


@pytest.fixture(scope="session")
def kafka_bootstrap(_own_broker: Broker | None) -> str:
    return _own_broker.bootstrap if _own_broker else os.environ["TEST_KAFKA_BOOTSTRAP"]


@pytest.fixture
def kafka_options(kafka_bootstrap: str) -> KafkaOptions:
    """Quick to notice: sessions of 6 s."""
    return KafkaOptions(kafka_bootstrap, session_timeout_ms=6000, bootstrap_timeout_ms=15_000)


@pytest.fixture(scope="session")
def topic_facts(kafka_bootstrap: str) -> Iterator[TopicFacts]:
    facts = TopicFacts(KafkaOptions(kafka_bootstrap, bootstrap_timeout_ms=15_000))
    yield facts
    facts.close()


@pytest.fixture
def make_topic(topic_facts: TopicFacts) -> MakeTopic:
    """``make_topic(partitions=1, configs={})`` → the name of a new topic."""

    def make(partitions: int = 1, configs: dict[str, str] | None = None) -> str:
        name = f"test-{uuid.uuid4().hex[:12]}"
        topic_facts.create_topic(name, partitions, configs)
        return name

    return make


@pytest.fixture
def topic(make_topic: MakeTopic) -> str:
    """A new topic with one partition."""
    return make_topic()


@pytest.fixture
def group() -> str:
    return f"group-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def producer(kafka_options: KafkaOptions) -> Iterator[RecordProducer]:
    made = RecordProducer(kafka_options)
    yield made
    made.close()


@pytest.fixture
def join(kafka_options: KafkaOptions, group: str) -> Iterator[Join]:
    """``join(topic, options=None)`` → a consumer of the test's group, closed at the end."""
    members: list[PartitionConsumer] = []

    def member(topic: str, options: KafkaOptions | None = None) -> PartitionConsumer:
        members.append(PartitionConsumer(options or kafka_options, topic, group))
        return members[-1]

    yield member
    for consumer in members:
        consumer.close(2.0)


@pytest.fixture(scope="session")
def _own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer | None]:
    if os.environ.get("TEST_REDIS_URL"):
        yield None
        return
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    try:
        server.start()
    except RedisMissing as error:
        unavailable(str(error))
    yield server
    server.stop()


@pytest.fixture
def redis_server(_own_redis: RedisServer | None) -> Iterator[RedisServer]:
    """The session's Redis, to be killed or frozen: it is up again for the next test."""
    if _own_redis is None:
        pytest.skip("needs a Redis of its own; unset TEST_REDIS_URL")
    yield _own_redis
    _own_redis.thaw()
    if not _own_redis.is_running():
        _own_redis.start()


@pytest.fixture(scope="session")
def redis_url(_own_redis: RedisServer | None) -> str:
    return _own_redis.url if _own_redis else os.environ["TEST_REDIS_URL"]


@pytest.fixture
def redis(redis_url: str) -> Iterator[redis_client.Redis]:
    """A client of a server that holds nothing. Raw bytes; not set to decode."""
    with redis_client.Redis.from_url(redis_url) as client:
        client.flushall()
        yield client


@pytest.fixture
def make_world(topic_facts, kafka_options, redis_url, redis, tmp_path) -> Iterator[MakeWorld]:
    """``make_world(partitions=4, **settings)`` → an installation of its own."""
    worlds: list[World] = []

    def make(**settings: Any) -> World:
        worlds.append(World(topic_facts, kafka_options, redis_url, tmp_path, **settings))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()
