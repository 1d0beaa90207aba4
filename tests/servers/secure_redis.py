"""A Redis with TLS that wants a client certificate, and the users of docs/transport.md."""

from __future__ import annotations

from pathlib import Path

from tests.servers.certificates import Authority
from tests.servers.redis import RedisServer
from tests.servers.redis_user import REDIS_PASSWORD, REDIS_USER, documented_line
from tools.kafka.broker import free_port

NARROW = "narrow"
"""A user who may not ask how Redis is."""


class SecureRedis(RedisServer):
    """Its plain port is the administrator's."""

    def __init__(self, directory: Path, authority: Authority) -> None:
        line = documented_line()
        narrow = line.replace("user groundwatch", f"user {NARROW}").replace(" +info", "")
        super().__init__(directory, users=f"{line}\n{narrow}")
        self.authority = authority
        self.tls_port = free_port()
        pair = authority.issue("redis")
        self.more = (
            *("--tls-port", str(self.tls_port), "--tls-cert-file", str(pair.certificate)),
            *("--tls-key-file", str(pair.key), "--tls-ca-cert-file", str(authority.ca)),
            *("--tls-auth-clients", "yes"),
        )
        client = authority.issue("redis-client")
        self.settings: dict[str, object] = {
            "redis_url": f"rediss://127.0.0.1:{self.tls_port}/0",
            "redis_username": REDIS_USER,
            "redis_password": REDIS_PASSWORD,
            "redis_ssl_cafile": authority.ca,
            "redis_ssl_certfile": client.certificate,
            "redis_ssl_keyfile": client.key,
        }
