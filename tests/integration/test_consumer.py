"""The consumer on a real broker and a real Redis: every effect exactly once."""

from __future__ import annotations

import urllib.request

from tools.kafka.broker import free_port


def test_everything_is_checked_once_and_the_books_balance(make_world) -> None:
    world = make_world()
    world.produce(2_000)
    consumer = world.consume()
    world.until_received()
    world.expect_exact()
    assert world.stop(consumer) == 0
    committed = world.facts.committed(world.settings.group, world.answers)
    assert sum(committed.values()) == 2_000


def test_a_spare_member_without_partitions_is_ready(make_world) -> None:
    world = make_world(partitions=1)
    world.consume(metrics_port=(first := free_port()))
    world.until(lambda: ready(first))
    world.consume(metrics_port=(spare := free_port()))
    world.until(lambda: ready(spare))
    assert ready(first)


def ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False
