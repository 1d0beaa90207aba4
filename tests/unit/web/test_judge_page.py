"""How good the judge is, on its page, on the overview and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from service.judging.judgement import Judgement
from service.policy import ReviewPolicy
from tests.contract.judged import GOOD, WRONG, settle, taken
from tests.contract.reviewing import task
from tests.unit.web.reviewed import BOB, Reviewed, task_path

AUDITED = {
    "answer": "wrong", "fault": "retrieval", "needed": [], "helpful": "off_topic",
}  # fmt: skip
HOSTILE = "<script>alert(1)</script> & <b>who</b>?"


class Judged(Reviewed):
    """All answers are judged, and audited."""

    def __init__(self, review: ReviewPolicy | None = None) -> None:
        super().__init__(audit=1.0, review=review or ReviewPolicy(double_label=0.0))
        self.store.terms = replace(self.store.terms, judge=True)
        self.store.store.jobs.open()

    def judge(self, said: Judgement, *names: str, **more: Any) -> None:
        for job in taken(self.store, *names, **more):
            settle(self.store, job, said)

    def label(self, name: str, grounded: str, *more: Any, **named: Any) -> None:
        saved = self.save(task_path(name), AUDITED | {"grounded": grounded}, *more, **named)
        assert saved.status_code == 200, saved.text


@pytest.fixture
def world() -> Iterator[Judged]:
    made = Judged()
    yield made
    made.close()


@pytest.fixture
def labelled(world: Judged) -> Judged:
    """Two bad ones by the judge, two fine ones, and people who differ on one of each."""
    world.judge(WRONG, "a", "b")
    world.judge(GOOD, "c", "d", query=HOSTILE)
    for name, grounded in (("a", "no"), ("b", "yes"), ("c", "no"), ("d", "yes")):
        world.label(name, grounded)
    return world


def link(name: str) -> str:
    return f'href="/tasks/{task(name).partition(":")[2]}"'


def test_the_errors_are_one_click_away(labelled: Judged) -> None:
    page = labelled.get("/judge").text
    missed, _, alarms = page.partition('id="h-false"')
    assert link("c") in missed
    assert link("b") in alarms
    assert link("a") not in page
    assert link("d") not in page
    assert "Sensitivity" in page
    assert "2 labels" not in page
    assert "4 labels" in page


def test_watched_text_stays_text(labelled: Judged) -> None:
    page = labelled.get("/judge").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_a_task_that_somebody_may_yet_label_is_never_shown() -> None:
    world = Judged(ReviewPolicy(double_label=1.0))
    world.judge(GOOD, "a")
    world.label("a", "no")
    page = world.get("/judge").text
    assert link("a") not in page
    assert "uncalibrated" in page
    assert world.get("/v1/judged-rates").json()["calibration"]["missed"] == []
    world.label("a", "no", BOB, version=1)
    assert link("a") in world.get("/judge").text
    world.close()


def test_without_labels_the_rate_is_uncalibrated_not_nought(world: Judged) -> None:
    world.judge(GOOD, "a")
    for path in ("/judge", "/overview"):
        assert "uncalibrated" in world.get(path).text
    found = world.get("/v1/judged-rates").json()["calibration"]
    assert (found["calibrated"], found["labels"]) == (False, 0)
    assert found["corrected"] == {"value": None, "low": None, "high": None}
    assert found["judge_says"]["value"] == 0


def test_without_a_judge_there_is_nothing_to_tell(world: Judged) -> None:
    assert "No judge has ruled yet" in world.get("/judge").text
    assert 'id="h-judged"' not in world.get("/overview").text
    body = world.get("/v1/judged-rates").json()
    assert body["calibration"]["version"] == ""
    assert body["rates"]["faithfulness"] == {
        "answers": 0, "value": None, "low": None, "high": None,
    }  # fmt: skip


def test_the_overview_tells_the_rates_with_all_they_rest_on(labelled: Judged) -> None:
    page = labelled.get("/overview").text
    block = page[page.index('id="h-judged"') : page.index('id="h-days"')]
    for told in ("Answers with a bad claim", "Faithfulness", "m/r/p", "rulesets", "4 labels",
                 "more for ± 2 points", "Judge coverage", 'href="/judge"'):  # fmt: skip
        assert told in block
    assert (
        "Quellentreue" in labelled.ask("GET", "/overview", headers={"Accept-Language": "de"}).text
    )


def test_the_json_has_the_table_and_both_words_alone(labelled: Judged) -> None:
    body = labelled.get("/v1/judged-rates").json()
    found = body["calibration"]
    assert (found["classes"], found["counts"]) == (["bad", "fine"], [[1, 1], [1, 1]])
    assert found["judge_says"]["value"] == found["people_say"]["value"] == 0.5
    assert found["corrected"]["value"] == pytest.approx(0.5)
    assert found["by_verdict"]["contradicted"]["labels"] == 2
    assert found["labels_needed"] > 100
    assert body["coverage"]["selected"] == 4
    assert body["days"] == 28
    rates = body["rates"]
    assert rates["contradicted_claims"]["value"] == 0.5
    assert rates["contradicted_claims"]["low"] < 0.5 < rates["contradicted_claims"]["high"]


def test_apps_are_told_apart_and_chosen(labelled: Judged) -> None:
    labelled.judge(GOOD, "e", app="sales")
    page = labelled.get("/judge").text
    assert 'href="/judge?app=sales"' in page
    assert labelled.get("/v1/judged-rates?app=sales").json()["calibration"]["judged"] == 1
    chosen = labelled.get("/judge?app=sales").text
    assert "uncalibrated" in chosen
    assert 'href="/judge"' in chosen


def test_one_family_of_judge_and_generator_is_warned_of(world: Judged) -> None:
    gpt = replace(GOOD, version="gpt-4.1/r/p")
    world.judge(gpt, "a", release={"id": "r1", "model": "gpt-4o"})
    assert "both of the family GPT" in world.get("/judge").text
    assert world.get("/v1/judged-rates").json()["family"] == "GPT"


def test_an_earlier_version_stands_beside_the_new_one(labelled: Judged) -> None:
    labelled.judge(replace(GOOD, version="m/other/p"), "z")
    page = labelled.get("/judge").text
    assert "uncalibrated" in page
    assert "earlier version" in page
    assert "m/r/p" in page
