"""Personal data, planted in every field that can hold a text, is nowhere in a full installation but
in the topics that its senders wrote to, and in raw dead letters."""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Oracle
from service.drafts import case_id
from service.records import Record
from tests.contract.world import dump
from tests.integration.world import World, answer_event
from tests.planted import ALL, TELLING, leaks, planted

POLICY = """
default: &all {sampling: {audit: 0, flagged_high: 1, flagged: 1, abstained: 1, low_overlap: 1,
  rest: 1, negative_feedback: 1}}
apps:
  support: *all
  sales: {sampling: {audit: 1, audit_max: 1, audit_per_day: 1000000}}
"""
BROKEN = (
    json.dumps({"event_id": "x", "query": ALL, "answer": 7, ALL: ALL}).encode(),
    f'{{"event_id": "{ALL}'.encode(),
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Listening(ScriptedJudge):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(Oracle(lambda *_: False))
        self.asked: list[str] = []

    def __enter__(self) -> Listening:
        super().__enter__()
        return self

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append(json.dumps(request, ensure_ascii=False))
        return super().answer(request)


def test_no_planted_value_is_anywhere(make_world: Callable[..., World]) -> None:
    with Listening() as endpoint:
        world = make_world(
            partitions=1,
            log_level="debug",
            judge_base_url=endpoint.base_url,
            judge_model="scripted-oracle",
            topic_reviews=f"reviews-{uuid.uuid4().hex[:8]}",
        )
        Path(world.environment["GROUNDWATCH_POLICY"]).write_text(POLICY)
        for topic in (world.settings.topic_reviews, world.settings.topic_feedback):
            world.facts.create_topic(topic, 1)
        world.parts.documents.load([("pricing#plans", f"A seat costs 45 €. {ALL}")])
        world.consume()
        world.judge()
        address = world.serve()
        fine = {"query": "What is a seat?", "answer": "A seat costs 45 € [pricing#plans]."}
        world.send_all(
            answer_event("a", **planted()),
            answer_event("b", **planted() | fine),
            answer_event("c", app="sales", **planted()),
            *BROKEN,
        )
        seen = "\n".join(_at_work(world, address))
    for process in world.processes:
        assert world.stop(process) == 0
    world.servers[0].terminate()
    world.servers[0].wait(20)
    for name, text in _places(world, endpoint, seen):
        assert leaks(text) == [], f"{name}: {text[:2000]}"
    raw = _topic(world, world.dead_letters)
    assert all(part in raw for part in TELLING[:1])


def _at_work(world: World, address: str) -> Iterator[str]:
    """Gives feedback, labels, decides; everything that is shown meanwhile."""
    case = case_id("support", "a")
    with httpx.Client(base_url=address, timeout=30, headers={"X-Reviewer": "ann"}) as client:
        for thumbed in "ab":
            said = {"event_id": thumbed, "app": "support", "thumb": "down", "comment": ALL}
            assert client.post("/v1/feedback", json=said).status_code == 202
        world.until(lambda: client.get(f"/v1/cases/{case}").status_code == 200)
        totals = world.parts.store.archive.totals
        world.until(lambda: totals().get("judge:judged", 0) >= 2)
        world.until(lambda: 'feedback_joined_total{app="support"' in world.probe("/metrics").text)
        yield client.post("/v1/answers", json=json.loads(answer_event("d", **planted()))).text
        lease = client.post("/v1/cases/next", json={}).json()["lease"]
        path = f"/v1/cases/{lease['subject'].removeprefix('case:')}/label"
        given = {"X-Lease-Token": lease["token"], "If-Match": client.get(path).headers["etag"]}
        label = {"answer": "wrong", "note": ALL, "needed_elsewhere": [f"doc#{ALL}"]}
        yield client.put(path, json=label, headers=given).raise_for_status().text
        groups = client.get("/v1/groups").raise_for_status()
        yield groups.text
        found = [group["group_id"] for group in groups.json()["groups"]]
        shown = (
            *("/", "/queue", "/groups", "/labels", "/incident", "/books", "/v1/cases", "/metrics"),
            *(f"/cases/{case}", f"/cases/{case}/event", f"/v1/cases/{case}", "/v1/books"),
            *(f"/tasks/{case_id('sales', 'c')}", f"/v1/tasks/{case_id('sales', 'c')}"),
            *(f"/groups/{group}" for group in found),
        )
        for page in shown:
            yield f"{page} {client.get(page, follow_redirects=True).raise_for_status().text}"
    yield world.probe("/metrics", 0).text
    yield world.probe("/metrics", 1).text
    for command in (("export", "cases"), ("export", "labels"), ("dead-letters", "list")):
        done = world.run(*command)
        assert done.returncode == 0, done.stderr
        yield f"{command} {done.stdout}{done.stderr}"


def _places(world: World, endpoint: Listening, seen: str) -> Iterator[tuple[str, str]]:
    """(name, all that stands there). Each must hold something, or nothing was tried."""
    assert endpoint.asked
    yield "judge", "\n".join(endpoint.asked)
    yield "pages and exports", seen
    for number in range(len(world.processes)):
        yield f"log {number}", world.log(number)
    yield "log of serve", (world.folder / "serve.log").read_text()
    for topic in (world.verdicts, world.settings.topic_reviews):
        text = _topic(world, topic)
        assert "█" in text
        yield topic, text
    for key, value in dump(world.parts.store.connection).items():
        # What was loaded into the document store is its owner's.
        if not key.startswith(("doc:", "numbers:")):
            yield key, f"{key} {''.join(_inflated(value))}"


def _topic(world: World, topic: str) -> str:
    records = (record for record in world.facts.read_all(topic) if isinstance(record, Record))
    return "\n".join((record.value or b"").decode("utf-8", "replace") for record in records)


def _inflated(value: Any) -> Iterator[str]:
    """Every text in a value of Redis, deflated or not."""
    if isinstance(value, dict):
        for pair in value.items():
            yield from _inflated(pair)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _inflated(item)
    elif isinstance(value, bytes):
        try:
            yield zlib.decompress(value).decode()
        except zlib.error:
            yield value.decode("utf-8", "replace")
