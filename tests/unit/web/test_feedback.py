"""POST /v1/feedback: what is refused, what reaches who takes it, and what is not there when off."""

from __future__ import annotations

import httpx
import orjson
import pytest

from service.intake import Receipt
from tests.unit.web.world import World

SAID = {"event_id": "ev-1", "app": "support", "thumb": "down"}


@pytest.fixture
def world() -> World:
    """With feedback on."""
    return World(feedback_on=True)


def post(world: World, raw: bytes, kind: str = "application/json") -> httpx.Response:
    return world.request("POST", "/v1/feedback", content=raw, headers={"Content-Type": kind})


def test_it_reaches_its_own_intake(world: World) -> None:
    response = post(world, orjson.dumps(SAID))
    assert response.status_code == 200
    assert world.feedback.taken == [orjson.dumps(SAID)]
    assert world.intake.taken == []
    assert len(post(world, b"{}\n{}\n", "application/x-ndjson").json()["results"]) == 2


def test_a_refusal_is_a_problem(world: World) -> None:
    world.feedback.receipt = Receipt(
        "rejected", reason="schema", field="thumb", message="thumb: required, but missing"
    )
    response = post(world, b"{}")
    assert response.status_code == 422
    assert response.json()["field"] == "thumb"
    assert post(world, b"x", "text/plain").status_code == 415


def test_its_form_is_described(world: World) -> None:
    described = world.get("/openapi.json").json()["paths"]["/v1/feedback"]["post"]
    schema = described["requestBody"]["content"]["application/json"]["schema"]["oneOf"][0]
    assert schema["properties"]["thumb"]["enum"] == ["up", "down"]
    assert set(schema["required"]) == {"event_id", "thumb"}


def test_when_off_there_is_no_such_route() -> None:
    assert post(World(), orjson.dumps(SAID)).status_code == 404
