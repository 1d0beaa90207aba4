"""Random work at the desk: the books balance after every step, and a rebuild restores all of it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.policy import ReviewPolicy
from service.rebuild import rebuild
from service.review.cases import CaseFilter
from service.review.desk import (
    Decision,
    DecisionKind,
    LeaseLost,
    LeaseTaken,
    Stale,
    UnknownSubject,
)
from service.store.reviews import Desk
from tests.contract.reviewing import (
    ANN,
    AUDIT,
    BOB,
    EVE,
    FINE,
    RIGHT,
    SKIP,
    WRONG,
    case,
    desk_of,
    expire,
    policy,
    reviewed_world,
)
from tests.contract.test_rebuild import books
from tests.contract.world import HOUR_MS, NOW, MakeWorld, World, event

PEOPLE = (ANN, BOB, EVE)
HALF = ReviewPolicy(double_label=0.5)
REFUSALS = (LeaseTaken, LeaseLost, Stale, UnknownSubject)


class Work:
    """One step after the other, by the dice; ``verdicts``: the topic as it then stands."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.dice = random.Random(seed)
        self.rules = policy(0.3, HALF)
        self.desk: Desk = desk_of(world.connection, self.rules)
        self.verdicts: list[bytes] = []
        self.leases: list[Any] = []
        self.now = NOW

    def step(self) -> None:
        self.now += 1_000
        moves = (
            self.traffic, self.claim, self.save, self.save, self.save, self.undo, self.release,
            self.bulk, self.decide, self.expire_lease, self.expire_tasks,
        )  # fmt: skip
        try:
            self.dice.choice(moves)()
        except REFUSALS:
            pass

    def traffic(self) -> None:
        events = [
            event(f"e{self.now}-{n}", cites=f"x{self.dice.randrange(4)}")
            for n in range(self.dice.randrange(1, 8))
        ]
        at_ms = self.now + self.dice.randrange(-3, 4) * HOUR_MS
        partition = self.dice.randrange(2)
        _, outbox = self.world.take_records(events, partition=partition, at_ms=at_ms)
        self.verdicts += [*outbox.cases, outbox.batch]

    def claim(self) -> None:
        who = self.dice.choice(PEOPLE)
        if self.dice.random() < 0.4:
            lease = self.desk.next_case(who, CaseFilter(), self.now)
        else:
            lease = self.desk.next_task(who, self.now)
        if lease is not None:
            self.leases.append(lease)

    def save(self) -> None:
        if not self.leases:
            return self.claim()
        lease = self.leases.pop(self.dice.randrange(len(self.leases)))
        version = self.desk.labelled(lease.subject).version - (self.dice.random() < 0.1)
        label = self.dice.choice((WRONG, RIGHT, SKIP, AUDIT))
        if lease.subject.startswith("task:"):
            label = self.dice.choice((AUDIT, SKIP, FINE))
        self.desk.save(lease, label, version, self.now)

    def undo(self) -> None:
        changes = self.desk.changes(limit=20).changes
        if changes:
            change = self.dice.choice(changes)
            self.desk.undo(change.subject, change.reviewer, change.number, self.now)

    def release(self) -> None:
        if self.leases:
            self.desk.release(self.leases.pop())

    def _group(self) -> Any:
        groups = self.desk.groups(CaseFilter()).groups
        if not groups:
            raise UnknownSubject("none")
        subject = "group:" + self.dice.choice(groups).group_id
        return self.desk.claim(subject, self.dice.choice(PEOPLE), self.now)

    def bulk(self) -> None:
        lease = self._group()
        self.desk.label_group(lease, WRONG, self.now, lambda _: None)
        self.desk.release(lease)

    def decide(self) -> None:
        lease = self._group()
        kind = self.dice.choice(tuple(DecisionKind))
        until = self.dice.choice((None, self.now + HOUR_MS))
        try:
            if self.dice.random() < 0.6:
                self.desk.decide(lease, Decision(kind, until, note="n"), self.now)
            else:
                self.desk.reopen(lease, self.now)
        finally:
            self.desk.release(lease)

    def expire_lease(self) -> None:
        if self.leases:
            expire(self.world, self.dice.choice(self.leases))

    def expire_tasks(self) -> None:
        """None is due so soon."""
        self.world.store.tasks.expire(self.now)

    def records(self) -> list[bytes]:
        return self.world.store.reviews.unflushed(-1)


