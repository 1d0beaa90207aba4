"""The consumer on a real broker and a real Redis: every effect exactly once."""

from __future__ import annotations


def test_everything_is_checked_once_and_the_books_balance(make_world) -> None:
    world = make_world()
    world.produce(2_000)
    consumer = world.consume()
    world.until_received()
    world.expect_exact()
    assert world.stop(consumer) == 0
    committed = world.facts.committed(world.settings.group, world.answers)
    assert sum(committed.values()) == 2_000
