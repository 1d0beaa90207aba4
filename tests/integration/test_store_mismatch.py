"""A store that does not belong to the topic: noticed, halted, mended, and exact again."""

from __future__ import annotations

import shutil
import signal
from datetime import UTC, datetime, timedelta

import pytest

from service.accounting import Kind
from tests.integration.world import World, answer_event


def sum_of(world: World, name: str) -> int:
    return sum(b.counts.get(name, 0) for b in world.parts.store.checkpoints.books())


def test_redis_loses_everything_under_traffic(make_world, redis) -> None:
    world = make_world(partitions=2)
    world.produce(1_500)
    consumer = world.consume()
    world.until(lambda: world.received() > 300)
    redis.flushall()
    world.until_halted("store_lost")
    world.produce(300)
    assert world.parts.store.checkpoints.books() == [], "nothing is consumed"
    done = world.run("rebuild", "--yes")
    assert done.returncode == 0, done.stderr
    assert "The books balance." in done.stdout
    world.until_received()
    assert consumer.poll() is None
    assert world.probe("/readyz").status_code == 200
    world.produce(300)
    world.until_received()
    world.expect_exact()


def test_redis_loses_everything_while_idle(make_world, redis) -> None:
    world = make_world(partitions=2)
    world.produce(600)
    world.consume()
    world.until_received()
    before = world.snapshot()
    redis.flushall()
    # Nobody sends anything: the consumer notices all the same, and the empty books say so.
    world.until_halted("store_lost")
    told = world.run("books")
    assert told.returncode == 1
    assert told.stdout.count("the store does not know it") == 2
    world.rebuild()
    assert world.run("books").returncode == 0
    assert world.snapshot() == before
    world.until(lambda: world.probe("/readyz").status_code == 200)
    world.produce(300)
    world.until_received()
    world.expect_exact()


def test_an_older_backup_of_redis_is_restored(make_world, redis_server) -> None:
    world = make_world(partitions=2)
    world.produce(400)
    world.consume()
    world.until_received()
    backup = redis_server.directory / "backup"
    shutil.copytree(redis_server.directory / "appendonlydir", backup)
    world.produce(400)
    world.until_received()
    world.until(lambda: sum(world.committed().values()) == 800)
    redis_server.stop()
    shutil.rmtree(redis_server.directory / "appendonlydir")
    backup.rename(redis_server.directory / "appendonlydir")
    redis_server.start()
    assert world.received() == 400
    world.until_halted("store_behind")
    world.produce(200)
    assert world.received() == 400, "nothing is consumed"
    world.rebuild()
    world.until_received()
    world.expect_exact()


def test_the_topic_is_deleted_and_made_anew(make_world, redis) -> None:
    world = make_world(partitions=2)
    world.produce(400)
    world.consume()
    world.until_received()
    world.recreate_answers()
    world.produce(200)
    world.until_halted("topic_recreated")
    assert world.received() == 400
    world.reset("earliest")
    world.until_received()
    assert set(world.books().values()) == {0}
    assert world.cases() == world.truth.flagged
    assert {b.segment for b in world.parts.store.checkpoints.books()} == {0, 1}
    # Positions of both topics are alike; the rebuild must not take one for the other.
    before = world.snapshot()
    redis.flushall()
    world.until_halted("store_lost")
    world.rebuild()
    assert world.snapshot() == before


def test_the_new_topic_is_longer_than_the_old_one(make_world) -> None:
    """The consumer's position exists there too: no fetch fails, and only the topic's id tells."""
    world = make_world(partitions=1)
    world.produce(50)
    consumer = world.consume()
    world.until_received()
    world.recreate_answers()
    world.produce(400)
    world.until_halted("topic_recreated")
    assert world.received() == 50
    world.reset("earliest")
    world.until_received()
    assert set(world.books().values()) == {0}
    assert world.received() == 450
    assert world.cases() == world.truth.flagged
    assert world.stop(consumer) == 0


