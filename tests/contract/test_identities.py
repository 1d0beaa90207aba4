"""The same app and event id again: known within a window, on any partition."""

from __future__ import annotations

import pytest

from service.documents import Documents
from service.ingest import Ingest
from service.metrics import Metrics
from service.pipeline import identity_hash
from service.sampling import Factors, encode_factors
from tests.contract.world import HOUR_MS, NOW, MakeWorld, World, event

SLOT = NOW // HOUR_MS * HOUR_MS
"""The beginning of a time slot of the window."""


def duplicates(world: World) -> int:
    return world.archive.totals().get("duplicate", 0)


def test_across_batches_and_partitions(world: World) -> None:
    world.take([event("a", cites="x")])
    world.take([event("a", cites="x"), event("b")])
    world.take([event("b"), event("a", cites="x")], partition=1)
    assert duplicates(world) == 3
    assert world.archive.totals()["checked"] == 2
    assert world.archive.totals()["cases"] == 1
    assert world.archive.books().balanced


def test_within_one_batch(world: World) -> None:
    world.take([event("a", cites="x"), event("a", cites="x"), event("a")])
    assert duplicates(world) == 2
    assert world.archive.totals()["cases"] == 1


def test_two_apps_may_use_the_same_ids(world: World) -> None:
    world.take([event("a", cites="x"), event("a", cites="x", app="sales")])
    assert duplicates(world) == 0
    assert world.archive.totals()["cases"] == 2


def test_apps_that_the_policy_does_not_list_stay_apart(world: World) -> None:
    world.take([event("a", app="one"), event("a", app="two"), event("a", app="one")])
    assert duplicates(world) == 1
    assert {app for app, _ in world.archive.counters()} == {"other"}


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        (SLOT, SLOT + HOUR_MS - 1, True),
        (SLOT + HOUR_MS - 1, SLOT + HOUR_MS, True),
        # At least the window is remembered, in both directions: partitions run apart.
        (SLOT, SLOT + HOUR_MS, True),
        (SLOT + HOUR_MS, SLOT, True),
        (SLOT, SLOT + 2 * HOUR_MS - 1, True),
        (SLOT, SLOT + 2 * HOUR_MS, False),
        (SLOT + 2 * HOUR_MS, SLOT, False),
    ],
)
def test_the_window(world: World, first: int, second: int, known: bool) -> None:
    world.take([event("a")], at_ms=first)
    world.take([event("a")], at_ms=second, partition=1)
    assert duplicates(world) == int(known)


def test_identities_age_out(make_world: MakeWorld) -> None:
    world = make_world(id_window_ms=60_000)
    world.take([event("a"), event("b")])
    keys = [key for key in world.connection.client.keys("*") if b":ids:" in key]
    assert len(keys) == 2
    for key in keys:
        # The window, the slot before and the slot after.
        assert 0 < world.connection.client.ttl(key) <= 180


def test_looking_up_changes_nothing(world: World) -> None:
    world.take([event("a")])
    batch = world.batch([event("a"), event("b"), b"{"])
    before = world.dump()
    assert world.seen(batch).identities == {identity_hash("support", "a")}
    assert world.dump() == before


def test_who_is_recomputed_after_a_conflict_is_drawn_by_the_same_factors(world: World) -> None:
    factors = Factors(version=7, exhausted=True)
    body = {"version": 7, "body": encode_factors(factors)}
    world.connection.client.hset(world.connection.keys.factors, mapping=body)
    ingest = Ingest(world.store, Documents(world.connection), lambda: world.terms, Metrics())
    batch = world.batch([event("a"), event("b")])
    conflicts = frozenset({identity_hash("support", "a")})
    duplicate, checked = ingest.prepare(batch, ingest.stages(), conflicts).rows
    assert (duplicate.kind.value, checked.kind.value) == ("duplicate", "checked")
    assert (checked.factors, checked.pi) == (7, checked.pi_audit)
