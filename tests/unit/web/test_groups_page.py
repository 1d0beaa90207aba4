"""The list of groups: the cause in words, how many, what was decided; nothing that is withheld."""

from __future__ import annotations

from typing import Any

import pytest

from service.checks import REASONS
from service.judging.findings import REASONS as JUDGE_REASONS
from service.review.desk import Group
from service.review.labels import Action, Change
from service.web.groups_page import LONGEST, PAGE_SIZE, cause_words
from service.web.texts import LANGUAGES, Tongue, texts
from tests.unit.web.test_pages import HOSTILE, Elements, page
from tests.unit.web.world import NOW_MS, MemoryCases, World, case

TODAY = NOW_MS // 86_400_000


def group(group_id: str = "g1", **parts: Any) -> Group:
    fields: dict[str, Any] = {
        "group_id": group_id, "app": "support", "check": "citations", "reason": "unknown_ref",
        "cause": "pricing#seats", "severity": "high", "surface": "[pricing#seats]", "count": 240,
        "by_day": ((TODAY - 1, 40), (TODAY, 200)), "sample": "c1", "open_cases": 3,
    }  # fmt: skip
    return Group(**fields | parts)


NUMBERS = group("g 2", app="shop", check="numbers", reason="absent", cause="54",
                surface="54 €", severity="medium", count=1, open_cases=1)  # fmt: skip


def world(*groups: Group) -> World:
    return World(cases=MemoryCases(case()), groups=groups)


def listed(world: World, path: str) -> list[str]:
    return [row["attrs"]["href"] for row in page(world, path).of("a", **{"class": "row group"})]


def words(elements: list[dict[str, Any]]) -> list[str]:
    return [" ".join(element["text"].split()) for element in elements]


def test_a_row_says_the_cause_how_many_and_where_to_look() -> None:
    shown = page(world(group(), NUMBERS), "/groups")
    assert words(shown.of("strong", **{"class": "headline"})) == [
        "Cites “[pricing#seats]”, which no retrieved text is called",
        "“54 €” stands in no retrieved text",
    ]
    first, second = words(shown.of("a", **{"class": "row group"}))
    assert "▲ high" in first
    assert "support · citations · unknown ref" in first
    assert "240 answers" in first
    assert "3 cases open" in first
    assert "1 answer1 case open" in second
    (sample, _) = [a for a in shown.of("a", href="/cases/c1") if a["text"] == "a case of it"]
    assert sample
    items = shown.of("li", **{"data-group": "/groups/"})
    assert [item["attrs"]["data-group"] for item in items] == ["/groups/g1", "/groups/g%202"]
    assert all("data-item" in item["attrs"] for item in items)
    assert [a["attrs"]["href"] for a in shown.of("a") if "data-open" in a["attrs"]] == [
        "/groups/g1", "/groups/g%202"
    ]  # fmt: skip


def test_the_trend_tells_each_day_and_the_highest() -> None:
    shown = page(world(group()), "/groups")
    (plot,) = shown.of("svg", **{"class": "plot line"})
    assert "Answers a day, the last 30 days: at most 200" in plot["text"]
    assert "2026-11-30: 200" in plot["text"]


def test_a_decision_and_its_end_are_told() -> None:
    decided = Change("group:g1", 1, NOW_MS, "ann", Action.DECIDED,
                     decision={"kind": "known_cause", "until_ms": NOW_MS})  # fmt: skip
    shown = page(world(group(decision=decided), group("g2", reopened=decided)), "/groups")
    first, second = words(shown.of("p", **{"class": "meta below"}))
    assert "Decided: a known cause until 2026-11-30" in first
    assert "open again, as its rate doubled" in second
    assert "Decided" not in second


