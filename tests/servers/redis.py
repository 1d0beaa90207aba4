"""A private Redis server: append-only file on, nothing evicted."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import redis

from tests.servers.debian import find_program
from tools.kafka.broker import free_port

GIVE_UP_AFTER_S = 15.0
HOW_TO_GET = (
    "redis-server not found. On Debian or Ubuntu: apt-get install redis-server; on macOS: "
    "brew install redis. Or point TEST_REDIS_URL at a server of yours (it is flushed)."
)


class RedisMissing(Exception):
    """This machine has no redis-server and cannot install one."""


def redis_binary() -> str:
    """redis-server from PATH, else from Debian's package when we may install it."""
    found = find_program(("redis-server",), "redis-server")
    if found is None:
        raise RedisMissing(HOW_TO_GET)
    return found


class RedisServer:
    """On ``127.0.0.1:port``; its data outlives :meth:`kill` and :meth:`restart`. ``more``: further
    arguments of the server's."""

    more: Sequence[str] = ()

    def __init__(
        self, directory: Path, port: int | None = None, *, users: str = "", login: str = ""
    ) -> None:
        """``users``: lines of an ACL file beside the default user, who may do all; ``login``: what
        stands before the host in ``url``."""
        self.directory = directory
        self.port = port or free_port()
        self.url = f"redis://{login}127.0.0.1:{self.port}/0"
        self._users = users
        self._process: subprocess.Popen[bytes] | None = None

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        arguments: tuple[str, ...] = (
            *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory)),
            *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
            *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
        )
        if self._users:
            acl = self.directory / "users.acl"
            acl.write_text(f"user default on nopass ~* &* +@all\n{self._users}\n")
            arguments += ("--aclfile", str(acl))
        with (self.directory / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(
                [redis_binary(), *arguments, *self.more], stdout=log, stderr=subprocess.STDOUT
            )
        self._wait_until_ready()

    def stop(self) -> None:
        if self._process is not None:
            self.thaw()
            self._process.terminate()
            self._process.wait(20)
            self._process = None

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """SIGSTOP: connections stay open, nothing is answered."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        self.stop()
        self.start()

    def _wait_until_ready(self) -> None:
        give_up = time.monotonic() + GIVE_UP_AFTER_S
        with redis.Redis.from_url(self.url) as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.RedisError:
                    if time.monotonic() > give_up:
                        log = (self.directory / "redis.log").read_text(errors="replace")
                        raise RuntimeError(f"no Redis on {self.url}\n{log[-2000:]}") from None
                    time.sleep(0.02)
