"""The queue's filters: all of them in its address, the saved ones with live counts."""

from __future__ import annotations

import pytest

from tests.unit.web.test_pages import page
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
    paths = [row["attrs"]["href"].partition("?")[0] for row in rows]
    return [path.removeprefix("/cases/") for path in paths]


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
