"""The scripted judge behind a real client: as a demo, and as an oracle with known errors."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import pytest

from service.demo import load_events, load_knowledge_base
from service.demo.scripted_judge import MODEL, ScriptedJudge, demo_judge
from service.demo.scripted_rulings import Oracle
from service.judging.client import EndpointOptions, JudgeClient
from service.judging.dialect import Structured
from service.judging.findings import findings_of
from service.judging.jobs import Job
from service.judging.judgement import Status, Verdict
from tests.contract.judging import Bench
from tests.unit.judging.made import job

FALSE = "The moon is made of green cheese."
TRUE = "The moon is made of grey rock."
MOON = {"moon": "Its surface is dust. The moon is made of grey rock, as all who went there say."}
ANSWERS = 150


def is_bad(watched: Mapping[str, Any], number: int) -> bool:
    return "cheese" in str(watched["sentences"][number - 1]["text"])


@contextmanager
def bench(judge: ScriptedJudge, **options: Any) -> Iterator[Bench]:
    with judge:
        yield Bench(judge.base_url, **{"scripted": True, "max_tokens": 4000, **options})


def test_it_is_ready_by_schema() -> None:
    async def probe(base_url: str) -> Any:
        client = JudgeClient(EndpointOptions(base_url, MODEL))
        try:
            return await client.probe()
        finally:
            await client.close()

    with ScriptedJudge() as judge:
        found = asyncio.run(probe(judge.base_url))
    assert found.usable
    assert (found.structured, found.model) == (Structured.JSON_SCHEMA, MODEL)


def test_its_judgements_say_that_they_are_scripted() -> None:
    with bench(ScriptedJudge(), relevance=True) as judging:
        [judgement] = judging.of(job(TRUE, MOON, query="What is the moon made of?"))
    assert judgement.status is Status.JUDGED
    assert judgement.scripted
    assert judgement.model == MODEL


def rates(sensitivity: float, specificity: float, **more: Any) -> tuple[float, float, int]:
    """Sensitivity and specificity as judged over :data:`ANSWERS` of each kind, and the calls."""
    oracle = Oracle(is_bad, sensitivity, specificity, seed=5)
    jobs = [
        job(text, MOON, query=f"What is it made of? ({number})")
        for number in range(ANSWERS)
        for text in (FALSE, TRUE)
    ]
    with bench(ScriptedJudge(oracle, **more)) as judging:
        judgements = judging.of(*jobs, deadline_s=600)
    assert {judgement.status for judgement in judgements} == {Status.JUDGED}
    called = [bool(findings_of(one, "en")) for one, job in zip(judgements, jobs, strict=True)]
    calls = sum(judgement.calls for judgement in judgements)
    return sum(called[::2]) / ANSWERS, 1 - sum(called[1::2]) / ANSWERS, calls


@pytest.mark.parametrize(("sensitivity", "specificity"), [(1.0, 1.0), (0.75, 0.93)])
def test_an_oracle_errs_as_often_as_it_is_told(sensitivity: float, specificity: float) -> None:
    caught, passed, calls = rates(sensitivity, specificity)
    for seen, told in ((caught, sensitivity), (passed, specificity)):
        assert abs(seen - told) <= 3.5 * math.sqrt(told * (1 - told) / ANSWERS)
    assert calls == 2 * ANSWERS


def test_a_limited_rate_changes_no_ruling() -> None:
    def limits(number: int) -> bool:
        return number % 33 == 0

    caught, passed, calls = rates(0.75, 0.93, limits_rate=limits)
    assert (caught, passed) == rates(0.75, 0.93)[:2]
    assert calls == 2 * ANSWERS + 2 * ANSWERS // 32


def demo_jobs() -> list[tuple[str, Job]]:
    texts = {chunk["ref"]: chunk["text"] for chunk in load_knowledge_base()}
    found = []
    for event in map(orjson.loads, load_events()):
        if event.get("status") == "error" or event["tags"]["demo"].startswith("rejected"):
            continue
        chunks = [(c["ref"], c.get("text") or texts.get(c["ref"])) for c in event["retrieved"]]
        made = job(event["answer"], chunks, query=event["query"])
        found.append((event["tags"]["demo"], made))
    return found


def test_the_demo_shows_plausible_verdicts() -> None:
    """Nothing bad where the answer is right; what no free check can see is found."""
    jobs = demo_jobs()
    with bench(demo_judge(), relevance=True) as judging:
        judgements = judging.of(*(made for _, made in jobs))
    assert {judgement.status for judgement in judgements} == {Status.JUDGED}
    bad: dict[str, Counter[bool]] = {}
    for (tag, made), judgement in zip(jobs, judgements, strict=True):
        bad.setdefault(tag, Counter())[bool(findings_of(judgement, made.answer.language))] += 1
    for tag in ("right", "abstention", "clarification"):
        assert bad[tag][True] == 0, tag
    for tag in ("invisible-to-free-checks", "wrong-unit", "magnitude-slip", "digit-swap"):
        assert bad[tag][False] == 0, tag
    verdicts = {c.verdict for j in judgements if j.assessment for c in j.assessment.claims}
    assert verdicts == set(Verdict) - {Verdict.MISSING}


Send = Callable[[str], httpx.Response]


@pytest.mark.parametrize(
    ("send", "status"),
    [
        (lambda url: httpx.post(f"{url}/embeddings", json={}), 404),
        (lambda url: httpx.post(f"{url}/chat/completions", content=b"no JSON"), 400),
        (lambda url: httpx.post(f"{url}/chat/completions", json=[]), 400),
        (lambda url: httpx.post(f"{url}/chat/completions", json={"messages": []}), 400),
        (lambda url: httpx.post(f"{url}/chat/completions", json={"messages": ["x"]}), 400),
        (lambda url: httpx.get(f"{url}/chat/completions"), 501),
    ],
)
def test_odd_requests_are_refused(send: Send, status: int) -> None:
    with ScriptedJudge() as judge:
        assert send(judge.base_url).status_code == status


def test_a_huge_request_is_not_read() -> None:
    with ScriptedJudge() as judge:
        connection = HTTPConnection(urlsplit(judge.base_url).netloc, timeout=5)
        connection.putrequest("POST", "/v1/chat/completions")
        connection.putheader("content-length", str(10**12))
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()
