"""Crashes, zombies and outages: the same exactness through all of them."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from consumers import runtime
from service.health import Health
from tests.integration.world import World


def test_kills_a_rebalance_and_a_zombie(make_world) -> None:
    world = make_world(max_poll_interval_s=7)
    world.produce(10_000)
    first = world.consume()
    zombie = world.consume()
    world.until(lambda: world.received() > 2_000)
    first.kill()
    first = world.consume()
    world.until(lambda: world.received() > 4_000)
    first.kill()
    # Stopped for longer than a session and than max.poll.interval: its partitions go to the others,
    # and what it still has in hand when it wakes must have no effect.
    zombie.send_signal(signal.SIGSTOP)
    world.consume()
    stopped_at = time.monotonic()
    world.produce(10_000)
    world.until(lambda: world.received() > 12_000, timeout_s=90)
    time.sleep(max(0.0, 9 - (time.monotonic() - stopped_at)))
    zombie.send_signal(signal.SIGCONT)
    # A third member: a rebalance while everything runs.
    world.consume()
    world.until_received(timeout_s=90)
    world.expect_exact()


class _Crash(BaseException):
    """Ends a consumer where it stands, as kill -9 would."""


@pytest.mark.parametrize(
    "moment", ["before the flush", "between cases and batch", "before the clear"]
)
def test_a_crash_after_the_store_write_loses_no_verdict(make_world, crashing, moment) -> None:
    world = make_world(partitions=1)
    world.produce(300)
    with pytest.raises(_Crash):
        crashing(world, moment)
    assert world.received() > 0
    assert world.outboxes() == [0]
    world.consume()
    world.until_received()
    world.expect_exact()


@pytest.fixture
def crashing(monkeypatch):
    """Run a consumer in this process until it "crashes" at a moment of its flush."""

    def run(world: World, moment: str) -> None:
        stop = threading.Event()
        with runtime.answers_consumer(world.parts, Health(), "earliest") as consumer:
            courier = consumer._courier
            deliver, ledger = courier.deliver, world.parts.store.ledger

            def crash_in_deliver(topic, messages):
                messages = list(messages)
                if topic == world.verdicts and world.received() > 0:
                    batch_record = any(message.key for message in messages)
                    if moment == "before the flush" or (
                        moment == "between cases and batch" and batch_record
                    ):
                        raise _Crash
                return deliver(topic, messages)

            clear = ledger.clear_outbox

            def crash_in_clear(_, *arguments):
                if world.received() > 0:
                    raise _Crash
                clear(*arguments)

            monkeypatch.setattr(courier, "deliver", crash_in_deliver)
            if moment == "before the clear":
                monkeypatch.setattr(type(ledger), "clear_outbox", crash_in_clear)
            try:
                consumer.run(stop)
            finally:
                monkeypatch.undo()

    return run


def test_redis_away_for_ten_seconds(make_world, redis_server) -> None:
    world = make_world()
    world.produce(3_000)
    consumer = world.consume()
    world.until(lambda: world.received() > 500)
    redis_server.stop()
    world.until(lambda: world.probe("/readyz").status_code == 503)
    time.sleep(2)
    behind = sum(world.samples("consumer_lag"))
    world.produce(2_000)
    world.until(lambda: sum(world.samples("consumer_lag")) == behind + 2_000, timeout_s=15)
    time.sleep(8)
    assert consumer.poll() is None
    last_turn = world.metric("consumer_last_turn_timestamp_seconds")
    assert time.time() - last_turn < 3, "the loop goes round in an outage too"
    redis_server.start()
    world.until_received(timeout_s=60)
    world.expect_exact()
    assert '"dependency": "redis"' in world.log()


def test_redis_hangs(make_world, redis_server) -> None:
    world = make_world()
    world.produce(3_000)
    world.consume()
    world.until(lambda: world.received() > 500)
    redis_server.freeze()
    time.sleep(8)
    redis_server.thaw()
    world.until_received(timeout_s=60)
    world.expect_exact()


def test_the_broker_restarts(make_world, broker) -> None:
    world = make_world()
    world.produce(3_000)
    world.consume()
    world.until(lambda: world.received() > 500)
    broker.stop()
    time.sleep(3)
    broker.start()
    world.produce(2_000)
    world.until_received(timeout_s=90)
    world.expect_exact()


def test_the_dead_letter_topic_is_missing_for_a_while(make_world, kafka_bootstrap) -> None:
    world = make_world(partitions=1)
    world.delete_topic(world.dead_letters)
    world.produce(500, poison_every=50)
    consumer = world.consume()
    time.sleep(8)
    assert consumer.poll() is None
    assert world.received() < 500, "poison must not pass without its dead letter"
    world.facts.create_topic(world.dead_letters, 1)
    world.until_received(timeout_s=60)
    world.expect_exact()


def test_sigterm_drains_and_commits(make_world) -> None:
    world = make_world()
    world.produce(4_000)
    consumer = world.consume()
    world.until(lambda: world.received() > 500)
    assert world.stop(consumer) == 0
    committed = world.facts.committed(world.settings.group, world.answers)
    nexts = {b.partition: b.next for b in world.parts.store.checkpoints.books()}
    assert committed == nexts
    assert world.outboxes() == []
    world.consume()
    world.until_received()
    world.expect_exact()
