"""People's work outlives the web process, Redis, and the store that it was written to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pytest

from consumers.upkeep import review_values, verdict_values
from service.bootstrap import desk
from service.rebuild import rebuild
from service.records import Record
from service.review.labels import Change
from service.review.records import decode_record
from tests.integration.reviewer import Reviewer
from tests.integration.world import World, answer_event

Hire = Callable[[str, str], Reviewer]


@pytest.fixture
def hire() -> Iterator[Hire]:
    """``hire(address, name)`` → a reviewer at work; all have left at the end."""
    people: list[Reviewer] = []

    def start(address: str, name: str) -> Reviewer:
        people.append(Reviewer(address, name))
        people[-1].start()
        return people[-1]

    yield start
    for person in people:
        person.leave()


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


def changes_of(histories: Mapping[str, Sequence[Change]]) -> set[tuple[str, int]]:
    return {(subject, change.number) for subject, h in histories.items() for change in h}


def test_kill_9_of_serve_loses_nothing_that_it_said_is_saved(make_world: Any, hire: Hire) -> None:
    world = flagged_world(make_world, 300)
    people = [hire(world.serve(), name) for name in ("first", "second")]
    world.until(lambda: all(len(person.saved) > 25 for person in people))
    for server in world.servers:
        server.kill()
        server.wait()
    for person in people:
        person.leave()
    saved = [change for person in people for change in person.saved]
    unanswered = set.union(*(person.unanswered for person in people))
    assert len(set(saved)) == len(saved) < 300
    before = labels(world)
    stored = changes_of(before)
    assert set(saved) <= stored
    # What was sent and not answered is there as a whole, or not at all.
    assert {subject for subject, _ in stored - set(saved)} <= unanswered
    assert len(unanswered) <= len(people)
    assert world.parts.store.archive.case_counts()["resolved"] == len(before)
    waiting = [decode_record(raw) for raw in world.parts.store.reviews.unflushed(-1)]
    recorded = {(change.subject, change.number) for change in waiting} | set(topic(world))
    assert recorded == stored
    assert world.books() == dict.fromkeys(world.books(), 0)
    # The next process produces what the dead ones left behind, and deals what is left.
    third = hire(world.serve(), "third")
    world.until(lambda: third.saved and not world.parts.store.reviews.unflushed(1))
    assert stored <= set(topic(world))
    assert not {subject for subject, _ in third.saved} & before.keys()


def test_a_wiped_store_gets_every_label_back(make_world: Any, redis: Any, hire: Hire) -> None:
    world = flagged_world(make_world, 120)
    only = hire(world.serve(), "only")
    world.until(only.done.is_set)
    world.until(lambda: not world.parts.store.reviews.unflushed(1))
    world.stop(world.servers[0])
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
    make_world: Any, redis_server: Any, hire: Hire
) -> None:
    world = flagged_world(make_world, 200)
    only = hire(world.serve(), "only")
    world.until(lambda: len(only.saved) > 30)
    redis_server.kill()
    redis_server.start()
    told = set(only.saved)
    assert told <= changes_of(labels(world))
    world.until(lambda: len(only.saved) > len(told) + 20)
    only.leave()
    stored = changes_of(labels(world))
    assert set(only.saved) <= stored
    assert {subject for subject, _ in stored - set(only.saved)} <= only.unanswered
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
    assert done.returncode == 0
    assert done.stdout.startswith("2 cases, 0 audits and 0 judge jobs erased; ")
    assert world.cases().keys() == {"e1"}
    world.rebuild()
    assert world.cases().keys() == {"e1"}
    assert world.parts.store.archive.case_counts()["erased"] == 2
    assert world.books() == dict.fromkeys(world.books(), 0)
