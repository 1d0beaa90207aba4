"""From answers to a rate, end to end: drawn unevenly, judged by an oracle that errs as often as it
is told to, and weighted back by 1/π. Only the model is scripted."""

from __future__ import annotations

import asyncio
import json
import math
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from consumers.judge import JudgeOptions, JudgeWorker
from service import bootstrap
from service.bootstrap import build
from service.demo.scripted_judge import MODEL, ScriptedJudge
from service.demo.scripted_rulings import Oracle
from service.health import Health
from service.judging.corpora import Corpora
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.settings import Settings
from tests.contract.world import MakeWorld, event

SENSITIVITY, SPECIFICITY = 0.75, 0.93
ANSWERS = 600
FALSE = "and it is free"
PI = {"flagged_high": 0.6, "flagged": 0.6, "abstained": 0.25, "low_overlap": 0.25, "rest": 0.25}


def traffic(seed: int) -> tuple[list[bytes], int]:
    """Events, and how many of them are bad in truth: 40 % of those that a free check flags, 5 % of
    the others."""
    dice, events, bad = random.Random(seed), [], 0
    for n in range(ANSWERS):
        flagged = dice.random() < 0.3
        is_bad = dice.random() < (0.4 if flagged else 0.05)
        bad += is_bad
        said = f"A seat of plan {n} costs 45 € {FALSE if is_bad else 'a month'}"
        cites = "x" if flagged else "plans"
        text = f"Plan {n}. Pro: 45 € a seat."
        events.append(
            event(
                f"e{n}",
                answer=f"{said} [pricing#{cites}].",
                retrieved=[{"ref": "pricing#plans", "text": text}],
            )
        )
    return events, bad


def said_falsely(watched: Mapping[str, Any], number: int) -> bool:
    return FALSE in str(watched["sentences"][number - 1]["text"])


class Records:
    """Where the worker's records go; it may stop once all ``wanted`` are here."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.judgements = 0
        self.complete = threading.Event()

    def write(self, records: Sequence[bytes]) -> None:
        self.judgements += sum(json.loads(one)["kind"] == "judgement" for one in records)
        if self.judgements >= self.wanted:
            self.complete.set()


@pytest.mark.timeout(180)
def test_the_weighted_rate_is_the_judges_own(make_world: MakeWorld) -> None:
    world = make_world(max_backlog=ANSWERS, cases_per_group_day=ANSWERS)
    app = AppPolicy(sampling=SamplingPolicy(audit=0, **PI))
    world.terms = replace(
        world.terms, judge=True, policy=Policy(default=app, apps={"support": app})
    )
    events, bad = traffic(3)
    for first in range(0, ANSWERS, 250):
        world.take(events[first : first + 250])
    drawn = world.store.jobs.pending()
    # Every tenth request meets a rate limit.
    oracle = Oracle(said_falsely, SENSITIVITY, SPECIFICITY, seed=1)
    sink = Records(drawn)
    with ScriptedJudge(oracle, limits_rate=lambda number: number % 10 == 0) as endpoint:
        settings = Settings(
            judge_base_url=endpoint.base_url, judge_model=MODEL, judge_relevance=False
        )
        parts = replace(build(settings), store=world.store)

        async def judge_all() -> None:
            corpora = Corpora(parts.documents)
            judge, client = bootstrap.judge(parts, corpora)
            options = JudgeOptions(concurrency=8, flip_share=0.0)
            worker = JudgeWorker(
                world.store, judge, corpora, sink, parts.metrics, Health(), options
            )
            await worker.run(sink.complete)
            await client.close()

        asyncio.run(judge_all())
    books = world.archive.books()
    assert books.balanced
    assert books.totals["judge:judged"] == drawn == sink.judgements
    judged = [
        json.loads(row)
        for key, rows in world.dump().items()
        if key.startswith("judged:")
        for row in rows.values()
    ]
    weights = [1 / row["pi"] for row in judged]
    found = [float("unsupported" in row["reasons"]) for row in judged]
    rate = sum(w * y for w, y in zip(weights, found, strict=True)) / sum(weights)
    truth = (bad * SENSITIVITY + (ANSWERS - bad) * (1 - SPECIFICITY)) / ANSWERS
    # The ratio estimator's standard error (linearised; Särndal, Swensson, Wretman 1992, 5.6), and
    # the oracle's own luck.
    error = math.sqrt(sum((w * (y - rate)) ** 2 for w, y in zip(weights, found, strict=True)))
    error /= sum(weights)
    assert abs(rate - truth) < 3.5 * error
    assert abs(sum(found) / len(found) - truth) > abs(rate - truth)
