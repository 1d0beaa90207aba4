"""A flood is counted in its groups; its payloads, groups and labels are bounded."""

from __future__ import annotations

import dataclasses

import pytest

from service.drafts import case_id
from service.pipeline import DAY_MS, Effects
from service.review.cases import CaseFilter
from service.store import Decided, Outbox
from service.verdicts import BatchRecord, decode
from tests.contract.world import HOUR_MS, NOW, SOURCE, MakeWorld, World, event

EVERYTHING = CaseFilter(status=None)


def suppressed(outbox: Outbox) -> frozenset[int]:
    """The offsets that the batch record says were counted without a case."""
    batch = decode(outbox.batch)
    assert isinstance(batch, BatchRecord)
    return batch.suppressed


def test_a_group_keeps_the_first_payloads_of_a_day(make_world: MakeWorld) -> None:
    world = make_world(cases_per_group_day=3)
    applied, outbox = world.take_records([event(f"e{n}", cites="x") for n in range(5)])
    assert (applied.cases, applied.suppressed) == (3, 2)
    assert suppressed(outbox) == {3, 4}
    assert len(outbox.cases) == 3
    assert world.group("x")["count"] == "5"
    # Another partition shares the cap; another group and another day have their own.
    assert world.take([event("f", cites="x")], partition=1).cases == 0
    assert world.take([event("g", cites="y")]).cases == 1
    assert world.take([event("h", cites="x")], at_ms=NOW + DAY_MS).cases == 1
    assert world.archive.totals()["flagged"] == 8
    assert world.archive.books().balanced


def test_an_answer_with_one_fresh_cause_is_kept(make_world: MakeWorld) -> None:
    world = make_world(cases_per_group_day=1)
    both = "It costs 45 € [pricing#x] a seat [pricing#y]."
    assert world.take([event("a", cites="x")]).cases == 1
    assert world.take([event("b", answer=both)]).cases == 1
    assert world.take([event("c", answer=both)]).cases == 0
    assert world.group("x")["count"] == "3"
    assert world.group("y")["count"] == "2"


def test_open_cases_are_bounded(make_world: MakeWorld) -> None:
    world = make_world(max_cases=4)
    applied, outbox = world.take_records([event(f"e{n}", cites=f"x{n}") for n in range(6)])
    assert (applied.cases, applied.suppressed) == (4, 2)
    assert suppressed(outbox) == {4, 5}
    assert world.take([event("f", cites="z")], partition=1).cases == 0
    assert world.archive.case_counts()["open"] == 4
    assert world.archive.books().balanced


def test_groups_are_bounded_and_their_members_still_counted(make_world: MakeWorld) -> None:
    world = make_world(max_groups=2, cases_per_group_day=2)
    world.take([event(f"e{n}", cites=f"x{n}") for n in range(6)])
    groups = [key for key in world.dump() if key.startswith("g:") and "overflow" not in key]
    assert len(groups) == 2
    assert world.archive.totals()["group_overflow"] == 4
    assert world.archive.totals()["flagged"] == 6
    # What found no group shares the cap of one: two cases, the others are suppressed.
    assert world.archive.totals()["cases"] == 4
    assert world.archive.totals()["suppressed"] == 2
    # A group that exists takes members for ever.
    world.take([event("again", cites="x0")])
    assert world.group("x0")["count"] == "2"
    assert world.archive.totals()["group_overflow"] == 4
    assert world.archive.books().balanced


def test_short_memory_suppresses_and_never_refuses(world: World) -> None:
    effects = world.effects([event("a", cites="x"), event("b"), event("c", cites="y")])
    applied = world.ledger.apply(effects, world.epoch, payloads=False)
    assert (applied.cases, applied.suppressed) == (0, 2)
    outbox = world.ledger.outbox(SOURCE, 0)
    assert outbox is not None
    assert suppressed(outbox) == {0, 2}
    assert outbox.cases == ()
    assert world.group("x")["count"] == "1"
    assert world.archive.totals()["checked"] == 3
    assert world.archive.books().balanced
    assert not [key for key in world.dump() if key.startswith("case:")]


def test_a_repeated_case_id_is_suppressed_and_never_two_cases(make_world: MakeWorld) -> None:
    world = make_world(id_window_ms=HOUR_MS)
    world.take([event("a", cites="x")])
    # Far outside the window of identities the same answer counts again; its case is there already.
    applied, outbox = world.take_records([event("a", cites="x")], at_ms=NOW + 3 * HOUR_MS)
    assert (applied.cases, applied.suppressed) == (0, 1)
    assert suppressed(outbox) == {1}
    [summary] = world.archive.list_cases(EVERYTHING).cases
    assert summary.case_id == case_id("support", "a")
    assert summary.alike == 2
    assert world.archive.books().balanced


def with_releases(effects: Effects, releases: dict[str, int]) -> Effects:
    return dataclasses.replace(effects, releases={"support": releases})


def test_the_last_releases_of_an_app_are_kept(make_world: MakeWorld) -> None:
    world = make_world(releases_per_app=3)
    effects = world.effects([event("a")])
    many = {f"r{n}": NOW + n for n in range(10)}
    world.ledger.apply(with_releases(effects, many), world.epoch)
    known = world.seen(effects.batch).releases
    assert known == {"support": {"r7": NOW + 7, "r8": NOW + 8, "r9": NOW + 9}, "sales": {},
                     "other": {}}  # fmt: skip


def test_an_older_sighting_does_not_make_a_release_older(world: World) -> None:
    world.take([event("a")])
    late = with_releases(world.effects([event("b")], partition=1), {"r1": NOW - HOUR_MS})
    world.ledger.apply(late, world.epoch)
    assert world.seen(world.batch([])).releases["support"] == {"r1": NOW}


@pytest.mark.parametrize("kept", [True, False])
def test_what_was_decided_before_is_repeated(make_world: MakeWorld, kept: bool) -> None:
    world = make_world(cases_per_group_day=1)
    world.take([event("first", cites="x")])
    effects = world.effects([event("b", cites="x")])
    applied = world.ledger.apply(
        effects,
        world.epoch,
        decided=Decided({1: "opened" if kept else "suppressed"}, frozenset()),
        outbox=False,
    )
    assert applied.cases == int(kept)
    assert world.ledger.outbox(SOURCE, 0) is None
    assert world.archive.books().balanced
