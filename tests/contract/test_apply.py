"""One batch's effects: all of them, or a refusal and none."""

from __future__ import annotations

import dataclasses

import orjson
import pytest

from service.accounting import EQUATIONS, Kind
from service.pipeline import Seen, process
from service.store import Duplicates, Fenced, Moved, OutboxPending
from service.verdicts import BatchRecord, decode
from tests.contract.world import NOW, SOURCE, World, event

HOUR = NOW // 3_600_000


def test_a_batch_moves_the_checkpoint_and_counts_every_record(world: World) -> None:
    events = [event("a"), event("b", cites="x"), b"{", event("a"), event("c", status="error")]
    world.take(events, gaps=2, lost={"undecodable": 3, "offset_gap": 1})
    [book, untouched] = world.checkpoints.books()
    assert (book.first, book.next) == (0, 11)
    assert book.counts == {
        "received": 5, "gaps": 2, "lost": 4, "lost:undecodable": 3, "lost:offset_gap": 1,
        "checked": 2, "recorded": 1, "rejected": 1, "duplicate": 1,
    }  # fmt: skip
    assert untouched.counts == {}
    assert world.archive.books().balanced


def test_totals_and_counters_say_the_same_as_the_events(world: World) -> None:
    world.take([event("a"), event("b", cites="x"), event("p", purpose="probe"), b"", event("c")])
    totals = world.archive.totals()
    assert {name: totals[name] for name in ("checked", "flagged", "cases", "suppressed")} == {
        "checked": 4, "flagged": 1, "cases": 1, "suppressed": 0,
    }  # fmt: skip
    assert totals["check:citations:fail"] == 1
    assert totals["check:citations:pass"] == 3
    assert totals["rejected:invalid_json"] == 1
    [(place, fields)] = world.archive.counters().items()
    assert place == ("support", HOUR)
    by_measure = {name.rpartition("\x1f")[2]: n for name, n in fields.items()}
    # A probe is checked, but rates are of live traffic.
    assert by_measure["checked"] == 3
    assert by_measure["citations:fail"] == 1
    assert by_measure["flagged"] == 1
    assert {name.split("\x1f")[0] for name in fields} == {"r1"}


def test_batches_add_up(world: World) -> None:
    world.take([event("a"), event("b", cites="x")])
    world.take([event("c"), event("d", cites="x")])
    world.take([event("e", cites="x")], partition=1)
    assert world.archive.totals()["checked"] == 5
    assert world.archive.totals()["cases"] == 3
    assert world.group("x")["count"] == "3"
    assert world.archive.books().balanced


def test_a_record_dropped_on_the_way_shows_as_one(world: World) -> None:
    batch = world.batch([event("a"), event("b"), event("c")])
    dropped = dataclasses.replace(batch, items=batch.items[:1] + batch.items[2:])
    world.ledger.apply(process(dropped, {}, Seen(), world.terms), world.epoch)
    imbalance = {e.name: e.imbalance for e in world.archive.books().equations}
    assert imbalance == {name: int(name == "records") for name in EQUATIONS}


def test_the_outbox_holds_the_batch_and_its_cases_in_their_order(world: World) -> None:
    effects = world.effects([event("a", cites="x"), event("b"), event("c", cites="y"), b"{"])
    world.ledger.apply(effects, world.epoch)
    outbox = world.ledger.outbox(SOURCE, 0)
    assert outbox is not None
    assert outbox.batch_id == effects.batch.batch_id
    assert [orjson.loads(case)["event_id"] for case in outbox.cases] == ["a", "c"]
    batch = decode(outbox.batch)
    assert isinstance(batch, BatchRecord)
    assert (batch.first, batch.next, batch.received) == (0, 4, 4)
    assert [row.kind for row in batch.rows] == [Kind.CHECKED] * 3 + [Kind.REJECTED]
    assert batch.suppressed == frozenset()
    assert world.ledger.outbox(SOURCE, 1) is None


def test_the_outbox_is_cleared_by_its_own_batch_id_only(world: World) -> None:
    effects = world.effects([event("a", cites="x")])
    world.ledger.apply(effects, world.epoch)
    before = world.dump()
    world.ledger.clear_outbox(SOURCE, 0, "answers/0/0/0-2")
    world.ledger.clear_outbox(SOURCE, 1, effects.batch.batch_id)
    assert world.dump() == before
    world.ledger.clear_outbox(SOURCE, 0, effects.batch.batch_id)
    assert world.ledger.outbox(SOURCE, 0) is None
    assert world.dump().keys() == before.keys() - {"outbox:answers/0"}


