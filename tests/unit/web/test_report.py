"""The monthly report: what belongs to the month, and that every number has its denominator."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from service.estimates.rates import RATES
from service.reporting import Sources, csv_of, html_of, report_of
from service.review.labels import Action
from service.web.days import Days
from service.web.overview import Scope
from service.web.report import COLUMNS, Month, Report
from service.web.texts import Tongue
from tests.unit.web.test_labels_page import RIGHT, WRONG, said
from tests.unit.web.test_overview import probed, text
from tests.unit.web.test_pages import HOSTILE, Elements
from tests.unit.web.traffic import TODAY, Stream, counters
from tests.unit.web.world import NOW_MS, MemoryCases, MemoryCounters, World, case

MONTH = Month.of("2026-11", TODAY)
EN = Tongue("en")
ALL = Scope()
OLD = Stream("support", "r1", first=45, last=10)
NEW = Stream("support", "r2", first=10, unresolved=0.3, ruleset="1-bbbb")


def reported(*streams: Stream, scope: Scope = ALL, **parts: Any) -> Report:
    world = World(counters=MemoryCounters(counters(streams)), **parts)
    sources = Sources(
        world.cases, Days(world.counters, lambda: 0.0), world.desk, None, lambda: world.probes
    )
    return report_of(sources, MONTH, scope, NOW_MS)


def test_a_month_has_its_days_and_no_more() -> None:
    assert (MONTH.length, MONTH.running) == (30, True)
    october = Month.of("2026-10", TODAY)
    assert (october.length, october.running, october.until_ms) == (31, False, MONTH.since_ms)
    assert Month.of("2024-02", TODAY).length == 29
    assert Month.before(TODAY) == "2026-10"


@pytest.mark.parametrize("name", ["2026-13", "november", "2026-1", "2026-12", "2026-11-01"])
def test_what_is_no_month_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"2026-1[12]"):
        Month.of(name, TODAY)


def test_only_answers_of_the_month_count() -> None:
    found = reported(OLD, NEW)
    assert found.shown.now.checked < sum(
        number for fields in counters([OLD, NEW]).values()
        for name, number in fields.items() if name.endswith("\x1fchecked")
    )  # fmt: skip
    assert len(found.shown.days) == MONTH.length
    assert {(one.kind, one.name) for one in found.shown.introduced} == {
        ("release", "r2"), ("ruleset", "1-bbbb"),
    }  # fmt: skip


def test_every_rate_has_definition_denominator_and_what_it_leaves_out() -> None:
    found = reported(OLD, NEW)
    shown = Elements(html_of(found, EN))
    rows = [text(row) for row in shown.of("tr")]
    for name in RATES:
        (row,) = [row for row in rows if EN.say(f"define.{name}") in row]
        rate = RATES[name](found.shown.now)
        assert f"{rate.trials:,}" in row
    for row_of in found.rates:
        assert row_of.rate.answers + row_of.left_out == found.shown.now.checked


def test_people_and_their_labels_are_counted_in_the_month_alone() -> None:
    changes = [
        said("case:c1", "ada", WRONG),
        said("task:t1", "bob", RIGHT),
        said("task:t2", "bob", None, action=Action.SKIPPED),
        said("case:old", "eve", WRONG, at_ms=MONTH.since_ms - 1),
    ]
    done = reported(OLD, said=changes).decided
    assert (done.labels, done.reviewers) == ({"case": 1, "task": 1}, 2)
    assert (done.skipped, done.spent, done.incomplete) == (1, 2, False)
    assert done.answers == {"wrong": 1, "correct": 1}
    assert reported(OLD, said=changes, scope=Scope("sales")).decided.spent == 0


def test_the_worst_cases_are_of_the_month_whoever_settled_them() -> None:
    cases = [
        case("now", status="resolved"),
        case("late", occurred_ms=MONTH.until_ms),
        case("early", occurred_ms=MONTH.since_ms - 1),
    ]
    found = reported(OLD, cases=MemoryCases(*cases))
    assert [one.case_id for one in found.worst] == ["now"]


def test_the_table_can_be_read_by_a_program() -> None:
    rows = list(csv.reader(io.StringIO(csv_of(reported(OLD, NEW, probes=[probed()]), EN))))
    assert tuple(rows[0]) == COLUMNS
    assert {len(row) for row in rows} == {len(COLUMNS)}
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows[1:]]
    (unresolved,) = [row for row in named if (row["name"], row["of"]) == ("unresolved", "all")]
    assert float(unresolved["low"]) < float(unresolved["value"]) < float(unresolved["high"])
    assert int(unresolved["hits"]) <= int(unresolved["n"])
    assert "resolves to nothing" in unresolved["definition"]
    assert {row["section"] for row in named} >= {"counted", "questions"}
    assert any(row["of"] == "release support r2" for row in named)


def test_a_month_without_answers_says_so_and_shows_no_rate() -> None:
    text_of = html_of(reported(), EN)
    assert "No answer was checked" in text_of
    assert "0.0" not in text_of.partition("<body>")[2]


def test_hostile_text_stays_text() -> None:
    hostile = case("c1", headline=HOSTILE, query=HOSTILE, app=HOSTILE)
    stream = Stream(HOSTILE, HOSTILE, first=5)
    found = reported(stream, cases=MemoryCases(hostile))
    assert "<img" not in html_of(found, EN)
    assert "<script" not in html_of(found, EN)
    cells = next(csv.reader([csv_of(reported(Stream("=1+1", "@x", 5)), EN).splitlines()[-1]]))
    assert not any(cell.startswith(("=", "@")) for cell in cells)


def test_the_report_speaks_german() -> None:
    assert "Was Menschen entschieden" in html_of(reported(OLD), Tongue("de"))
