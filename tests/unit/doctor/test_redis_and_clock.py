from __future__ import annotations

from dataclasses import replace

import pytest

from service.doctor import clock
from service.doctor.redis import RedisFacts, examine
from service.store.inspection import commands

FINE = RedisFacts(
    version="7.0.15", user="gw", used_bytes=100 << 20, max_bytes=1 << 30, policy="noeviction",
    aof=True, replica=False, evicted=0, schema=1, known_schema=1, refused=(),
)  # fmt: skip


def test_a_redis_as_it_should_be() -> None:
    assert {line.status for line in examine(FINE)} == {"ok"}


@pytest.mark.parametrize(
    ("changed", "status", "words"),
    [
        ({"policy": "allkeys-lru"}, "fail", "allkeys-lru"),
        ({"policy": None}, "warn", "does not tell"),
        ({"aof": False}, "warn", "append-only"),
        ({"max_bytes": 0}, "warn", "no maxmemory"),
        ({"used_bytes": 900 << 20}, "warn", "88%"),
        ({"evicted": 3}, "fail", "3 keys were evicted"),
        ({"replica": True}, "fail", "replica"),
        ({"schema": 2}, "fail", "schema 2"),
        ({"version": "6.2.1"}, "warn", "6.2.1"),
        ({"refused": ("hset", "zadd")}, "fail", "may not run hset zadd"),
        ({"refused": None}, "warn", "cannot tell"),
    ],
)
def test_what_is_wrong_is_told(changed, status: str, words: str) -> None:
    said = [line for line in examine(replace(FINE, **changed)) if line.status != "ok"]
    assert [line.status for line in said] == [status]
    assert words in said[0].said
    assert said[0].mend


def test_the_commands_are_those_of_the_scripts_and_the_client() -> None:
    assert {"hincrby", "xadd", "zadd", "evalsha", "unlink"} <= commands()
    assert not {"flushall", "config", "keys"} & commands()


@pytest.mark.parametrize(
    ("skew", "uncertain", "status"),
    [
        (0.0, 0.01, "ok"),
        (1.9, 0.0, "ok"),
        (-2.5, 0.0, "warn"),
        # An answer that took ten seconds proves nothing about four.
        (4.0, 5.0, "ok"),
        (3_600.0, 0.5, "fail"),
    ],
)
def test_clocks(skew: float, uncertain: float, status: str) -> None:
    assert clock.examine("Redis", skew, uncertain).status == status