# Refusals: without any effect, whatever the batch holds.


def rich(world: World, *, partition: int = 0, first: int | None = None):
    """Effects that would touch every family of keys."""
    events = [event("n1", cites="new"), event("n2"), b"{", event("n3", status="error")]
    return world.effects(events, partition=partition, first=first)


def test_a_stale_epoch_is_refused(world: World) -> None:
    effects = rich(world)
    epoch = world.checkpoints.fence("")
    before = world.dump()
    with pytest.raises(Fenced):
        world.ledger.apply(effects, world.epoch)
    assert world.dump() == before
    world.ledger.apply(effects, epoch)


def test_a_replayed_batch_is_refused_and_names_what_is_pending(world: World) -> None:
    effects = rich(world)
    world.ledger.apply(effects, world.epoch)
    before = world.dump()
    with pytest.raises(Moved) as refusal:
        world.ledger.apply(effects, world.epoch)
    # So that the caller can tell its own call, whose answer was lost, from somebody else's.
    assert (refusal.value.next, refusal.value.pending) == (4, effects.batch.batch_id)
    assert world.dump() == before


def test_a_replay_after_the_flush_is_refused_too(world: World) -> None:
    effects = rich(world)
    world.ledger.apply(effects, world.epoch)
    world.ledger.clear_outbox(SOURCE, 0, effects.batch.batch_id)
    before = world.dump()
    with pytest.raises(Moved) as refusal:
        world.ledger.apply(effects, world.epoch)
    assert (refusal.value.next, refusal.value.pending) == (4, None)
    assert world.dump() == before


@pytest.mark.parametrize("first", [3, 7], ids=["behind", "ahead"])
def test_another_offset_than_the_checkpoint_s_is_refused(world: World, first: int) -> None:
    world.take([event(f"e{n}") for n in range(5)])
    effects = rich(world, first=first)
    before = world.dump()
    with pytest.raises(Moved) as refusal:
        world.ledger.apply(effects, world.epoch)
    assert refusal.value.next == 5
    assert world.dump() == before


@pytest.mark.parametrize("change", [{"segment": 1}, {"topic_id": "topic-2"}, {"partition": 7}])
def test_another_account_topic_or_unknown_partition_is_refused(world: World, change) -> None:
    effects = rich(world)
    other = dataclasses.replace(effects, batch=dataclasses.replace(effects.batch, **change))
    before = world.dump()
    with pytest.raises(Moved) as refusal:
        world.ledger.apply(other, world.epoch)
    assert refusal.value.next == (None if "partition" in change else 0)
    assert world.dump() == before


def test_a_batch_waits_for_the_outbox_of_its_partition_only(world: World) -> None:
    first = world.effects([event("a", cites="x")])
    world.ledger.apply(first, world.epoch)
    second = rich(world)
    elsewhere = world.effects([event("z", cites="x")], partition=1)
    before = world.dump()
    with pytest.raises(OutboxPending) as refusal:
        world.ledger.apply(second, world.epoch)
    assert refusal.value.batch_id == first.batch.batch_id
    assert world.dump() == before
    world.ledger.apply(elsewhere, world.epoch)
    world.ledger.clear_outbox(SOURCE, 0, first.batch.batch_id)
    world.ledger.apply(second, world.epoch)


def test_an_identity_stored_in_the_meantime_is_refused_by_name(world: World) -> None:
    batch = world.batch([event("n1", cites="new"), event("a", cites="new"), event("n2")])
    effects = process(batch, {}, Seen(), world.terms)
    world.take([event("a")], partition=1)
    before = world.dump()
    with pytest.raises(Duplicates) as refusal:
        world.ledger.apply(effects, world.epoch)
    assert refusal.value.identities == {batch.items[1].identity_hash}
    assert world.dump() == before
    # Computed again with what the refusal said, the batch is taken.
    again = process(batch, {}, Seen(refusal.value.identities), world.terms)
    world.ledger.apply(again, world.epoch)
    assert world.archive.totals()["duplicate"] == 1
    assert world.archive.totals()["cases"] == 1
    assert world.archive.books().balanced


def test_an_empty_batch_puts_the_start_of_an_account_on_record(world: World) -> None:
    checkpoint = world.checkpoints.get(SOURCE, 0)
    assert checkpoint is not None
    assert checkpoint.announce
    world.take([])
    checkpoint = world.checkpoints.get(SOURCE, 0)
    assert checkpoint is not None
    assert not checkpoint.announce
    assert checkpoint.next == 0
    assert world.archive.books().balanced
