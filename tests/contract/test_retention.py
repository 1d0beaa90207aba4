"""What is settled ends after its time, counted; what is open stays; what people said stays."""

from __future__ import annotations

from service.review.cases import DAY_MS, CaseFilter
from service.store.reviews.retention import Ended, Retention
from tests.contract.reviewing import (
    ANN,
    AUDIT,
    WRONG,
    case,
    desk_of,
    flag,
    policy,
    reviewed_world,
    task,
)
from tests.contract.world import HOUR_MS, NOW, MakeWorld, World, event

DAYS = 90
END = NOW + DAYS * DAY_MS


def retention(world: World, max_groups: int = 1_000) -> Retention:
    return Retention(world.connection, DAYS, max_groups)


def test_a_resolved_case_expires_and_an_open_one_never(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    flag(world, {"a": "x", "b": "x", "c": "y"})
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    desk.save(desk.claim(case("c"), ANN, NOW), WRONG, 0, NOW + 5)
    assert retention(world).turn(END - 1) == Ended()
    assert retention(world).turn(END) == Ended(cases=1)
    counts = world.archive.case_counts()
    assert (counts["open"], counts["resolved"], counts["expired"]) == (1, 1, 1)
    assert world.archive.books().balanced
    assert world.archive.case(case("a")[5:]) is None
    assert desk.labelled(case("a")).label == WRONG
    assert [change.subject for change in desk.changes().changes] == [case("c"), case("a")]
    assert retention(world).turn(END + 1_000 * DAY_MS) == Ended(cases=1)
    assert [found.event_id for found in world.archive.list_cases(CaseFilter()).cases] == ["b"]
    samples = {group.sample for group in desk.groups(CaseFilter()).groups}
    assert samples == {case("b")[5:], None}
    listed = {
        key for key, members in world.dump().items()
        if key.startswith("cases:") and case("a")[5:].encode() in members
    }  # fmt: skip
    assert listed == set()


def test_a_case_that_was_opened_again_waits_anew(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    flag(world, {"a": "x"})
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    desk.undo(case("a"), ANN, 1, NOW)
    assert retention(world).turn(END) == Ended()
    desk.undo(case("a"), ANN, 2, NOW + DAY_MS)
    assert retention(world).turn(END) == Ended()
    assert retention(world).turn(END + DAY_MS) == Ended(cases=1)


def test_values_without_a_case_are_offered_no_more(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    world.take([event("a", cites="x"), event("b", cites="x", app="sales")])
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("b", "sales"), ANN, NOW), WRONG, 0, NOW)
    assert world.archive.facets()["apps"] == ["sales", "support"]
    retention(world).turn(END)
    assert world.archive.facets()["apps"] == ["support"]


def test_tasks_keep_their_number_when_their_answers_go(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world, audit=1.0)
    world.take([event("a"), event("b"), event("c")])
    desk = desk_of(world.connection, policy(1.0))
    desk.save(desk.claim(task("a"), ANN, NOW), AUDIT, 0, NOW)
    world.store.tasks.expire(NOW + 4 * DAY_MS)
    assert retention(world).turn(END) == Ended(tasks=1)
    assert retention(world).turn(END + 4 * DAY_MS) == Ended(tasks=2)
    assert world.store.tasks.counts() == {"open": 0, "done": 1, "expired": 2, "erased": 0}
    assert world.store.tasks.get(task("a")[5:]) is None
    assert desk.labelled(task("a"), ANN).label == AUDIT
    assert world.archive.books().balanced


def test_groups_that_nobody_needs_make_room(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    for number in range(20):
        flag(world, {f"e{number}": f"x{number}"}, at_ms=NOW + number * HOUR_MS)
    desk = desk_of(world.connection)
    for number in range(12):
        desk.save(desk.claim(case(f"e{number}"), ANN, NOW), WRONG, 0, NOW)
    assert retention(world, 25).turn(NOW) == Ended()
    assert retention(world, 20).turn(NOW) == Ended(groups=2)
    causes = sorted(group.cause[-3:] for group in desk.groups(CaseFilter()).groups)
    assert "#x0" not in causes
    assert "#x2" in causes
    assert retention(world, 4).turn(NOW) == Ended(groups=10)
    assert len(desk.groups(CaseFilter()).groups) == 8
    assert world.archive.books().balanced
