"""Reading cases: every page once, whatever happens in between."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from service.review.cases import DAY_MS, CaseFilter, CasePage, CaseSummary
from tests.contract.judged import GOOD, WORKER, WRONG, job_of, judged_world, settle
from tests.contract.reviewing import WRONG as WRONG_ANSWER
from tests.contract.reviewing import case, desk_of
from tests.contract.world import HOUR_MS, NOW, MakeWorld, World, event

EVERYTHING = CaseFilter(status=None)


def flagged(event_id: str, n: int = 0, **more: object) -> bytes:
    return event(event_id, cites=f"x{n}", **more)


def walk(world: World, limit: int, filter: CaseFilter = EVERYTHING) -> list[CaseSummary]:
    found: list[CaseSummary] = []
    cursor = None
    while True:
        page = world.archive.list_cases(filter, cursor, limit)
        assert len(page.cases) <= limit
        found += page.cases
        if page.next_cursor is None:
            return found
        assert len(page.cases) == limit
        cursor = page.next_cursor


def ids(cases: list[CaseSummary]) -> list[str]:
    return [case.event_id for case in cases]


def test_an_empty_store_has_an_empty_page(world: World) -> None:
    assert world.archive.list_cases() == CasePage([], None)
    assert world.archive.case("absent") is None
    assert world.archive.oldest_open_ms() is None


@pytest.mark.parametrize("limit", [1, 3, 4, 12, 13])
def test_pages_are_in_order_of_priority_without_gaps_or_repeats(world: World, limit: int) -> None:
    for n in range(12):
        world.take([flagged(f"e{n:02}", n)], at_ms=NOW + n * 60_000)
    newest_first = [f"e{n:02}" for n in reversed(range(12))]
    assert ids(walk(world, limit)) == newest_first


def test_ties_in_priority_are_paged_exactly(make_world: MakeWorld) -> None:
    # More than one inner page of the walk (200), all of the same priority.
    world = make_world(cases_per_group_day=1_000)
    names = {f"e{n}" for n in range(450)}
    world.take([flagged(name) for name in sorted(names)])
    for limit in (7, 200, 449):
        found = walk(world, limit)
        assert len(found) == 450
        assert set(ids(found)) == names
        assert len({case.priority for case in found}) == 1


def test_a_page_is_stable_while_cases_come_in(world: World) -> None:
    for n in range(6):
        world.take([flagged(f"e{n}", n)], at_ms=NOW + n * 60_000)
    first = world.archive.list_cases(EVERYTHING, None, 3)
    assert ids(first.cases) == ["e5", "e4", "e3"]
    # One ahead of the page, one right at its border, one that belongs on the next page.
    world.take([flagged("ahead", 10)], at_ms=NOW + HOUR_MS)
    world.take([flagged("twin", 11)], at_ms=NOW + 3 * 60_000)
    world.take([flagged("behind", 12)], at_ms=NOW + 90_000)
    second = world.archive.list_cases(EVERYTHING, first.next_cursor, 10)
    without_twin = [name for name in ids(second.cases) if name != "twin"]
    assert without_twin == ["e2", "behind", "e1", "e0"]
    assert second.next_cursor is None
    assert ids(walk(world, 50))[:3] == ["ahead", "e5", "e4"]


def test_filters_combine(world: World) -> None:
    minus = "It costs −45 € [pricing#plans]."
    world.take([
        flagged("a"),
        flagged("b", app="sales"),
        flagged("c", release={"id": "r2"}),
        event("d", answer=minus),
        flagged("e", 1, release={"id": "r2"}, app="sales"),
    ])  # fmt: skip

    def listed(**parts: Any) -> set[str]:
        return set(ids(walk(world, 2, CaseFilter(**{"status": None, **parts}))))

    everything = {"a", "b", "c", "d", "e"}
    assert listed() == everything
    assert listed(status="open") == everything
    assert listed(status="resolved") == set()
    assert listed(app="sales") == {"b", "e"}
    assert listed(release="r2") == {"c", "e"}
    assert listed(check="citations") == everything - {"d"}
    assert listed(check="numbers") == {"d"}
    assert listed(reason="unknown_ref") == everything - {"d"}
    assert listed(app="sales", release="r2") == {"e"}
    assert listed(app="sales", check="numbers") == set()
    assert listed(app="support", release="r1", check="citations", reason="unknown_ref",
                  severity="high", status="open") == {"a"}  # fmt: skip
    assert listed(app="nobody") == set()


def test_cases_by_language_and_group_and_age(world: World) -> None:
    world.take([flagged("en", 1), flagged("alike", 1)])
    world.take([flagged("de", 2, language="de")], at_ms=NOW + HOUR_MS)
    world.take([event("minus", answer="It costs −45 € [pricing#plans].")], at_ms=NOW + 2 * HOUR_MS)

    def listed(**parts: Any) -> list[str]:
        return sorted(ids(walk(world, 1, CaseFilter(**{"status": None, **parts}))))

    [german] = walk(world, 5, CaseFilter(language="de"))
    assert german.event_id == "de"
    [first, *_] = [case for case in walk(world, 5) if case.event_id == "en"]
    assert listed(group=first.group) == ["alike", "en"]
    assert listed(since_ms=NOW) == ["alike", "de", "en", "minus"]
    assert listed(since_ms=NOW + 1) == ["de", "minus"]
    assert listed(since_ms=NOW + HOUR_MS, language="de") == ["de"]
    assert listed(since_ms=NOW + 3 * HOUR_MS) == []
    assert world.archive.open_since(NOW + 1) == 2


def test_age_holds_across_pages_of_the_walk(make_world: MakeWorld) -> None:
    """A high old case stands before a low young one: age is no cut of the list."""
    world = make_world(cases_per_group_day=1_000)
    world.take([flagged(f"old{n}") for n in range(250)], at_ms=NOW - HOUR_MS)
    world.take([event("young", answer="It costs −45 € [pricing#plans].")], at_ms=NOW)
    assert ids(walk(world, 10, CaseFilter(since_ms=NOW))) == ["young"]


def test_facets_name_what_occurs(world: World) -> None:
    world.take([flagged("a"), flagged("b", app="sales", release={"id": "r2"}), event("clean")])
    assert world.archive.facets() == {
        "apps": ["sales", "support"], "releases": ["r1", "r2"], "checks": ["citations"],
        "reasons": ["unknown_ref"], "languages": ["en"],
    }  # fmt: skip


def test_a_case_in_full(world: World) -> None:
    world.take([event("clean"), flagged("a", user={"id_hash": "u"})])
    [summary] = walk(world, 10)
    case = world.archive.case(summary.case_id)
    assert case is not None
    assert case.summary == summary
    assert case.position == ("answers", 0, 1)
    assert case.event["retrieved"] == [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}]
    [finding] = case.findings
    start, end = finding["start"], finding["end"]
    assert case.event["answer"][start:end] == finding["surface"] == "[pricing#x0]"
    assert case.outcomes.items() >= {"citations": "fail", "numbers": "pass"}.items()
    assert case.not_evaluated == {}
    world.take([flagged("b", retrieved=[{"ref": "pricing#plans"}])])
    bare = next(one for one in walk(world, 10) if one.event_id == "b")
    told = world.archive.case(bare.case_id)
    assert told is not None
    assert told.not_evaluated["numbers"] == "missing_text"
    assert not case.reduced
    assert (summary.status, summary.alike, summary.occurred_ms) == ("open", 1, NOW)


def test_a_row_that_shows_what_a_script_said_is_told_apart(make_world: MakeWorld) -> None:
    """Where the script had nothing to find, nothing of it shows in the row."""
    world = judged_world(make_world)
    world.take([event("opened"), flagged("enriched"), flagged("fine", 1), flagged("by-a-model", 2)])
    said = {
        "opened": replace(WRONG, scripted=True),
        "enriched": replace(WRONG, scripted=True),
        "fine": replace(GOOD, scripted=True),
        "by-a-model": WRONG,
    }
    for job in world.store.jobs.take(WORKER, 10):
        settle(world, job, said[job_of(job).answer.event_id])
    rows = {case.event_id: case for case in walk(world, 10)}
    told = {name: row.scripted for name, row in rows.items()}
    assert told == {"opened": True, "enriched": True, "fine": False, "by-a-model": False}
    case = world.archive.case(rows["fine"].case_id)
    assert case is not None
    assert case.judgement is not None
    assert case.judgement["scripted"] is True


def test_the_oldest_open_answer(world: World) -> None:
    world.take([flagged("new")], at_ms=NOW)
    world.take([flagged("old", 1)], at_ms=NOW - 3 * DAY_MS)
    oldest = world.archive.oldest_open_ms()
    assert oldest is not None
    # From a float priority: exact to a millisecond or so.
    assert abs(oldest - (NOW - 3 * DAY_MS)) <= 1


def cursor_of(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "!", "A", "ä", "\0", "not a cursor", "=" * 9, "e30",
        base64.b64encode(b"\xff\xfe").decode(),
        cursor_of(7), cursor_of([]), cursor_of(["x"]), cursor_of(["x", "y"]),
        cursor_of(["x", None]),
        cursor_of(["x", 1, 2]), cursor_of({"a": 1, "b": 2}), cursor_of(["x", float("nan")]),
        cursor_of(["x", float("inf")]), cursor_of(["x", "nan"]), cursor_of(["x", 10**400]),
        base64.b64encode(b"[" * 100_000).decode(),
    ],
)  # fmt: skip
def test_a_cursor_that_is_not_ours(world: World, cursor: str) -> None:
    world.take([flagged("a")])
    with pytest.raises(ValueError, match="cursor"):
        world.archive.list_cases(EVERYTHING, cursor, 10)


def test_the_oldest_open_case_of_each_severity_goes_when_it_is_settled(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    wrong = event("n1", answer="A seat costs 54 € [pricing#plans].")
    world.take([flagged("e1"), wrong], at_ms=NOW)
    world.take([flagged("e2")], at_ms=NOW + 5_000)
    oldest = world.archive.oldest_open_by_severity()
    severities = {case.event_id: case.severity for case in walk(world, 10)}
    assert set(oldest) == set(severities.values())
    assert set(oldest.values()) == {NOW}
    world.take([flagged("e3")], at_ms=NOW - HOUR_MS)
    assert world.archive.oldest_open_by_severity()[severities["e1"]] == NOW - HOUR_MS
    desk = desk_of(world.connection)
    desk.save(desk.claim(case("e3"), "ann", NOW), WRONG_ANSWER, 0, NOW)
    assert world.archive.oldest_open_by_severity() == oldest


def test_a_release_is_first_seen_once_and_goes_with_its_label(make_world: MakeWorld) -> None:
    world = make_world(releases_per_app=2)
    world.take([event("a1", release={"id": "r1"})], at_ms=NOW)
    world.take([event("a2", release={"id": "r1"})], at_ms=NOW + HOUR_MS)
    world.take([event("a3", release={"id": "r2"})], at_ms=NOW + 2 * HOUR_MS)
    seen = world.archive.releases_first_seen(["support", "sales"], 20)
    assert seen == {("support", "r1"): NOW, ("support", "r2"): NOW + 2 * HOUR_MS}
    assert set(world.archive.releases_first_seen(["support"], 1)) == {("support", "r2")}
    world.take([event("a4", release={"id": "r3"})], at_ms=NOW + 3 * HOUR_MS)
    assert set(world.archive.releases_first_seen(["support"], 20)) == {
        ("support", "r2"), ("support", "r3"),
    }  # fmt: skip


def test_apps_that_were_counted_before_an_hour(world: World) -> None:
    world.take([event("a1")], at_ms=NOW)
    hour = NOW // HOUR_MS
    assert world.archive.apps_counted(hour) == set()
    assert world.archive.apps_counted(hour + 1) == {"support"}
