"""The review desk: two people never label one case unawares, and nothing they say is lost."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from service.outage import Outage
from service.policy import ReviewPolicy
from service.review.cases import CaseFilter
from service.review.desk import (
    Decision,
    DecisionKind,
    Incomplete,
    Lease,
    LeaseLost,
    LeaseTaken,
    Stale,
    UnknownParts,
    UnknownSubject,
)
from service.review.labels import Action, Change
from service.store import connect
from service.store.reviews import Desk
from tests.contract.reviewing import (
    ANN,
    AUDIT,
    BOB,
    EVE,
    FINE,
    RIGHT,
    SKIP,
    SOON_MS,
    WRONG,
    called,
    case,
    desk_of,
    expire,
    flag,
    policy,
    reviewed_world,
    task,
)
from tests.contract.world import HOUR_MS, NOW, MakeWorld, World, event
from tests.servers.redis import RedisServer

OPEN = CaseFilter()
KNOWN = Decision(DecisionKind.KNOWN_CAUSE)


def world_of(make_world: MakeWorld, **names: str) -> World:
    world = reviewed_world(make_world)
    flag(world, names)
    return world


def balanced(world: World) -> bool:
    return world.archive.books().balanced


# Leases.


def test_a_case_has_one_holder_who_renews_and_gives_back(make_world: MakeWorld) -> None:
    desk = desk_of(world_of(make_world, a="x").connection)
    mine = desk.claim(case("a"), ANN, NOW)
    assert (mine.reviewer, mine.until_ms, bool(mine.token)) == (ANN, NOW + 600_000, True)
    with pytest.raises(LeaseTaken) as taken:
        desk.claim(case("a"), BOB, NOW + 1)
    assert (taken.value.holder, taken.value.until_ms) == (ANN, NOW + 600_000)
    again = desk.claim(case("a"), ANN, NOW + 5)
    assert (again.token, again.fence, again.until_ms) == (mine.token, mine.fence, NOW + 600_005)
    assert desk.renew(mine, NOW + 9).until_ms == NOW + 600_009
    assert desk.release(mine)
    assert not desk.release(mine)
    his = desk.claim(case("a"), BOB, NOW)
    assert his.fence > mine.fence
    assert his.token != mine.token
    with pytest.raises(LeaseLost) as lost:
        desk.renew(mine, NOW)
    assert lost.value.change is None


def test_holders_are_shown_without_their_tokens(make_world: MakeWorld) -> None:
    desk = desk_of(world_of(make_world, a="x", b="x").connection)
    mine = desk.claim(case("a"), ANN, NOW)
    [held] = desk.holders([case("a"), case("b"), "case:none"]).values()
    assert (held.subject, held.reviewer, held.token) == (case("a"), ANN, "")
    assert (held.fence, held.until_ms) == (mine.fence, mine.until_ms)
    assert desk.holders([]) == {}


def test_a_claimed_case_is_counted_as_claimed_until_the_lease_ends(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x", b="x")
    desk = desk_of(world.connection)
    lease = desk.claim(case("a"), ANN, NOW)
    counts = world.archive.case_counts()
    assert (counts["open"], counts["claimed"]) == (1, 1)
    assert balanced(world)
    expire(world, lease)
    counts = world.archive.case_counts()
    assert (counts["open"], counts["claimed"]) == (2, 0)
    assert balanced(world)


def test_a_lease_ends_by_the_clock_of_the_store(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection, lease_ms=SOON_MS)
    late = desk.claim(case("a"), ANN, NOW)
    deadline = time.monotonic() + 5
    while desk.holders([case("a")]):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    with pytest.raises(LeaseLost) as lost:
        desk.save(late, WRONG, 0, NOW)
    assert lost.value.change is None
    assert desk.history(case("a")) == []


@pytest.mark.parametrize("subject", ["case:none", "task:none", "group:none", "none", "x:y"])
def test_what_is_not_there_cannot_be_claimed(make_world: MakeWorld, subject: str) -> None:
    desk = desk_of(world_of(make_world, a="x").connection)
    with pytest.raises(UnknownSubject):
        desk.claim(subject, ANN, NOW)


# Labels.


def test_a_label_settles_the_case_and_its_history_says_who(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    lease = desk.claim(case("a"), ANN, NOW)
    change = desk.save(lease, WRONG, 0, NOW + 5)
    assert (change.number, change.at_ms, change.reviewer) == (1, NOW + 5, ANN)
    assert (change.action, change.label) == (Action.LABELLED, WRONG)
    assert change.context["app"] == "support"
    assert change.context["event_id"] == "a"
    assert change.context["position"] == ["answers", 0, 0]
    assert desk.history(case("a")) == [change]
    found = desk.labelled(case("a"))
    assert (found.label, found.version, found.last) == (WRONG, 1, change)
    assert world.archive.case_counts()["resolved"] == 1
    assert world.archive.list_cases().cases == []
    assert world.archive.open_by_severity() == {"high": 0, "medium": 0, "low": 0}
    assert desk.holders([case("a")]) == {}
    assert balanced(world)


def test_a_late_save_is_refused_with_the_label_of_the_other(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    late = desk.claim(case("a"), ANN, NOW)
    expire(world, late)
    with pytest.raises(LeaseLost) as lost:
        desk.save(late, WRONG, 0, NOW)
    assert lost.value.change is None
    theirs = desk.save(desk.claim(case("a"), BOB, NOW), RIGHT, 0, NOW)
    with pytest.raises(LeaseLost) as lost:
        desk.save(late, WRONG, 0, NOW)
    assert lost.value.change == theirs
    with pytest.raises(LeaseLost) as lost:
        desk.renew(late, NOW)
    assert lost.value.change == theirs
    assert desk.history(case("a")) == [theirs]


@pytest.mark.parametrize("forged", [{"token": ""}, {"token": "x"}, {"reviewer": BOB}])
def test_a_lease_is_its_token_and_its_holder(make_world: MakeWorld, forged: dict[str, Any]) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    [group] = desk.groups(OPEN).groups
    theirs = desk.claim(case("a"), ANN, NOW)
    of_group = desk.claim("group:" + group.group_id, ANN, NOW)
    before = world.dump()
    other = replace(theirs, **forged)
    attempts = (
        lambda: desk.save(other, WRONG, 0, NOW),
        lambda: desk.renew(other, NOW + 1),
        lambda: desk.label_group(replace(of_group, **forged), WRONG, NOW, lambda _: None),
        lambda: desk.decide(replace(of_group, **forged), KNOWN, NOW),
    )
    for attempt in attempts:
        with pytest.raises(LeaseLost):
            attempt()
    assert not desk.release(other)
    assert world.dump() == before
    assert desk.save(theirs, WRONG, 0, NOW).reviewer == ANN


@pytest.mark.parametrize("token", ["", "x"])
def test_nothing_is_saved_where_nobody_holds_it(make_world: MakeWorld, token: str) -> None:
    desk = desk_of(world_of(make_world, a="x").connection)
    with pytest.raises(LeaseLost):
        desk.save(Lease(case("a"), ANN, token, 0, 0), WRONG, 0, NOW)
    assert desk.history(case("a")) == []


def test_a_label_speaks_of_what_the_answer_has(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    found = world.archive.case(case("a")[5:])
    assert found is not None
    own = called(found.findings[0])
    lease = desk.claim(case("a"), ANN, NOW)
    for strange in (
        replace(WRONG, findings=(replace(own, surface="[pricing#y]"),)),
        replace(WRONG, findings=(own, replace(own, start=None))),
        replace(WRONG, needed=("pricing#zebra",)),
    ):
        with pytest.raises(UnknownParts):
            desk.save(lease, strange, 0, NOW)
    assert desk.history(case("a")) == []
    said = replace(WRONG, findings=(own,), needed=("pricing#plans",), needed_elsewhere=("z",))
    assert desk.save(lease, said, 0, NOW).label == said


def test_a_label_of_a_task_calls_no_finding(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world, audit=1.0)
    flag(world, {"a": "x"})
    desk = desk_of(world.connection, policy(1.0))
    lease = desk.claim(task("a"), ANN, NOW)
    desk.save(lease, AUDIT, 0, NOW)
    shown = world.archive.case(case("a")[5:])
    assert shown is not None
    desk.undo(task("a"), ANN, 1, NOW)
    again = desk.claim(task("a"), ANN, NOW)
    with pytest.raises(UnknownParts):
        desk.save(again, replace(AUDIT, findings=(called(shown.findings[0]),)), 2, NOW)


def test_a_save_over_another_version_is_refused(make_world: MakeWorld) -> None:
    desk = desk_of(world_of(make_world, a="x").connection)
    first = desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    lease = desk.claim(case("a"), BOB, NOW)
    with pytest.raises(Stale) as stale:
        desk.save(lease, RIGHT, 0, NOW)
    assert stale.value.change == first
    second = desk.save(lease, RIGHT, 1, NOW)
    assert desk.labelled(case("a")).label == RIGHT
    assert desk.history(case("a")) == [first, second]


def test_two_people_race_for_one_case(redis_server: RedisServer) -> None:
    first = connect(redis_server.url)
    first.client.flushall()
    flag(reviewed_world(lambda **caps: World(first, **caps)), {"a": "x"})
    start, saved, refused = threading.Barrier(8), [], []

    def label(number: int) -> None:
        connection = connect(redis_server.url)
        desk = desk_of(connection)
        start.wait()
        try:
            lease = desk.claim(case("a"), f"r{number}", NOW)
            saved.append(desk.save(lease, WRONG, 0, NOW))
        except (LeaseTaken, Stale, LeaseLost) as refusal:
            refused.append(refusal)
        connection.client.close()

    threads = [threading.Thread(target=label, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(saved) == 1
    assert len(refused) == 7
    assert desk_of(first).history(case("a")) == saved
    first.client.close()


def test_required_parts_are_asked_for(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    rules = policy(review=ReviewPolicy(required=("answer", "fault", "findings")))
    desk = desk_of(world.connection, rules)
    lease = desk.claim(case("a"), ANN, NOW)
    with pytest.raises(Incomplete) as incomplete:
        desk.save(lease, WRONG, 0, NOW)
    assert incomplete.value.parts == ("findings", "fault")
    assert desk.history(case("a")) == []
    assert desk.save(lease, SKIP, 0, NOW).action is Action.SKIPPED


def test_undo_goes_back_and_forth(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    undone = desk.undo(case("a"), ANN, 1, NOW + 1)
    assert (undone.action, undone.number, undone.undoes, undone.label) == (
        Action.UNDONE, 2, 1, None,
    )  # fmt: skip
    assert world.archive.case_counts()["open"] == 1
    assert [found.event_id for found in world.archive.list_cases().cases] == ["a"]
    assert world.archive.open_by_severity()["high"] == 1
    redone = desk.undo(case("a"), ANN, 2, NOW + 2)
    assert (redone.undoes, redone.label) == (2, WRONG)
    assert world.archive.case_counts()["resolved"] == 1
    desk.save(desk.claim(case("a"), BOB, NOW), RIGHT, 3, NOW)
    with pytest.raises(Stale) as stale:
        desk.undo(case("a"), ANN, 3, NOW)
    assert stale.value.change is not None
    assert stale.value.change.number == 4
    with pytest.raises(Stale):
        desk.undo(case("a"), ANN, 4, NOW)
    back = desk.undo(case("a"), BOB, 4, NOW)
    assert back.label == WRONG
    assert desk.labelled(case("a")).version == 5
    assert balanced(world)


def test_a_skip_is_no_label_and_leaves_the_case_to_others(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    lease = desk.next_case(ANN, OPEN, NOW)
    assert lease is not None
    skipped = desk.save(lease, SKIP, 0, NOW)
    assert (skipped.action, desk.labelled(case("a")).label) == (Action.SKIPPED, None)
    assert world.archive.case_counts()["open"] == 1
    assert desk.next_case(ANN, OPEN, NOW) is None
    desk.undo(case("a"), ANN, 1, NOW)
    assert desk.next_case(ANN, OPEN, NOW) is not None
    desk.release(desk.claim(case("a"), ANN, NOW))
    his = desk.next_case(BOB, OPEN, NOW)
    assert his is not None
    desk.save(his, RIGHT, 2, NOW)
    assert world.archive.case_counts()["resolved"] == 1
    assert balanced(world)


# What comes next.


def test_next_case_is_the_first_that_nobody_holds(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x", b="x")
    desk = desk_of(world.connection)
    first = desk.next_case(ANN, OPEN, NOW)
    assert first is not None
    assert desk.next_case(ANN, OPEN, NOW) == first  # her own, once more
    second = desk.next_case(ANN, OPEN, NOW, passed=[first.subject.partition(":")[2]])
    his = desk.next_case(BOB, OPEN, NOW)
    assert second is not None
    assert second.subject != first.subject
    assert his is None
    desk.release(second)
    his = desk.next_case(BOB, OPEN, NOW)
    assert his is not None
    assert his.subject == second.subject
    assert desk.next_case(EVE, OPEN, NOW) is None


def test_people_get_cases_of_different_groups(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x", b="x", c="x", d="y", e="z")
    desk = desk_of(world.connection)
    dealt = [desk.next_case(name, OPEN, NOW) for name in (ANN, BOB, EVE)]
    groups = {
        world.archive.case(lease.subject.partition(":")[2]).summary.group  # type: ignore[union-attr]
        for lease in dealt
        if lease is not None
    }
    assert len(groups) == 3
    fourth = desk.next_case("dan@example.org", OPEN, NOW)
    assert fourth is not None  # all groups are taken: better a second one than none


def test_the_group_somebody_labels_in_bulk_comes_last(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x", b="x", c="y")
    desk = desk_of(world.connection)
    [group] = [g for g in desk.groups(OPEN).groups if g.count == 2]
    desk.claim("group:" + group.group_id, ANN, NOW)
    his = desk.next_case(BOB, OPEN, NOW)
    assert his is not None
    assert his.subject == case("c")


def test_next_case_follows_the_filter(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    world.take([event("a", cites="x"), event("b", cites="x", app="sales")])
    desk = desk_of(world.connection)
    lease = desk.next_case(ANN, CaseFilter(app="sales", check="citations"), NOW)
    assert lease is not None
    assert lease.subject == case("b", "sales")
    assert desk.next_case(ANN, CaseFilter(app="sales", check="numbers"), NOW) is None


def test_next_case_may_be_asked_for_those_since_a_time(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    for number in range(3):
        flag(world, {f"e{number}": f"x{number}"}, at_ms=NOW + number * HOUR_MS)
    desk = desk_of(world.connection)
    for since, found in ((0, 3), (NOW, 3), (NOW + 1, 2), (NOW + 2 * HOUR_MS, 1), (NOW * 2, 0)):
        passed: list[str] = []
        filter = CaseFilter(since_ms=since, language="en")
        while lease := desk.next_case(ANN, filter, NOW, passed):
            passed.append(lease.subject[5:])
        assert len(passed) == found


def test_a_long_queue_of_held_and_skipped_cases_is_walked_to_its_end(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.store.reviews.dealing.STEPS", 7)
    world = world_of(make_world, **{f"e{n:02}": f"x{n}" for n in range(50)})
    desk = desk_of(world.connection)
    seen: list[str] = []
    for number in range(50):
        lease = desk.next_case(ANN, OPEN, NOW, passed=seen[:20])
        assert lease is not None
        if number % 2:
            desk.release(lease)
            lease = desk.claim(lease.subject, EVE, NOW)
        else:
            desk.save(lease, SKIP, 0, NOW)
        seen.append(lease.subject.partition(":")[2])
    assert len(set(seen)) == 50
    assert desk.next_case(ANN, OPEN, NOW) is None
    dan = desk.next_case("dan@example.org", OPEN, NOW)
    assert dan is not None


def test_the_first_of_a_cause_comes_before_one_that_is_known(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    world.ingest([event(f"old{n}", cites="known") for n in range(3)])
    world.ingest([event("known", cites="known"), event("new", cites="new")])
    ranked = [found.event_id for found in world.archive.list_cases().cases]
    assert ranked.index("new") < ranked.index("known")
    found = world.archive.case(case("known")[5:])
    assert found is not None
    assert found.priority is not None
    assert found.priority.rarity == -1.0
    assert found.summary.priority == found.priority.total


# Audit tasks.


def test_a_task_is_labelled_blind_and_frees_its_case(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world, audit=1.0)
    flag(world, {"a": "x"})
    desk = desk_of(world.connection, policy(1.0))
    with pytest.raises(UnknownSubject):
        desk.claim(case("a"), ANN, NOW)
    assert desk.next_case(ANN, OPEN, NOW) is None
    lease = desk.next_task(ANN, NOW)
    assert lease is not None
    assert lease.subject == task("a")
    with pytest.raises(Incomplete) as incomplete:
        desk.save(lease, WRONG, 0, NOW)
    assert incomplete.value.parts == ("fault", "needed", "grounded", "helpful")
    change = desk.save(lease, AUDIT, 0, NOW)
    assert change.context["wanted"] == 1
    assert change.context["blind"] is True
    assert change.context["pi_audit"] == 1.0
    assert world.store.tasks.counts() == {"open": 0, "done": 1, "expired": 0, "erased": 0}
    assert [found.event_id for found in world.archive.list_cases().cases] == ["a"]
    assert desk.next_task(BOB, NOW) is None
    assert balanced(world)
    desk.undo(task("a"), ANN, 1, NOW)
    assert world.store.tasks.counts()["open"] == 1
    assert world.archive.case_counts()["withheld"] == 1
    again = desk.next_task(ANN, NOW)
    assert again is not None
    assert desk.save(again, AUDIT, 2, NOW).context["blind"] is False
    assert balanced(world)


def test_some_tasks_are_labelled_by_two_people(make_world: MakeWorld) -> None:
    twice = ReviewPolicy(double_label=1.0)
    world = reviewed_world(make_world, 1.0, twice)
    flag(world, {"a": "x"})
    desk = desk_of(world.connection, policy(1.0, twice))
    first = desk.next_task(ANN, NOW)
    assert first is not None
    one = desk.save(first, AUDIT, 0, NOW)
    assert world.store.tasks.counts()["open"] == 1
    assert world.archive.case_counts()["withheld"] == 1
    assert desk.next_task(ANN, NOW) is None
    with pytest.raises(UnknownSubject):
        desk.claim(task("a"), ANN, NOW)
    second = desk.next_task(BOB, NOW)
    assert second is not None
    two = desk.save(second, FINE, 1, NOW + 1)
    assert world.store.tasks.counts()["done"] == 1
    assert world.archive.case_counts()["open"] == 1
    assert desk.labelled(task("a"), ANN).label == AUDIT
    assert desk.labelled(task("a"), BOB).label == FINE
    assert desk.labelled(task("a"), EVE).label is None
    [found] = desk.disagreements().disagreements
    assert (found.task_id, found.first, found.second) == (task("a")[5:], one, two)
    assert desk.next_task(EVE, NOW) is None
    desk.undo(task("a"), BOB, 2, NOW)
    assert desk.disagreements().disagreements == []
    assert world.archive.case_counts()["withheld"] == 1
    assert balanced(world)


def test_the_share_that_two_people_label(make_world: MakeWorld) -> None:
    some = ReviewPolicy(double_label=0.3)
    world = reviewed_world(make_world, 1.0, some)
    world.take([event(f"e{n}") for n in range(200)])
    desk = desk_of(world.connection, policy(1.0, some))
    while lease := desk.next_task(ANN, NOW):
        desk.save(lease, AUDIT, 0, NOW)
    left = world.store.tasks.counts()["open"]
    assert 40 <= left <= 80
    for lease in iter(lambda: desk.next_task(BOB, NOW), None):
        desk.save(lease, AUDIT, desk.labelled(lease.subject).version, NOW)
    assert world.store.tasks.counts()["done"] == 200
    assert desk.disagreements().disagreements == []


def test_a_task_that_one_of_two_labelled_is_done_in_the_end(make_world: MakeWorld) -> None:
    twice = ReviewPolicy(double_label=1.0)
    world = reviewed_world(make_world, 1.0, twice)
    flag(world, {"a": "x", "b": "y"})
    desk = desk_of(world.connection, policy(1.0, twice))
    lease = desk.next_task(ANN, NOW)
    assert lease is not None
    desk.save(lease, AUDIT, 0, NOW)
    skipped = desk.next_task(ANN, NOW)
    assert skipped is not None
    desk.save(skipped, SKIP, 0, NOW)
    assert desk.next_task(ANN, NOW) is None
    world.store.tasks.expire(NOW + 4 * 86_400_000)
    assert world.store.tasks.counts() == {"open": 0, "done": 1, "expired": 1, "erased": 0}
    assert world.archive.case_counts()["open"] == 2
    assert balanced(world)


# All changes.


def test_changes_page_newest_first_of_all_or_of_one(make_world: MakeWorld) -> None:
    world = world_of(make_world, **{f"e{n}": f"x{n}" for n in range(9)})
    desk = desk_of(world.connection)
    for number in range(9):
        lease = desk.claim(case(f"e{number}"), ANN if number % 3 else BOB, NOW)
        desk.save(lease, WRONG, 0, NOW + number // 2)
    seen, cursor = [], None
    while True:
        page = desk.changes(cursor=cursor, limit=2)
        seen += page.changes
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len({change.subject for change in seen}) == len(seen) == 9
    assert [change.at_ms for change in seen] == sorted((c.at_ms for c in seen), reverse=True)
    assert {c.reviewer for c in desk.changes(reviewer=BOB).changes} == {BOB}
    assert len(desk.changes(reviewer=BOB).changes) == 3
    with pytest.raises(ValueError, match="cursor"):
        desk.changes(cursor="x")


def test_nothing_is_written_while_the_store_is_rebuilt(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    lease = desk.claim(case("a"), ANN, NOW)
    world.checkpoints.fence("rebuilding")
    with pytest.raises(Outage, match="rebuilt"):
        desk.save(lease, WRONG, 0, NOW)
    world.checkpoints.finish()
    desk.save(lease, WRONG, 0, NOW)


def test_each_write_tells_that_the_outbox_has_work(make_world: MakeWorld) -> None:
    told: list[int] = []
    world = world_of(make_world, a="x")
    desk: Desk = desk_of(world.connection, on_change=lambda: told.append(1))
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    desk.undo(case("a"), ANN, 1, NOW)
    assert len(told) == 2
    records = world.store.reviews.unflushed()
    assert len(records) == 2
    assert world.store.reviews.flushed(records)
    assert not world.store.reviews.flushed(records)
    assert world.store.reviews.unflushed() == []


def test_picked_cases_are_labelled_unopened_and_what_others_hold_is_left(
    make_world: MakeWorld,
) -> None:
    world = world_of(make_world, a="x", b="y", c="z", d="x")
    desk = desk_of(world.connection)
    desk.claim(case("b"), BOB, NOW)
    desk.save(desk.claim(case("c"), BOB, NOW), RIGHT, 0, NOW)
    names = [case(name).removeprefix("case:") for name in ("a", "b", "c", "d")]
    assert desk.label_cases([*names, "none"], ANN, WRONG, NOW) == 2
    for name in ("a", "d"):
        [change] = desk.history(case(name))
        assert (change.reviewer, change.action) == (ANN, Action.LABELLED_IN_BULK)
        assert (change.label, change.context["event_id"]) == (WRONG, name)
    assert desk.history(case("b")) == []
    assert [change.reviewer for change in desk.history(case("c"))] == [BOB]
    assert list(desk.holders([case(name) for name in "abcd"])) == [case("b")]
    assert balanced(world)


def test_a_pick_lacks_what_its_app_requires_and_is_left(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    strict = policy(review=ReviewPolicy(required=("answer", "fault"), double_label=0.0))
    desk = desk_of(world.connection, strict)
    assert desk.label_cases([case("a").removeprefix("case:")], ANN, WRONG, NOW) == 0
    assert desk.history(case("a")) == []
    assert desk.holders([case("a")]) == {}


def test_who_counts_is_told_each_change_once_it_is_stored(make_world: MakeWorld) -> None:
    told: list[Change] = []
    world = world_of(make_world, a="x", b="x")
    desk = desk_of(world.connection, on_stored=told.append)
    mine = desk.claim(case("a"), ANN, NOW)
    saved = desk.save(mine, RIGHT, 0, NOW)
    with pytest.raises(LeaseLost):
        desk.save(mine, RIGHT, 0, NOW)
    undone = desk.undo(case("a"), ANN, saved.number, NOW)
    skipped = desk.save(desk.claim(case("b"), ANN, NOW), SKIP, 0, NOW)
    assert told == [saved, undone, skipped]
    [group] = desk.groups(OPEN).groups
    desk.claim(case("b"), BOB, NOW)
    desk.label_group(desk.claim("group:" + group.group_id, ANN, NOW), RIGHT, NOW, lambda _: None)
    assert told[3:] == [desk.history(case("a"))[-1]]
    assert told[-1].action is Action.LABELLED_IN_BULK
