"""Feedback on a real Kafka and a real Redis: joined, drawn, once, never in the answers' way."""

from __future__ import annotations

import json
import signal
import time
from functools import partial
from typing import Any

import httpx
import pytest

from service.review.cases import Thumbs
from tests.integration.world import World, answer_event

POLICY = """
default: &quiet
  sampling: {audit: 0, rest: 0, low_overlap: 0, abstained: 0, flagged: 0, flagged_high: 0,
             negative_feedback: 1}
apps: {support: *quiet}
"""


@pytest.fixture
def world(make_world) -> World:
    """A judge that only complaints select answers for; nobody runs it."""
    world = make_world(
        partitions=2, judge_base_url="http://127.0.0.1:9/v1", judge_model="none"
    )  # fmt: skip
    world.settings.policy.write_text(POLICY)
    world.facts.create_topic(world.settings.topic_feedback, 2)
    return world


def say(world: World, event_id: str, thumb: str = "down", partition: int = 0, **more: Any) -> None:
    value = {"app": "support", "event_id": event_id, "thumb": thumb, **more}
    send(world, json.dumps(value).encode(), partition)


def send(world: World, raw: bytes, partition: int = 0) -> None:
    topic = world.settings.topic_feedback
    delivery = world.producer.send(topic, None, raw, (), partition)
    assert delivery.wait(30)
    assert delivery.failed() is None


def heard(world: World, outcome: str, thumb: str = "down", number: int = 0) -> float:
    app = "other" if outcome == "rejected" else "support"
    sample = f'feedback_total{{app="{app}",outcome="{outcome}",thumb="{thumb}"}}'
    return world.metric(sample, number)


def selects_more_than(world: World, count: int) -> bool:
    return selected(world)["selected"] > count


def selected(world: World) -> dict[str, int]:
    totals = world.totals()
    return {name: totals.get(f"judge:{name}", 0) for name in ("selected", "sampled_out")}


def test_a_complaint_reaches_the_judge_with_a_hint(world: World) -> None:
    world.send_all(*(answer_event(f"a-{n}") for n in range(20)))
    world.send_all(answer_event("bad", faulty=True), partition=1)
    world.consume()
    world.until_received(21)
    say(world, "a-3", comment="<script>alert(1)</script>")
    say(world, "bad", partition=1)
    say(world, "bad", "up", partition=1)
    say(world, "never")
    send(world, b'{"thumb": "down", "event_id": ')
    world.until(lambda: heard(world, "joined") == 2 and heard(world, "joined", "up") == 1)
    world.until(lambda: heard(world, "unmatched") == 1 and heard(world, "rejected", "none") == 1)
    world.parts.store.jobs.open()
    jobs = world.parts.store.jobs.take("test", 10)
    [job] = [one for one in jobs if one.job is not None and one.job.answer.event_id == "a-3"]
    assert job.job is not None
    assert job.job.answer.hint == "negative_feedback"
    assert (job.job.answer.pi, job.job.answer.stratum) == (1.0, "rest")
    assert job.job.answer_text
    assert job.job.answer.position == (world.answers, 0, 3)
    assert selected(world) == {"selected": 2, "sampled_out": 19}
    assert world.metric('judge_selections_total{disposition="selected"}') == 2
    assert world.case("a-3").feedback == Thumbs(0, 1, "<script>alert(1)</script>")
    assert world.case("bad").feedback == Thumbs(1, 1)
    assert set(world.books().values()) == {0}
    [letter] = [
        record for record in world.facts.read_all(world.dead_letters)
    ]  # fmt: skip
    headers = dict(letter.headers)  # type: ignore[union-attr]
    assert headers["x.errors.reason"] == b"invalid_json"
    assert headers["x.errors.topic"] == world.settings.topic_feedback.encode()
    assert "alert(1)" not in world.log()
    assert world.probe("/readyz").json()["checks"]["feedback"] == {"ok": True, "detail": "on"}


def test_feedback_that_overtakes_its_answer_waits_for_it(world: World) -> None:
    """Both wait in their topics while nobody consumes; feedback is read in no time."""
    count = 2_000
    world.send_all(*(answer_event(f"a-{n}") for n in range(count)))
    say(world, "never")
    for n in range(count - 20, count):
        say(world, f"a-{n}", partition=n % 2)
    world.consume()
    world.until(lambda: world.totals().get("judge:selected", 0) == 20, 90)
    world.until(lambda: heard(world, "joined") == 20 and heard(world, "unmatched") == 1)
    assert selected(world) == {"selected": 20, "sampled_out": count - 20}
    assert set(world.books().values()) == {0}


