"""A real Redis with TLS and the documented ACL user: what works, and what a fault is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
import structlog

from service.bootstrap import build, caps, check_redis, redis_connection
from service.outage import Misconfiguration
from service.settings import Settings, load_settings
from service.store import Connection, Denied, Store, StoreOutage
from service.store.inspection import commands, inspect
from tests.servers import unavailable
from tests.servers.certificates import Authority
from tests.servers.redis import RedisMissing, RedisServer
from tests.servers.redis_user import REDIS_PASSWORD, REDIS_USER, allowed, documented_line
from tests.servers.secure_redis import NARROW, SecureRedis
from tools.kafka.broker import free_port

TLS = ("redis_ssl_cafile", "redis_ssl_certfile", "redis_ssl_keyfile")


def settings_of(secured: SecureRedis, **changed: object) -> Settings:
    """None takes a setting away."""
    given = secured.settings | changed
    return load_settings(
        {f"GROUNDWATCH_{k.upper()}": str(v) for k, v in given.items() if v is not None}
    )


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureRedis]:
    authority = Authority(tmp_path_factory.mktemp("certificates"))
    server = SecureRedis(tmp_path_factory.mktemp("redis"), authority)
    try:
        server.start()
    except RedisMissing as error:
        unavailable(str(error))
    yield server
    server.stop()


@pytest.fixture
def open_(secured: SecureRedis) -> Iterator[Callable[..., Connection]]:
    opened: list[Connection] = []

    def connection(**changed: object) -> Connection:
        opened.append(redis_connection(settings_of(secured, **changed)))
        return opened[-1]

    yield connection
    for each in opened:
        each.client.close()


def ping(connection: Connection) -> None:
    with connection.guard():
        connection.client.ping()


def test_the_service_starts_under_the_documented_user(secured: SecureRedis) -> None:
    with structlog.testing.capture_logs() as logs:
        parts = build(settings_of(secured))
    assert not logs
    assert parts.store.ledger.memory()[0] > 0
    parts.store.connection.client.close()


def test_the_line_is_what_the_code_uses(open_: Callable[..., Connection]) -> None:
    line = documented_line()
    assert {name.partition("|")[0] for name in allowed(line)} == commands()
    assert "~{groundwatch}:* resetchannels -@all +" in line
    found = inspect(open_())
    assert (found.user, found.refused) == (REDIS_USER, ())


@pytest.mark.parametrize(
    "command",
    ["FLUSHALL", "FLUSHDB", "CONFIG GET maxmemory", "CONFIG SET maxmemory 1", "KEYS *",
     "SCRIPT FLUSH", "ACL LIST", "SHUTDOWN NOSAVE", "GET other", "HSET other a b",
     "XGROUP DESTROY {groundwatch}:jobs judges", "SUBSCRIBE c", "MONITOR"],
)  # fmt: skip
def test_what_is_outside_the_line_is_refused(
    open_: Callable[..., Connection], command: str
) -> None:
    connection = open_()
    with pytest.raises(Denied, match=r"NOPERM.*docs/transport.md"), connection.guard():
        connection.client.execute_command(*command.split())


def test_what_a_script_does_is_checked_too(open_: Callable[..., Connection]) -> None:
    connection = open_()
    for key, call in (("{groundwatch}:x", "'FLUSHALL'"), ("other", "'HSET', KEYS[1], 'a', 'b'")):
        with pytest.raises((Denied, redis.ResponseError)), connection.guard():
            connection.client.eval(f"return redis.call({call})", 1, key)
    assert connection.client.hget("{groundwatch}:x", "a") is None


def test_a_user_who_may_not_run_info_is_told_about_and_served(secured: SecureRedis) -> None:
    with structlog.testing.capture_logs() as logs:
        parts = build(settings_of(secured, redis_username=NARROW))
    [said] = logs
    assert said["event"] == "redis_not_checked"
    assert "INFO" in said["mend"]
    assert parts.store.ledger.memory() == (0, 0)
    assert parts.store.ledger.has_room()
    parts.store.connection.client.close()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"redis_password": "wrong"}, "refuses the user or the password; check GROUNDWATCH_REDIS_"),
        ({"redis_username": "nobody"}, "refuses the user or the password"),
        ({"redis_ssl_cafile": None}, r"not trusted .*check GROUNDWATCH_REDIS_SSL_CAFILE"),
        ({"redis_ssl_certfile": None, "redis_ssl_keyfile": None}, "GROUNDWATCH_REDIS_SSL_CERTFILE"),
    ],
)
def test_a_fault_names_what_to_check(
    open_: Callable[..., Connection], changed: dict[str, str], says: str
) -> None:
    with pytest.raises(StoreOutage, match=says) as outage:
        ping(open_(**changed))
    assert REDIS_PASSWORD not in str(outage.value)


def test_tls_where_there_is_none_and_none_where_there_is(
    secured: SecureRedis, open_: Callable[..., Connection]
) -> None:
    ping(open_(redis_url=f"rediss://localhost:{secured.tls_port}/0"))
    for url in (
        f"rediss://127.0.0.1:{secured.port}/0",
        f"redis://127.0.0.1:{secured.tls_port}/0",
    ):
        tls = {} if url.startswith("rediss") else dict.fromkeys(TLS)
        with pytest.raises(StoreOutage, match="whether it speaks TLS there"):
            ping(open_(redis_url=url, **tls))


def test_a_certificate_for_another_host(tmp_path: Path, secured: SecureRedis) -> None:
    pair, port = secured.authority.issue("elsewhere", "redis.internal"), free_port()
    server = RedisServer(tmp_path)
    server.more = (
        *("--tls-port", str(port), "--tls-cert-file", str(pair.certificate)),
        *("--tls-key-file", str(pair.key), "--tls-ca-cert-file", str(secured.authority.ca)),
    )
    server.start()
    try:
        settings = settings_of(
            secured,
            redis_url=f"rediss://127.0.0.1:{port}/0",
            redis_username=None,
            redis_password=None,
        )
        connection = redis_connection(settings)
        with pytest.raises(StoreOutage, match=r"not valid for '127.0.0.1'"):
            ping(connection)
        connection.client.close()
    finally:
        server.stop()


def test_a_file_that_cannot_be_used_is_named(secured: SecureRedis, tmp_path: Path) -> None:
    with pytest.raises(Misconfiguration, match="GROUNDWATCH_REDIS_SSL_CAFILE: cannot read"):
        build(settings_of(secured, redis_ssl_cafile=tmp_path / "absent.pem"))


def test_an_acl_that_is_mended_heals(
    secured: SecureRedis, open_: Callable[..., Connection]
) -> None:
    connection = open_()
    store = Store.over(connection, caps(settings_of(secured)), ())
    with redis.Redis(port=secured.port) as admin:
        admin.execute_command("ACL", "SETUSER", REDIS_USER, "-hset")
        with pytest.raises(Denied):
            store.checkpoints.remember_late(1)
        admin.execute_command("ACL", "SETUSER", REDIS_USER, "+hset")
    store.checkpoints.remember_late(1)
    check_redis(store)


def test_a_ca_that_is_replaced_is_read_for_the_next_connection(
    secured: SecureRedis, open_: Callable[..., Connection], tmp_path: Path
) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes(Authority(tmp_path / "other").ca.read_bytes())
    connection = open_(redis_ssl_cafile=file)
    with pytest.raises(StoreOutage, match="not trusted"):
        ping(connection)
    file.write_bytes(secured.authority.ca.read_bytes())
    ping(connection)
