"""Audit tasks: blind, apart from the case of the same answer, which they withhold."""

from __future__ import annotations

import json

import pytest

from service.drafts import AUDIT_DAYS, case_id
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.rebuild import rebuild
from service.review.cases import CaseFilter
from service.store.reviews.groups import Groups
from tests.contract.judged import WORKER, WRONG, judged_world, settle
from tests.contract.test_rebuild import books
from tests.contract.world import NOW, MakeWorld, World, event

EVERYTHING = CaseFilter(status=None)
DUE_MS = NOW + AUDIT_DAYS * 86_400_000


def audited_world(make_world: MakeWorld, share: float = 1.0) -> World:
    """No judge: tasks exist without one."""
    world = make_world()
    app = AppPolicy(sampling=SamplingPolicy(audit=share))
    world.terms = world.terms.__class__(Policy(apps={"support": app, "sales": app}), b"secret")
    return world


def test_an_audited_answer_becomes_a_task_with_its_sources_and_nothing_found(
    make_world: MakeWorld,
) -> None:
    world = audited_world(make_world)
    world.take([event("a", cites="x")])
    [task] = world.store.tasks.list_tasks().tasks
    assert (task.event_id, task.status, task.due_ms) == ("a", "open", DUE_MS)
    assert task.event["retrieved"][0]["text"] == "Pro: 45 € a seat."
    assert world.store.tasks.get(task.task_id) == task
    shown = json.dumps(task.event)
    assert "findings" not in shown
    assert "unknown_ref" not in shown


def test_pages_of_tasks_are_exact_while_tasks_come_and_go(make_world: MakeWorld) -> None:
    world = audited_world(make_world)
    world.take([event(f"same{n:02}") for n in range(11)])
    world.take([event("later")], at_ms=NOW + 1)
    first = world.store.tasks.list_tasks(None, 4)
    world.take([event("ahead")], at_ms=NOW - 1)
    seen, cursor = [task.event_id for task in first.tasks], first.next_cursor
    while cursor is not None:
        page = world.store.tasks.list_tasks(cursor, 4)
        assert len(page.tasks) <= 4
        seen += [task.event_id for task in page.tasks]
        cursor = page.next_cursor
    assert sorted(seen[:-1]) == [f"same{n:02}" for n in range(11)]
    assert seen[-1] == "later"
    assert world.store.tasks.list_tasks(None, 1).tasks[0].event_id == "ahead"
    assert world.store.tasks.list_tasks(None, 13).next_cursor is None
    with pytest.raises(ValueError, match="cursor"):
        world.store.tasks.list_tasks("not one of ours")


def test_a_shadow_answer_is_not_audited(make_world: MakeWorld) -> None:
    world = audited_world(make_world)
    world.take([event("a", purpose="shadow"), event("b", status="error")])
    assert world.store.tasks.list_tasks().tasks == []


def test_the_case_of_an_audited_answer_is_withheld_everywhere(make_world: MakeWorld) -> None:
    world = audited_world(make_world)
    world.take([event("a", cites="x")])
    withheld = case_id("support", "a")
    for filter in (CaseFilter(), EVERYTHING, CaseFilter(check="citations", status=None)):
        assert world.archive.list_cases(filter).cases == []
    assert world.archive.case(withheld) is None
    assert world.archive.kept([withheld]) == frozenset()
    assert world.archive.open_by_severity() == {"high": 0, "medium": 0, "low": 0}
    assert world.archive.case_counts()["withheld"] == 1
    assert all(group.get(b"sample") is None for key, group in world.dump().items()
               if key.startswith("g:"))  # fmt: skip
    assert world.archive.books().balanced


def test_no_filter_tells_of_what_is_withheld(make_world: MakeWorld) -> None:
    world = audited_world(make_world)
    world.take([event("a", cites="x")])
    assert not any(world.archive.facets().values())
    world.store.tasks.expire(DUE_MS)
    assert world.archive.facets()["checks"] == ["citations"]


def test_no_group_tells_of_what_is_withheld(make_world: MakeWorld) -> None:
    world = audited_world(make_world)
    world.take([event("a", cites="x")])
    [group] = [key for key in world.dump() if key.startswith("g:")]
    groups = Groups(world.connection)
    assert groups.page(CaseFilter(), None, 10).groups == []
    assert groups.get(group.removeprefix("g:")) is None
    world.store.tasks.expire(DUE_MS)
    [shown] = groups.page(CaseFilter(), None, 10).groups
    assert (shown.count, shown.open_cases) == (1, 1)


def test_pages_skip_what_is_withheld_and_lose_nothing_else(make_world: MakeWorld) -> None:
    world = audited_world(make_world, share=0.4)
    names = [f"e{n}" for n in range(60)]
    world.take([event(name, cites="x") for name in names])
    audited = {task.event_id for task in world.store.tasks.list_tasks(limit=100).tasks}
    assert 5 < len(audited) < 55
    seen, cursor = [], None
    while True:
        page = world.archive.list_cases(EVERYTHING, cursor, 7)
        seen += [case.event_id for case in page.cases]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(set(seen))
    assert {*seen} == {*names[:50], *names[50:]} - audited - suppressed(world, names, audited, seen)


def suppressed(world: World, names: list[str], audited: set[str], seen: list[str]) -> set[str]:
    """Those that the group had no room for (50 a day)."""
    missing = set(names) - audited - set(seen)
    assert len(missing) <= world.archive.totals()["suppressed"]
    return missing


def test_a_task_expires_as_missing_and_frees_its_case(make_world: MakeWorld) -> None:
    world = audited_world(make_world)
    world.take([event("a", cites="x"), event("clean")])
    assert world.store.tasks.expire(DUE_MS - 1) == 0
    assert world.store.tasks.expire(DUE_MS) == 2
    assert world.store.tasks.counts() == {"open": 0, "done": 0, "expired": 2, "erased": 0}
    [case] = world.archive.list_cases().cases
    assert case.event_id == "a"
    assert world.archive.open_by_severity()["high"] == 1
    assert world.archive.books().balanced
    assert world.store.tasks.expire(DUE_MS) == 0


def test_a_case_that_the_judge_opens_is_withheld_as_well(make_world: MakeWorld) -> None:
    world = judged_world(make_world, audit=1.0)
    world.take([event("a")])
    [job] = world.store.jobs.take(WORKER, 1)
    assert settle(world, job, WRONG) == "opened"
    assert world.archive.list_cases(EVERYTHING).cases == []
    world.store.tasks.expire(DUE_MS)
    assert [case.event_id for case in world.archive.list_cases().cases] == ["a"]


def test_tasks_and_what_they_withhold_are_restored(make_world: MakeWorld) -> None:
    world = audited_world(make_world, share=0.5)
    _, outbox = world.take_records([event(f"e{n}", cites="x") for n in range(20)])
    _, other = world.take_records([], partition=1)
    before = books(world)
    rebuild(world.store, [other.batch, outbox.batch, *outbox.cases], lambda _: None)
    assert books(world) == before
    assert world.store.tasks.counts()["open"] > 0
