"""What changed, and what rose: two windows held against each other, the page and its JSON twin."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import quote

import pytest

from service.accounting import prefix_of
from service.makeup import PARTS, Makeup
from service.web.incident import Counters, Incident, Window, incident, windows_of
from tests.unit.web.test_groups_page import group
from tests.unit.web.test_pages import HOSTILE, Elements, page
from tests.unit.web.world import NOW_MS, MemoryCases, MemoryCounters, World, case

HOUR_MS = 3_600_000
NOW_HOUR = NOW_MS // HOUR_MS
SINCE = NOW_HOUR - 5
"""Hour in which the second release began."""


def counts(release: str, bad: int, ruleset: str = "1-a", of: int = 100) -> Counter[str]:
    """An hour of ``of`` answers that all cite, ``bad`` of them what was not retrieved."""
    measures = {
        "checked": of, "flagged": bad, "citations:answers": of, "citations:failed_answers": bad,
        "citations:pass": of - bad, "citations:fail": bad, "kind:answer": of,
        "cause:citations:unknown_ref": bad, "cause:numbers:absent": 3,
    }  # fmt: skip
    prefix = prefix_of(release, ruleset, "de")
    return Counter({prefix + name: number for name, number in measures.items()})


def made(release: str, hour: int, **parts: str) -> Makeup:
    return Makeup("support", release, hour, tuple(parts.get(name, "") for name in PARTS))


MAKEUPS = (
    made("r1", SINCE - 200, model="m-1", prompt="p1"),
    made("r2", SINCE, model="m-1", prompt="p2"),
)


def broken(bad: int = 20) -> dict[tuple[str, int], Counter[str]]:
    hours = {("support", hour): counts("r1", 2) for hour in range(SINCE - 30, SINCE)}
    hours |= {("support", hour): counts("r2", bad) for hour in range(SINCE, NOW_HOUR + 1)}
    return hours | {("sales", SINCE): counts("s", 90)}


def seen(counters: Counters, since: int = SINCE, release: str = "", **parts: Any) -> Incident:
    windows = windows_of(since * HOUR_MS, NOW_MS, NOW_MS)
    return incident(counters, parts.get("makeups", MAKEUPS), "support", windows, release)


def test_the_hour_of_the_beginning_is_after_and_a_day_lies_before() -> None:
    windows = windows_of(SINCE * HOUR_MS + 1_800_000, NOW_MS, NOW_MS)
    assert windows.after == Window(SINCE, NOW_HOUR + 1)
    assert windows.before == Window(SINCE - 24, SINCE)
    assert not windows.whole_days


def test_long_ago_only_whole_days_are_known_and_no_window_is_longer_than_a_week() -> None:
    day = NOW_HOUR // 24 - 20
    windows = windows_of(day * 24 * HOUR_MS + 5 * HOUR_MS, NOW_MS, NOW_MS)
    assert windows.whole_days
    assert windows.after == Window(day * 24, (day + 7) * 24)
    assert windows.before == Window((day - 7) * 24, day * 24)


def test_what_changed_is_told_apart_from_what_did_not_and_what_is_not_told() -> None:
    found = seen(broken())
    assert [part.name for part in found.changed] == ["release", "prompt"]
    prompt = next(part for part in found.parts if part.name == "prompt")
    assert (prompt.before, prompt.after) == ({"p1": 1.0}, {"p2": 1.0})
    same = [part.name for part in found.parts if part.after and not part.changed]
    assert same == ["model", "ruleset"]
    assert not next(part for part in found.parts if part.name == "index").after


def test_a_part_that_changed_under_one_release_is_seen() -> None:
    hours = {("support", hour): counts("r1", 2) for hour in range(SINCE - 24, NOW_HOUR + 1)}
    makeups = (made("r1", SINCE - 90, index="i1"), made("r1", SINCE, index="i2"))
    found = seen(hours, makeups=makeups)
    (index,) = found.changed
    assert (index.name, index.before, index.after) == ("index", {"i1": 1.0}, {"i2": 1.0})


def test_a_release_that_takes_a_part_of_the_traffic_is_told_by_its_share() -> None:
    hours = {("support", hour): counts("r1", 2) for hour in range(SINCE - 24, SINCE)}
    hours |= {("support", hour): counts("r1", 2) + counts("r2", 2, of=25)
              for hour in range(SINCE, NOW_HOUR + 1)}  # fmt: skip
    release = next(part for part in seen(hours).parts if part.name == "release")
    assert release.changed
    assert release.after == pytest.approx({"r1": 0.8, "r2": 0.2})


def test_rates_and_causes_are_held_against_before_with_an_interval() -> None:
    found = seen(broken())
    assert found.checked == (2_400, 600)
    assert found.worst is not None
    assert found.worst.name in ("unresolved", "flagged")
    first, second = found.causes
    assert (first.check, first.reason) == ("citations", "unknown_ref")
    assert (first.before.hits, first.after.hits) == (48, 120)
    assert first.risen
    assert first.change is not None
    assert first.change.low > 0.1
    assert (second.reason, second.risen) == ("absent", False)


def test_chance_is_not_called_a_rise() -> None:
    found = seen(broken(bad=2))
    assert found.worst is None
    assert not any(held.risen for held in found.causes)


def test_one_release_can_be_held_against_all_before() -> None:
    hours = broken()
    hours["support", SINCE] = counts("r2", 20) + counts("r1", 90)
    assert seen(hours, release="r2").checked == (2_400, 600)
    assert seen(hours).checked == (2_400, 700)


# The page and its twin.


def world(counters: Counters | None = None, **parts: Any) -> World:
    counted = MemoryCounters(broken() if counters is None else counters, MAKEUPS)
    cases = [
        case(f"c{n}", occurred_ms=SINCE * HOUR_MS + n * 60_000, release="r2") for n in range(12)
    ]
    old = case("old", occurred_ms=(SINCE - 1) * HOUR_MS)
    day = NOW_MS // 86_400_000
    known = group(by_day=((day, 90), (day - 9, 5)))
    return World(cases=MemoryCases(*cases, old), counters=counted, groups=[known], **parts)


def words(found: Elements, tag: str = "main") -> str:
    return " ".join(found.of(tag)[0]["text"].split())


PATH = f"/incident?app=support&since={SINCE * HOUR_MS}"


def test_the_first_sentence_says_what_rose_the_second_what_changed() -> None:
    found = page(world(), PATH)
    assert words(found, "h1") == "Unresolvable citations rose from 2.0 % to 20.0 %."
    text = words(found)
    assert "At the same time: release r1 → r2 · prompt p1 → p2" in text
    assert "Unchanged: model, ruleset." in text
    assert "600 answers against 2,400" in text


def test_it_leads_to_causes_and_to_the_first_bad_answers() -> None:
    found = page(world(), PATH)
    cases = [a["attrs"]["href"] for a in found.of("a", href="/cases/")]
    assert cases == [f"/cases/c{n}" for n in range(5)]
    (cause,) = [a for a in found.of("a", href="/queue") if "unknown ref" in a["text"]]
    for term in ("app=support", "check=citations", "reason=unknown_ref", "status=any", "since="):
        assert term in cause["attrs"]["href"]
    (grown,) = found.of("a", **{"class": "row group"})
    assert "90 since" in grown["text"]


def test_without_a_rise_it_says_so_and_without_a_change_too() -> None:
    calm = {("support", hour): counts("r1", 2) for hour in range(SINCE - 24, NOW_HOUR + 1)}
    text = words(page(world(calm), PATH))
    assert "No rate rose beyond what chance explains." in text
    assert "Nothing that the answers tell of themselves changed" in text


def test_what_nobody_told_before_is_not_called_unchanged() -> None:
    first = {("support", hour): counts("r2", 2) for hour in range(SINCE, NOW_HOUR + 1)}
    text = words(page(world(first), PATH))
    assert "no answer was checked before" in text
    assert "Not told before: release, model, prompt, ruleset." in text
    assert "Unchanged" not in text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/incident", "No rate rose beyond"),  # the one app that is known
        ("/incident?app=nobody&since=2h", "No answer of this app in either stretch."),
    ],
)
def test_what_is_not_given_or_not_known_is_said(path: str, said: str) -> None:
    calm = {("support", hour): counts("r1", 2) for hour in range(SINCE - 24, NOW_HOUR + 1)}
    assert said in words(page(world(calm), path))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("since=yesterday", "Since is not a time."),
        ("since=2100-01-01", "Since lies ahead."),
        ("since=2h&until=3h", "Until is not after the beginning."),
    ],
)
def test_an_odd_time_is_told_with_how_to_write_one(query: str, said: str) -> None:
    response = world().get(f"/incident?app=support&{query}")
    assert response.status_code == 422
    text = words(Elements(response.text))
    assert said in text
    assert "30m, 2h, 3d, 1w" in text
    twin = world().get(f"/v1/incident?app=support&{query}")
    assert (twin.status_code, twin.json()["field"]) == (422, query.rpartition("&")[2].split("=")[0])


def test_the_twin_says_the_same() -> None:
    body = world().get(f"/v1/incident?app=support&since={SINCE * HOUR_MS}").json()
    assert body["checked"] == [2_400, 600]
    assert body["worst"] == "unresolved"
    assert [part["name"] for part in body["parts"] if part["changed"]] == ["release", "prompt"]
    assert [one["case_id"] for one in body["first_cases"]] == [f"c{n}" for n in range(5)]
    cause = body["causes"][0]
    assert cause["name"] == "cause:citations:unknown_ref"
    assert cause["change"]["told"]
    assert [one["since"] for one in body["grown"]] == [90]


def test_it_speaks_german() -> None:
    text = world().get(PATH, headers={"accept-language": "de"}).text
    assert "Zur selben Zeit:" in text
    assert "von 2,0 % auf 20,0 % gestiegen" in text.replace("\N{NO-BREAK SPACE}", " ")


def test_hostile_words_stay_words() -> None:
    hostile = {("support", hour): counts(HOSTILE, 2) for hour in range(SINCE - 24, SINCE)}
    hostile |= {("support", SINCE): counts(HOSTILE + "2", 30)}
    here = world(hostile)
    here.counters.made = [
        made(HOSTILE, SINCE - 90, prompt=HOSTILE), made(HOSTILE + "2", SINCE, prompt="p2")
    ]  # fmt: skip
    for query in (f"app=support&since={SINCE * HOUR_MS}", f"app={quote(HOSTILE)}",
                  f"app=support&release={quote(HOSTILE)}"):  # fmt: skip
        found = page(here, f"/incident?{query}")
        assert not {"script", "img"} & found.strangers
