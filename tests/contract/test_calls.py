"""What is asked of the store without waiting: others are served meanwhile, and no reply is lost,
taken for another one or waited for in vain."""

from __future__ import annotations

from contextlib import suppress
from uuid import uuid4

import pytest

from service.documents import Documents
from service.ingest import Ingest
from service.metrics import Metrics
from service.pipeline import process
from service.store import Connection, Moved, StoreOutage, connect
from service.store.ledger import Ledger
from tests.contract.world import SOURCE, World, event
from tests.servers.redis import RedisServer


def an_ingest(world: World) -> Ingest:
    return Ingest(world.store, Documents(world.connection), lambda: world.terms, Metrics())


def test_two_calls_are_at_work_at_once_and_each_gets_its_own_reply(world: World) -> None:
    first = world.effects([event("a", cites="x")])
    second = world.effects([event("b"), event("c")], partition=1)
    begun = world.ledger.begin(first, world.epoch)
    looking = world.ledger.begin_look_up(second.batch.items, ["support"])
    applied = world.ledger.apply(second, world.epoch)
    assert (applied.cases, begun.result().cases) == (0, 1)
    assert looking.result().identities in (frozenset(), {i for _, i, _ in second.identities})
    assert world.archive.totals()["checked"] == 3
    assert world.archive.books().balanced


def test_a_reply_that_nobody_asked_for_is_not_anothers(world: World) -> None:
    effects = world.effects([event("a", cites="x")])
    world.ledger.begin(effects, world.epoch).abandon()
    # Whatever is asked next, on whatever line, is answered; and the checkpoint tells what became.
    assert world.ledger.has_room()
    for _ in range(3):
        assert world.archive.books().balanced
    with suppress(Moved):  # the call that was given up got through
        world.ledger.apply(effects, world.epoch)
    assert world.archive.totals()["checked"] == 1


def test_a_script_that_the_server_does_not_know_is_told(world: World) -> None:
    told = world.connection._script("apply").script
    unmet = world.connection.client.register_script(f"{told}-- {uuid4()}\n")
    world.connection._scripts["apply"] = unmet
    begun = world.ledger.begin(world.effects([event("a", cites="x")]), world.epoch)
    assert begun.result().cases == 1


def test_what_is_known_of_a_batch(world: World) -> None:
    world.take([event("a"), event("b", app="sales")])
    batch = world.batch([event("a"), event("new")])
    seen = world.ledger.look_up(batch.items, ["support", "sales", "nobody"])
    assert seen.identities == {batch.items[0].identity_hash}
    assert {app: list(known) for app, known in seen.releases.items()} == {
        "support": ["r1"], "sales": ["r1"], "nobody": [],
    }  # fmt: skip
    assert not seen.backlog_full


def test_a_job_yields_while_the_store_is_at_work(world: World) -> None:
    ingest = an_ingest(world)
    stages = ingest.stages()
    preparing = ingest.preparing(world.batch([event("a", cites="x")]), stages)
    assert next(preparing) is None
    with pytest.raises(StopIteration) as prepared:
        next(preparing)
    applying = ingest.applying(prepared.value.value, world.epoch, stages)
    assert next(applying) is None
    with pytest.raises(StopIteration) as applied:
        next(applying)
    assert applied.value.value[1].cases == 1
    assert [span.name for span in stages.spans] == ["lookup", "check", "store"]


def test_another_partition_that_was_faster_with_an_id_is_found_out(world: World) -> None:
    """Both looked up before either was applied."""
    ingest = an_ingest(world)
    stages = ingest.stages()
    effects = process(
        batch := world.batch([event("a"), event("b")]), {}, world.seen(batch), world.terms
    )
    other = world.effects([event("a")], partition=1)
    applying = ingest.applying(effects, world.epoch, stages)
    world.ledger.apply(other, world.epoch)
    for _ in applying:
        pass
    books = world.archive.books()
    assert books.balanced
    assert world.archive.totals()["duplicate"] == 1
    assert world.archive.totals()["checked"] == 2


def test_a_job_that_is_given_up_leaves_the_store_as_it_is_or_applied(world: World) -> None:
    ingest = an_ingest(world)
    effects = world.effects([event("a", cites="x")])
    applying = ingest.applying(effects, world.epoch, ingest.stages())
    next(applying)
    applying.close()
    assert world.archive.books().balanced
    with suppress(Moved):  # the call that was given up got through
        world.ledger.apply(effects, world.epoch)
    assert world.archive.totals()["checked"] == 1


def test_a_server_that_does_not_answer_in_time(
    redis_server: RedisServer, redis_connection: Connection
) -> None:
    world = World(redis_connection)
    effects = world.effects([event("a", cites="x")])
    impatient = Ledger(connect(redis_server.url, timeout_s=0.3), world.ledger._caps)
    assert impatient.outbox(SOURCE, 0) is None
    redis_server.freeze()
    begun = impatient.begin(effects, world.epoch)
    with pytest.raises(StoreOutage, match="Redis is away"):
        begun.result()
    redis_server.thaw()
    # The late reply lies in a line that nobody uses any more.
    assert impatient.look_up((), ["sales"]).releases == {"sales": {}}


def test_nobody_is_there(tmp_path) -> None:
    with pytest.raises(StoreOutage, match="Redis is away"):
        connect(f"unix://{tmp_path}/nobody.sock").begin("look_up", [], [])
