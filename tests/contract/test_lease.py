"""A lease has one holder, ends by itself, and numbers its holders."""

from __future__ import annotations

import threading
import time

import pytest

from service.store import Connection, connect
from service.store.lease import Lease
from tests.servers.redis import RedisServer

SOON_MS = 150
LONG_MS = 60_000


def candidates(connection: Connection, ttl_ms: int = LONG_MS) -> tuple[Lease, Lease]:
    return Lease(connection, "controller", ttl_ms), Lease(connection, "controller", ttl_ms)


def wait_until_gone(lease: Lease, connection: Connection) -> None:
    deadline = time.monotonic() + 5
    while connection.client.exists(connection.keys.lease(lease.name)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_holder_at_a_time(connection: Connection) -> None:
    one, other = candidates(connection)
    assert one.acquire() == 1
    assert other.acquire() is None
    assert not other.renew()
    assert not other.release()
    assert one.acquire() == 1  # its own: kept, with the same fence
    assert one.release()
    assert other.acquire() == 2
    assert not one.renew()
    assert not one.release()


def test_leases_know_each_other_by_name(connection: Connection) -> None:
    assert Lease(connection, "controller", LONG_MS).acquire() == 1
    assert Lease(connection, "outbox", LONG_MS).acquire() == 1


def test_a_lease_ends_by_itself_and_the_next_fence_is_higher(connection: Connection) -> None:
    one, other = candidates(connection, SOON_MS)
    assert one.acquire() == 1
    wait_until_gone(one, connection)
    assert not one.renew()
    assert other.acquire() == 2
    assert one.acquire() is None
    wait_until_gone(one, connection)
    assert one.acquire() == 3  # who lost it in between is a new holder too


@pytest.mark.parametrize("keep", ["renew", "acquire"])
def test_renewing_keeps_it_beyond_its_first_time(connection: Connection, keep: str) -> None:
    ttl_s = 1.0
    one, other = candidates(connection, int(ttl_s * 1000))
    assert one.acquire() == 1
    end = time.monotonic() + 2 * ttl_s
    while time.monotonic() < end:
        assert getattr(one, keep)() == 1  # the fence of its first time, or True
        assert other.acquire() is None
        time.sleep(ttl_s / 10)


def test_many_candidates_at_once_make_one_holder(redis_server: RedisServer) -> None:
    start, fences = threading.Barrier(8), []
    connections = [connect(redis_server.url) for _ in range(8)]
    connections[0].client.flushall()

    def stand(connection: Connection) -> None:
        lease = Lease(connection, "controller", LONG_MS)
        start.wait()
        fences.append(lease.acquire())

    threads = [threading.Thread(target=stand, args=(connection,)) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in connections:
        connection.client.close()
    assert sorted(fence or 0 for fence in fences) == [0] * 7 + [1]
