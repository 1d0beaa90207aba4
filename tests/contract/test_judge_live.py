"""A real model behind the judge. Only where asked for: it costs money or minutes.

``TEST_JUDGE_BASE_URL`` and ``TEST_JUDGE_MODEL`` name it, ``TEST_JUDGE_API_KEY`` if it wants one.
"""

from __future__ import annotations

import asyncio
import os
import random
import time

import pytest

from service.budget import Prices
from service.judging.client import Capability, EndpointOptions, JudgeClient
from service.judging.endpoint import Breaker
from service.judging.judge import Judge, JudgeOptions, version_of
from service.judging.judgement import Judgement, Relevance, Status, Verdict
from tests.contract.judging import Ledger
from tests.unit.judging.made import job

BASE_URL = os.environ.get("TEST_JUDGE_BASE_URL", "")
MODEL = os.environ.get("TEST_JUDGE_MODEL", "")
KEY = os.environ.get("TEST_JUDGE_API_KEY", "")

pytestmark = [
    pytest.mark.skipif(
        not (BASE_URL and MODEL),
        reason="no live judge asked for: TEST_JUDGE_BASE_URL and TEST_JUDGE_MODEL name one",
    ),
    pytest.mark.enable_socket,
    pytest.mark.timeout(900),
]

ENGLISH = job(
    "Pro is 45 € a seat and month [pricing#plans]. A refund arrives within two days.",
    query="What does a Pro seat cost, and how long does a refund take?",
)
GERMAN = job(
    "Pro kostet 45 € je Platz und Monat [preise]. Eine Erstattung dauert zwei Tage [agb].",
    {
        "preise": "Pro: 45 € je Platz und Monat, bei jährlicher Zahlung.",
        "agb": "Wir erstatten innerhalb von zehn Werktagen.",
    },
    query="Was kostet ein Platz, und wie lange dauert eine Erstattung?",
    language="de",
)


async def live() -> tuple[Capability, list[Judgement]]:
    client = JudgeClient(EndpointOptions(BASE_URL, MODEL, KEY))
    options = JudgeOptions(call_timeout_s=300.0)
    judge = Judge(
        client,
        Breaker(time.monotonic),
        Ledger(),
        Prices(),
        model=MODEL,
        version=version_of(MODEL, 0.0, None, options),
        secret=b"a secret of the tests",
        clock=time.monotonic,
        sleep=asyncio.sleep,
        random=random.random,
        options=options,
    )
    try:
        found = await client.probe(300.0)
        return found, [await judge.judge(one, 600.0) for one in (ENGLISH, GERMAN)]
    finally:
        await client.close()


def test_a_live_model_sees_a_plain_contradiction() -> None:
    found, judgements = asyncio.run(live())
    assert found.usable, found.detail
    for judgement in judgements:
        assert judgement.status is Status.JUDGED, judgement.attempts
        assert judgement.assessment is not None
        by_sentence = {claim.sentence: claim for claim in judgement.assessment.claims}
        assert by_sentence[1].verdict is Verdict.SUPPORTED
        assert by_sentence[2].bad
        assert judgement.assessment.context_sufficient
        assert judgement.relevance is Relevance.COMPLETE
        assert judgement.usage.tokens > 0
