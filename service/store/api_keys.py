"""The keys of machines in the store: their hashes, and when they were last used."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from service.access.api_keys import ApiKey, digest_of, token_of
from service.access.roles import Grant, Role
from service.store.connection import Connection, text


def make_key(
    name: str, role: Role, grant: Grant, now_ms: int, expires_ms: int | None = None
) -> tuple[ApiKey, str]:
    """A new key and its token, which is nowhere else."""
    key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    key = ApiKey(key_id, name, role, grant, digest_of(key_id, secret), now_ms, expires_ms)
    return key, token_of(key_id, secret)


class ApiKeys:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def keep(self, key: ApiKey) -> None:
        body = orjson.dumps(
            {
                "name": key.name,
                "role": key.role.value,
                "apps": key.grant.written(),
                "digest": key.digest,
                "made": key.made_ms,
                "expires": key.expires_ms,
                "revoked": key.revoked_ms,
            }
        )
        with self._c.guard():
            self._c.client.hset(self._c.keys.api_keys, key.key_id, body)

    def key(self, key_id: str) -> ApiKey | None:
        """One read, whoever asks: one that was revoked, too."""
        with self._c.guard():
            body = self._c.client.hget(self._c.keys.api_keys, key_id)
        return None if body is None else _key(key_id, body)

    def all(self) -> Sequence[tuple[ApiKey, int | None]]:
        """Every key and when it was last used (milliseconds since 1970), the oldest first."""
        keys = self._c.keys
        with self._c.guard():
            bodies = self._c.client.hgetall(keys.api_keys)
            used = self._c.client.hgetall(keys.api_keys_used)
        found = [_key(text(key_id), body) for key_id, body in bodies.items()]
        found.sort(key=lambda key: (key.made_ms, key.key_id))
        return [(key, _ms(used.get(key.key_id.encode()))) for key in found]

    def revoke(self, key_id: str, now_ms: int) -> ApiKey | None:
        """From the next request on it opens nothing. None for one that is not there."""
        key = self.key(key_id)
        if key is None or key.revoked_ms is not None:
            return key
        revoked = replace(key, revoked_ms=now_ms)
        self.keep(revoked)
        return revoked

    def used(self, key_id: str, now_ms: int) -> None:
        with self._c.guard():
            self._c.client.hset(self._c.keys.api_keys_used, key_id, now_ms)


def _key(key_id: str, body: bytes) -> ApiKey:
    said = orjson.loads(body)
    return ApiKey(
        key_id, said["name"], Role(said["role"]), Grant.of(said["apps"]), said["digest"],
        said["made"], said["expires"], said["revoked"],
    )  # fmt: skip


def _ms(value: Any) -> int | None:
    return None if value is None else int(value)
