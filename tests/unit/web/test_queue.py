"""The queue's filters: all of them in its address, the saved ones with live counts."""

from __future__ import annotations

import pytest

from service.review.labels import Action, AnswerCall, Fault, Label
from service.web.queue_page import PAGE_SIZE
from tests.unit.web.people import Person
from tests.unit.web.test_groups_page import group
from tests.unit.web.test_pages import Elements, page
from tests.unit.web.world import NOW_MS, MemoryCases, MemoryTasks, World, case, task

DAY_MS = 86_400_000


def world() -> World:
    cases = [
        case("high"),
        case("low", severity="low", language="en", group="g2"),
        case("old", severity="medium", occurred_ms=NOW_MS - 3 * DAY_MS),
        case("done", status="resolved"),
    ]
    return World(cases=MemoryCases(*cases), tasks=MemoryTasks(task("t1"), task("t2")))


def listed(path: str) -> list[str]:
    rows = page(world(), path).of("a", **{"class": "row"})
    return [row["attrs"]["href"].removeprefix("/cases/").partition("?")[0] for row in rows]


def test_saved_filters_have_their_counts_and_lead_to_what_they_count() -> None:
    shown = page(world(), "/queue")
    (saved,) = shown.of("nav", **{"class": "saved"})
    counts = {}
    for link in shown.of("a"):
        if link["text"] and link["text"] in saved["text"]:
            name, _, number = " ".join(link["text"].split()).rpartition(" ")
            if number.isdigit():
                counts[name] = (int(number), link["attrs"]["href"])
    assert counts["All open"] == (3, "/queue")
    assert counts["High"] == (1, "/queue?severity=high")
    assert counts["New today"] == (2, "/queue?since=2026-11-30")
    assert counts["Audit tasks"] == (2, "/tasks")
    assert [
        link["attrs"]["href"] for link in shown.of("a") if link["text"].strip() == "Groups"
    ] == [
        "/groups",
        "/groups",
    ]
    for name in ("All open", "High", "Medium", "Low", "New today"):
        count, href = counts[name]
        assert len(listed(href)) == count, name
    assert "oldest open: 3 d" in " ".join(saved["text"].split())


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("language=en", ["low"]),
        ("group=g2", ["low"]),
        ("since=2026-11-28", ["high", "low"]),
        ("since=2026-11-28&language=en", ["low"]),
        ("since=&language=&group=", ["high", "old", "low"]),
        ("status=any&since=2026-11-28", ["high", "done", "low"]),
    ],
)
def test_filters_by_language_group_and_age(query: str, names: list[str]) -> None:
    found = listed(f"/queue?{query}")
    assert sorted(found) == sorted(names)
    api = world().get(f"/v1/cases?{query}").json()
    assert sorted(one["case_id"] for one in api["cases"]) == sorted(names)


def test_chips_take_themselves_away() -> None:
    shown = page(world(), "/queue?language=en&since=2026-11-28&group=g2")
    chips = shown.of("a", title="Remove this filter")
    assert sorted(chip["attrs"]["href"] for chip in chips) == [
        "/queue?group=g2&since=2026-11-28",
        "/queue?language=en&group=g2",
        "/queue?language=en&since=2026-11-28",
    ]
    (hidden,) = shown.of("input", name="group")
    assert hidden["attrs"]["value"] == "g2"


def test_the_shown_filter_is_named_as_such() -> None:
    shown = page(world(), "/queue?severity=high")
    here = [a["attrs"]["href"] for a in shown.of("a", **{"aria-current": "true"})]
    assert "/queue?severity=high" in here
    assert "/queue" not in here


@pytest.mark.parametrize("since", ["yesterday", "20261128", "2026-13-01", "0"])
def test_odd_days_are_refused(since: str) -> None:
    assert world().get(f"/queue?since={since}").status_code == 422
    assert world().get(f"/v1/cases?since={since}").status_code == 422


# Rows of one cause, and what is selected.


def crowd(number: int = 4) -> World:
    """Cases of one cause, and one of another between them."""
    names = [f"c{n}" for n in range(number)]
    cases = [case(name, occurred_ms=NOW_MS - n) for n, name in enumerate(names)]
    other = case("other", occurred_ms=NOW_MS - 1, group="g2")
    known = group("g1", open_cases=number)
    return World(cases=MemoryCases(*cases, other), groups=[known])


