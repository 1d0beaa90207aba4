"""The same event twice: in a batch, across batches, partitions and processes; and what is not."""

from __future__ import annotations

import time

from service.accounting import Kind
from tests.integration.world import World, answer_event


def kinds(world: World) -> dict[Kind, int]:
    rows, _ = world.verdicts_read()
    found: dict[Kind, int] = {}
    for kind in rows.values():
        found[kind] = found.get(kind, 0) + 1
    return found


def expect(world: World, *, checked: int, duplicate: int, cases: int) -> None:
    totals = world.totals()
    assert (totals["checked"], totals.get("duplicate", 0)) == (checked, duplicate)
    assert set(world.books().values()) == {0}
    assert len(world.cases()) == cases == totals["cases"]
    by_kind = {Kind.CHECKED: checked, Kind.DUPLICATE: duplicate}
    assert kinds(world) == {kind: n for kind, n in by_kind.items() if n}


def test_in_a_batch_across_batches_and_across_partitions(make_world) -> None:
    world = make_world(partitions=2)
    event = answer_event("same", faulty=True)
    world.send_all(event, event, answer_event("other"), event)
    consumer = world.consume()
    world.until_received(4)
    world.send_all(event, partition=0)
    world.send_all(event, partition=1)
    world.until_received(6)
    expect(world, checked=2, duplicate=4, cases=1)
    assert world.cases() == {"same": (0, 0)}
    assert world.stop(consumer) == 0
    # Another process knows of it too.
    world.consume()
    world.send_all(event, partition=1)
    world.until_received(7)
    expect(world, checked=2, duplicate=5, cases=1)


def test_two_apps_with_the_same_ids(make_world) -> None:
    world = make_world(partitions=1)
    apps = ("support", "sales", "unlisted", "unlisted too")
    for app in apps:
        world.send_all(*(answer_event(f"id-{n}", app=app, faulty=n == 0) for n in range(5)))
    world.consume()
    world.until_received(20)
    totals = world.totals()
    assert (totals["checked"], totals.get("duplicate", 0)) == (20, 0)
    assert {world.case("id-0", app).summary.app for app in apps} == {"support", "sales", "other"}
    assert set(world.books().values()) == {0}


def test_a_nul_does_not_make_two_identities_one(make_world) -> None:
    world = make_world(partitions=1)
    world.send_all(
        answer_event("b\0c", app="a", faulty=True), answer_event("c", app="a\0b", faulty=True)
    )
    world.consume()
    world.until_received(2)
    totals = world.totals()
    assert (totals["checked"], totals["cases"], totals.get("duplicate", 0)) == (2, 2, 0)


def test_at_the_same_time_in_two_processes(make_world) -> None:
    """Both hold a partition and race for every id; whoever loses computes its batch again."""
    world = make_world(partitions=2, max_poll_records=20)
    world.consume()
    world.consume()
    world.until(lambda: all("partition_placed" in world.log(n) for n in (0, 1)))
    world.until(lambda: all(world.probe("/readyz", n).status_code == 200 for n in (0, 1)))
    for n in range(1_500):
        event = answer_event(f"twin-{n}", faulty=n % 10 == 0)
        world.send(event, 0)
        world.send(event, 1)
    assert world.producer.flush(60)
    world.until_received(3_000)
    expect(world, checked=1_500, duplicate=1_500, cases=150)
    rows, _ = world.verdicts_read()
    for offset in range(1_500):
        assert {rows[0, offset], rows[1, offset]} == {Kind.CHECKED, Kind.DUPLICATE}
    by_process = [world.metric('records_total{kind="received"}', n) for n in (0, 1)]
    assert by_process == [1_500, 1_500]


def test_an_id_leaves_the_window(make_world) -> None:
    """A window of one second, by the records' timestamps: within it a repeat, far beyond a new
    answer. The one case stays one: the second finding of the same answer is counted, not stored."""
    world = make_world(partitions=1, id_window_s=1)
    event = answer_event("again", faulty=True)
    start_ms = int(time.time() * 1000) - 60_000
    world.consume()
    for received, later_ms in ((2, 0), (4, 10_000)):
        world.send(event, timestamp_ms=start_ms + later_ms)
        world.send(event, timestamp_ms=start_ms + later_ms + 900)
        assert world.producer.flush(30)
        world.until_received(received)
    expect(world, checked=2, duplicate=2, cases=1)
    totals = world.totals()
    assert (totals["flagged"], totals["suppressed"]) == (2, 1)
