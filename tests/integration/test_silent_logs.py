"""What people and models wrote is in no line of any process's log, however much is logged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Oracle
from tests.integration.world import World, answer_event

SECRET = "zQsEcReTzQ"
EVERYTHING = (
    "default: &all {sampling: {audit: 0, flagged_high: 1, flagged: 1, abstained: 1, "
    "low_overlap: 1, rest: 1}}\napps: {support: *all}"
)


def said(event_id: str, **more: Any) -> bytes:
    """The secret wherever a text may stand."""
    fields: dict[str, Any] = {
        "query": f"{SECRET} query?",
        "retrieved": [
            {
                "ref": "pricing#plans",
                "text": f"{SECRET} Pro: 45 € a seat.",
                "title": SECRET,
                "metadata": {SECRET: SECRET},
            }
        ],
        "answer": f"{SECRET} A seat costs 54 € [pricing#{SECRET}].",
        "context": [{"name": SECRET, "kind": "user", "text": SECRET}],
        "user": {"id_hash": SECRET, "tenant": SECRET, "groups": [SECRET]},
        "session_id": SECRET,
        "trace_id": SECRET,
        "tags": {SECRET: SECRET},
    }
    return answer_event(event_id, **(fields | more))


JSON = {"Content-Type": "application/json"}
BROKEN = (
    f'{{"event_id": "{SECRET}'.encode(),
    json.dumps({"event_id": "x", "query": SECRET, "answer": 7, SECRET: SECRET}).encode(),
    b"\xff" + SECRET.encode(),
    said("y", usage={"input_tokens": SECRET}),
)


def test_no_text_is_in_any_log_line(
    make_world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Then the judge's client logs its requests with all that they say.
    monkeypatch.setenv("OPENAI_LOG", "debug")
    with ScriptedJudge(Oracle(lambda *_: False)) as endpoint:
        world = make_world(
            partitions=1,
            log_level="debug",
            judge_base_url=endpoint.base_url,
            judge_model="scripted-oracle",
        )
        Path(world.environment["GROUNDWATCH_POLICY"]).write_text(EVERYTHING)
        world.facts.create_topic(world.environment["GROUNDWATCH_TOPIC_FEEDBACK"], 1)
        world.consume()
        world.judge()
        address = world.serve()

        def shown() -> str:
            return world.probe("/metrics").text

        world.send_all(said("a"), said("b", status="error"), said("a"), *BROKEN)
        with httpx.Client(base_url=address, timeout=20) as client:
            for event in (said("c"), *BROKEN):
                client.post("/v1/answers", content=event, headers=JSON)
            world.until(lambda: 'release="r1",status="ok"} 2.0' in shown())
            comment = {"event_id": "a", "app": "support", "thumb": "down", "comment": SECRET}
            assert client.post("/v1/feedback", json=comment).status_code == 202
            client.post("/v1/feedback", json={**comment, "thumb": SECRET})
            for path in (f"/{SECRET}", f"/cases/{SECRET}", f"/queue?app={SECRET}", "/queue"):
                client.get(path)
        joined = 'feedback_joined_total{app="support",release="r1",thumb="down"} 1.0'
        world.until(lambda: joined in shown())
        world.until(lambda: world.parts.store.archive.totals().get("judge:judged", 0) >= 2)
        for process in world.processes:
            assert world.stop(process) == 0
        world.servers[0].terminate()
        world.servers[0].wait(20)
    logs = [world.log(0), world.log(1), (world.folder / "serve.log").read_text()]
    assert '"event": "batch"' in logs[0]
    assert [log for log in logs if SECRET in log] == []
