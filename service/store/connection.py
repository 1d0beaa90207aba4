"""The connection to Redis, or to the embedded ``memory://`` store that runs the same scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.outage import Outage
from service.store.keys import Keys

MEMORY_URL = "memory://"
_HEALING = frozenset(
    {
        "OOM", "READONLY", "LOADING", "MASTERDOWN", "BUSY", "CLUSTERDOWN", "NOREPLICAS", "MISCONF",
        "TRYAGAIN",
    }
)  # fmt: skip
"""Error codes of a Redis that will take the same call later."""


class StoreOutage(Outage):
    """Redis is away, full, or not writable for now."""


class Connection:
    """A client, the keys, and the scripts. ``client`` is untyped on purpose: redis-py's sync and
    async answers share one type, and every reply is read in this package only."""

    def __init__(self, client: Any, keys: Keys, embedded: bool = False) -> None:
        self.client = client
        self.keys = keys
        self.embedded = embedded
        self._scripts: dict[str, Any] = {}

    def run(self, name: str, keys: list[str], args: list[Any]) -> Any:
        """Run ``scripts/<name>.lua``. Raises :class:`Outage` when the store is away or full."""
        script = self._script(name)
        with self.guard():
            return script(keys=keys, args=args)

    def run_each(self, name: str, calls: Sequence[tuple[list[str], list[Any]]]) -> list[Any]:
        """Run one script several times in one round trip; others are served in between."""
        pipe = self.client.pipeline(transaction=False)
        script = self._script(name)
        for keys, args in calls:
            script(keys=keys, args=args, client=pipe)
        with self.guard():
            return list(pipe.execute()) if calls else []

    def _script(self, name: str) -> Any:
        script = self._scripts.get(name)
        if script is None:
            script = self._scripts[name] = self.client.register_script(_source(name))
        return script

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn "away", "slow", "full" and "not writable now" into :class:`Outage`: they heal."""
        try:
            yield
        except (redis.ConnectionError, redis.TimeoutError) as error:
            raise StoreOutage(
                f"Redis is away ({type(error).__name__}); check its address and that it runs"
            ) from None
        except redis.ResponseError as error:
            code = _error_code(error)
            if code not in _HEALING:
                raise
            raise StoreOutage(f"Redis refuses to write for now ({code})") from None


_WITH = re.compile(r"-- with (\w+)\n")


def _source(name: str) -> str:
    """A script, with the one it builds upon (``-- with name`` in its first line) before it."""
    text = resources.files("service.store").joinpath("scripts", f"{name}.lua").read_text()
    base = _WITH.match(text)
    return _source(base[1]) + text if base is not None else text


def _error_code(error: redis.ResponseError) -> str:
    """The first word of the server's answer. redis-py takes it off the message of the errors it
    knows; Redis before 7 wraps what happened in a script."""
    if error.status_code:
        return str(error.status_code)
    if "-OOM " in str(error):
        return "OOM"
    return str(error).removeprefix("-").split(" ", 1)[0]


def connect(url: str, namespace: str = "groundwatch", timeout_s: float = 5.0) -> Connection:
    """Connect to ``redis://``, ``rediss://``, ``unix://`` or ``memory://``. Does not talk yet.

    redis-py's own retries are off: a retried script whose first answer was lost would count twice
    if its checkpoint did not refuse it, and they hide an outage for minutes.
    """
    if url == MEMORY_URL:
        import fakeredis

        return Connection(fakeredis.FakeRedis(server=fakeredis.FakeServer()), Keys(namespace), True)
    client = redis.Redis.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=min(timeout_s, 2.0),
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )
    return Connection(client, Keys(namespace))


def text(value: Any) -> str:
    """Redis answers in bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def pairs(reply: Any) -> dict[str, str]:
    """A hash's reply as text."""
    return {text(name): text(value) for name, value in reply.items()}
