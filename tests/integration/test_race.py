"""Two browsers at two web processes over one Redis: they race for cases, and nothing is labelled
twice."""

from __future__ import annotations

import uuid
from typing import Any

from service.bootstrap import desk
from service.review.labels import Action
from tests.e2e.racing import NAMES, race
from tests.e2e.reviewing import installed_chromium
from tests.integration.world import World

CASES = 12


def test_two_people_race_at_two_servers_and_nothing_is_labelled_twice(make_world: Any) -> None:
    world: World = make_world(partitions=1, topic_reviews=f"reviews-{uuid.uuid4().hex[:8]}")
    world.facts.create_topic(world.settings.topic_reviews, 1)
    world.produce(2 * CASES, poison_every=0, faulty_every=2)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    addresses = [world.serve(), world.serve()]
    with installed_chromium() as chrome:
        race(chrome, addresses)
    changes = desk(world.parts, lambda: None).changes(limit=50).changes
    assert [change.action for change in changes] == [Action.LABELLED] * CASES
    assert len({change.subject for change in changes}) == CASES
    assert {change.reviewer for change in changes} == set(NAMES)
    assert world.parts.store.archive.case_counts()["resolved"] == CASES
    world.until(lambda: not world.parts.store.reviews.unflushed(1))
    assert world.books() == dict.fromkeys(world.books(), 0)