def test_retention_passes_the_checkpoint(make_world) -> None:
    world = make_world(partitions=2)
    world.produce(200)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    world.produce(200, faulty_every=0, poison_every=0)
    world.delete_records({0: 150, 1: 120})
    world.produce(100)
    world.consume()
    world.until_received(200 + 130)
    assert world.books()["offsets"] == 0
    assert set(world.books().values()) == {0}
    counts = {b.partition: b.counts for b in world.parts.store.checkpoints.books()}
    assert counts[0]["lost:retention"] == counts[0]["lost"] == 50
    assert counts[1]["lost:retention"] == counts[1]["lost"] == 20
    assert world.metric('records_total{kind="lost"}', number=1) == 70
    rows, cases = world.verdicts_read()
    gone = {(0, n) for n in range(100, 150)} | {(1, n) for n in range(100, 120)}
    assert rows.keys() == world.truth.positions - gone
    assert world.cases() == world.truth.flagged
    assert cases == world.truth.flagged.keys()


def test_retention_passes_a_consumer_that_runs(make_world) -> None:
    world = make_world(partitions=1)
    world.produce(100)
    consumer = world.consume()
    world.until_received()
    consumer.send_signal(signal.SIGSTOP)
    # A fetch may be under way already: it brings the first record, and no more.
    world.produce(1, faulty_every=0, poison_every=0)
    world.produce(99, faulty_every=0, poison_every=0)
    world.delete_records({0: 180})
    consumer.send_signal(signal.SIGCONT)
    world.until(lambda: sum_of(world, "lost") in (79, 80))
    lost = sum_of(world, "lost")
    world.produce(50)
    world.until_received(250 - lost)
    assert set(world.books().values()) == {0}
    assert world.cases() == world.truth.flagged
    assert consumer.poll() is None


def test_the_checkpoint_is_beyond_the_end_of_the_log(make_world) -> None:
    world = make_world(partitions=1)
    world.produce(100)
    world.consume()
    world.until_received()
    with pytest.raises(ValueError, match="ends at offset 100; 5000 is beyond it"):
        world.reset(5000)
    topic_id = world.facts.topic_id(world.answers)
    world.parts.store.checkpoints.open_segment(world.answers, 0, 5000, topic_id, reset=True)
    world.until_halted("ahead_of_log")
    world.produce(20)
    assert world.received() == 100
    world.reset(100)
    world.until_received()
    world.expect_exact()


def test_a_reset_reaches_a_consumer_that_idles(make_world) -> None:
    world = make_world(partitions=2, id_window_s=3600)
    world.produce(200, faulty_every=0, poison_every=0)
    world.consume()
    world.until_received()
    world.reset("earliest")
    # Everything is read again, into a new account, and recognised.
    world.until_received(400)
    totals = world.totals()
    assert (totals["checked"], totals["duplicate"]) == (200, 200)
    assert set(world.books().values()) == {0}
    assert {b.segment for b in world.parts.store.checkpoints.books()} == {0, 1}


def test_a_partition_that_appears_later_is_read_from_its_beginning(make_world) -> None:
    world = make_world(partitions=1)
    world.produce(50)
    consumer = world.consume("--from", "latest")
    world.until(lambda: world.parts.store.checkpoints.get(world.answers, 0) is not None)
    world.until(lambda: world.probe("/readyz").status_code == 200)
    assert world.stop(consumer) == 0
    with world.admin() as admin:
        admin.create_partitions({world.answers: 2})
    world.partitions = 2
    world.truth.positions.clear()
    world.truth.poison.clear()
    world.truth.flagged.clear()
    world.until(lambda: world.facts.partition_count(world.answers) == 2)
    world.renew_producer()
    world.produce(60)
    world.consume("--from", "latest")
    world.until_received()
    world.expect_exact()
    firsts = {b.partition: b.first for b in world.parts.store.checkpoints.books()}
    assert firsts == {0: 50, 1: 0}


def test_a_first_start_from_a_time_and_a_second_from_the_checkpoint(make_world) -> None:
    world = make_world(partitions=1)
    start = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
    for minute in range(-30, 30):
        moment = start + timedelta(minutes=minute)
        world.send(answer_event(f"t-{minute}"), timestamp_ms=int(moment.timestamp() * 1000))
    assert world.producer.flush(30)
    consumer = world.consume("--from", start.isoformat())
    world.until_received(30)
    assert world.stop(consumer) == 0
    rows, _ = world.verdicts_read()
    assert rows == {(0, offset): Kind.CHECKED for offset in range(30, 60)}
    world.send_all(*(answer_event(f"late-{n}") for n in range(5)))
    # Another start is asked for, but there is a checkpoint.
    world.consume("--from", "latest")
    world.until_received(35)
    assert set(world.books().values()) == {0}
