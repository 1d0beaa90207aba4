"""What ``groundwatch doctor`` asks a Redis. Nothing is written."""

from __future__ import annotations

import re
import time
from importlib import resources
from typing import Any

import redis

from service.doctor.redis import RedisFacts
from service.store.checkpoints import SCHEMA
from service.store.connection import Connection, text

OUTSIDE = frozenset(
    {
        "eval", "evalsha", "script", "ping", "info", "time", "scan", "expire", "exists", "unlink",
        "hget", "hgetall", "hmget", "hset", "hsetnx", "hdel", "hincrby", "hscan", "smembers",
        "lrange", "rpush", "lrem",
        "zcard", "zcount", "zmscore", "zrange", "zrangebyscore", "zrem", "zrevrange",
        "zrevrangebyscore", "zrevrank",
        "xautoclaim", "xclaim", "xgroup", "xlen", "xrange", "xreadgroup",
    }
)  # fmt: skip
"""Commands that the code runs outside of its scripts."""

_CALL = re.compile(r"redis\.p?call\(\s*['\"]([A-Za-z]+)['\"]")
# The key in the place of each argument: some commands take several keys.
_MAY_RUN = """
local refused = {}
for _, name in ipairs(ARGV) do
  if not redis.acl_check_cmd(name, KEYS[1], KEYS[1], KEYS[1], KEYS[1], KEYS[1]) then
    table.insert(refused, name)
  end
end
return refused
"""
_KEYLESS = frozenset(
    {"eval", "evalsha", "script", "ping", "info", "time", "scan", "xgroup", "xreadgroup"}
)  # fmt: skip
"""Those whose key does not come first: tried by running the service, not here."""


def commands() -> frozenset[str]:
    """Every Redis command that the service uses: those within its scripts and the others."""
    folder = resources.files("service.store").joinpath("scripts")
    inside = {
        name.lower() for script in folder.iterdir() for name in _CALL.findall(script.read_text())
    }
    return OUTSIDE | inside


def inspect(connection: Connection) -> RedisFacts:
    """Raises :class:`service.outage.Outage` when Redis is away."""
    client = connection.client
    with connection.guard():
        client.ping()
        info = _info(client)
        schema = client.hget(connection.keys.meta, "schema")
        user = _user(client)
        return RedisFacts(
            version=str(info.get("redis_version", "unknown")),
            user=user,
            used_bytes=info.get("used_memory"),
            max_bytes=info.get("maxmemory"),
            policy=info.get("maxmemory_policy"),
            aof=bool(info["aof_enabled"]) if "aof_enabled" in info else None,
            replica=info.get("role") == "slave",
            evicted=int(info.get("evicted_keys", 0)),
            schema=int(schema or 0),
            known_schema=SCHEMA,
            refused=_refused(client, connection.keys.meta),
        )


def clock(connection: Connection) -> tuple[float, float]:
    """(Redis' time minus ours, half of what the question took), in seconds."""
    asked = time.time()
    with connection.guard():
        seconds, micros = connection.client.time()
    answered = time.time()
    return seconds + micros / 1e6 - (asked + answered) / 2, (answered - asked) / 2


def _info(client: Any) -> dict[str, Any]:
    try:
        found: dict[str, Any] = client.info()
    except redis.ResponseError:  # a user without the right
        return {}
    return found


def _user(client: Any) -> str:
    try:
        return text(client.acl_whoami())
    except redis.ResponseError:  # a user without the right
        return str(client.connection_pool.connection_kwargs.get("username") or "default")


def _refused(client: Any, key: str) -> tuple[str, ...] | None:
    """Which of our commands this user may not run on our keys; None where Redis is too old to
    say. A user who may not even run a script is refused that."""
    asked = sorted(commands() - _KEYLESS)
    try:
        return tuple(text(name) for name in client.eval(_MAY_RUN, 1, key, *asked))
    except redis.exceptions.NoPermissionError:
        return ("eval",)
    except redis.ResponseError:
        return None