def rows(world: World, path: str) -> list[str]:
    shown = page(world, path)
    return [a["attrs"]["href"].partition("?")[0] for a in shown.of("a", **{"class": "row"})]


def test_cases_of_one_cause_are_one_row_where_the_first_of_them_stands() -> None:
    assert rows(crowd(), "/queue") == ["/groups/g1", "/cases/other"]
    shown = page(crowd(), "/queue")
    (row,) = shown.of("a", **{"class": "row group"})
    told = " ".join(row["text"].split())
    for part in ("Cites “[pricing#seats]”", "4 on this page", "240 answers", "4 cases open"):
        assert part in told
    assert len(shown.of("svg", **{"class": "plot line"})) == 1
    picks = [box["attrs"]["value"] for box in shown.of("input", name="pick")]
    assert picks == ["group:g1", "case:other"]


@pytest.mark.parametrize("query", ["?group=g1", "?status=any&group=g1"])
def test_a_group_of_which_all_is_asked_is_shown_case_by_case(query: str) -> None:
    assert len(rows(crowd(), f"/queue{query}")) == 4


def test_a_cause_that_fills_a_page_leaves_room_for_others() -> None:
    world = crowd(PAGE_SIZE + 20)
    late = case("late", occurred_ms=NOW_MS - 10_000, group="g3")
    world.cases.cases = sorted([*world.cases.cases, late], key=lambda c: -c.summary.priority)
    assert rows(world, "/queue") == ["/groups/g1", "/cases/other", "/cases/late"]


def test_what_somebody_has_open_says_who() -> None:
    world = crowd()
    world.desk.claim("case:other", "bob", NOW_MS)
    text = " ".join(page(world, "/queue").of("main")[0]["text"].split())
    assert text.count("bob has it") == 1


def test_counts_are_told_to_the_script_as_the_page_shows_them() -> None:
    here = world()
    counts = here.get("/queue/counts").json()
    shown = [one for one in page(here, "/queue").of("b") if "data-count" in one["attrs"]]
    assert counts == {one["attrs"]["data-count"]: one["text"] for one in shown}
    assert counts["all"] == "3"


def test_what_is_selected_is_labelled_at_once_and_what_others_hold_is_left() -> None:
    world = crowd()
    world.desk.claim("case:other", "bob", NOW_MS)
    ann = Person(world)
    ann.open("/queue?severity=high")
    ann.send(
        "/review/selected?severity=high", pick=["group:g1", "case:other", "case:none"],
        answer="wrong", fault="retrieval",
    )  # fmt: skip
    assert ann.path == "/queue?severity=high&done=4&left=2"
    assert "Cases labelled: 4. Left alone: 2." in " ".join(
        Elements(ann.text).of("p", **{"class": "told"})[0]["text"].split()
    )
    said = Label(answer=AnswerCall.WRONG, fault=Fault.RETRIEVAL)
    for name in ("c0", "c1", "c2", "c3"):
        (change,) = world.desk.history(f"case:{name}")
        assert (change.label, change.action) == (said, Action.LABELLED_IN_BULK)
    assert world.desk.history("case:other") == []
    assert list(world.desk.holders(["group:g1", "case:other"])) == ["case:other"]


def test_to_select_nothing_labels_nothing() -> None:
    world = crowd()
    ann = Person(world)
    ann.open("/queue")
    ann.send("/review/selected", answer="wrong")
    assert ann.path == "/queue?done=0&left=0"
    assert all(world.desk.history(f"case:c{n}") == [] for n in range(4))


def test_who_gave_no_name_is_asked_for_it_and_labels_nothing() -> None:
    assert page(crowd(), "/queue").of("a", href="/review/name?back=/queue")
    nobody = Person(crowd(), "")
    nobody.open("/queue")
    nobody.send("/review/selected", pick="case:c1", answer="wrong")
    assert nobody.status == 403


# A case's place in its queue.


@pytest.mark.parametrize(
    ("query", "told"),
    [("", "case 3 of 3"), ("?severity=medium", "case 1 of 1"), ("?severity=low", "3 open")],
)
def test_a_case_says_where_it_stands_in_its_queue(query: str, told: str) -> None:
    shown = page(world(), f"/cases/old{query}")
    (crumbs,) = shown.of("p", **{"class": "crumbs"})
    assert told in " ".join(crumbs["text"].split())
