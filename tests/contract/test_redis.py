"""What only a real Redis does: it fills up, it hangs, and it may answer too late."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
import redis

from service.documents import Documents
from service.outage import Outage
from service.store import Caps, Connection, Ledger, Moved, StoreOutage, connect
from tests.contract.world import SOURCE, World, event
from tests.servers.redis import RedisServer


@pytest.fixture
def world(redis_connection: Connection) -> World:
    return World(redis_connection)


@pytest.fixture
def set_maxmemory(
    redis_server: RedisServer, redis_connection: Connection
) -> Iterator[Callable[[float], None]]:
    """``set_maxmemory(share)``: so that ``share`` of it is in use now."""

    def set_to(share: float) -> None:
        used = redis_connection.client.info("memory")["used_memory"]
        redis_connection.client.config_set("maxmemory", int(used / share))

    yield set_to
    redis_connection.client.config_set("maxmemory", 0)


def test_a_full_redis_is_an_outage_without_any_effect(world: World, set_maxmemory) -> None:
    world.take([event("a", cites="x")])
    effects = world.effects([event("b", cites="x"), event("c"), b"{"])
    before = world.dump()
    set_maxmemory(1.5)
    with pytest.raises(StoreOutage, match="OOM"):
        world.ledger.apply(effects, world.epoch)
    assert world.dump() == before
    with pytest.raises(StoreOutage):
        Documents(world.connection).load([("ref", "text")])
    with pytest.raises(StoreOutage):
        world.checkpoints.open_segment("answers", 1, 5, "topic-1")
    assert world.dump() == before
    # What only reads goes on, and when there is room again the same batch is taken.
    assert world.archive.books().balanced
    set_maxmemory(0.5)
    world.ledger.apply(effects, world.epoch)
    assert world.archive.books().balanced


def test_past_its_share_of_memory_payloads_stop_and_counting_does_not(
    world: World, set_maxmemory
) -> None:
    assert world.ledger.has_room()
    set_maxmemory(0.5)
    assert world.ledger.has_room()
    set_maxmemory(0.9)
    assert not world.ledger.has_room()
    effects = world.effects([event("a", cites="x"), event("b")])
    applied = world.ledger.apply(effects, world.epoch, payloads=world.ledger.has_room())
    assert (applied.cases, applied.suppressed) == (0, 1)
    assert world.archive.totals()["checked"] == 2
    assert world.archive.books().balanced


def test_nothing_listens(tmp_path) -> None:
    connection = connect(f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(StoreOutage, match="Redis is away"):
        World(connection)


def test_an_outage_shows_no_secret() -> None:
    with pytest.raises(Outage) as outage:
        World(connect("redis://:geheim@127.0.0.1:1/0"))
    assert "geheim" not in str(outage.value)


def test_a_call_whose_answer_was_late_is_not_repeated(redis_server: RedisServer) -> None:
    """A client that sends it again finds a server that is back, and counts twice."""
    connection = connect(redis_server.url, timeout_s=0.3)
    with connection.guard():
        connection.client.set("calls", 0)
    redis_server.freeze()
    back = threading.Timer(0.45, redis_server.thaw)
    back.start()
    with pytest.raises(StoreOutage), connection.guard():
        connection.client.incr("calls")
    back.join()
    # The one call was lying in the socket; whatever else was sent would be there by now too.
    deadline = time.monotonic() + 5
    with redis.Redis.from_url(redis_server.url) as other:
        while other.get("calls") == b"0" and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        assert other.get("calls") == b"1"
    connection.client.close()


def test_a_batch_whose_answer_was_lost_is_known_when_it_is_applied_again(
    redis_server: RedisServer, world: World
) -> None:
    world.take([event("z")], partition=1)
    effects = world.effects([event("a", cites="x")])
    impatient = Ledger(connect(redis_server.url, timeout_s=0.3), Caps())
    assert impatient.outbox(SOURCE, 0) is None
    redis_server.freeze()
    with pytest.raises(StoreOutage):
        impatient.apply(effects, world.epoch)
    redis_server.thaw()
    deadline = time.monotonic() + 5
    while world.ledger.outbox(SOURCE, 0) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(Moved) as refusal:
        world.ledger.apply(effects, world.epoch)
    assert (refusal.value.next, refusal.value.pending) == (1, effects.batch.batch_id)
    assert world.archive.totals()["checked"] == 2
