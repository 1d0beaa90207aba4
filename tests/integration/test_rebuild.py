"""``groundwatch rebuild``: the same store again, whatever happened to the verdicts on their way."""

from __future__ import annotations

import random
import threading

import pytest

from consumers import runtime
from consumers.upkeep import verdict_values
from service.health import Health
from service.ingest import Ingest
from service.rebuild import rebuild
from tests.integration.world import World, answer_event


def rebuild_from(world: World, values: list[bytes | None]) -> None:
    rebuild(world.parts.store, iter(values), lambda _: None)


def verdicts_of(world: World) -> list[bytes | None]:
    return list(verdict_values(world.facts, world.verdicts))


def test_the_same_store_from_repeated_and_reordered_records(make_world, redis) -> None:
    """With suppressed cases, duplicates, errors, another app and two releases among them."""
    world = make_world(partitions=2, cases_per_group_day=3, max_poll_records=40)
    world.produce(400)
    for n in range(12):
        alike = answer_event(f"alike-{n}", faulty=True, answer="It costs 45 € [pricing#gone].")
        world.send(alike, n % 2)
        world.send(answer_event(f"alike-{n}"), (n + 1) % 2)
        world.send(answer_event(f"error-{n}", status="error", release={"id": "r2"}), n % 2)
        world.send(answer_event(f"sale-{n}", app="sales", faulty=n % 3 == 0), n % 2)
        world.send(answer_event(f"probe-{n}", app="unlisted", purpose="probe"), n % 2)
    assert world.producer.flush(30)
    consumer = world.consume()
    world.until_received(460)
    assert world.stop(consumer) == 0
    before = world.snapshot()
    assert before["totals"]["suppressed"] > 0
    assert before["totals"]["duplicate"] == 12
    values = verdicts_of(world)

    redis.flushall()
    assert world.run("rebuild", "--yes").returncode == 0
    assert world.snapshot() == before
    # Twice is the same.
    world.rebuild()
    assert world.snapshot() == before

    mixed = [*values, *random.Random(3).sample(values, len(values) // 2), None, b"{}", b"\xff"]
    for seed in range(3):
        redis.flushall()
        world.parts.store.checkpoints.open()
        random.Random(seed).shuffle(mixed)
        rebuild_from(world, mixed)
        assert world.snapshot() == before


class _Crash(BaseException):
    """Ends a rebuild or a consumer where it stands, as kill -9 would."""


def test_a_rebuild_that_crashes_halts_the_consumers_until_another_completes(
    make_world, redis
) -> None:
    world = make_world(partitions=2, max_poll_records=20)
    world.produce(400)
    world.consume()
    world.until_received()
    before = world.snapshot()
    values = verdicts_of(world)

    def crash(report) -> None:
        if report.batches == 5:
            raise _Crash

    with pytest.raises(_Crash):
        rebuild(world.parts.store, iter(values), crash)
    world.until_halted("rebuilding")
    world.produce(100)
    assert world.parts.store.checkpoints.state() == "rebuilding"
    world.rebuild()
    world.until_received()
    world.expect_exact()
    totals = before["totals"]
    assert world.totals()["cases"] == totals["cases"] + 5


def consume_until(world: World, crash: type[BaseException] | None = None) -> None:
    """A consumer in this process, for as long as something waits or until it "crashes"."""
    stop = threading.Event()
    timer = threading.Timer(40, stop.set)
    timer.start()
    try:
        with runtime.answers_consumer(world.parts, Health(), "earliest") as consumer:
            while not stop.is_set() and world.received() < len(world.truth.positions):
                consumer.turn()
    except BaseException as error:
        if crash is None or not isinstance(error, crash):
            raise
    finally:
        timer.cancel()


def test_cases_whose_batch_never_closed_do_not_appear_twice(make_world, redis, monkeypatch) -> None:
    """A crash between a batch's case records and its own, and then the store is lost."""
    world = make_world(partitions=1, max_poll_records=100)
    world.produce(300, faulty_every=4)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    world.produce(100, faulty_every=4)

    from consumers.delivery import Courier

    deliver = Courier.deliver

    def crash_at_the_batch(self, topic, messages):
        messages = list(messages)
        if topic == world.verdicts and any(message.key for message in messages):
            raise _Crash
        return deliver(self, topic, messages)

    monkeypatch.setattr(Courier, "deliver", crash_at_the_batch)
    consume_until(world, _Crash)
    monkeypatch.undo()
    assert world.outboxes() == [0]
    redis.flushall()
    # Of one batch: how many of its cases there are is a matter of its size.
    assert 0 < world.rebuild().orphans <= 25
    assert world.received() == 300
    world.consume()
    world.until_received()
    world.expect_exact()


@pytest.mark.parametrize("moment", ["before the outbox is read", "before it is forgotten"])
def test_the_store_is_lost_in_the_middle_of_a_flush(make_world, redis, monkeypatch, moment) -> None:
    """The commit must not run ahead of the verdicts, or no rebuild would ever be enough."""
    world = make_world(partitions=1, max_poll_records=100)
    world.produce(200)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    world.produce(200)
    ledger = world.parts.store.ledger
    applying, clear = Ingest.applying, type(ledger).clear_outbox
    lost: list[object] = []

    def apply_and_lose(self, effects, epoch, stages):
        done = yield from applying(self, effects, epoch, stages)
        if not lost and effects.rows:
            lost.append(redis.flushall())
        return done

    def lose_and_clear(self, *arguments):
        if not lost and world.received() > 200:
            lost.append(redis.flushall())
        return clear(self, *arguments)

    if moment == "before the outbox is read":
        monkeypatch.setattr(Ingest, "applying", apply_and_lose)
    else:
        monkeypatch.setattr(type(ledger), "clear_outbox", lose_and_clear)
    stop = threading.Event()
    with runtime.answers_consumer(world.parts, Health(), "earliest") as consumer:
        thread = threading.Thread(target=consumer.run, args=(stop,))
        thread.start()
        world.until(lambda: any(held.halted for held in consumer._held.values()))
        stop.set()
        thread.join(30)
    monkeypatch.undo()
    assert lost
    world.rebuild()
    assert world.committed()[0] <= world.received()
    world.consume()
    world.until_received()
    world.expect_exact()


def test_two_rebuilds_at_once_do_not_mix(make_world) -> None:
    world = make_world(partitions=1, max_poll_records=20)
    world.produce(200)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    before = world.snapshot()
    values = verdicts_of(world)

    def overtake(report) -> None:
        if report.batches == 3:
            rebuild_from(world, values)

    with pytest.raises(Exception, match="another rebuild"):
        rebuild(world.parts.store, iter(values), overtake)
    assert world.snapshot() == before
