"""The connection to Redis, or to the embedded ``memory://`` store that runs the same scripts."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
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


class Denied(StoreOutage):
    """The ACL user may not run a command, or not touch a key."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who we are to Redis, where the URL does not say it, and the TLS of ``rediss://``: PEM files,
    read anew for each connection. ``key_password``: of an encrypted ``keyfile``."""

    username: str | None = None
    password: str | None = field(default=None, repr=False)
    cafile: Path | None = None
    certfile: Path | None = None
    keyfile: Path | None = None
    key_password: str | None = field(default=None, repr=False)

    def options(self, url: str) -> dict[str, Any]:
        """What redis-py is given beside the URL."""
        login = {"username": self.username, "password": self.password}
        tls = {
            "ssl_ca_certs": self.cafile,
            "ssl_certfile": self.certfile,
            "ssl_keyfile": self.keyfile,
            "ssl_password": self.key_password,
        }
        given = {**login, **(tls if url.startswith("rediss:") else {})}
        return {name: str(value) for name, value in given.items() if value is not None}


ANYBODY = Access()


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

    def begin(self, name: str, keys: list[str], args: list[Any]) -> Call:
        """As :meth:`run`, but returns once the server has it. Raises :class:`Outage`."""
        script = self._script(name)
        pool = self.client.connection_pool
        with self.guard():
            wire = pool.get_connection()
            try:
                wire.send_command("EVALSHA", script.sha, len(keys), *keys, *args)
            except BaseException:
                wire.disconnect()
                pool.release(wire)
                raise
        return Call(self, wire, lambda: self.run(name, keys, args))

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
            raise StoreOutage(_what_to_check(error)) from None
        except redis.ResponseError as error:
            code = _error_code(error)
            if code == "NOPERM" or isinstance(error, redis.exceptions.NoPermissionError):
                raise Denied(
                    f"the Redis user lacks a permission (NOPERM: {_denied(error)}); compare its "
                    "ACL with the line in docs/transport.md"
                ) from None
            if code not in _HEALING:
                raise
            raise StoreOutage(f"Redis refuses to write for now ({code})") from None


class Call:
    """A script at work: its caller may see to something else before it asks for the reply, once."""

    def __init__(self, connection: Connection, wire: Any, again: Callable[[], Any]) -> None:
        self._connection = connection
        self._wire = wire
        self._again = again

    def reply(self) -> Any:
        """Wait for it. Raises :class:`Outage` as :meth:`Connection.run` does."""
        try:
            with self._connection.guard():
                reply = self._wire.read_response()
        except redis.exceptions.NoScriptError:
            self._give_back()
            return self._again()  # a server that does not know the script (yet) has not run it
        except BaseException:
            self.abandon()
            raise
        self._give_back()
        return reply

    def abandon(self) -> None:
        """Nobody will ask: the line, on which the reply comes, is of no use to anybody else."""
        if self._wire is not None:
            self._wire.disconnect()
            self._give_back()

    def _give_back(self) -> None:
        self._connection.client.connection_pool.release(self._wire)
        self._wire = None


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


_COMMAND = re.compile(r"run the '([\w|-]+)' command")


def _denied(error: redis.ResponseError) -> str:
    """Redis before 7 does not name the command; what is done in a script is never named."""
    command = _COMMAND.search(str(error))
    if command is not None:
        return command[1]
    return "one of the keys" if "key" in str(error) else "a command in a script"


def _what_to_check(error: BaseException) -> str:
    if isinstance(error, redis.AuthenticationError):
        return (
            "Redis refuses the user or the password; check GROUNDWATCH_REDIS_USERNAME and "
            "GROUNDWATCH_REDIS_PASSWORD, or those in GROUNDWATCH_REDIS_URL"
        )
    for cause in (error.__cause__, error.__context__):
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message.rstrip(".")
            return (
                f"TLS: the certificate of Redis is not trusted ({reason}); check "
                "GROUNDWATCH_REDIS_SSL_CAFILE, and the host in GROUNDWATCH_REDIS_URL"
            )
        if isinstance(cause, ssl.SSLError):
            reason = (cause.reason or "closed").replace("_", " ").lower()
            return (
                f"TLS with Redis fails ({reason}); check whether it speaks TLS at that port, and "
                "GROUNDWATCH_REDIS_SSL_CERTFILE if it asks for a certificate"
            )
    return (
        f"Redis is away ({type(error).__name__}); check its address, that it runs, and whether it "
        "speaks TLS there (rediss://) or not (redis://)"
    )


def connect(
    url: str, namespace: str = "groundwatch", timeout_s: float = 5.0, access: Access = ANYBODY
) -> Connection:
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
        **access.options(url),
    )
    return Connection(client, Keys(namespace))


def text(value: Any) -> str:
    """Redis answers in bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def pairs(reply: Any) -> dict[str, str]:
    """A hash's reply as text."""
    return {text(name): text(value) for name, value in reply.items()}