def test_what_may_be_all_about_a_withheld_case_is_not_listed() -> None:
    decided = Change("group:d", 1, NOW_MS, "ann", Action.DECIDED, decision={"kind": "false_alarm"})
    hidden = group("h", sample=None, surface="the withheld words")
    known = group("d", sample=None, decision=decided)
    shown = world(hidden, known)
    assert listed(shown, "/groups") == ["/groups/d"]
    assert "the withheld words" not in shown.get("/groups").text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("app=shop", ["/groups/g%202"]),
        ("check=citations&severity=high", ["/groups/g1"]),
        ("reason=absent&app=support", []),
        ("app=&check=&reason=&severity=", ["/groups/g1", "/groups/g%202"]),
    ],
)
def test_filters_stand_in_the_address(query: str, found: list[str]) -> None:
    assert listed(world(group(), NUMBERS), f"/groups?{query}") == found


def test_chips_take_themselves_away() -> None:
    shown = page(world(group()), "/groups?app=support&severity=high")
    chips = shown.of("a", title="Remove this filter")
    assert sorted(chip["attrs"]["href"] for chip in chips) == [
        "/groups?app=support",
        "/groups?severity=high",
    ]


def test_pages_follow_each_other_under_the_same_filter() -> None:
    many = world(*(group(f"n{number:03}") for number in range(PAGE_SIZE + 1)), NUMBERS)
    first = page(many, "/groups?app=support")
    (onward,) = first.of("a", **{"class": "action"})
    assert onward["attrs"]["href"] == f"/groups?app=support&cursor={PAGE_SIZE}"
    assert listed(many, onward["attrs"]["href"]) == [f"/groups/n{PAGE_SIZE:03}"]
    last = page(many, onward["attrs"]["href"]).of("nav", **{"class": "pager"})
    assert "that was the last one" in last[0]["text"]
    assert many.get("/groups?cursor=x").status_code == 422
    assert many.get("/groups?severity=x").status_code == 422


def test_a_page_whose_groups_are_all_hidden_leads_on() -> None:
    many = world(*(group(f"n{number:03}", sample=None) for number in range(PAGE_SIZE)), NUMBERS)
    assert page(many, "/groups").of("a", **{"class": "action"})


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/groups", "No group yet"),
        ("/groups?app=x", "No group matches all of these filters."),
        ("/groups?cursor=50", "This page is past the end of the list."),
    ],
)
def test_an_empty_list_says_what_that_means(path: str, said: str) -> None:
    assert said in words(page(world(), path).of("section", **{"class": "empty"}))[0]


def test_it_speaks_german() -> None:
    text = world(group()).get("/groups", headers={"accept-language": "de"}).text
    shown = Elements(text)
    assert shown.of("h1")[0]["text"] == "Gruppen"
    assert words(shown.of("strong")) == ["Zitiert „[pricing#seats]“; so heißt kein gefundener Text"]


def test_every_reason_of_every_check_has_a_sentence() -> None:
    reasons = {f"cause.{check}.{reason}" for check, all in REASONS.items() for reason in all}
    reasons |= {f"cause.judge.{reason}" for reason in JUDGE_REASONS}
    for lang in LANGUAGES:
        assert {key for key in texts(lang) if key.startswith("cause.")} == reasons


def test_a_cause_without_a_sentence_or_words_is_still_told() -> None:
    assert cause_words(group(check="new", reason="other_thing"), Tongue()) == "new: other thing"
    assert "“…”" in cause_words(group(surface="", cause=""), Tongue())
    assert "w" * (LONGEST - 1) + "…" in cause_words(group(surface="w" * 500), Tongue())


def test_hostile_words_stay_words() -> None:
    hostile = group(surface=HOSTILE, app=HOSTILE, cause=HOSTILE, group_id=HOSTILE, sample=HOSTILE)
    shown = page(world(hostile), "/groups")
    assert "script" not in shown.strangers
    assert "img" not in shown.strangers


def test_a_store_that_is_away_is_told() -> None:
    away = world(group())
    away.desk.away = True
    assert away.get("/groups").status_code == 503