def test_outside_the_window_it_is_unmatched(make_world) -> None:
    world = make_world(partitions=1, feedback_window_s=2)
    world.facts.create_topic(world.settings.topic_feedback, 1)
    world.send_all(answer_event("a"))
    world.consume()
    world.until_received(1)
    time.sleep(5)
    say(world, "a")
    world.until(lambda: heard(world, "unmatched") == 1)
    assert world.totals().get("flagged", 0) == 0


def test_without_its_topic_it_is_off_and_answers_go_on(make_world) -> None:
    world = make_world(partitions=1)
    world.consume()
    world.send_all(*(answer_event(f"a-{n}") for n in range(30)))
    world.until_received(30)
    world.until(lambda: "feedback_off" in world.log())
    assert world.log().count("feedback_off") == 1
    assert world.probe("/readyz").status_code == 200
    assert "feedback" in world.probe("/readyz").json()["checks"]


@pytest.mark.timeout(400)
def test_killed_again_and_again_each_has_its_effects_once(world: World) -> None:
    """Four starts, and each time the group has to miss the dead first."""
    count = 120
    world.send_all(*(answer_event(f"a-{n}") for n in range(count)))
    process = world.consume()
    world.until_received(count)
    for n in range(count):
        say(world, f"a-{n}", partition=n % 2)
    for kill in range(3):
        wanted = 15 * (kill + 1)
        world.until(partial(selects_more_than, world, wanted), 90)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = world.consume()
    world.until(lambda: selected(world) == {"selected": count, "sampled_out": 0}, 90)
    assert world.parts.store.jobs.pending() == count
    once = {f"a-{n}": Thumbs(0, 1) for n in range(count)}
    assert {case.summary.event_id: case.feedback for case in world.all_cases()} == once
    assert set(world.books().values()) == {0}
    assert world.stop(process) == 0
    # All of it stands in the verdicts: a store that is lost gets it back.
    report = world.rebuild()
    assert (report.feedback, report.orphans, report.unknown) == (count, 0, 0)
    assert {case.summary.event_id: case.feedback for case in world.all_cases()} == once
    assert selected(world) == {"selected": count, "sampled_out": 0}
    assert set(world.books().values()) == {0}


def test_an_answer_that_retention_took_is_gone(world: World) -> None:
    world.send_all(answer_event("a"), answer_event("b"))
    world.consume()
    world.until_received(2)
    world.delete_records({0: 1})
    say(world, "a")
    say(world, "b")
    world.until(lambda: heard(world, "gone") == 1 and heard(world, "joined") == 1)
    assert selected(world) == {"selected": 1, "sampled_out": 1}
    assert set(world.books().values()) == {0}


def test_a_frozen_redis_pauses_it(world: World, redis_server) -> None:
    world.send_all(*(answer_event(f"a-{n}") for n in range(10)))
    world.consume()
    world.until_received(10)
    redis_server.freeze()
    for n in range(10):
        say(world, f"a-{n}")
    time.sleep(8)
    redis_server.thaw()
    world.until(lambda: selected(world) == {"selected": 10, "sampled_out": 0}, 90)
    world.until(lambda: heard(world, "joined") + heard(world, "repeated") == 10)
    assert set(world.books().values()) == {0}


def test_over_http_it_goes_through_the_topic(world: World) -> None:
    world.send_all(answer_event("a"))
    world.consume()
    world.until_received(1)
    address = f"{world.serve()}/v1/feedback"
    said = {"app": "support", "event_id": "a", "thumb": "down", "comment": "no"}
    taken = httpx.post(address, json=said, timeout=20)
    assert taken.status_code == 202
    assert taken.json() == {"results": [{"state": "accepted", "event_id": "a"}]}
    refused = httpx.post(address, json=said | {"thumb": "x"}, timeout=20)
    assert (refused.status_code, refused.json()["field"]) == (422, "thumb")
    world.until(lambda: heard(world, "joined") == 1)
    assert world.case("a").feedback == Thumbs(0, 1, "no")
