"""The overview: what it counts, what it compares, and that no data are never told as 0 %."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from service.accounting import prefix_of
from service.measuring.probed import ProbeResult, Share
from service.outage import Outage
from service.review.labels import AnswerCall, Label
from service.web.days import Days
from service.web.overview import Introduced, Overview, Scope, first_day_needed, overview
from service.web.ports import JudgeState
from tests.unit.timing import cpu_seconds
from tests.unit.web.test_labels_page import RIGHT, said
from tests.unit.web.test_pages import EMPTY, HOSTILE, Elements, page
from tests.unit.web.traffic import NOW_HOUR, TODAY, Stream, counters, drawn, judged
from tests.unit.web.world import (
    NOW_MS,
    MemoryCases,
    MemoryCounters,
    World,
    books,
    case,
)

DAY_MS = 86_400_000
OLD = Stream("support", "r1", 40, 3)
NEW = Stream("support", "r2", 3, unresolved=0.3, ruleset="1-bbbb")
SALES = Stream("sales", "s1", 20, hourly=2, language="en")


def shown(*streams: Stream, length: int = 7, quiet: Any = (), **scope: str) -> Overview:
    read = Days(MemoryCounters(counters(streams, quiet)), lambda: 0.0)
    days = read.between(first_day_needed(TODAY, length), TODAY, TODAY)
    return overview(days, Scope(**scope), length, NOW_HOUR)


def world(*streams: Stream, quiet: Any = (), **parts: Any) -> World:
    return World(counters=MemoryCounters(counters(streams, quiet)), books=books(90, 90), **parts)


def text(element: dict[str, Any]) -> str:
    return " ".join(element["text"].split())


def card(shown: Elements, name: str) -> str:
    (found,) = shown.of("section", **{"aria-labelledby": f"h-{name}"})
    return text(found)


def test_a_period_ends_with_today_and_is_held_against_the_one_before() -> None:
    found = shown(OLD, NEW, length=7)
    assert found.period == (TODAY - 6, TODAY)
    hours = 6 * 24 + NOW_HOUR % 24 + 1
    # Both streams answer in the hour of the change.
    assert found.now.checked == 6 * (hours + 1)
    assert found.before.checked == 6 * 7 * 24
    assert found.pace == pytest.approx((hours + 1) / hours)
    change = found.changes["unresolved"]
    assert change is not None
    assert change.told
    assert change.low > 0


def test_the_pace_is_not_held_against_days_before_the_first() -> None:
    assert shown(Stream("support", "r1", 10)).pace is None


def test_scopes_leave_the_others_out() -> None:
    everything, sales = shown(OLD, NEW, SALES), shown(OLD, NEW, SALES, app="sales")
    english = shown(OLD, NEW, SALES, language="en")
    assert sales.now == english.now
    assert sales.now.checked < everything.now.checked
    assert list(sales.by_app) == ["sales"]
    assert sales.apps == everything.apps == ("sales", "support")
    assert everything.languages == ("de", "en")
    assert {row.app for row in sales.releases} == {"sales"}


def test_what_is_new_is_marked_but_not_what_was_there_first() -> None:
    found = shown(OLD, NEW, SALES).introduced
    day = (NOW_HOUR - 72) // 24
    assert found == (
        Introduced(day, "release", "support", "r2"),
        Introduced(day, "ruleset", "support", "1-bbbb"),
    )


def test_releases_stand_with_the_last_seen_first() -> None:
    rows = shown(OLD, NEW, SALES, length=30).releases
    assert [(row.app, row.release) for row in rows] == [
        ("sales", "s1"),
        ("support", "r2"),
        ("support", "r1"),
    ]


@pytest.mark.parametrize(
    ("share", "kind", "told"),
    [(0.0, "", ""), (0.12, "elevated", "surely above 5 %"), (0.6, "severe", "surely above 20 %")],
)
def test_a_figure_has_the_colour_of_its_alert_and_says_so(
    share: float, kind: str, told: str
) -> None:
    asked = world(Stream("support", "r1", 6, unresolved=share, unsupported=0.0))
    answer = page(asked, "/overview")
    figure = next(p for p in answer.of("p") if "%" in p["text"])
    assert figure["attrs"]["class"].split() == ["big", *([kind] if kind else [])]
    assert told in card(answer, "unresolved")
    assert ("surely" in card(answer, "unresolved")) == bool(told)
    assert "surely" not in card(answer, "unsupported")


def test_days_without_an_answer_are_gaps() -> None:
    found = shown(Stream("support", "r1", 5))
    gaps = [day for day, rates in found.days.items() if rates is None]
    assert len(gaps) == 24
    assert len(found.days) == 30


def test_hours_without_data_are_counted_from_the_first_that_had_any() -> None:
    silence = shown(Stream("support", "r1", 2), quiet=(5, 6, 7)).silence
    assert (silence.missing, silence.hours, silence.since_hour) == (3, 48, None)
    stopped = shown(Stream("support", "r1", 2, 0.25)).silence
    assert stopped.since_hour == NOW_HOUR - 5
    assert stopped.missing == 5
    assert shown().silence.since_hour is None


def test_the_running_hour_is_no_silence_yet() -> None:
    assert shown(Stream("support", "r1", 2), quiet=(0,)).silence.since_hour is None


def test_causes_are_split_by_release() -> None:
    made = counters([OLD, NEW])
    judged(made, {"generation": 3, "retrieval": 2}, NEW)
    read = Days(MemoryCounters(made), lambda: 0.0)
    days = read.between(first_day_needed(TODAY, 7), TODAY, TODAY)
    (row, _) = overview(days, Scope(), 7, NOW_HOUR).releases
    assert Counter(row.faults) == Counter(generation=3, retrieval=2)
    assert row.release == "r2"


def test_coverage_stands_beside_what_the_judge_said() -> None:
    made = counters([OLD, NEW, SALES])
    judged(made, {"generation": 3}, NEW)
    drawn(made, 17, 3, NEW)
    drawn(made, 5, 0, SALES)
    asked = World(counters=MemoryCounters(made), books=books(90, 90))

    def told(path: str) -> list[str]:
        return [text(one) for one in page(asked, path).found if _is_coverage(one)]

    assert told("/overview") == [
        "Judge coverage: 85.0 % (17 of 20 drawn)",
        "Judge coverage: 88.0 % (22 of 25 drawn)",
    ]
    assert told("/overview?app=sales") == ["Judge coverage: 100.0 % (5 of 5 drawn)"]


def test_without_a_draw_coverage_is_no_data() -> None:
    found = page(world(OLD, NEW), "/overview")
    assert [text(one) for one in found.found if _is_coverage(one)] == ["Judge coverage: no data"]


def _is_coverage(element: dict[str, Any]) -> bool:
    return "coverage" in element["attrs"].get("class", "").split()


def test_the_first_row_has_four_figures_with_interval_change_and_line() -> None:
    found = page(world(OLD, NEW, cases=MemoryCases(case(), case("c2"))), "/overview")
    assert "Answers checked" in card(found, "checked")
    unresolved = card(found, "unresolved")
    assert " % to " in unresolved
    assert " of " in unresolved
    assert "▲" in unresolved
    assert "2 open" in card(found, "queue")
    assert len(found.of("svg", **{"class": "plot line"})) == 5
    for plot in found.of("svg", **{"class": "plot line"}):
        assert plot["attrs"]["role"] == "img"
    ids = [element["attrs"]["id"] for element in found.found if "id" in element["attrs"]]
    assert len(ids) == len(set(ids))


def test_every_rate_has_its_definition_and_its_companions() -> None:
    found = page(world(OLD, NEW), "/overview")
    assert len(found.of("details", **{"class": "definition"})) >= 4
    (companions,) = found.of("p", **{"class": "companions"})
    for told in ("% of answers cite", "could not be evaluated", "hours without data"):
        assert told in text(companions)
    hrefs = {a["attrs"]["href"] for a in found.of("a") if a["attrs"].get("href", "")[:1] == "#"}
    ids = {element["attrs"].get("id") for element in found.found}
    assert {href[1:] for href in hrefs} <= ids


def test_numbers_lead_to_the_cases_that_they_count() -> None:
    found = page(world(OLD, NEW), "/overview?app=support&days=30")
    hrefs = [a["attrs"].get("href", "") for a in found.of("a")]
    assert "/queue?app=support&check=citations&status=any&since=2026-11-01" in hrefs
    assert "/queue?app=support&release=r2&check=numbers&status=any&since=2026-11-01" in hrefs


def test_no_data_are_not_zero() -> None:
    found = page(world(Stream("support", "r1", 20, 9.5)), "/overview")
    assert "no data since" in card(found, "unresolved")
    assert "0.0 %" not in card(found, "unresolved")
    assert "no data since" in card(found, "checked")
    (warning,) = found.of("p", **{"class": "warning"})
    assert "No answer has been checked since" in text(warning)


def test_an_empty_house_teaches_the_first_event() -> None:
    found = page(World(books=EMPTY), "/overview")
    (copyable,) = found.of("pre")
    assert copyable["text"].startswith("curl -s ")
    assert found.of("svg") == []


def test_the_worst_answers_can_be_read_in_place() -> None:
    cases = [case(f"c{n}", occurred_ms=NOW_MS - n * DAY_MS) for n in range(9)]
    found = page(world(OLD, NEW, cases=MemoryCases(*cases)), "/overview?days=7")
    worst = found.of("details", **{"class": "worst"})
    assert len(worst) == 5
    assert "Im Pro-Tarif 54 €" in text(worst[0])
    old = MemoryCases(case(occurred_ms=NOW_MS - 8 * DAY_MS))
    found = page(world(OLD, NEW, cases=old), "/overview?days=7")
    assert found.of("details", **{"class": "worst"}) == []
    assert "No open case of this period" in text(found.of("main")[0])


def test_the_machine_is_told_in_one_place() -> None:
    found = page(world(OLD, judge=JudgeState("m-1", waiting=4)), "/overview")
    machine = card(found, "machine")
    assert "the books balance" in machine
    assert "asks m-1 · 4 wait" in machine


def test_faults_say_when_a_script_ruled() -> None:
    made = counters([NEW])
    judged(made, {"generation": 3}, NEW)
    found = page(
        World(counters=MemoryCounters(made), books=books(9, 9), judge=JudgeState("m", True)),
        "/overview",
    )
    assert "scripted: no model ruled" in card(found, "faults")
    assert "generation 3" in card(found, "faults")


def test_a_fault_split_is_by_people_where_they_said_anything_else_by_the_judge() -> None:
    made = counters([OLD, NEW])
    judged(made, {"generation": 3}, NEW)
    judged(made, {"retrieval": 2}, OLD)
    partly = Label(answer=AnswerCall.PARTLY)
    of_new = {"app": "support", "release": "r2"}
    changes = [
        *(said(f"case:w{n}", "ada", context=of_new) for n in range(4)),
        said("case:p", "ada", partly, context=of_new),
        said("case:c", "ada", RIGHT, context=of_new),
    ]
    found = page(World(counters=MemoryCounters(made), books=books(9, 9), said=changes),
                 "/overview?days=30")  # fmt: skip
    rows = [text(row) for row in found.of("div", **{"class": "fault"})]
    new, old = (next(row for row in rows if row.startswith(f"support · {name}"))
                for name in ("r2", "r1"))  # fmt: skip
    for part in ("people: 5 answers", "retrieval 4", "unknown 1"):
        assert part in new
    assert "generation" not in new
    for part in ("judge: 2 claims", "retrieval 2"):
        assert part in old


def test_two_releases_can_be_compared() -> None:
    found = page(world(OLD, NEW), "/overview")
    (link,) = [a for a in found.of("a") if "against the one before" in a["text"]]
    compared = page(world(OLD, NEW), link["attrs"]["href"])
    rows = [text(row) for row in compared.of("tr")]
    (unresolved,) = [row for row in rows if row.startswith("Unresolvable citations")]
    (unsupported,) = [row for row in rows if row.startswith("Unsupported numbers")]
    assert "higher by" in unresolved
    assert "can't tell" in unsupported or "no difference to be told" in unsupported
    assert "different rulesets (1-aaaa / 1-bbbb)" in text(compared.of("p", role="status")[0])


def test_two_periods_can_be_compared_and_the_week_is_the_default() -> None:
    compared = page(world(OLD, NEW), "/compare")
    chosen = [field["attrs"]["value"] for field in compared.of("input", type="date")]
    assert chosen == ["2026-11-17", "2026-11-23", "2026-11-24", "2026-11-30"]
    rows = [text(row) for row in compared.of("tr")]
    assert any(row.startswith("Answers checked") and "1,008" in row for row in rows)


@pytest.mark.parametrize(
    "query",
    ["a_from=2026-11-20&a_to=2026-11-10", "b_from=2020-01-01&b_to=2026-11-30"],
)
def test_periods_that_make_no_sense_are_told_so(query: str) -> None:
    compared = page(world(OLD), f"/compare?{query}")
    assert "ends before it begins" in text(compared.of("p", role="status")[0])


def test_sides_without_data_are_no_rates() -> None:
    compared = page(world(OLD), "/compare?a_release=none&b_release=none")
    assert "0.0 %" not in text(compared.of("main")[0])
    assert "no data" in text(compared.of("table")[0])


@pytest.mark.parametrize("query", ["days=8", "rate=x", "app=" + "a" * 3000])
def test_odd_addresses_are_refused(query: str) -> None:
    assert world(OLD).get(f"/overview?{query}").status_code == 422
    for day in ("yesterday", "0001-01-01", "9999-12-31"):
        assert world(OLD).get(f"/compare?a_from={day}").status_code == 422
    assert world(OLD).get("/compare?a_from=&a_to=&b_release=").status_code == 200


@pytest.mark.parametrize("path", ["/overview", "/overview?days=30&rate=flagged", "/compare"])
def test_hostile_names_make_no_element(path: str) -> None:
    hostile = replace(NEW, app=HOSTILE, release=HOSTILE, ruleset=HOSTILE, language=HOSTILE)
    earlier = replace(OLD, app=HOSTILE)
    made = counters([earlier, hostile])
    made[HOSTILE, NOW_HOUR][prefix_of(HOSTILE, "x", "de") + "judge:cause:<script>"] += 1
    found = page(World(counters=MemoryCounters(made), books=books(9, 9)), path)
    tags = {element["tag"] for element in found.found}
    assert tags.isdisjoint({"script", "img", "style", "iframe", "textarea"})
    names = {name for element in found.found for name in element["attrs"]}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    for link in found.of("a"):
        assert link["attrs"].get("href", "#").startswith(("/", "#"))


def test_an_outage_is_told() -> None:
    class Away(MemoryCounters):
        def counters(self, first_hour: int = 0, end_hour: int | None = None) -> Any:
            raise Outage("the store does not answer")

    assert World(counters=Away()).get("/overview").status_code == 503


def probed(app: str = "support", release: str = "r2", **fields: Any) -> ProbeResult:
    found = Share(0.9, 0.7, 0.97, 20, (1, *[0] * 8, 19))
    known: dict[str, Any] = {
        "run": "p", "at_ms": NOW_MS - 3_600_000, "k": 5, "questions": 25, "failed": 2,
        "shares": {"recall@5": found, "precision@5": found}, "attainable": 0.3,
    }  # fmt: skip
    return ProbeResult(app=app, release=release, **(known | fields))


def probes_of(path: str = "/overview", *results: ProbeResult) -> str:
    found = page(world(OLD, SALES, probes=results), path)
    return card(found, "probes") if found.of("section", **{"aria-labelledby": "h-probes"}) else ""


def test_without_a_probe_there_is_no_block() -> None:
    assert probes_of() == ""


def test_the_last_probe_of_each_app_is_shown_with_its_limits() -> None:
    old = probed(release="r1", at_ms=NOW_MS - 7_200_000, lost=3, lost_ids=("q-9",))
    told = probes_of("/overview", probed(), old, probed("sales", "s1"))
    assert "support · r2 1 h" in told
    assert "sales · s1" in told
    assert "r1" not in told, "an older one is over"
    assert "90.0 % 70.0 % to 97.0 %, 20 questions" in told.replace("\N{NO-BREAK SPACE}", " ")
    assert "at most 30.0" in told
    assert "not measured" in told, "no hit rate"
    assert "25 2 without an answer" in told
    assert "sales" not in probes_of("/overview?app=support", probed(), probed("sales", "s1"))


def test_a_probe_names_the_questions_that_an_alert_is_about() -> None:
    told = probes_of("/overview", probed(lost=1, lost_ids=("q-1",), answered=9,
                                         answered_ids=("q-7", "<b>q-8</b>")))  # fmt: skip
    assert "1 critical question without a relevant text: q-1" in told
    assert "9 unanswerable questions got an answer: q-7, <b>q-8</b> and 7 more" in told


def test_the_overview_speaks_german() -> None:
    found = Elements(world(OLD, NEW).get("/overview", headers={"accept-language": "de"}).text)
    assert "Unauflösbare Zitate" in card(found, "unresolved")
    assert " % bis " in card(found, "unresolved")


def test_many_releases_are_fast() -> None:
    streams = [Stream("support", f"r{n}", 40, hourly=1) for n in range(20)]
    made = world(*streams)
    made.get("/overview")
    assert cpu_seconds(lambda: made.get("/overview"), times=1) < 2


def test_other_traffic_is_not_taken_for_a_worse_release() -> None:
    """Both releases fail in every tenth German answer and never in English ones; only the mix of
    languages changed."""
    streams = [
        Stream("support", "r1", 6, 3, hourly=20, unresolved=0.0, unsupported=0.0, language="en"),
        Stream("support", "r1", 6, 3, hourly=4, unresolved=0.1, unsupported=0.0),
        Stream("support", "r2", 3, hourly=4, unresolved=0.0, unsupported=0.0, language="en"),
        Stream("support", "r2", 3, hourly=20, unresolved=0.1, unsupported=0.0),
        Stream("support", "r2", 3, hourly=1, unresolved=0.0, unsupported=0.0, language="fr"),
    ]
    compared = page(
        world(*streams), "/compare?a_release=r1&b_release=r2&a_from=2026-11-20&a_to=2026-11-30"
    )
    (row,) = [text(row) for row in compared.of("tr")
              if text(row).startswith("Unresolvable citations")]  # fmt: skip
    assert "higher by" not in row
    assert "left out" in row
