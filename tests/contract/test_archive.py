"""Reading cases: every page once, whatever happens in between."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from service.review.cases import DAY_MS, CaseFilter, CasePage, CaseSummary, QueuePlace
from service.store.makeups import MAKEUPS_PER_APP
from tests.contract.judged import GOOD, WORKER, WRONG, job_of, judged_world, settle
from tests.contract.reviewing import ANN, BOB, EVE, RIGHT, case, desk_of, reviewed_world
from tests.contract.reviewing import WRONG as LABEL
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


def test_ties_in_priority_are_paged_exactly(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than one call's steps of the walk, all of the same priority.
    monkeypatch.setattr("service.store.archive.STEPS", 100)
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


@pytest.mark.parametrize("left", [3, 8])
def test_a_page_goes_on_where_its_last_case_was(make_world: MakeWorld, left: int) -> None:
    """The last one is labelled before the next page is asked for; all have the same priority."""
    world = reviewed_world(make_world)
    world.take([flagged(f"e{n}", n) for n in range(8)])
    before = ids(walk(world, 8, CaseFilter()))
    first = world.archive.list_cases(CaseFilter(), None, left - 1)
    desk = desk_of(world.connection)
    gone = first.cases[-1]
    desk.save(desk.claim(f"case:{gone.case_id}", ANN, NOW), LABEL, 0, NOW)
    rest = world.archive.list_cases(CaseFilter(), first.next_cursor, 10)
    assert ids(first.cases) + ids(rest.cases) == before


def test_claimed_cases_are_those_that_somebody_holds(make_world: MakeWorld) -> None:
    world = reviewed_world(make_world)
    world.take([flagged(f"e{n}", n) for n in range(6)])
    world.take([flagged("other", 1, app="sales")])
    held = CaseFilter(status="claimed")
    assert walk(world, 3, held) == []
    desk, rows = desk_of(world.connection), walk(world, 10, CaseFilter())
    leases = {row.event_id: desk.claim(f"case:{row.case_id}", ANN, NOW) for row in rows[1:6]}
    desk.claim(f"group:{rows[0].group}", ANN, NOW)
    for limit in (1, 2, 5):
        assert ids(walk(world, limit, held)) == ids(rows[1:6])
    listed = walk(world, 10, CaseFilter())
    assert [row.holder for row in listed] == ["", *[ANN] * 5, *[""] * (len(rows) - 6)]
    assert [world.archive.case(row.case_id).summary for row in listed] == listed  # type: ignore[union-attr]
    narrow = CaseFilter(status="claimed", app="sales")
    assert ids(walk(world, 3, narrow)) == [row.event_id for row in rows[1:6] if row.app == "sales"]
    assert len(walk(world, 10, held)) == world.archive.case_counts()["claimed"]
    desk.release(leases[rows[1].event_id])
    assert ids(walk(world, 3, held)) == ids(rows[2:6])
    world.connection.client.delete(world.connection.keys.lease(f"case:{rows[2].case_id}"))
    assert ids(walk(world, 3, held)) == ids(rows[3:6])


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
    for row in rows.values():
        whole = world.archive.case(row.case_id)
        assert whole is not None
        assert whole.summary == row
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


def test_a_case_stands_at_the_place_where_the_queue_lists_it(world: World) -> None:
    for n in range(5):
        world.take([flagged(f"e{n}", n)], at_ms=NOW + n * 60_000)
    listed = walk(world, 2, CaseFilter())
    places = [world.archive.place(found.case_id, CaseFilter()) for found in listed]
    assert places == [QueuePlace(number, 5) for number in range(1, 6)]
    gravest = CaseFilter(severity=listed[2].severity)
    by_severity = [found.case_id for found in walk(world, 9, gravest)]
    at = by_severity.index(listed[2].case_id) + 1
    assert world.archive.place(listed[2].case_id, gravest) == QueuePlace(at, len(by_severity))
    group = CaseFilter(group=listed[2].group)
    assert world.archive.place(listed[2].case_id, group) == QueuePlace(1, 1)
    for nowhere in (CaseFilter(app="support"), CaseFilter(severity="low"), EVERYTHING):
        assert world.archive.place(listed[2].case_id, nowhere) is None
    assert world.archive.place("absent", CaseFilter()) is None


def test_what_reviewers_hold_is_listed_as_claimed(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([flagged(f"e{n}", n) for n in range(4)])
    desk = desk_of(world.connection)
    held = [desk.claim(case(name), who, NOW) for name, who in (("e1", ANN), ("e3", BOB))]
    claimed = world.archive.list_cases(CaseFilter(status="claimed"))
    assert sorted(ids(claimed.cases)) == ["e1", "e3"]
    assert claimed.next_cursor is None
    assert ids(world.archive.list_cases(CaseFilter(app="sales", status="claimed")).cases) == []
    desk.release(held[0])
    assert ids(world.archive.list_cases(CaseFilter(status="claimed")).cases) == ["e3"]
    # A label ends it, and so does the end of the lease.
    desk.save(held[1], RIGHT, 0, NOW)
    lost = desk.claim(case("e2"), EVE, NOW)
    world.connection.client.delete(world.connection.keys.lease(lost.subject))
    assert world.archive.list_cases(CaseFilter(status="claimed")).cases == []


def test_the_first_bad_answers_since_a_time_come_in_its_order(world: World) -> None:
    for n in range(8):
        app = "sales" if n == 4 else "support"
        world.take([flagged(f"e{n}", n, app=app)], at_ms=NOW + n * 60_000)
    since = CaseFilter(app="support", since_ms=NOW + 2 * 60_000)
    found = world.archive.first_since(since, NOW + 6 * 60_000, 3)
    assert ids(found) == ["e2", "e3", "e5"]
    assert ids(world.archive.first_since(since, NOW + 3 * 60_000, 9)) == ["e2", "e3"]
    assert world.archive.first_since(CaseFilter(app="nobody"), NOW + 60_000, 9) == []
    assert world.archive.first_since(CaseFilter(release="\x00\r\n"), NOW + 60_000, 9) == []


def test_a_time_without_an_open_case_has_no_first_bad_answer(world: World) -> None:
    quiet = CaseFilter(app="support", since_ms=NOW + 60_000)
    assert world.archive.first_since(quiet, NOW + 120_000, 3) == []
    world.take([flagged("e0")])
    assert world.archive.first_since(quiet, NOW + 120_000, 3) == []


def test_what_releases_are_made_of_is_kept_by_when_it_was_first_told(world: World) -> None:
    hour = NOW // HOUR_MS
    for n, prompt in ((3, "p2"), (1, "p1"), (5, "p2"), (2, "p2")):
        release = {"id": "r1", "prompt": prompt, "index": "i1"}
        world.take([event(f"e{n}", release=release)], at_ms=NOW + n * HOUR_MS)
    world.take([event("x", purpose="shadow", release={"id": "r1", "prompt": "p3"})])
    made = world.archive.makeups("support")
    assert [(one.release, one.hour - hour, one.told()) for one in made] == [
        ("r1", 1, {"prompt": "p1", "index": "i1"}), ("r1", 2, {"prompt": "p2", "index": "i1"})
    ]  # fmt: skip
    assert world.archive.makeups("sales") == ()


def test_a_flood_of_makeups_is_bounded(world: World) -> None:
    for n in range(MAKEUPS_PER_APP + 10):
        release = {"id": "r1", "prompt": f"p{n}"}
        world.take([event(f"e{n}", release=release)], at_ms=NOW + n * HOUR_MS)
    made = world.archive.makeups("support")
    assert len(made) == MAKEUPS_PER_APP
    assert made[-1].told() == {"prompt": f"p{MAKEUPS_PER_APP + 9}"}


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
    desk.save(desk.claim(case("e3"), "ann", NOW), LABEL, 0, NOW)
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
