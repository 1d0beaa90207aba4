"""The web app over real sockets: the embedded intake, the pipeline, and a store in a real Redis."""

from __future__ import annotations

import http.client
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest

from service.bootstrap import Parts
from service.health import Health
from service.metrics import Metrics
from service.probes import serve_probes
from service.settings import Settings
from service.web.options import WebOptions
from tests.servers.redis import RedisServer
from tests.sites import embedded_site

EVENT: dict[str, Any] = {
    "query": "What does an extra seat cost per month?",
    "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € per seat and month."}],
    "answer": "An extra seat costs 45 € per month [pricing#plans].",
    "release": {"id": "r1"},
}
WRONG = EVENT | {"answer": "An extra seat costs 54 € per month [pricing#seats]."}
NAMED = WRONG | {"event_id": "e"}
MAX_BODY = 100_000


@dataclass
class Client:
    """Of a running app, with the store behind it."""

    client: httpx.Client
    parts: Parts

    def send(self, body: Any) -> httpx.Response:
        return self.client.post("/v1/answers", json=body)


@pytest.fixture
def site(redis_url: str, tmp_path: Path) -> Iterator[Client]:
    settings = Settings(redis_url=redis_url, redis_namespace=f"web-{uuid.uuid4().hex[:8]}")
    options = WebOptions(max_body_bytes=MAX_BODY)
    with (
        embedded_site(tmp_path, settings, options) as made,
        httpx.Client(base_url=made.address, timeout=30) as client,
    ):
        yield Client(client, made.parts)


def test_a_wrong_answer_becomes_a_case_that_can_be_read(site: Client) -> None:
    response = site.send(WRONG | {"event_id": "e1"})
    assert response.status_code == 200
    (receipt,) = response.json()["results"]
    assert receipt["state"] == "checked"
    failed = [name for name, outcome in receipt["verdict"]["checks"].items() if outcome == "fail"]
    assert failed == ["citations", "numbers"]
    case_id = receipt["verdict"]["case_id"]

    (listed,) = site.client.get("/v1/cases?check=citations&severity=").json()["cases"]
    assert listed["case_id"] == case_id
    read = site.client.get(f"/v1/cases/{case_id}").json()
    assert read["event"]["answer"] == WRONG["answer"]
    for finding in read["findings"]:
        assert WRONG["answer"][finding["start"] : finding["end"]] == finding["surface"]

    page = site.client.get(f"/cases/{quote(case_id)}").text
    assert '<mark class="mark short finding" data-finding="1">[pricing#seats]</mark>' in page
    assert case_id in site.client.get("/queue").text
    assert site.client.get("/v1/cases?app=somebody-else").json()["cases"] == []


def test_each_receipt_says_what_became_of_its_event(site: Client) -> None:
    lines = [
        json.dumps(EVENT | {"event_id": "e1"}),
        json.dumps(EVENT | {"event_id": "e1"}),
        "{broken",
        json.dumps({"event_id": "e2"}),
        json.dumps(EVENT | {"event_id": "e3", "status": "error"}),
    ]
    response = site.client.post(
        "/v1/answers",
        content="\n".join(lines).encode(),
        headers={"Content-Type": "application/x-ndjson"},
    )
    receipts = response.json()["results"]
    assert [receipt["state"] for receipt in receipts] == [
        "checked", "duplicate", "rejected", "rejected", "recorded",
    ]  # fmt: skip
    assert [receipt.get("reason") for receipt in receipts[2:4]] == ["invalid_json", "schema"]
    books = site.client.get("/v1/books").json()
    assert books["balanced"] is True
    records = next(row for row in books["equations"] if row["name"] == "records")
    assert records["left"] == {"received": 5}
    assert records["right"] == {"checked": 1, "recorded": 1, "rejected": 2, "duplicate": 1}
    assert "The books balance" in site.client.get("/books").text


@pytest.mark.parametrize(
    ("event", "status", "reason", "field"),
    [
        (WRONG, 422, "schema", "event_id"),
        (
            WRONG | {"event_id": "e", "retrieved": [{"text": "t"}]},
            422,
            "schema",
            "retrieved[0].ref",
        ),
        (
            WRONG | {"event_id": "e", "schema_version": 9},
            422,
            "unsupported_version",
            "schema_version",
        ),
        (7, 422, "schema", None),
    ],
)
def test_a_refusal_names_the_field(
    site: Client, event: Any, status: int, reason: str, field: str | None
) -> None:
    response = site.send(event)
    assert (response.status_code, response.json()["reason"]) == (status, reason)
    if field is not None:
        assert response.json()["field"] == field
    assert "54 €" not in response.text


def test_a_body_past_the_cap_is_answered_while_it_is_still_being_sent(site: Client) -> None:
    """Over a bare socket: a client that declares 10 MB and sends none of it gets its answer."""
    address = urlsplit(str(site.client.base_url))
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=10)
    connection.putrequest("POST", "/v1/answers")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(10 << 20))
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert json.loads(response.read())["reason"] == "too_large"
    connection.close()


def test_metrics_follow_what_was_stored(site: Client) -> None:
    site.send(WRONG | {"event_id": "e1", "app": "nobody-listed"})
    text = site.client.get("/metrics").text
    assert 'groundwatch_records_total{kind="received"} 1.0' in text
    assert 'groundwatch_cases_total{disposition="case"} 1.0' in text
    labels = 'app="other",check="numbers",outcome="fail",release="r1"'
    assert f"groundwatch_check_results_total{{{labels}}} 1.0" in text
    assert "nobody-listed" not in text


def test_without_redis_the_answer_is_503_and_then_goes_on(
    site: Client, redis_server: RedisServer
) -> None:
    site.send(WRONG | {"event_id": "e1"})
    redis_server.freeze()
    try:
        refused = site.send(WRONG | {"event_id": "e2"})
        page = site.client.get("/queue")
    finally:
        redis_server.thaw()
    assert (refused.status_code, refused.json()["reason"]) == (503, "outage")
    assert int(refused.headers["retry-after"]) > 0
    assert (page.status_code, page.headers["content-type"][:9]) == (503, "text/html")
    (receipt,) = site.send(WRONG | {"event_id": "e2"}).json()["results"]
    # What timed out may have been stored all the same; sending again is safe either way.
    assert receipt["state"] in ("checked", "duplicate")
    assert len(site.client.get("/v1/cases").json()["cases"]) == 2
    assert site.client.get("/v1/books").json()["balanced"] is True


def test_the_loop_ticks_while_the_app_runs(site: Client) -> None:
    assert site.client.get("/healthz").json()["tick_age_seconds"] < 5


def test_probes_are_answered_from_a_thread() -> None:
    now = [0.0]
    health, metrics = Health(expects=("redis",), clock=lambda: now[0]), Metrics()
    probes = serve_probes("127.0.0.1", 0, health, metrics, max_tick_age_s=30)
    with httpx.Client(base_url=f"http://127.0.0.1:{probes.port}", timeout=10) as client:
        assert client.get("/readyz").status_code == 503
        health.set("redis", True)
        assert client.get("/readyz").json()["ready"] is True
        assert client.get("/healthz?probe=1").status_code == 200
        now[0] = 31.0
        assert client.get("/healthz").status_code == 503
        metrics.observe_outage("redis")
        answer = client.get("/metrics")
        assert 'groundwatch_outages_total{dependency="redis"} 1.0' in answer.text
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert client.get("/elsewhere").status_code == 404
        assert client.post("/metrics").status_code == 501
        assert "Python" not in answer.headers["server"]
    probes.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{probes.port}/healthz", timeout=5)
