"""The judge on measured answers: what its rulings come to, and what becomes of one that is away."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from service.judging.judge import NotNow, Stated
from service.judging.judgement import Assessment, Claim, Judgement, Status, Verdict
from service.measuring.facts import read_facts
from service.measuring.judging import AWAY, ROUNDS, AnswerJudge, faithfulness
from service.measuring.rating import NOT_JUDGED, rate
from service.policy import AppPolicy
from tests.unit.answers import as_event

EVENT = as_event(
    {"event_id": "e", "query": "How long?", "answer": "Not 72 hours [a].",
     "retrieved": [{"ref": "a", "text": "72 hours"}]}
)  # fmt: skip


def rating(*facts):
    return rate(EVENT, AppPolicy(), read_facts(facts), "answer")


def judgement(*verdicts: Verdict) -> Judgement:
    claims = tuple(Claim(1, 0, 3, "Not", verdict) for verdict in verdicts)
    return Judgement(
        Status.JUDGED, "v1", cost_micros=5,
        assessment=Assessment(claims, None, True, (), None, (), "answer", None),
    )  # fmt: skip


class Scripted:
    """Stands for the judge above the port; ``away``: allows no call."""

    model, version = "m", "v1"

    def __init__(self, verdict=Verdict.SUPPORTED, away=False):
        self.verdict, self.away = verdict, away
        self.facts: list[list[str]] = []
        self.jobs = []

    async def judge(self, job, deadline_s):
        self.jobs.append(job)
        if self.away:
            raise NotNow(7.0)
        return judgement(self.verdict)

    async def stated(self, job, facts, deadline_s):
        self.facts.append(list(facts))
        if self.away:
            raise NotNow(90.0)
        return Stated(tuple(False for _ in facts), cost_micros=3)


def ruled(judge, *ratings):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def run():
        ruling = AnswerJudge(judge, 10.0, sleep)
        return [await ruling.ruled(one) for one in ratings]

    return asyncio.run(run()), waits


def test_what_code_decided_is_not_asked_again():
    judge = Scripted()
    (found,), _ = ruled(judge, rating({"value": "48 hours"}))
    assert judge.facts == []
    assert (found.correct, found.faithful, found.unjudged, found.cost_micros) == (
        False, True, "", 5,
    )  # fmt: skip


def test_undetermined_facts_are_asked_by_their_words_in_a_call_of_their_own():
    judge = Scripted(Verdict.CONTRADICTED)
    facts = ({"value": "72 hours"}, {"pattern": "x+", "text": "Many x.", "absent": True},
             {"text": "Short."})  # fmt: skip
    (found,), _ = ruled(judge, rating(*facts))
    assert judge.facts == [["72 hours", "Short."]]
    assert (found.correct, found.faithful, found.cost_micros) == (False, False, 8)
    assert judge.jobs[0].sources[0].ref == "a"
    assert judge.jobs[0].citations[0].refs == ("a",)


def test_a_judge_that_is_away_is_waited_for_once_and_nothing_is_invented():
    judge = Scripted(away=True)
    found, waits = ruled(judge, rating({"value": "72 hours"}), rating())
    assert waits == [30.0] * ROUNDS
    assert [one.faithful for one in found] == [None, None]
    assert [one.unjudged for one in found] == [AWAY, AWAY]
    assert found[0].correct is None


def test_without_a_judge_it_is_not_judged():
    assert (rating().faithful, rating().unjudged) == (None, NOT_JUDGED)


@pytest.mark.parametrize(
    ("verdicts", "faithful", "why"),
    [
        ([Verdict.SUPPORTED, Verdict.NOT_A_CLAIM], True, ""),
        ([], True, ""),
        ([Verdict.SUPPORTED, Verdict.UNSUPPORTED], False, ""),
        ([Verdict.CONTRADICTED, Verdict.MISSING], False, ""),
        ([Verdict.SUPPORTED, Verdict.MISSING], None, "partial"),
    ],
)
def test_an_answer_is_faithful_where_every_claim_is(verdicts, faithful, why):
    assert faithfulness(judgement(*verdicts)) == (faithful, why)


def test_a_ruling_that_could_not_be_used_is_no_verdict():
    failed = replace(judgement(), status=Status.FAILED, reason="deadline", assessment=None)
    assert faithfulness(failed) == (None, "deadline")
