"""What the store holds of judge and people, read into one figure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service import calibrations
from service.calibrations import Calibrations, JudgeScope, calibrations_over
from service.estimates.confusion import BAD, FINE
from service.judging.judgement import Judgement
from service.policy import ReviewPolicy
from service.review.cases import DAY_MS
from service.review.labels import Grounded, Label
from tests.contract.judged import (
    GOOD,
    MUTE,
    THIN,
    WRONG,
    job_of,
    judged_world,
    settle,
    taken,
)
from tests.contract.reviewing import ANN, AUDIT, BOB, desk_of, policy, task
from tests.contract.world import NOW, MakeWorld

NEXT = "m/other/p"
TWICE = ReviewPolicy(double_label=1.0)


class Judged:
    """Answers that are all audited and judged, and people who say whether they are grounded."""

    def __init__(self, make_world: MakeWorld, review: ReviewPolicy | None = None) -> None:
        self.world = judged_world(make_world, audit=1.0)
        rules = policy(1.0, review or ReviewPolicy(double_label=0.0))
        self.desk = desk_of(self.world.connection, rules)
        self.clock = 0.0
        self.now_s = NOW / 1000 + 60

    def judge(self, said: Judgement, *names: str, **more: Any) -> None:
        for job in taken(self.world, *names, **more):
            settle(self.world, job, said)

    def say(self, name: str, grounded: Grounded, reviewer: str = ANN) -> None:
        label = replace(AUDIT, grounded=grounded)
        self.save(name, label, reviewer)

    def save(self, name: str, label: Label, reviewer: str = ANN) -> None:
        subject = task(name)
        lease = self.desk.claim(subject, reviewer, NOW)
        self.desk.save(lease, label, self.desk.labelled(subject).version, NOW + 1)

    def read(self, days: int = 28) -> Calibrations:
        return calibrations_over(self.world.store, days, lambda: self.now_s, lambda: self.clock)


@pytest.fixture
def judged(make_world: MakeWorld) -> Judged:
    return Judged(make_world)


def test_labels_meet_the_judgements_of_the_same_answers(judged: Judged) -> None:
    judged.judge(WRONG, "a", "b")
    judged.judge(GOOD, "c", "d", "e")
    judged.judge(MUTE, "f")
    for name, grounded in (("a", Grounded.NO), ("b", Grounded.YES), ("c", Grounded.NO),
                           ("d", Grounded.YES), ("f", Grounded.CANT_TELL)):  # fmt: skip
        judged.say(name, grounded)
    figures = judged.read().of()
    found = figures.calibration
    assert (found.version, found.judged, found.undecided) == ("m/r/p", 5, 1)
    assert (found.labels, found.unsaid, found.unmatched) == (4, 1, 0)
    assert [found.confusion.count(*cell) for cell in ((BAD, BAD), (BAD, FINE), (FINE, BAD))] == [
        1, 1, 1,
    ]  # fmt: skip
    assert found.missed == (task("c").partition(":")[2],)
    assert found.false_alarms == (task("b").partition(":")[2],)
    assert found.corrected.value is not None
    assert found.corrected.low is not None
    assert found.corrected.high is not None
    assert 0 < found.corrected.low < found.corrected.value < found.corrected.high < 1
    assert figures.rates["contradicted_claims"].answers == 5
    assert figures.coverage.selected == 6
    assert len(figures.rulesets) == 1
    assert figures.days == 28


def test_a_task_that_somebody_may_yet_label_blind_is_left_out(make_world: MakeWorld) -> None:
    judged = Judged(make_world, TWICE)
    judged.judge(GOOD, "a")
    judged.say("a", Grounded.NO)
    assert judged.read().of().calibration.labels == 0
    judged.say("a", Grounded.YES, BOB)
    found = judged.read().of().calibration
    # The first of two people's words counts.
    assert (found.labels, found.confusion.count(FINE, BAD)) == (1, 1)


def test_a_new_version_begins_without_labels_and_the_earlier_one_is_told(judged: Judged) -> None:
    judged.judge(THIN, "a")
    judged.say("a", Grounded.NO)
    judged.judge(replace(GOOD, version=NEXT), "b", "c")
    figures = judged.read().of()
    assert figures.calibration.version == NEXT
    assert not figures.calibration.calibrated
    assert [(one.version, one.labels) for one in figures.earlier] == [("m/r/p", 1)]
    # Rates of two versions are not mixed.
    assert figures.rates["faithfulness"].answers == 2


def test_apps_and_languages_are_told_apart(judged: Judged) -> None:
    judged.judge(WRONG, "a", app="sales", language="de")
    judged.judge(GOOD, "b", "c", language="en")
    for figures in (judged.read().of(), judged.read().of(JudgeScope())):
        assert {app: one.judged for app, one in figures.by_app.items()} == {
            "sales": 1,
            "support": 2,
        }
        assert {name: one.judged for name, one in figures.by_language.items()} == {"de": 1, "en": 2}
    sales = judged.read().of(JudgeScope("sales"))
    assert (sales.calibration.judged, sales.coverage.selected) == (1, 1)
    assert sales.by_app == {}
    assert judged.read().by_app()["support"].calibration.judged == 2
    assert judged.read().of(JudgeScope("sales", "en")).calibration.version == ""


def test_it_is_remembered_for_a_while(judged: Judged) -> None:
    judged.judge(GOOD, "a")
    reader = judged.read()
    assert reader.of().calibration.judged == 1
    judged.judge(GOOD, "b")
    assert reader.of().calibration.judged == 1
    judged.clock += calibrations.REMEMBERED_S + 1
    assert reader.of().calibration.judged == 2


def test_only_so_many_days_and_answers_are_read(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged.judge(GOOD, "a", "b")
    judged.now_s += 3 * DAY_MS / 1000
    assert judged.read(days=3).of().calibration.judged == 0
    assert judged.read(days=4).of().calibration.judged == 2
    monkeypatch.setattr(calibrations, "MOST_ROWS", 1)
    judged.judge(GOOD, "c", occurred_at="2026-11-17T08:00:00Z")
    found = judged.read(days=28).of()
    # The newest day is read whole; older ones no more, and the period says so.
    assert (found.calibration.judged, found.days) == (2, 4)


def test_judge_and_generator_of_one_family_are_told(judged: Judged) -> None:
    gpt = replace(GOOD, version="gpt-4.1/r/p")
    judged.judge(gpt, "a", release={"id": "r1", "model": "openai/gpt-4o"})
    figures = judged.read().of()
    assert (figures.generators, figures.family) == (("openai/gpt-4o",), "GPT")


def test_what_was_judged_names_its_answer(judged: Judged) -> None:
    [job] = taken(judged.world, "a")
    settle(judged.world, job, GOOD)
    day = job_of(job).answer.hour // 24
    [row] = judged.world.store.judgements.rows(day)
    assert row["key"].partition("@")[0] == job_of(job).answer.job_id
