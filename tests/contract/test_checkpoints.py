"""Checkpoints, accounts over resets, and the store's own identity."""

from __future__ import annotations

import pytest

from service.documents import Documents
from service.store import Checkpoint, SchemaError, SourceStart
from tests.contract.world import SOURCE, TOPIC, World, event


def test_a_source_is_started_once_and_all_at_once(world: World) -> None:
    before = world.dump()
    assert world.checkpoints.start(SOURCE, "topic-2", {0: 9, 1: 9, 2: 9}) is False
    assert world.dump() == before
    assert world.checkpoints.start("elsewhere", "topic-2", {0: 9, 3: 7}) is True
    assert world.checkpoints.started("elsewhere") == SourceStart("topic-2", 2)
    assert world.checkpoints.started("nowhere") is None
    assert world.checkpoints.get("elsewhere", 3) == Checkpoint(7, 7, 0, "topic-2", True, False)
    assert world.checkpoints.get("elsewhere", 1) is None


def test_offsets_are_exact_far_beyond_what_a_float_holds(world: World) -> None:
    far = (1 << 62) + 3
    world.checkpoints.start("far", TOPIC, {0: far})
    found = world.checkpoints.get("far", 0)
    assert found is not None
    assert found.next == far


def test_a_reset_closes_one_account_and_opens_the_next(world: World) -> None:
    world.take([event("a"), event("b", cites="x"), b"{"])
    world.checkpoints.open_segment(SOURCE, 0, 100, TOPIC, reset=True)
    assert world.checkpoints.get(SOURCE, 0) == Checkpoint(100, 100, 1, TOPIC, True, True)
    world.checkpoints.reset_done(SOURCE, 0)
    found = world.checkpoints.get(SOURCE, 0)
    assert found is not None
    assert not found.reset
    world.take([event("c")])
    world.checkpoints.open_segment(SOURCE, 0, 50, TOPIC)
    books = [book for book in world.checkpoints.books() if book.partition == 0]
    assert [(b.segment, b.first, b.next, b.counts.get("received", 0)) for b in books] == [
        (0, 0, 3, 3), (1, 100, 101, 1), (2, 50, 50, 0),
    ]  # fmt: skip
    # What lies between two accounts is in neither of them.
    assert world.archive.books().balanced


def test_the_books_have_every_partition_in_order(world: World) -> None:
    world.checkpoints.start("another", "topic-3", {10: 0, 9: 0})
    places = [(book.source, book.partition) for book in world.checkpoints.books()]
    assert places == [("another", 9), ("another", 10), (SOURCE, 0), (SOURCE, 1)]


def test_opening_again_keeps_epoch_and_secret(world: World) -> None:
    secret = world.checkpoints.secret()
    assert len(secret) >= 16
    assert world.checkpoints.open() == world.epoch
    assert world.checkpoints.secret() == secret


def test_a_fence_is_a_new_epoch_with_a_state(world: World) -> None:
    epoch = world.checkpoints.fence("rebuilding")
    assert epoch != world.epoch
    assert world.checkpoints.open() == epoch
    assert world.checkpoints.state() == "rebuilding"
    world.checkpoints.finish()
    assert world.checkpoints.state() == ""
    assert world.checkpoints.open() == epoch


def test_a_store_of_a_newer_release_is_refused(world: World) -> None:
    world.connection.client.hset(world.connection.keys.meta, "schema", 99)
    with pytest.raises(SchemaError, match="schema 99"):
        world.checkpoints.open()


def test_a_wipe_keeps_what_no_record_brings_back_and_other_installations(world: World) -> None:
    Documents(world.connection).load([("pricing#plans", "Pro: 45 €")], corpus="2026-11")
    world.connection.client.set("{another}:totals", "theirs")
    world.take([event("a", cites="x")])
    secret = world.checkpoints.secret()
    world.checkpoints.wipe()
    assert world.checkpoints.open() == world.epoch
    assert world.checkpoints.secret() == secret
    assert Documents(world.connection).get([("2026-11", "pricing#plans")])
    assert set(world.connection.client.keys("*")) == {
        b"{groundwatch}:meta", b"{groundwatch}:doc:2026-11", b"{groundwatch}:numbers:2026-11",
        b"{groundwatch}:questions", b"{another}:totals",
    }  # fmt: skip


def test_documents_fall_back_to_the_unnamed_corpus(world: World) -> None:
    documents = Documents(world.connection)
    seen: list[int] = []
    count = documents.load(((f"d#{n}", f"text {n}") for n in range(1_200)), on_progress=seen.append)
    assert count == 1_200
    assert seen == [500, 1_000, 1_200]
    documents.load([("d#1", "newer")], corpus="v2")
    wanted = [("v2", "d#1"), ("v2", "d#2"), ("", "d#1"), ("v2", "absent"), ("", "absent")]
    assert documents.get(wanted) == {
        ("v2", "d#1"): "newer", ("v2", "d#2"): "text 2", ("", "d#1"): "text 1",
    }  # fmt: skip
    assert documents.get([]) == {}
