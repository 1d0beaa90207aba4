"""What the ports of :mod:`service.web.ports` promise, kept by the store and by the readers in
memory that the tests of the pages use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from service.accounting import CASE_STATES, TASK_STATES
from service.drafts import case_id
from service.policy import ReviewPolicy
from service.review.cases import CaseFilter, CaseSummary, QueuePlace
from service.store import MEMORY_URL, Connection, connect
from service.web.ports import CaseReader, CounterReader, TaskReader
from tests.contract.reviewing import (
    ANN,
    AUDIT,
    BOB,
    RIGHT,
    case,
    desk_of,
    policy,
    reviewed_world,
    task,
)
from tests.contract.world import HOUR_MS, NOW, World, event
from tests.unit.web.world import MemoryCases, MemoryCounters, MemoryTasks

OPEN, ANY = CaseFilter(), CaseFilter(status=None)
TWICE = ReviewPolicy(double_label=1.0)
FILTERS = [
    OPEN, ANY, CaseFilter(status="resolved"), CaseFilter(app="sales"), CaseFilter(release="r2"),
    CaseFilter(check="numbers"), CaseFilter(reason="absent", status=None),
    CaseFilter(severity="high"), CaseFilter(severity="high", app="support"),
    CaseFilter(language="en"), CaseFilter(language="de"), CaseFilter(since_ms=NOW + 1),
    CaseFilter(since_ms=NOW + 1, app="support"), CaseFilter(app="nobody"),
]  # fmt: skip


@dataclass(frozen=True)
class Readers:
    cases: CaseReader
    tasks: TaskReader
    counters: CounterReader


def answers() -> list[tuple[int, list[bytes]]]:
    """Hours after the first, and what came then."""
    wrong = {"answer": "A seat costs 540 € [pricing#plans]."}
    first, second = ({"id": name, "prompt": f"of {name}"} for name in ("r1", "r2"))
    return [
        (0, [event("a", cites="x"), event("b", cites="y"), event("fine")]),
        (1, [event("c", app="sales", **wrong), event("d", cites="x", release=second)]),
        (2, [event("e", cites="x", release=first), event("f", cites="z")]),
    ]


def readers(connection: Connection, audit: float, fake: bool) -> Readers:
    """Over these answers: ``f`` is labelled; of audits, the first by one of two."""
    world = reviewed_world(lambda **caps: World(connection, **caps), audit, TWICE)
    desk = desk_of(connection, policy(audit, TWICE))
    for hour, events in answers():
        world.take(events, at_ms=NOW + hour * HOUR_MS)
    if audit:
        desk.save(desk.claim(task("a"), ANN, NOW), AUDIT, 0, NOW)
    else:
        desk.save(desk.claim(case("f"), ANN, NOW), RIGHT, 0, NOW)
    archive, tasks = world.archive, world.store.tasks
    if not fake:
        return Readers(archive, tasks, archive)
    found = [archive.case(one.case_id) for one in archive.list_cases(ANY, None, 100).cases]
    remembered = MemoryTasks(*tasks.list_tasks(None, 100).tasks)
    remembered.labelled = lambda task_id, reviewer: (
        desk.labelled(f"task:{task_id}", reviewer).label is not None
    )
    return Readers(
        MemoryCases(*(one for one in found if one is not None)),
        remembered,
        MemoryCounters(
            archive.counters(), [*archive.makeups("support"), *archive.makeups("sales")]
        ),
    )


@pytest.fixture(params=["memory", "redis", "fake"])
def kept(request: pytest.FixtureRequest) -> Iterator[tuple[Connection, bool]]:
    connection: Connection = (
        request.getfixturevalue("redis_connection")
        if request.param == "redis"
        else connect(MEMORY_URL)
    )
    yield connection, request.param == "fake"
    connection.client.close()


@pytest.fixture
def flagged(kept: tuple[Connection, bool]) -> Readers:
    return readers(kept[0], 0.0, kept[1])


@pytest.fixture
def audited(kept: tuple[Connection, bool]) -> Readers:
    return readers(kept[0], 1.0, kept[1])


def events_of(cases: list[CaseSummary]) -> list[str]:
    return [one.event_id for one in cases]


def fits(one: CaseSummary, filter: CaseFilter) -> bool:
    said: dict[str, Any] = {
        "app": [one.app], "release": [one.release], "check": one.checks, "reason": one.reasons,
        "severity": [one.severity], "status": [one.status], "language": [one.language],
        "group": [one.group] if one.status == "open" else [],
    }  # fmt: skip
    return (filter.since_ms or 0) <= one.occurred_ms and all(
        value in said[name] for name, value in filter.indexes()
    )


# Cases.


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_a_list_has_what_fits_by_falling_priority(flagged: Readers, limit: int) -> None:
    cases = flagged.cases
    everything = cases.list_cases(ANY, None, 100).cases
    assert sorted(events_of(everything)) == ["a", "b", "c", "d", "e", "f"]
    assert [c.priority for c in everything] == sorted(c.priority for c in everything)[::-1]
    of_group = CaseFilter(group=everything[0].group, status=None)
    for filter in [*FILTERS, of_group]:
        found, cursor = list[CaseSummary](), None
        while True:
            page = cases.list_cases(filter, cursor, limit)
            assert len(page.cases) <= limit
            found += page.cases
            cursor = page.next_cursor
            if cursor is None:
                break
        assert found == [one for one in everything if fits(one, filter)], filter
    with pytest.raises(ValueError, match="cursor"):
        cases.list_cases(OPEN, "zebra", limit)


def test_a_case_is_found_by_its_id(flagged: Readers) -> None:
    found = flagged.cases.case(case_id("support", "a"))
    assert found is not None
    assert (found.summary.event_id, found.event["event_id"]) == ("a", "a")
    assert flagged.cases.case("none") is None


def test_a_withheld_case_is_not_there(audited: Readers) -> None:
    assert audited.cases.case(case_id("support", "a")) is None
    assert audited.cases.list_cases(ANY, None, 100).cases == []
    assert audited.cases.oldest_open_ms() is None
    assert set(map(tuple, audited.cases.facets().values())) == {()}


def test_a_place_is_told_in_the_queues_that_know_it(flagged: Readers) -> None:
    cases = flagged.cases
    first, *_, last = queue = cases.list_cases(OPEN, None, 100).cases
    assert cases.place(first.case_id, OPEN) == QueuePlace(1, len(queue))
    assert cases.place(last.case_id, OPEN) == QueuePlace(len(queue), len(queue))
    of_group = [one for one in queue if one.group == first.group]
    alike = CaseFilter(group=first.group)
    assert cases.place(first.case_id, alike) == QueuePlace(1, len(of_group))
    assert cases.place(first.case_id, CaseFilter(severity=first.severity)) is not None
    for filter in (CaseFilter(app="support"), ANY, CaseFilter(severity="high", release="r1")):
        assert cases.place(first.case_id, filter) is None
    assert cases.place(case_id("support", "f"), OPEN) is None
    assert cases.place("none", OPEN) is None


def test_the_earliest_open_cases_of_a_time(flagged: Readers) -> None:
    early = flagged.cases.first_since
    assert sorted(events_of(early(OPEN, NOW + HOUR_MS, 9))) == ["a", "b", "c", "d"]
    assert events_of(early(CaseFilter(since_ms=NOW + 1), NOW * 2, 9))[-1] == "e"
    assert events_of(early(CaseFilter(since_ms=NOW + 1, app="support"), NOW * 2, 9)) == ["d", "e"]
    assert events_of(early(CaseFilter(since_ms=NOW + 1, app="support"), NOW * 2, 1)) == ["d"]
    assert early(OPEN, NOW - 1, 9) == []


def test_cases_are_counted(flagged: Readers) -> None:
    cases = flagged.cases
    assert cases.case_counts() == dict.fromkeys(CASE_STATES, 0) | {"open": 5, "resolved": 1}
    severities = [one.severity for one in cases.list_cases(OPEN, None, 100).cases]
    assert cases.open_by_severity() == {
        severity: severities.count(severity) for severity in ("high", "medium", "low")
    }
    assert [cases.open_since(NOW + at) for at in (0, 1, HOUR_MS, 9 * HOUR_MS)] == [5, 3, 3, 0]
    assert cases.oldest_open_ms() == NOW


def test_facets_are_the_values_that_occur(flagged: Readers) -> None:
    assert flagged.cases.facets() == {
        "apps": ["sales", "support"],
        "releases": ["r1", "r2"],
        "checks": ["citations", "numbers"],
        "reasons": sorted({"unknown_ref", *flagged.cases.list_cases(
            CaseFilter(app="sales"), None, 1).cases[0].reasons}),
        "languages": ["en"],
    }  # fmt: skip


# Tasks.


def test_open_tasks_come_by_when_they_are_due(audited: Readers) -> None:
    tasks = audited.tasks
    everything = tasks.list_tasks(None, 100).tasks
    assert len(everything) == 7
    assert [one.due_ms for one in everything] == sorted(one.due_ms for one in everything)
    seen, cursor = [], None
    while True:
        page = tasks.list_tasks(cursor, 2)
        assert len(page.tasks) <= 2
        seen += page.tasks
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == everything
    assert tasks.get(seen[0].task_id) == seen[0]
    assert tasks.get("none") is None
    assert tasks.counts() == dict.fromkeys(TASK_STATES, 0) | {"open": 7}
    with pytest.raises(ValueError, match="cursor"):
        tasks.list_tasks("zebra", 2)


def test_a_task_is_sealed_for_who_has_not_labelled_it(audited: Readers) -> None:
    first, second = case_id("support", "a"), case_id("support", "b")
    assert audited.tasks.sealed([first, second, "none"], BOB) == {first, second}
    assert audited.tasks.sealed([first, second], ANN) == {second}
    assert audited.tasks.sealed([first], "") == {first}
    assert audited.tasks.sealed([], BOB) == frozenset()


# Counters.


def test_counters_are_read_by_the_hour(flagged: Readers) -> None:
    hour = NOW // HOUR_MS
    places = {("support", hour), ("sales", hour + 1), ("support", hour + 1), ("support", hour + 2)}
    assert set(flagged.counters.counters()) == places
    assert set(flagged.counters.counters(hour + 1, hour + 2)) == {
        ("sales", hour + 1), ("support", hour + 1)
    }  # fmt: skip
    assert flagged.counters.counters(hour + 3) == {}
    for fields in flagged.counters.counters().values():
        assert all(number > 0 for number in fields.values())


def test_makeups_are_of_one_app_in_the_order_in_which_they_were_told(flagged: Readers) -> None:
    hour = NOW // HOUR_MS
    found = [(made.app, made.release, made.hour) for made in flagged.counters.makeups("support")]
    assert found == [("support", "r2", hour + 1), ("support", "r1", hour + 2)]
    assert list(flagged.counters.makeups("nobody")) == []
