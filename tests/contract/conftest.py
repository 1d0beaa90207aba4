"""One suite, two stores: ``memory://`` and a real Redis must do the same. There we are the user of
docs/transport.md, with nothing more than the tests' own commands.

``TEST_REDIS_URL`` names a server to use instead of a private one (it is flushed); tests that
configure or freeze the server are then skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from service.store import MEMORY_URL, Connection, connect
from tests.contract.world import MakeWorld, World
from tests.servers import unavailable
from tests.servers.redis import RedisMissing, RedisServer
from tests.servers.redis_user import REDIS_PASSWORD, REDIS_USER, documented_line

OF_THE_TESTS = (
    "~* +keys +type +get +set +incrby +ttl +hlen +object +flushall +flushdb +config +select +multi"
)
"""What a test does by itself to look at a store, to break one and to empty it."""


@pytest.fixture(scope="session")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer | None]:
    if os.environ.get("TEST_REDIS_URL"):
        yield None
        return
    server = RedisServer(
        tmp_path_factory.mktemp("redis"),
        users=f"{documented_line()} {OF_THE_TESTS}",
        login=f"{REDIS_USER}:{REDIS_PASSWORD}@",
    )
    try:
        server.start()
    except RedisMissing as error:
        unavailable(str(error))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _redis_url(_server: RedisServer | None) -> str:
    return _server.url if _server else os.environ["TEST_REDIS_URL"]


@pytest.fixture
def redis_server(_server: RedisServer | None) -> Iterator[RedisServer]:
    """A server that may be configured and frozen: both are undone afterwards."""
    if _server is None:
        pytest.skip("needs a Redis of its own; unset TEST_REDIS_URL")
    yield _server
    _server.thaw()


@pytest.fixture
def redis_connection(_redis_url: str) -> Iterator[Connection]:
    connection = connect(_redis_url)
    connection.client.flushall()
    yield connection
    connection.client.close()


@pytest.fixture(params=["memory", "redis"])
def connection(request: pytest.FixtureRequest) -> Iterator[Connection]:
    if request.param == "redis":
        yield request.getfixturevalue("redis_connection")
        return
    memory = connect(MEMORY_URL)
    yield memory
    memory.client.close()


@pytest.fixture
def make_world(connection: Connection) -> MakeWorld:
    """``make_world(**caps)`` → a started source of two partitions over an empty store."""
    return lambda **caps: World(connection, **caps)


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return make_world()
