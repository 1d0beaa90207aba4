"""Which facts an answer states: the judge's other judgement, over a real client and endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from service.judging.judge import MOST_CHARS, Stated
from tests.contract.judging import PRICES, SECRET, Bench, watched
from tests.servers.llm import Answer, LlmServer, completion, failure
from tests.unit.judging.made import job

JOB = job("Links last three days. They are not renewed.")
FACTS = ["72 hours", "They are renewed."]


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    with LlmServer() as running:
        yield running


def said(*verdicts: tuple[str, str]) -> Answer:
    facts = [
        {"fact": number, "quote": quote, "reason": "r", "verdict": verdict}
        for number, (verdict, quote) in enumerate(verdicts, start=1)
    ]
    return Answer(completion(json.dumps({"facts": facts})))


GOOD = said(("STATED", "Links last three days"), ("DENIED", "They are not renewed"))


def stated(server: LlmServer, *answers: Answer, of=JOB) -> Stated:
    server.play(*answers)

    async def run() -> Stated:
        async with Bench(server.base_url).judge() as judge:
            return await judge.stated(of, FACTS, 60.0)

    return asyncio.run(run())


def test_one_call_rules_on_every_fact_without_a_passage(server):
    found = stated(server, GOOD)
    assert (found.facts, found.reason) == ((True, False), "")
    (request,) = server.requests
    assert watched(request).keys() == {"question", "answer", "facts"}
    assert found.cost_micros == PRICES.input * 120 + PRICES.output * 30
    assert SECRET.decode() not in json.dumps(request.body)


def test_what_may_heal_is_asked_again(server):
    found = stated(server, failure(429), failure(500), GOOD)
    assert found.facts == (True, False)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(completion('{"verdict": "STATED"}')), "schema"),
        (Answer(completion("I think so.")), "invalid_json"),
        (Answer(completion(None, refusal="No.")), "refused"),
        (failure(401), "unauthorized"),
    ],
    ids=["schema", "prose", "refused", "unauthorized"],
)
def test_no_usable_word_leaves_every_fact_open_with_the_reason(server, answer, reason):
    found = stated(server, answer)
    assert (found.facts, found.reason) == ((None, None), reason)


def test_an_answer_past_all_length_is_not_sent(server):
    found = stated(server, GOOD, of=job("x" * (MOST_CHARS + 1)))
    assert (found.facts, found.reason) == ((None, None), "answer_too_long")
    assert server.requests == []
