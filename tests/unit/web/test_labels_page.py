"""Labels: who said what, blind ones kept blind, and how far people agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.review.labels import (
    Action,
    AnswerCall,
    Change,
    Fault,
    FindingCall,
    FindingLabel,
    Label,
    Why,
)
from service.web.labelled import (
    MOST_CHANGES,
    READ_DAYS,
    RecentChanges,
    blind_pairs,
    confirmed,
    faults_of,
)
from service.web.words.labels import WORDS
from tests.unit.web.test_pages import HOSTILE, Elements, page
from tests.unit.web.traffic import Stream, counters
from tests.unit.web.world import (
    NOW_MS,
    MemoryCounters,
    MemoryTasks,
    World,
    books,
    task,
)

HOUR_MS = 3_600_000
WRONG = Label(
    answer=AnswerCall.WRONG,
    fault=Fault.RETRIEVAL,
    findings=(
        FindingLabel("numbers", "absent", "54 €", 13, FindingCall.REAL),
        FindingLabel("citations", "unknown_ref", "[x]", 18, FindingCall.FALSE_ALARM, Why.FORMAT),
    ),
    needed=("pricing#plans",),
    note="the page was deleted",
)
RIGHT = Label(answer=AnswerCall.CORRECT)


def said(subject: str, reviewer: str, label: Label | None = WRONG, **parts: Any) -> Change:
    given: dict[str, Any] = {"number": 1, "at_ms": NOW_MS - HOUR_MS, "action": Action.LABELLED}
    given["context"] = {"app": "support", "release": "r1", "blind": True}
    return Change(subject=subject, reviewer=reviewer, label=label, **given | parts)


def rows(world: World, path: str = "/labels") -> list[str]:
    shown = page(world, path)
    (table,) = shown.of("table", **{"class": "labels"})
    return [" ".join(row["text"].split()) for row in shown.of("tr") if row["text"] in table["text"]]


def test_a_row_says_who_said_what_of_which_answer() -> None:
    shown = page(World(said=[said("case:c1", "ada")]), "/labels")
    text = " ".join(shown.of("table", **{"class": "labels"})[0]["text"].split())
    for told in ("ada", "1 h", "labelled", "answer: wrong", "cause: retrieval", "1 finding real",
                 "1 false alarm", "1 chunk needed", "the page was deleted"):  # fmt: skip
        assert told in text, told
    assert shown.of("a", href="/cases/c1")


def test_labels_of_one_reviewer() -> None:
    world = World(said=[said("case:c1", "ada"), said("case:c2", "bob")])
    shown = page(world, "/labels?reviewer=bob")
    assert shown.of("a", href="/cases/c2")
    assert not shown.of("a", href="/cases/c1")
    assert "by bob" in shown.of("nav", **{"class": "chips"})[0]["text"]


def test_a_blind_label_stays_sealed_while_its_task_is_open() -> None:
    changes = [said("task:t1", "ada"), said("task:t2", "ada")]
    world = World(said=changes, tasks=MemoryTasks(task("t1"), task("t2", status="done")))
    shown = page(world, "/labels")
    bodies = [
        " ".join(row["text"].split()) for row in shown.of("tr") if "audit task" in row["text"]
    ]
    sealed = [text for text in bodies if "not shown while the task is open" in text]
    assert len(bodies) == 2
    assert len(sealed) == 1
    assert "wrong" not in sealed[0]
    assert "deleted" not in sealed[0]


@pytest.mark.parametrize(("lang", "separator"), [("en", ","), ("de", ".")])
def test_the_page_says_how_far_back_it_reads(lang: str, separator: str) -> None:
    what = WORDS["labels.agreement.what"][lang == "de"]
    assert f"{READ_DAYS} " in what
    assert f"{MOST_CHANGES:,}".replace(",", separator) in what


def test_pages_of_labels() -> None:
    many = [said(f"case:c{n}", "ada", at_ms=NOW_MS - n) for n in range(60)]
    shown = page(World(said=many), "/labels?reviewer=ada")
    (following,) = shown.of("a", **{"class": "action"})
    assert following["attrs"]["href"] == "/labels?reviewer=ada&cursor=50"
    world = World(said=many)
    assert len(rows(world, following["attrs"]["href"])) == 11
    assert world.get("/labels?cursor=zebra").status_code == 422


def test_disagreements_stand_side_by_side() -> None:
    first, second = said("task:t1", "ada"), said("task:t1", "bob", RIGHT, number=2)
    shown = page(World(said=[first, second]), "/labels?view=disagreements")
    body = shown.of("table", **{"class": "labels"})[0]
    assert "answer: wrong" in body["text"]
    assert "answer: correct" in body["text"]


def test_agreement_has_kappa_and_ac1_with_the_table_of_classes() -> None:
    changes = []
    for n in range(20):
        changes += [said(f"task:t{n}", "ada", WRONG if n < 8 else RIGHT),
                    said(f"task:t{n}", "bob", WRONG if n < 7 else RIGHT, number=2)]  # fmt: skip
    shown = page(World(said=changes), "/labels")
    (table,) = shown.of("table", **{"class": "agreement"})
    text = " ".join(table["text"].split())
    assert "95 %" in text.replace("\xa0", " ")
    # po = .95, pe = .4·.35 + .6·.65 = .53, kappa = .42 / .47
    assert "0.89" in text
    assert "first: wrong" in text
    assert "audit task has two blind labels" in page(World(), "/labels").of("main")[0]["text"]


def test_what_people_said_enters_the_overview() -> None:
    stream = Stream("support", "r1", 10)
    changes = [said("case:c1", "ada"), said("case:c2", "bob", at_ms=NOW_MS - 1)]
    world = World(said=changes, counters=MemoryCounters(counters([stream])), books=books(9, 9))
    shown = page(world, "/overview")
    text = " ".join(shown.of("main")[0]["text"].split())
    assert "people called 2 of 4 findings real" in text
    assert "people" in text
    assert "retrieval 2" in text


def test_only_labels_that_stand_are_counted() -> None:
    undone = [said("case:c1", "ada"),
              said("case:c1", "ada", None, number=2, action=Action.UNDONE, undoes=1)]  # fmt: skip
    assert faults_of(undone) == {}
    assert confirmed(undone) == (0, 0)
    bulk = said("case:c2", "ada", group="g1", action=Action.LABELLED_IN_BULK)
    assert confirmed([bulk]) == (0, 0)
    assert blind_pairs([said("task:t1", "ada"), said("task:t1", "bob", RIGHT, number=2)]) == [
        (WRONG, RIGHT)
    ]


def test_changes_are_remembered_for_a_while() -> None:
    desk, now = World(said=[said("case:c1", "ada")]).desk, [0.0]
    recent = RecentChanges(desk, lambda: now[0])
    assert len(recent.since(0)) == 1
    desk.keep(said("case:c2", "ada", at_ms=NOW_MS))
    assert len(recent.since(0)) == 1
    now[0] = 31.0
    assert len(recent.since(0)) == 2
    assert len(recent.since(NOW_MS)) == 1


@pytest.mark.parametrize("path", ["/labels", "/labels?view=disagreements"])
def test_hostile_notes_stay_text(path: str) -> None:
    label = Label(answer=AnswerCall.WRONG, note=HOSTILE)
    first = said("task:t1", HOSTILE, label)
    second = said("task:t1", "bob", replace(label, answer=AnswerCall.CORRECT), number=2)
    shown: Elements = page(World(said=[first, second]), path)
    assert {element["tag"] for element in shown.found}.isdisjoint({"script", "img", "style"})
    assert HOSTILE in shown.of("main")[0]["text"]
