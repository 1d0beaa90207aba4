"""One user's answers are forgotten, the books still balance, and a rebuild brings nothing back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from service.rebuild import rebuild
from service.review.cases import CaseFilter
from service.store.erasure import Erased
from tests.contract.judged import WORKER, WRONG, judged_world, settle
from tests.contract.reviewing import ANN, AUDIT, desk_of, policy, reviewed_world, task
from tests.contract.test_rebuild import books
from tests.contract.world import NOW, MakeWorld, World, event

HERS, HIS = {"id_hash": "hash-of-hers"}, {"id_hash": "hash-of-his"}


def asked(name: str, user: dict[str, str], **more: Any) -> bytes:
    return event(name, cites="x", user=user, query=f"asked by {user['id_hash']}", **more)


def left_of_her(world: World) -> bool:
    """Anything in the store, deflated or not, apart from the record that orders it."""
    return bool(world.store.erasure._answers("hash-of-hers", {("answers", 0): 10**9}))


def test_her_cases_and_audits_go_and_his_stay(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world, audit=1.0)
    _, outbox = world.take_records([asked("a", HERS), asked("b", HIS), asked("c", HERS)])
    _, other = world.take_records([], partition=1)
    desk = desk_of(world.connection, policy(1.0))
    noted = replace(AUDIT, note="She asked about her contract.")
    desk.save(desk.claim(task("a"), ANN, NOW), noted, 0, NOW)
    said = world.store.reviews.unflushed()
    assert world.store.erasure.erase("hash-of-hers", NOW) == Erased(cases=2, tasks=2, labels=1)
    assert not left_of_her(world)
    counts = world.archive.case_counts()
    assert (counts["withheld"], counts["open"], counts["erased"]) == (1, 0, 2)
    assert world.store.tasks.counts() == {"open": 1, "done": 0, "expired": 0, "erased": 2}
    assert world.archive.books().balanced
    assert desk.labelled(task("a"), ANN).label == AUDIT
    assert world.store.erasure.erase("hash-of-hers", NOW) == Erased()
    topic = [*outbox.cases, outbox.batch, *world.store.judgements.unflushed(), other.batch]
    assert said != world.store.reviews.unflushed()
    # One that was in the topic before it lost its words.
    world.store.reviews.flushed(world.store.reviews.unflushed())
    topic += said
    before = books(world)
    rebuild(world.store, topic[::-1], lambda _: None)
    assert desk.labelled(task("a"), ANN).label == AUDIT
    assert books(world) == before
    assert not left_of_her(world)
    assert world.archive.books().balanced


def test_what_she_asks_later_is_kept(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    _, first = world.take_records([asked("a", HERS)])
    world.store.erasure.erase("hash-of-hers", NOW)
    _, second = world.take_records([asked("later", HERS)])
    topic = [*first.cases, first.batch, *second.cases, second.batch]
    topic += world.store.judgements.unflushed()
    rebuild(world.store, topic, lambda _: None)
    assert [found.event_id for found in world.archive.list_cases(CaseFilter()).cases] == ["later"]


def test_jobs_and_judgements_go_too(make_world: MakeWorld) -> None:
    world = judged_world(make_world)
    world.take([asked("a", HERS), asked("b", HERS), asked("c", HIS)])
    jobs = {job.job.answer.event_id: job for job in world.store.jobs.take(WORKER, 9) if job.job}
    settle(world, jobs["a"], WRONG)
    settle(world, jobs["c"], WRONG)
    assert world.store.erasure.erase("hash-of-hers", NOW) == Erased(cases=2, jobs=1, judgements=1)
    assert world.store.jobs.pending() == 0
    day = NOW // 86_400_000
    assert len(world.store.judgements.rows(day)) == 1
    assert world.archive.totals()["judge:erased"] == 1
    assert world.archive.books().balanced


def test_what_is_not_produced_yet_goes_from_the_outbox(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    effects = world.effects([asked("a", HERS), asked("b", HIS)])
    world.ledger.apply(effects, world.epoch)
    assert world.store.erasure.erase("hash-of-hers", NOW) == Erased(cases=1, unproduced=1)
    outbox = world.ledger.outbox("answers", 0)
    assert outbox is not None
    assert [json.loads(case)["event_id"] for case in outbox.cases] == ["b"]
    assert world.ledger.clear_outbox("answers", 0, outbox.batch_id)
