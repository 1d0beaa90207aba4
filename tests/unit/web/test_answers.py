"""POST /v1/answers: what goes to the intake, and what each refusal looks like."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson
import pytest

from service.intake import Overloaded, Receipt
from service.outage import Outage
from service.web.options import WebOptions
from tests.unit.web.world import EVENT, RecordingIntake, World

NDJSON = "application/x-ndjson"
SECRET = "a phrase that must not come back"


def test_a_single_object_reaches_the_intake_byte_for_byte() -> None:
    world = World()
    raw = b'{ "event_id" : "e",\n "big": 123456789012345678901234567890 }'
    response = world.post(raw)
    assert response.status_code == 200
    assert world.intake.taken == [raw]
    assert response.json() == {"results": [{"state": "checked", "event_id": "ev-1"}]}


def test_each_line_reaches_the_intake_byte_for_byte() -> None:
    world = World()
    response = world.post(b'{"a":1}\r\n\n{broken\n', NDJSON)
    assert world.intake.taken == [b'{"a":1}\r', b"{broken"]
    assert len(response.json()["results"]) == 2


def test_an_array_is_split_into_its_elements() -> None:
    world = World()
    response = world.post(b' \n[{"a": 1}, {"b": "\xc3\xa9"}, 7]')
    assert [orjson.loads(raw) for raw in world.intake.taken] == [{"a": 1}, {"b": "é"}, 7]
    assert response.status_code == 200
    assert len(response.json()["results"]) == 3


@pytest.mark.parametrize(("body", "content_type"), [(b"[]", "application/json"), (b"\n", NDJSON)])
def test_nothing_sent_is_nothing_done(body: bytes, content_type: str) -> None:
    world = World()
    response = world.post(body, content_type)
    assert (response.status_code, response.json()) == (200, {"results": []})
    assert world.intake.taken == []


def test_with_kafka_it_is_accepted_not_checked() -> None:
    world = World(intake=RecordingIntake(asynchronous=True, receipt=Receipt("accepted", "ev-1")))
    response = world.post(EVENT)
    assert response.status_code == 202
    assert response.json()["results"] == [{"state": "accepted", "event_id": "ev-1"}]


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("invalid_json", 400),
        ("not_utf8", 400),
        ("too_large", 413),
        ("schema", 422),
        ("unsupported_version", 422),
        ("unknown_app", 422),
    ],
)
def test_a_refused_object_is_a_problem_that_names_the_field(reason: str, status: int) -> None:
    receipt = Receipt("rejected", None, reason, "retrieved[0].ref", "required, but missing")
    response = World(intake=RecordingIntake(receipt=receipt)).post({"answer": SECRET})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert (body["status"], body["reason"], body["field"]) == (status, reason, "retrieved[0].ref")
    assert body["errors"] == [{"field": "retrieved[0].ref", "message": "required, but missing"}]
    assert SECRET not in response.text


def test_a_refusal_among_many_stands_in_its_receipt() -> None:
    receipt = Receipt("rejected", None, "schema", "query", "query: required, but missing")
    response = World(intake=RecordingIntake(receipt=receipt)).post([{"answer": SECRET}])
    assert response.status_code == 200
    assert response.json()["results"] == [
        {
            "state": "rejected",
            "reason": "schema",
            "field": "query",
            "message": "query: required, but missing",
        }
    ]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b'[{"a":1},', "invalid_json"),
        (b'["\xff"]', "not_utf8"),
        (b"[" * 5000 + b"]" * 5000, "invalid_json"),
        (b"[" * 400 + b"]" * 400, "invalid_json"),
        (b'["\\ud800"]', "invalid_json"),
    ],
)
def test_an_array_that_cannot_be_split_is_refused_whole(raw: bytes, reason: str) -> None:
    world = World()
    response = world.post(raw)
    assert (response.status_code, response.json()["reason"]) == (400, reason)
    assert world.intake.taken == []


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/jsonp", "text/json"])
def test_another_media_type_is_refused(content_type: str) -> None:
    response = World().post(b"{}", content_type)
    assert (response.status_code, response.json()["reason"]) == (415, "unsupported_media_type")


def test_parameters_of_the_media_type_do_not_matter() -> None:
    assert World().post(b"{}", "Application/JSON; charset=utf-8").status_code == 200


def test_a_declared_length_past_the_cap_is_refused_before_it_is_read() -> None:
    world = World(options=WebOptions(max_body_bytes=100))
    read = []

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(1000):
            read.append(1)
            yield b"x" * 50

    response = world.request(
        "POST",
        "/v1/answers",
        content=endless(),
        headers={"Content-Type": "application/json", "Content-Length": "50000"},
    )
    assert (response.status_code, read) == (413, [])


def test_an_undeclared_length_is_counted_while_it_is_read() -> None:
    world = World(options=WebOptions(max_body_bytes=100))
    read = []

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(1000):
            read.append(1)
            yield b"x" * 50

    response = world.request(
        "POST", "/v1/answers", content=endless(), headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 413
    assert len(read) < 10
    assert world.intake.taken == []


def test_a_body_of_exactly_the_cap_is_taken() -> None:
    world = World(options=WebOptions(max_body_bytes=10))
    assert world.post(b"{        }").status_code == 200
    assert world.post(b"{         }").status_code == 413


@pytest.mark.parametrize("content_type", ["application/json", NDJSON])
def test_more_events_than_the_limit_are_refused_whole(content_type: str) -> None:
    world = World(options=WebOptions(max_events=3))
    lines = b"{}\n" * 4 if content_type == NDJSON else b"[{},{},{},{}]"
    response = world.post(lines, content_type)
    assert (response.status_code, response.json()["reason"]) == (413, "too_large")
    assert world.intake.taken == []


def test_overload_says_when_to_come_back() -> None:
    response = World(intake=RecordingIntake(error=Overloaded(7))).post(EVENT)
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")
    assert response.json()["reason"] == "overloaded"


def test_an_outage_says_when_to_come_back_and_not_where_things_run() -> None:
    outage = Outage("no broker at kafka.internal:9092")
    response = World(intake=RecordingIntake(error=outage)).post(EVENT)
    assert (response.status_code, response.json()["reason"]) == (503, "outage")
    assert int(response.headers["retry-after"]) > 0
    assert "internal" not in response.text


def test_a_defect_shows_nothing_of_itself() -> None:
    response = World(intake=RecordingIntake(error=RuntimeError(SECRET))).post(EVENT)
    assert (response.status_code, response.json()["reason"]) == (500, "defect")
    assert SECRET not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
