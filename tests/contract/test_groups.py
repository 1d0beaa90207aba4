"""Groups: labelled in bulk, decided once, and open again when there are suddenly twice as many."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.review.cases import DAY_MS, CaseFilter
from service.review.desk import (
    Decision,
    DecisionKind,
    Group,
    LeaseLost,
    Stale,
    UnknownParts,
    UnknownSubject,
)
from service.review.labels import Action
from service.store.reviews import Desk
from service.store.reviews.groups import threshold
from tests.contract.judged import WORKER, judged_world, settle
from tests.contract.judged import WRONG as JUDGED_WRONG
from tests.contract.reviewing import (
    ANN,
    BOB,
    RIGHT,
    WRONG,
    called,
    case,
    desk_of,
    flag,
    reviewed_world,
)
from tests.contract.world import NOW, MakeWorld, World, event

OPEN = CaseFilter()
KNOWN = Decision(DecisionKind.KNOWN_CAUSE, note="the page was deleted")


def group_of(desk: Desk, cites: str) -> Group:
    [found] = [g for g in desk.groups(OPEN).groups if g.cause.endswith(f"pricing#{cites}")]
    return found


def decide(desk: Desk, cites: str, decision: Decision = KNOWN, now_ms: int = NOW) -> Group:
    lease = desk.claim("group:" + group_of(desk, cites).group_id, ANN, now_ms)
    desk.decide(lease, decision, now_ms)
    desk.release(lease)
    return group_of(desk, cites)


def names(prefix: str, count: int, cites: str) -> dict[str, str]:
    return {f"{prefix}{n}": cites for n in range(count)}


def test_a_group_is_one_row_with_its_counts(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world, cases_per_group_day=2)
    flag(world, names("a", 3, "x"))
    flag(world, names("b", 1, "x"), at_ms=NOW + DAY_MS)
    flag(world, names("c", 1, "y"))
    desk = desk_of(world.connection)
    first, second = desk.groups(OPEN).groups
    assert (first.count, first.open_cases, second.count) == (4, 3, 1)
    assert first.by_day == ((NOW // DAY_MS, 3), (NOW // DAY_MS + 1, 1))
    assert first.sample is not None
    assert world.archive.case(first.sample) is not None
    assert desk.group(first.group_id) == first
    assert desk.group("none") is None
    assert desk.groups(CaseFilter(app="sales")).groups == []
    assert len(desk.groups(CaseFilter(check="citations", severity="high")).groups) == 2


def test_groups_come_in_pages(make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.store.reviews.groups.STEPS", 3)
    world = reviewed_world(make_world)
    flag(world, {f"a{n}": f"x{n}" for n in range(11)})
    desk = desk_of(world.connection)
    seen, cursor = [], None
    while True:
        page = desk.groups(OPEN, cursor, 2)
        assert len(page.groups) <= 2
        seen += [group.group_id for group in page.groups]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(set(seen)) == len(seen) == 11


def test_filtered_groups_come_in_the_order_of_all(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.store.reviews.groups.STEPS", 4)
    world = reviewed_world(make_world)
    for n in range(9):
        app, at_ms = ("support", "sales")[n % 2], NOW + n // 3 * DAY_MS
        wrong = {"answer": f"A seat costs {540 + n} € [pricing#plans]."} if n % 3 else {}
        world.take([event(f"e{n}", cites=f"x{n}", app=app, **wrong)], at_ms=at_ms)
    desk = desk_of(world.connection)
    everything = desk.groups(OPEN, None, 100).groups
    assert len(everything) == 9
    filters = [
        CaseFilter(app="sales"), CaseFilter(check="numbers"), CaseFilter(reason="absent"),
        CaseFilter(severity="high"), CaseFilter(app="support", severity="low"),
        CaseFilter(app="support", check="citations", reason="unknown_ref", severity="high"),
        CaseFilter(check="citations", reason="absent"), CaseFilter(app="nobody"),
    ]  # fmt: skip
    for filter in filters:
        wanted = {
            name: value
            for name in ("app", "check", "reason", "severity")
            if (value := getattr(filter, name)) is not None
        }
        expected = [
            group
            for group in everything
            if all(getattr(group, name) == value for name, value in wanted.items())
        ]
        for limit in (1, 2, 100):
            found, cursor = [], None
            while True:
                page = desk.groups(filter, cursor, limit)
                found += page.groups
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert found == expected


def test_a_bulk_label_takes_the_open_cases_that_nobody_is_at(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.store.reviews.bulk.STEP", 4)
    world = reviewed_world(make_world)
    flag(world, names("a", 12, "x") | {"other": "y"})
    desk = desk_of(world.connection)
    desk.claim(case("a3"), BOB, NOW)
    desk.save(desk.claim(case("a5"), BOB, NOW), RIGHT, 0, NOW)
    group = group_of(desk, "x")
    lease = desk.claim("group:" + group.group_id, ANN, NOW)
    told: list[int] = []
    assert desk.label_group(lease, WRONG, NOW, told.append) == 10
    assert told == sorted(told)
    assert (len(told), told[-1]) == (3, 10)
    change = desk.labelled(case("a0")).last
    assert change is not None
    assert (change.action, change.group) == (Action.LABELLED_IN_BULK, group.group_id)
    assert desk.labelled(case("a5")).label == RIGHT
    assert desk.labelled(case("a3")).label is None
    assert group_of(desk, "x").open_cases == 1
    assert desk.labelled(case("other")).label is None
    assert world.archive.books().balanced
    desk.undo(case("a0"), ANN, 1, NOW)
    assert group_of(desk, "x").open_cases == 2
    assert desk.label_group(lease, WRONG, NOW, told.append) == 1


def test_a_bulk_label_calls_of_each_case_what_is_its_own(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    own = {"answer": "It costs 45 € a seat, as [pricing#x] says."}
    other = {"retrieved": [{"ref": "pricing#faq", "text": "Pro: 45 € a seat."}]}
    world.take([event("a", cites="x"), event("b", cites="x", **own), event("c", "x", **other)])
    desk = desk_of(world.connection)
    [finding] = world.archive.case(case("a")[5:]).findings  # type: ignore[union-attr]
    lease = desk.claim("group:" + group_of(desk, "x").group_id, ANN, NOW)
    before = world.dump()
    strange = replace(WRONG, findings=(called(finding | {"start": 1}),))
    for label in (strange, replace(WRONG, needed=("pricing#zebra",))):
        with pytest.raises(UnknownParts):
            desk.label_group(lease, label, NOW, lambda _: None)
    assert world.dump() == before
    said = replace(WRONG, findings=(called(finding),), needed=("pricing#plans",))
    assert desk.label_group(lease, said, NOW, lambda _: None) == 3
    assert desk.labelled(case("a")).label == said
    assert desk.labelled(case("b")).label == replace(said, findings=())
    assert desk.labelled(case("c")).label == replace(
        said, needed=(), needed_elsewhere=("pricing#plans",)
    )


def test_a_bulk_label_needs_the_lease_of_the_group(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    flag(world, names("a", 3, "x"))
    desk = desk_of(world.connection)
    lease = desk.claim("group:" + group_of(desk, "x").group_id, ANN, NOW)
    desk.release(lease)
    with pytest.raises(LeaseLost):
        desk.label_group(lease, WRONG, NOW, lambda _: None)
    with pytest.raises(LeaseLost):
        desk.decide(lease, KNOWN, NOW)
    with pytest.raises(UnknownSubject):
        desk.label_group(desk.claim(case("a0"), ANN, NOW), WRONG, NOW, lambda _: None)
    assert desk.changes().changes == []


def test_a_decided_group_takes_later_members_without_a_case(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    flag(world, names("a", 2, "x"))
    desk = desk_of(world.connection)
    group = decide(desk, "x")
    assert group.decision is not None
    assert group.decision.decision is not None
    assert group.decision.decision["kind"] == "known_cause"
    flag(world, names("b", 3, "x") | {"new": "y"})
    totals = world.archive.totals()
    assert (totals["cases"], totals["auto_grouped"], totals["suppressed"]) == (3, 3, 0)
    assert group_of(desk, "x").count == 5
    assert group_of(desk, "x").open_cases == 2
    assert world.archive.books().balanced
    lease = desk.claim("group:" + group.group_id, BOB, NOW)
    reopened = desk.reopen(lease, NOW)
    assert reopened.action is Action.REOPENED
    assert group_of(desk, "x").decision is None
    with pytest.raises(Stale):
        desk.reopen(lease, NOW)
    flag(world, names("c", 1, "x"))
    assert world.archive.totals()["cases"] == 4


def test_a_decision_is_undone_like_a_label(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    flag(world, names("a", 1, "x"))
    desk = desk_of(world.connection)
    group = decide(desk, "x")
    desk.undo("group:" + group.group_id, ANN, 1, NOW)
    assert group_of(desk, "x").decision is None
    desk.undo("group:" + group.group_id, ANN, 2, NOW)
    assert group_of(desk, "x").decision is not None


@pytest.mark.parametrize(
    ("decision", "taken"),
    [
        (Decision(DecisionKind.FALSE_ALARM, until_ms=NOW + 1), 1),
        (Decision(DecisionKind.FALSE_ALARM, until_ms=NOW), 0),
        (Decision(DecisionKind.FALSE_ALARM, ruleset="another"), 0),
    ],
)
def test_a_decision_holds_until_a_time_or_a_new_ruleset(
    make_world: MakeWorld, decision: Decision, taken: int
) -> None:
    world = reviewed_world(make_world)
    flag(world, names("a", 1, "x"))
    decide(desk_of(world.connection), "x", decision)
    flag(world, names("b", 1, "x"))
    assert world.archive.totals().get("auto_grouped", 0) == taken
    assert world.archive.books().balanced


def test_an_answer_with_a_new_cause_beside_the_known_one_gets_a_case(
    make_world: MakeWorld,
) -> None:
    world = reviewed_world(make_world)
    flag(world, names("a", 1, "x"))
    decide(desk_of(world.connection), "x")
    both = "A seat costs 45 € [pricing#x]. Support is free [pricing#new]."
    world.take([event("both", answer=both)])
    assert world.archive.totals()["cases"] == 2
    assert world.archive.totals().get("auto_grouped", 0) == 0


def test_it_opens_by_itself_when_its_rate_doubles(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    for back in range(1, 8):
        flag(world, names(f"d{back}-", 12, "x"), at_ms=NOW - back * DAY_MS)
    desk = desk_of(world.connection)
    group = decide(desk, "x")
    assert group.decision is not None
    assert (group.decision.decision or {})["threshold"] == 24
    flag(world, names("b", 24, "x"))
    assert world.archive.totals()["auto_grouped"] == 24
    assert group_of(desk, "x").reopened is None
    flag(world, names("c", 3, "x"))
    group = group_of(desk, "x")
    assert group.decision is None
    assert group.reopened is not None
    assert world.archive.totals()["auto_grouped"] == 24
    assert group.open_cases == 7 * 12 + 3
    assert world.archive.books().balanced
    decide(desk, "x")
    flag(world, names("d", 5, "x"), at_ms=NOW + DAY_MS)
    assert world.archive.totals()["auto_grouped"] == 29


@pytest.mark.parametrize(
    ("by_day", "most"),
    [({}, 20), ({93: 7, 99: 7}, 20), ({day: 40 for day in range(93, 100)}, 80),
     ({100: 240}, 480), ({92: 10_000, 101: 10_000}, 20), ({99: 700, 100: 30}, 200)],
)  # fmt: skip
def test_the_threshold(by_day: dict[int, int], most: int) -> None:
    assert threshold(by_day, 100) == most


def test_the_judge_may_find_more_in_an_absorbed_answer(make_world: MakeWorld) -> None:
    world: World = judged_world(make_world)
    world.take([event("a", cites="x")])
    desk = desk_of(world.connection)
    decide(desk, "x")
    world.take([event("b", cites="x")])
    assert world.archive.totals()["auto_grouped"] == 1
    [_, job] = world.store.jobs.take(WORKER, 2)
    assert settle(world, job, JUDGED_WRONG) == "opened"
    totals = world.archive.totals()
    assert (totals["cases"], totals["auto_grouped"], totals["suppressed"]) == (2, 0, 0)
    assert world.archive.books().balanced
