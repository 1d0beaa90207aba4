"""What one of everything costs in a real Redis: ``python -m tests.contract.sizes``.

Starts a private server, fills it family by family and prints bytes each, by ``used_memory`` before
and after, divided by how many there are. docs/store.md has the numbers.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from service.pipeline import Effects
from service.store import connect
from service.store.keys import ID_BUCKETS
from service.store.places import index_of
from tests.contract.world import HOUR_MS, NOW, SOURCE, World
from tests.servers.redis import RedisServer

WORDS = (
    "seat plan price month year team export link token limit region invoice upgrade owner trial "
    "flow run log audit viewer workspace credit refund quota webhook sandbox retention schedule"
).split()


def large_event(number: int, dice: random.Random, cause: str) -> bytes:
    """8 KB: 5 chunks of 1.2 KB never seen before, 3 citations (one invented), 4 numbers."""

    def prose(size: int) -> str:
        text = ""
        while len(text) < size:
            text += f"{dice.choice(WORDS)} {dice.choice(WORDS)} {dice.randrange(1_000)}. "
        return text[:size]

    chunks = [
        {"ref": f"doc{number}#{n}", "text": prose(1_200), "score": dice.random(), "rank": n + 1,
         "url": f"https://help.example/doc{number}#{n}", "title": prose(40),
         "metadata": {"section": prose(60), "updated": "2026-11-01"}}
        for n in range(5)
    ]  # fmt: skip
    answer = (
        f"{prose(300)} The price is 4 € for 3 seats [doc{number}#0], 9 % off after 12 months "
        f"[doc{number}#1], see [{cause}]."
    )
    event = {
        "event_id": f"event-{number:09}", "app": "support", "query": prose(120),
        "retrieved": chunks, "answer": answer, "language": "en", "session_id": f"s-{number}",
        "release": {"id": "2026-11-29.2", "model": "wren-small-3", "corpus": "2026-11"},
        "usage": {"input_tokens": 2_100, "output_tokens": 160},
        "latency_ms": {"retrieval": 120, "generation": 1_800, "total": 1_950},
    }  # fmt: skip
    return json.dumps(event).encode()


def small_event(number: int, **more: object) -> bytes:
    event = {
        "event_id": f"event-{number:09}", "app": "support", "query": "What does a seat cost?",
        "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}],
        "answer": "A seat costs 45 € [pricing#plans].", "release": {"id": "2026-11-29.2"}, **more,
    }  # fmt: skip
    return json.dumps(event).encode()


class Scale:
    def __init__(self, world: World) -> None:
        self._world = world
        self._client = world.connection.client

    def used(self) -> int:
        return int(self._client.info("memory")["used_memory"])

    def each(self, count: int, fill: Callable[[], None]) -> float:
        """Bytes by which ``fill`` grows the server, for each of ``count``."""
        before = self.used()
        fill()
        return (self.used() - before) / count

    def key(self, name: str) -> int:
        return int(self._client.memory_usage(name, samples=0) or 0)


def fresh(url: str) -> tuple[World, Scale]:
    connection = connect(url)
    connection.client.flushall()
    world = World(connection, cases_per_group_day=1_000_000)
    world.take([small_event(n) for n in range(10)], partition=1)
    return world, Scale(world)


def measure(url: str) -> list[tuple[str, float]]:
    return [
        *_cases(url),
        *_groups(url),
        *_identities(url),
        *_indexed(url),
        *_counters(url),
        *_rest(url),
    ]


def _cases(url: str) -> list[tuple[str, float]]:
    world, scale = fresh(url)
    dice, count = random.Random(1), 2_000
    batches = [
        [large_event(n + m, dice, f"gone{m % 20}") for m in range(200)]
        for n in range(0, count, 200)
    ]
    size = len(batches[0][0])

    def fill() -> None:
        for batch in batches:
            world.take(batch)

    each = scale.each(count, fill)
    some = list(world.connection.client.scan_iter(match="*:case:*", count=1_000))[:200]
    return [
        ("bytes of the event", size),
        ("case in all, its id, indexes and share of groups included", each),
        ("case:C alone", sum(map(scale.key, some)) / len(some)),
    ]


def _groups(url: str) -> list[tuple[str, float]]:
    world, scale = fresh(url)
    count = 10_000
    batches = [
        [small_event(n + m + 100, answer=f"It costs 45 € [pricing#gone{n + m}].")
         for m in range(500)]
        for n in range(0, count, 500)
    ]  # fmt: skip

    def fill() -> None:
        for batch in batches:
            effects = world.effects(batch)
            world.ledger.apply(effects, world.epoch, payloads=False)
            world.ledger.clear_outbox(SOURCE, 0, effects.batch.batch_id)

    with_identities = scale.each(count, fill)
    some = list(world.connection.client.scan_iter(match="*:g:*", count=1_000))[:200]
    return [
        ("group, the id of its one answer included", with_identities),
        ("g:G alone", sum(map(scale.key, some)) / len(some)),
    ]


def _identities(url: str) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    dice = random.Random(2)
    for count in (1_000, 100_000, 1_000_000):
        world, scale = fresh(url)

        def fill(count: int = count, world: World = world) -> None:
            keys, slot = world.connection.keys, NOW // HOUR_MS
            pipe = world.connection.client.pipeline(transaction=False)
            for n in range(count):
                identity = dice.randrange(-(1 << 63), 1 << 63)
                key = f"{keys.prefix}ids:{slot}:{identity % ID_BUCKETS}"
                pipe.sadd(key, identity)
                pipe.expire(key, 10_800)
                if n % 5_000 == 4_999:
                    pipe.execute()
            pipe.execute()

        found.append((f"id, {count:,} in an hour", scale.each(count, fill)))
    return found


def _indexed(url: str) -> list[tuple[str, float]]:
    """What feedback is joined through, by the code that makes it: one slot of one hour."""
    found: list[tuple[str, float]] = []
    dice = random.Random(3)
    for count in (1_000, 100_000, 1_000_000):
        world, scale = fresh(url)
        effects = world.effects([small_event(n + 100) for n in range(20)])

        def fill(count: int = count, world: World = world, effects: Effects = effects) -> None:
            pipe = world.connection.client.pipeline(transaction=False)
            for n in range(0, count, len(effects.rows)):
                rows = tuple(replace(row, offset=n + m) for m, row in enumerate(effects.rows))
                ids = tuple((row.offset, dice.randrange(-(1 << 63), 1 << 63), NOW) for row in rows)
                index = index_of(replace(effects, rows=rows, identities=ids), 24 * HOUR_MS, 0)
                assert index is not None
                for family in ("places", "entries"):
                    for suffix, field, value in index[family]:
                        key = f"{world.connection.keys.prefix}feedback:{suffix}"
                        pipe.hset(key, field, value)
                        pipe.expire(key, index["ttl_s"])
                if n % 5_000 == 0:
                    pipe.execute()
            pipe.execute()

        found.append((f"answer in feedback's index, {count:,} in an hour", scale.each(count, fill)))
        place = scale.key(world.connection.keys.feedback_places(NOW // HOUR_MS))
        found.append(("feedback:T of one place", place))
    return found


def _counters(url: str) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for combinations in (1, 4, 20):
        world, scale = fresh(url)
        events = []
        for n in range(combinations):
            release = {"id": f"2026-11-{n:02}.2"}
            answers = ("It costs 45 € [pricing#plans].", "It costs 46 € [pricing#gone].", "Hello.")
            events += [
                small_event(1_000 + 10 * n + m, answer=answer, release=release, language="en")
                for m, answer in enumerate(answers)
            ]
        world.take(events, at_ms=NOW + 5 * HOUR_MS)
        name = world.connection.keys.counters("support", NOW // HOUR_MS + 5)
        fields = world.connection.client.hlen(name)
        encoding = world.connection.client.object("encoding", name).decode()
        found.append(
            (f"n:A:H of {combinations} releases × 1 language ({fields} fields, {encoding})",
             scale.key(name))
        )  # fmt: skip
    return found


def _rest(url: str) -> list[tuple[str, float]]:
    world, scale = fresh(url)
    keys = world.connection.keys
    effects = world.effects([small_event(n + 50) for n in range(500)])
    world.ledger.apply(effects, world.epoch)
    return [
        ("cp:S/P", scale.key(keys.checkpoint(SOURCE, 0))),
        ("outbox:S/P of 500 answers, none flagged", scale.key(keys.outbox(SOURCE, 0))),
        ("totals", scale.key(keys.totals)),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            client = connect(server.url).client
            version = client.info("server")["redis_version"]
            sys.stdout.write(f"Redis {version}, bytes each\n")
            for name, size in measure(server.url):
                sys.stdout.write(f"{size:12,.0f}  {name}\n")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
