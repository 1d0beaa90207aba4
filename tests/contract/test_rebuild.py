"""A wiped store, restored from the records of its outboxes."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from typing import Any

import pytest

from service.accounting import parse_field
from service.pipeline import Seen, process
from service.policy import Policy
from service.rebuild import rebuild
from service.verdicts import BatchRecord, decode, encode_batch_head
from tests.contract.world import HOUR_MS, NOW, QUIET, SOURCE, TOPIC, MakeWorld, World, event

POISON = (b"{", b"\xff", b"[]", b'{"schema_version": 2}')


def books(world: World) -> dict[str, Any]:
    """All that a rebuild owes. Identities and the sightings of releases only steer what comes."""
    found = {
        key: value
        for key, value in world.dump().items()
        if not key.startswith(("ids:", "releases:", "first:", "meta", "outbox:"))
    }
    # JSON objects, whose keys have no order.
    found["segments"] = [json.loads(account) for account in found.get("segments", [])]
    return found


def random_traffic(world: World, seed: int) -> list[bytes]:
    """Many batches of every kind of record, over a reset; the topic as it then stands."""
    dice = random.Random(seed)
    topic: list[bytes] = []
    for number in range(40):
        partition = dice.randrange(2)
        events = []
        for n in range(dice.randrange(8)):
            name = f"e{number}-{n}"
            events.append(dice.choice([
                event(name),
                event(name, cites=f"x{dice.randrange(4)}", release={
                    "id": f"r{dice.randrange(3)}", "prompt": f"p{dice.randrange(3)}"}),
                event(name, cites="common", app=dice.choice(["sales", "unlisted", "support"])),
                event(name, status="error", purpose=dice.choice(["live", "shadow"])),
                event(f"e{dice.randrange(number + 1)}-0", cites="again"),
                dice.choice(POISON),
            ]))  # fmt: skip
        at_ms = NOW + dice.randrange(-6, 6) * HOUR_MS // 2
        lost = dice.choice([{}, {}, {"undecodable": 2, "offset_gap": 1}])
        gaps = dice.choice([0, 0, 3])
        _, outbox = world.take_records(
            events, partition=partition, at_ms=at_ms, gaps=gaps, lost=lost
        )
        topic += [*outbox.cases, outbox.batch]
        if number == 25:
            world.checkpoints.open_segment(SOURCE, 0, 10_000, TOPIC)
            topic.append(world.take_records([], partition=0)[1].batch)
    return topic


@pytest.mark.parametrize("seed", range(6))
def test_any_order_and_any_repeats_give_the_same_store(make_world: MakeWorld, seed: int) -> None:
    world = make_world(cases_per_group_day=5)
    topic = random_traffic(world, seed)
    assert world.archive.books().balanced
    assert world.archive.totals()["suppressed"] > 0
    before, secret = books(world), world.checkpoints.secret()
    dice = random.Random(-seed)
    shuffled: list[bytes | None] = [*topic, *dice.choices(topic, k=len(topic) // 2)]
    dice.shuffle(shuffled)
    report = rebuild(world.store, shuffled, lambda _: None)
    assert books(world) == before
    assert world.checkpoints.secret() == secret
    assert world.checkpoints.state() == ""
    assert (report.unknown, report.orphans, report.without_case) == (0, 0, 0)
    assert report.cases == world.archive.totals()["cases"]
    # And it goes on from there: what was known is known, and the books go on to balance.
    world.epoch = world.checkpoints.open()
    world.take([event("e39-0"), event("fresh", cites="x1")], partition=1)
    assert world.archive.books().balanced


def test_counted_tags_are_restored(world: World) -> None:
    tagged = QUIET.model_copy(update={"dimensions": {"channel": frozenset({"web"})}})
    policy = Policy(apps={"support": tagged, "sales": QUIET})
    world.terms = dataclasses.replace(world.terms, policy=policy)
    web = {"channel": "web"}
    events = [
        event("a", tags=web), event("b", cites="x", tags={"channel": "\x1f,"}), event("c"),
        event("d", status="error", tags=web), event("a", tags=web),
        event("e", app="sales", tags=web),
    ]  # fmt: skip
    idle = world.take_records([], partition=1)[1].batch
    _, outbox = world.take_records(events)
    checked: Counter[tuple[str, str]] = Counter()
    for (app, _), fields in world.archive.counters().items():
        for name, number in fields.items():
            if (field := parse_field(name)).measure in ("checked", "recorded"):
                checked[app, field.tags] += number
    assert checked == {
        ("support", "channel=web"): 2, ("support", "channel=other"): 1, ("support", "channel=-"): 1,
        ("sales", ""): 1,
    }  # fmt: skip
    before = books(world)
    rebuild(world.store, [outbox.batch, idle, *outbox.cases], lambda _: None)
    assert books(world) == before


def test_identities_are_restored(world: World) -> None:
    _, outbox = world.take_records([event("a"), event("b", status="error"), b"{"])
    rebuild(world.store, [outbox.batch], lambda _: None)
    batch = world.batch([event("a"), event("b"), event("c")])
    assert world.seen(batch).identities == {item.identity_hash for item in batch.items[:2]}
    assert world.seen(batch).releases["support"].keys() == {"r1"}


def test_an_id_that_counted_twice_then_counts_twice_again(world: World) -> None:
    """Identities age by the clock: what was new to a lagging partition may lie within the window
    of one that was read long before."""
    _, first = world.take_records([event("a", cites="x")])
    late = process(world.batch([event("a", cites="x")], partition=1), {}, Seen(), world.terms)
    for key in [key for key in world.connection.client.keys("*") if b":ids:" in key]:
        world.connection.client.delete(key)
    world.ledger.apply(late, world.epoch)
    second = world.ledger.outbox(SOURCE, 1)
    assert second is not None
    before = books(world)
    topic = [*first.cases, first.batch, *second.cases, second.batch]
    rebuild(world.store, topic, lambda _: None)
    assert books(world) == before
    assert world.archive.totals()["checked"] == 2


def test_a_case_without_its_batch_waits_for_its_event(world: World) -> None:
    _, closed = world.take_records([event("a", cites="x")])
    _, open_ = world.take_records([event("b", cites="x")])
    report = rebuild(world.store, [*closed.cases, closed.batch, *open_.cases], lambda _: None)
    assert report.orphans == 1
    checkpoint = world.checkpoints.get(SOURCE, 0)
    assert checkpoint is not None
    assert checkpoint.next == 1
    assert world.archive.totals()["cases"] == 1


def test_a_case_that_aged_out_is_counted_as_suppressed(world: World) -> None:
    _, outbox = world.take_records([event("a", cites="x"), event("b", cites="x")])
    report = rebuild(world.store, [outbox.cases[0], outbox.batch], lambda _: None)
    assert (report.cases, report.without_case) == (1, 1)
    totals = world.archive.totals()
    assert (totals["cases"], totals["suppressed"], totals["flagged"]) == (1, 1, 2)
    assert world.archive.books().balanced


def test_batches_that_aged_out_leave_an_account_that_balances(world: World) -> None:
    records = [world.take_records([event(f"e{n}", cites="x")])[1] for n in range(4)]
    kept = [records[0], records[2], records[3]]
    rebuild(world.store, [v for r in kept for v in (*r.cases, r.batch)], lambda _: None)
    spans = [(b.first, b.next) for b in world.checkpoints.books() if b.partition == 0]
    assert sorted(spans) == [(0, 1), (2, 4)]
    assert world.archive.books().balanced


def test_a_batch_that_stands_there_twice_cut_differently_counts_once(world: World) -> None:
    events = [event(f"e{n}", cites="x") for n in range(4)]
    batch = world.batch(events, lost={"undecodable": 2, "offset_gap": 3})
    whole = process(batch, {}, Seen(), world.terms)
    world.ledger.apply(whole, world.epoch)
    outbox = world.ledger.outbox(SOURCE, 0)
    assert outbox is not None
    world.ledger.clear_outbox(SOURCE, 0, outbox.batch_id)
    before = books(world)
    record = decode(outbox.batch)
    assert isinstance(record, BatchRecord)
    head = dataclasses.replace(
        record, next=6, batch_id="head", rows=record.rows[:4], lost={"undecodable": 2}
    )
    head_value = encode_batch_head(head) + b',"suppressed":[]}'
    rebuild(world.store, [outbox.batch, *outbox.cases, head_value], lambda _: None)
    found = books(world)
    assert world.archive.books().balanced
    assert found["totals"] == before["totals"]
    assert found["cp:answers/0"][b"next"] == before["cp:answers/0"][b"next"]
    lost = {name: n for name, n in found["cp:answers/0"].items() if b"lost" in name}
    assert lost[b"lost"] == b"5"
    assert sum(int(n) for name, n in lost.items() if name != b"lost") == 5


@pytest.mark.parametrize(
    "value",
    [None, b"", b"{", b"[]", b"7", b"null", b'"text"', b'{"kind": "batch", "version": 1}',
     b'{"kind": "case", "version": 1}', b'{"kind": "judgement", "version": 1}',
     b'{"kind": "batch", "version": 99}', b"\xff\xfe",
     b'{"kind": "case", "version": 1, "position": ["answers", 0]}'],
)  # fmt: skip
def test_what_is_no_verdict_of_ours_is_counted_and_passed_over(world: World, value) -> None:
    _, outbox = world.take_records([event("a")])
    report = rebuild(world.store, [value, outbox.batch, value], lambda _: None)
    assert (report.records, report.unknown, report.batches) == (3, 2, 1)
    assert world.archive.totals()["checked"] == 1
    assert world.archive.books().balanced


def test_progress_is_told_and_an_interrupted_rebuild_starts_over(world: World) -> None:
    records = [world.take_records([event(f"e{n}", cites="x")])[1] for n in range(3)]
    topic = [value for record in records for value in (*record.cases, record.batch)]
    before = books(world)

    def interrupt(report: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(world.store, topic, interrupt)
    assert world.checkpoints.state() == "rebuilding"
    told: list[int] = []
    rebuild(world.store, topic, lambda report: told.append(report.batches))
    assert told == [1, 2, 3, 3]
    assert world.checkpoints.state() == ""
    assert books(world)["totals"] == before["totals"]