def worked(make_world: MakeWorld, seed: int, steps: int = 200) -> Work:
    world = reviewed_world(make_world, 0.3, HALF, cases_per_group_day=15)
    work = Work(world, seed)
    for _ in range(steps):
        work.step()
        found = world.archive.books()
        assert found.balanced, [e for e in found.equations if e.imbalance]
        assert min(term for e in found.equations for term in e.right.values()) >= 0
    return work


def reviewed(world: World) -> dict[str, Any]:
    """All that a rebuild owes; leases come and go."""
    return {
        key: value
        for key, value in books(world).items()
        if not key.startswith(("lease:", "claims", "fences"))
    }


@pytest.mark.parametrize("seed", range(6))
def test_the_books_balance_after_every_step_and_a_rebuild_restores_all(
    make_world: MakeWorld, seed: int
) -> None:
    work = worked(make_world, seed)
    world, records = work.world, work.records()
    assert world.store.reviews.flushed(records)
    before, changes = reviewed(world), work.desk.changes(limit=10_000).changes
    assert len(changes) == len(records) > 30
    topic: list[bytes | None] = [*work.verdicts, *records]
    topic += work.dice.choices(topic, k=len(topic) // 2)
    work.dice.shuffle(topic)
    report = rebuild(world.store, topic, lambda _: None)
    assert (report.unknown, report.orphans, report.without_case) == (0, 0, 0)
    assert report.changes == len(changes)
    assert reviewed(world) == before
    assert work.desk.changes(limit=10_000).changes == changes
    assert world.archive.books().balanced
    world.epoch = world.checkpoints.open()
    for _ in range(20):
        work.step()
        assert world.archive.books().balanced


def test_what_is_not_produced_yet_survives_a_rebuild(make_world: MakeWorld) -> None:
    work = worked(make_world, 7, 60)
    before, records = reviewed(work.world), work.records()
    half = len(records) // 2
    assert half > 3
    assert work.world.store.reviews.flushed(records[:half])
    rebuild(work.world.store, [*work.verdicts, *records[:half]], lambda _: None)
    assert reviewed(work.world) == before
    assert work.records() == records[half:]


def test_labels_outlive_the_verdict_that_they_are_about(make_world: MakeWorld) -> None:
    work = worked(make_world, 8, 80)
    history = [c for c in work.desk.changes(limit=1_000).changes if c.subject.startswith("case:")]
    assert history
    rebuild(work.world.store, work.records(), lambda _: None)
    assert work.desk.history(history[0].subject)[-1] == history[0]
    assert work.world.archive.books().balanced


def test_a_store_that_fell_behind_drops_nothing_that_was_said(make_world: MakeWorld) -> None:
    """An older dump was restored, and numbers were given twice."""
    world = reviewed_world(make_world)
    _, outbox = world.take_records([event("a", cites="x")])
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("a"), ANN, NOW), WRONG, 0, NOW)
    [first] = world.store.reviews.unflushed()
    world.connection.client.delete(world.connection.keys.review_outbox)
    rebuild(world.store, [*outbox.cases, outbox.batch], lambda _: None)
    desk.save(desk.claim(case("a"), BOB, NOW), RIGHT, 0, NOW + 9)
    [second] = world.store.reviews.unflushed()
    for topic in ([first, second], [second, first, first]):
        rebuild(world.store, [*outbox.cases, outbox.batch, *topic], lambda _: None)
        assert [c.reviewer for c in desk.history(case("a"))] == [ANN, BOB]
        assert [c.number for c in desk.history(case("a"))] == [1, 2]
        assert desk.labelled(case("a")).label == RIGHT
