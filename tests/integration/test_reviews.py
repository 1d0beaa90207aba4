"""People's work outlives the web process, Redis, and the store that it was written to."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from itertools import chain
from typing import Any

from consumers.upkeep import review_values, verdict_values
from service.bootstrap import desk
from service.rebuild import rebuild
from service.records import Record
from service.review.records import decode_record
from tests.integration.world import World, answer_event


def reviewer(world: World, name: str) -> subprocess.Popen[bytes]:
    log = (world.folder / f"{name}.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.reviewer", name],
        env={**os.environ, **world.environment},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    log.close()
    world.servers.append(process)
    return process


def told(world: World, *names: str) -> list[tuple[str, int]]:
    """What the reviewers were told is saved."""
    lines = [
        line.split()
        for name in names
        for line in (world.folder / f"{name}.log").read_text().splitlines()
        if line.startswith("case:")
    ]
    # The last line of a killed process may be cut.
    return [(line[0], int(line[1])) for line in lines if len(line) == 2]


def flagged_world(make_world: Any, cases: int, **settings: Any) -> World:
    """So many flagged answers, each of another cause, and as many clean ones."""
    world: World = make_world(
        partitions=2, topic_reviews=f"reviews-{uuid.uuid4().hex[:8]}", **settings
    )
    world.facts.create_topic(world.settings.topic_reviews, 1)
    world.produce(2 * cases, poison_every=0, faulty_every=2)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    return world


def topic(world: World) -> list[tuple[str, int]]:
    records = world.facts.read_all(world.settings.topic_reviews)
    changes = [decode_record(r.value or b"") for r in records if isinstance(r, Record)]
    return [(change.subject, change.number) for change in changes]


def labels(world: World) -> dict[str, Any]:
    reviews = desk(world.parts, lambda: None)
    changes = reviews.changes(limit=10_000).changes
    return {change.subject: reviews.history(change.subject) for change in changes}


def test_kill_9_of_a_web_process_loses_nothing_that_was_told_saved(make_world: Any) -> None:
    world = flagged_world(make_world, 800)
    first, second = reviewer(world, "first"), reviewer(world, "second")
    world.until(lambda: len(told(world, "first")) > 60 and len(told(world, "second")) > 60)
    first.kill()
    second.kill()
    first.wait()
    second.wait()
    saved = told(world, "first", "second")
    assert len(set(saved)) == len(saved) < 800
    before = labels(world)
    assert set(saved) <= {(s, c.number) for s, history in before.items() for c in history}
    # At most the one of each process that was stored, and not told any more.
    assert len(before) <= len(saved) + 2
    # The next process produces what the dead ones left behind.
    reviewer(world, "third")
    world.until(lambda: not world.parts.store.reviews.unflushed(1) and told(world, "third"))
    assert set(before) <= {subject for subject, _ in topic(world)}
    assert world.books() == dict.fromkeys(world.books(), 0)


def test_a_wiped_store_gets_every_label_back(make_world: Any, redis: Any) -> None:
    world = flagged_world(make_world, 120)
    process = reviewer(world, "only")
    world.until(lambda: "done" in (world.folder / "only.log").read_text())
    world.until(lambda: not world.parts.store.reviews.unflushed(1))
    process.kill()
    process.wait()
    before, counts = labels(world), world.parts.store.archive.case_counts()
    assert counts["resolved"] == 120
    redis.flushall()
    world.parts.store.checkpoints.open()
    values = chain(
        verdict_values(world.facts, world.verdicts),
        review_values(world.facts, world.settings.topic_reviews),
    )
    report = rebuild(world.parts.store, values, lambda _: None)
    assert (report.changes, report.unknown) == (120, 0)
    assert labels(world) == before
    assert world.parts.store.archive.case_counts() == counts
    assert world.books() == dict.fromkeys(world.books(), 0)


def test_a_redis_that_is_killed_and_started_again_has_every_label(
    make_world: Any, redis_server: Any
) -> None:
    world = flagged_world(make_world, 400)
    process = reviewer(world, "only")
    world.until(lambda: len(told(world, "only")) > 50)
    redis_server.kill()
    redis_server.start()
    saved = len(told(world, "only"))
    world.until(lambda: len(told(world, "only")) > saved + 20)
    process.kill()
    process.wait()
    histories = labels(world)
    assert set(told(world, "only")) <= {(s, c.number) for s, h in histories.items() for c in h}
    assert world.books() == dict.fromkeys(world.books(), 0)


def test_without_a_topic_of_reviews_there_is_nothing_to_read(make_world: Any) -> None:
    world: World = make_world(topic_reviews=f"none-{uuid.uuid4().hex[:8]}")
    assert list(review_values(world.facts, world.settings.topic_reviews)) == []


def test_erase_forgets_a_user_now_and_in_a_rebuild(make_world: Any) -> None:
    world: World = make_world(partitions=1)
    users = ("hers", "his", "hers")
    raws = [
        answer_event(f"e{n}", faulty=True, user={"id_hash": f"hash-of-{user}"})
        for n, user in enumerate(users)
    ]
    world.send_all(*raws)
    consumer = world.consume()
    world.until_received(len(users))
    assert world.stop(consumer) == 0
    done = world.run("erase", "--user-hash", "hash-of-hers", "--yes")
    assert (done.returncode, done.stdout) == (0, "2 cases, 0 audits and 0 judge jobs erased\n")
    assert world.cases().keys() == {"e1"}
    world.rebuild()
    assert world.cases().keys() == {"e1"}
    assert world.parts.store.archive.case_counts()["erased"] == 2
    assert world.books() == dict.fromkeys(world.books(), 0)
