"""The consumer on a real broker and a real Redis: every effect exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.integration.world import World

MakeWorld = Callable[..., World]


@pytest.fixture
def make_world(topic_facts, kafka_options, redis_url, redis, tmp_path) -> Iterator[MakeWorld]:
    worlds: list[World] = []

    def make(**settings: object) -> World:
        worlds.append(World(topic_facts, kafka_options, redis_url, tmp_path, **settings))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


def test_everything_is_checked_once_and_the_books_balance(make_world) -> None:
    world = make_world()
    world.produce(2_000)
    consumer = world.consume()
    world.until_received()
    world.expect_exact()
    assert world.stop(consumer) == 0
    committed = world.facts.committed(world.settings.group, world.answers)
    assert sum(committed.values()) == 2_000
