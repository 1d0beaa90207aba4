"""What the desk's work does to the store: counts, queues and books, its clock, its outbox. What the
desk promises whoever works at it is in ``test_desk_promises.py``."""

from __future__ import annotations

import threading
import time

import pytest

from service.outage import Outage
from service.policy import ReviewPolicy
from service.review.cases import CaseFilter
from service.review.desk import (
    Decision,
    DecisionKind,
    LeaseLost,
    LeaseTaken,
    Stale,
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


# Labels.


def test_a_label_settles_the_case(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    lease = desk.claim(case("a"), ANN, NOW)
    change = desk.save(lease, WRONG, 0, NOW + 5)
    assert change.context["position"] == ["answers", 0, 0]
    assert world.archive.case_counts()["resolved"] == 1
    assert world.archive.list_cases().cases == []
    assert world.archive.open_by_severity() == {"high": 0, "medium": 0, "low": 0}
    assert balanced(world)


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


def test_an_undo_puts_the_case_back_where_it_was(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    desk.undo(case("a"), ANN, 1, NOW + 1)
    assert world.archive.case_counts()["open"] == 1
    assert [found.event_id for found in world.archive.list_cases().cases] == ["a"]
    assert world.archive.open_by_severity()["high"] == 1
    desk.undo(case("a"), ANN, 2, NOW + 2)
    assert world.archive.case_counts()["resolved"] == 1
    assert balanced(world)


def test_a_skip_leaves_the_case_open(make_world: MakeWorld) -> None:
    world = world_of(make_world, a="x")
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("a"), ANN, NOW), SKIP, 0, NOW)
    assert world.archive.case_counts()["open"] == 1
    desk.save(desk.claim(case("a"), BOB, NOW), RIGHT, 1, NOW)
    assert world.archive.case_counts()["resolved"] == 1
    assert balanced(world)


# What comes next.


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


def test_a_labelled_task_frees_its_case(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world, audit=1.0)
    flag(world, {"a": "x"})
    desk = desk_of(world.connection, policy(1.0))
    change = desk.save(desk.claim(task("a"), ANN, NOW), AUDIT, 0, NOW)
    assert change.context["pi_audit"] == 1.0
    assert world.store.tasks.counts() == {"open": 0, "done": 1, "expired": 0, "erased": 0}
    assert [found.event_id for found in world.archive.list_cases().cases] == ["a"]
    assert balanced(world)
    desk.undo(task("a"), ANN, 1, NOW)
    assert world.store.tasks.counts()["open"] == 1
    assert world.archive.case_counts()["withheld"] == 1
    assert balanced(world)


def test_a_task_is_done_once_two_people_labelled_it(make_world: MakeWorld) -> None:
    twice = ReviewPolicy(double_label=1.0)
    world = reviewed_world(make_world, 1.0, twice)
    flag(world, {"a": "x"})
    desk = desk_of(world.connection, policy(1.0, twice))
    desk.save(desk.claim(task("a"), ANN, NOW), AUDIT, 0, NOW)
    assert world.store.tasks.counts()["open"] == 1
    assert world.archive.case_counts()["withheld"] == 1
    desk.save(desk.claim(task("a"), BOB, NOW), FINE, 1, NOW + 1)
    assert world.store.tasks.counts()["done"] == 1
    assert world.archive.case_counts()["open"] == 1
    desk.undo(task("a"), BOB, 2, NOW)
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


# Beside the desk.


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
