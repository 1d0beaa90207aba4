"""The keys of machines in the store: hashes alone, and revoked at once."""

from __future__ import annotations

import pytest

from service.access.api_keys import digest_of, parts_of, token_of
from service.access.roles import ALL, Grant, Role
from service.store import ApiKeys, Connection
from service.store.api_keys import make_key
from service.store.checkpoints import Checkpoints
from service.store.connection import text
from tests.contract.world import NOW

SOME = Grant(frozenset({"shop", "help"}))


@pytest.fixture
def keys(connection: Connection) -> ApiKeys:
    return ApiKeys(connection)


def secret_of(token: str) -> str:
    parts = parts_of(token)
    assert parts is not None
    return parts[1]


def test_a_key_is_kept_without_its_secret(keys: ApiKeys, connection: Connection) -> None:
    key, token = make_key("bot ✓", Role.SENDER, SOME, NOW, NOW + 5)
    keys.keep(key)
    assert keys.key(key.key_id) == key
    assert keys.key("0" * 12) is None
    held = "".join(
        text(body) for body in connection.client.hgetall(connection.keys.api_keys).values()
    )
    assert key.digest in held
    assert secret_of(token) not in held
    assert token == token_of(key.key_id, secret_of(token))


def test_only_its_own_secret_opens_it_until_it_ends(keys: ApiKeys) -> None:
    key, token = make_key("bot", Role.ADMIN, ALL, NOW, NOW + 5)
    _, other = make_key("bot", Role.ADMIN, ALL, NOW)
    keys.keep(key)
    found = keys.key(key.key_id)
    assert found is not None
    assert found.fault(secret_of(token), NOW + 4) is None
    assert found.fault(secret_of(token), NOW + 5) == "expired"
    assert found.fault(secret_of(other), NOW) == "unknown"
    assert found.digest != digest_of("0" * 12, secret_of(token))


def test_a_revoked_key_opens_nothing_and_stays_listed(keys: ApiKeys) -> None:
    first, token = make_key("a", Role.VIEWER, ALL, NOW)
    second, _ = make_key("b", Role.REVIEWER, SOME, NOW + 1)
    for key in (second, first):
        keys.keep(key)
    keys.used(second.key_id, NOW + 9)
    assert keys.all() == [(first, None), (second, NOW + 9)]
    revoked = keys.revoke(first.key_id, NOW + 3)
    assert revoked is not None
    assert revoked.fault(secret_of(token), NOW + 4) == "revoked"
    assert keys.key(first.key_id) == revoked
    again = keys.revoke(first.key_id, NOW + 8)
    assert again is not None
    assert again.revoked_ms == NOW + 3
    assert keys.revoke("0" * 12, NOW) is None


def test_a_rebuild_of_a_store_leaves_its_keys_alone(keys: ApiKeys, connection: Connection) -> None:
    key, _ = make_key("a", Role.VIEWER, ALL, NOW)
    keys.keep(key)
    keys.used(key.key_id, NOW)
    Checkpoints(connection).wipe()
    assert keys.all() == [(key, NOW)]
