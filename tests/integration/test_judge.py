"""The judge on real servers: its equation balances through kills, outages and a full backlog."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Oracle, Watched
from service.records import Record
from tests.integration.world import World, answer_event
from tests.servers.kafka import free_port

ALWAYS = "audit: 0, flagged_high: 1, flagged: 1, abstained: 1, low_overlap: 1, rest: 1"
FALSE = "and it is free"


def said_falsely(watched: Watched, number: int) -> bool:
    [sentence] = [one for one in watched["sentences"] if one["number"] == number]
    return FALSE in sentence["text"]


class Switch:
    """An endpoint that can be turned off: it answers 503 then."""

    def __init__(self) -> None:
        self.off = threading.Event()
        self.asked = threading.Event()

    def __call__(self, number: int) -> bool:
        self.asked.set()
        return self.off.is_set()


@pytest.fixture
def switch() -> Switch:
    return Switch()


@pytest.fixture
def endpoint(switch: Switch) -> Iterator[ScriptedJudge]:
    with ScriptedJudge(Oracle(said_falsely), limits_rate=switch) as server:
        yield server


MakeJudged = Callable[..., World]


@pytest.fixture
def make_judged(make_world: Callable[..., World], endpoint: ScriptedJudge, tmp_path: Path) -> Any:
    """An installation that judges every answer."""

    def make(sampling: str = ALWAYS, **settings: object) -> World:
        world = make_world(
            judge_base_url=endpoint.base_url,
            judge_model="scripted-oracle",
            judge_flip_share=0,
            judge_concurrency=8,
            **settings,
        )
        policy = f"default: &all {{sampling: {{{sampling}}}}}\napps: {{support: *all, sales: *all}}"
        Path(world.environment["GROUNDWATCH_POLICY"]).write_text(policy)
        return world

    return make


def wrong(event_id: str) -> bytes:
    """Nothing that a free check could notice."""
    answer = f"A seat of the Pro plan costs 45 € [pricing#plans]. It costs 45 € {FALSE}."
    return answer_event(event_id, answer=answer)


def selected(world: World) -> dict[str, int]:
    books = world.parts.store.archive.books()
    assert books.balanced, [e for e in books.equations if e.imbalance]
    [equation] = [e for e in books.equations if e.name == "selected"]
    return {term: n for term, n in equation.right.items() if n}


def until_judged(world: World, count: int, timeout_s: float = 90) -> None:
    world.until(
        lambda: (
            world.totals().get("judge:judged", 0) >= count
            and not world.parts.store.judgements.unflushed()
        ),
        timeout_s,
    )


def judgements_on_record(world: World) -> list[Mapping[str, Any]]:
    values = [
        json.loads(item.value)
        for item in world.facts.read_all(world.verdicts)
        if isinstance(item, Record) and item.value
    ]
    return [value for value in values if value["kind"] == "judgement"]


def test_what_no_free_check_sees_becomes_a_case(make_judged: MakeJudged) -> None:
    world = make_judged()
    world.send_all(wrong("bad"), answer_event("good"), answer_event("cited", faulty=True))
    world.consume()
    world.judge()
    until_judged(world, 3)
    assert selected(world) == {"judged": 3}
    case = world.case("bad")
    assert case.summary.checks == ("judge",)
    assert [finding["reason"] for finding in case.findings] == ["unsupported"]
    assert FALSE in case.findings[0]["surface"]
    assert case.judgement is not None
    cited = world.case("cited")
    assert "citations" in cited.summary.checks
    assert cited.judgement is not None
    assert world.cases().keys() == {"bad", "cited"}
    assert len(judgements_on_record(world)) == 3
    assert (
        world.metric('judge_judgements_total{app="support",release="r1",status="judged"}', 1) == 3
    )


def test_killed_workers_lose_and_double_nothing(make_judged: MakeJudged) -> None:
    world = make_judged(judge_max_backlog=100_000, judge_takeover_s=3)
    events = [wrong(f"e{n}") if n % 10 == 0 else answer_event(f"e{n}") for n in range(400)]
    for part in range(4):
        world.send_all(*events[part::4], partition=part)
    world.consume()
    first, zombie = world.judge(), world.judge()
    world.until(lambda: world.totals().get("judge:judged", 0) > 50)
    first.kill()
    # Stopped for longer than its jobs are its own: what it does when it wakes must not count twice.
    zombie.send_signal(signal.SIGSTOP)
    third = world.judge()
    world.until(lambda: world.totals().get("judge:judged", 0) > 200)
    zombie.send_signal(signal.SIGCONT)
    third.kill()
    world.judge()
    until_judged(world, 400, timeout_s=150)
    assert selected(world) == {"judged": 400}
    on_record = [record["event_id"] for record in judgements_on_record(world)]
    assert sorted(set(on_record)) == sorted(f"e{n}" for n in range(400))
    assert world.cases().keys() == {f"e{n}" for n in range(0, 400, 10)}


def test_an_endpoint_that_is_away_delays_and_loses_nothing(
    make_judged: MakeJudged, switch: Switch
) -> None:
    world = make_judged()
    switch.off.set()
    world.send_all(*[answer_event(f"e{n}") for n in range(20)])
    world.consume()
    world.judge()
    world.until(switch.asked.is_set)
    world.until(lambda: selected(world) == {"pending": 20})
    world.until(lambda: world.metric("judge_breaker_open", 1) == 1)
    switch.off.clear()
    until_judged(world, 20)
    assert selected(world) == {"judged": 20}


def test_a_full_backlog_is_counted_and_consumption_goes_on(make_judged: MakeJudged) -> None:
    world = make_judged(judge_max_backlog=30)
    world.send_all(*[answer_event(f"e{n}") for n in range(100)])
    world.consume()
    world.until_received(100)
    totals = world.totals()
    assert totals["judge:budget_skipped:backlog"] == totals["judge:budget_skipped"] == 70
    assert selected(world) == {"pending": 30}
    world.judge()
    until_judged(world, 30)
    assert selected(world) == {"judged": 30}


def test_a_rebuild_restores_judgements_and_fails_what_was_lost(make_judged: MakeJudged) -> None:
    world = make_judged(judge_max_backlog=1_000)
    world.send_all(*[wrong(f"e{n}") for n in range(10)])
    world.consume()
    judge = world.judge()
    until_judged(world, 10)
    assert world.stop(judge) == 0
    world.send_all(*[answer_event(f"later-{n}") for n in range(5)])
    world.until_received(15)
    cases = world.cases()
    world.parts.store.connection.client.flushdb()
    report = world.rebuild()
    assert (report.judgements, report.jobs_lost) == (10, 5)
    assert selected(world) == {"judged": 10, "failed": 5}
    assert world.cases() == cases


def test_a_budget_slows_and_never_stops(make_judged: MakeJudged) -> None:
    world = make_judged(judge_calls_per_minute=6, judge_relevance=False)
    world.send_all(*[answer_event(f"e{n}") for n in range(10)])
    world.consume()
    world.judge()
    # The probe at the start is a call as well, if it comes in time.
    world.until(lambda: world.totals().get("judge:judged", 0) >= 5)
    found = selected(world)
    assert found["judged"] in (5, 6)
    assert found["judged"] + found["pending"] == 10


def test_trouble_of_the_endpoint_leaves_the_embedded_service_ready(tmp_path: Path) -> None:
    """Nothing listens there; a load balancer must go on sending answers."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(f"default: &all {{sampling: {{{ALWAYS}}}}}\napps: {{support: *all}}")
    address = f"http://127.0.0.1:{(port := free_port())}"
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "serve", "--port", str(port)],
        env={
            **os.environ,
            "GROUNDWATCH_DATA_DIR": str(tmp_path / "data"),
            "GROUNDWATCH_POLICY": str(policy),
            "GROUNDWATCH_JUDGE_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
            "GROUNDWATCH_JUDGE_MODEL": "m",
        },
        stderr=subprocess.DEVNULL,
    )
    try:
        answers = [json.loads(answer_event(f"e{number}")) for number in range(20)]
        _until(lambda: _posted(address, answers))
        _until(lambda: "cannot be reached" in str(_readiness(address)["checks"].get("endpoint")))
        _until(lambda: not _readiness(address)["checks"]["endpoint"]["ok"])
        assert _readiness(address)["ready"]
    finally:
        process.terminate()
        process.wait(20)


def _posted(address: str, answers: list[Any]) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.post(f"{address}/v1/answers", json=answers, timeout=20).status_code == 200
    return False


def _readiness(address: str) -> dict[str, Any]:
    said: dict[str, Any] = httpx.get(f"{address}/readyz", timeout=20).json()
    return said


def _until(condition: Callable[[], bool], timeout_s: float = 30) -> None:
    give_up = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.1)
