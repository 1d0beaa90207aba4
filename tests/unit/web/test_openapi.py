"""The description of the API says all that a caller has to know, and its examples are true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from service.review.cases import Case, CasePage
from service.review.desk import (
    ChangePage,
    DisagreementPage,
    Group,
    GroupPage,
    Labelled,
    Lease,
)
from service.review.labels import Change
from service.web.api import (
    AliveBody,
    BooksBody,
    ReadyBody,
    Results,
    TaskBody,
    TaskPageBody,
)
from service.web.desk_bodies import (
    Bulk,
    DealtCase,
    DealtTask,
    DecisionBody,
    History,
    LabelBody,
    NextCase,
    Nothing,
    Said,
    Undo,
)
from service.web.figures_api import AgreementBody, PrecisionBody, RatesBody
from service.web.gates_api import GateBody
from service.web.incident_api import IncidentBody
from service.web.problems import ProblemBody
from tests.unit.web.world import World

SCHEMA = World(feedback_on=True).app.openapi()
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, operations in SCHEMA["paths"].items()
    for method, operation in operations.items()
]
OF_DESK: dict[str, tuple[Any, Any]] = {
    "POST /v1/cases/next": (NextCase, DealtCase),
    "POST /v1/tasks/next": (Nothing, DealtTask),
    "POST /v1/{kind}s/{id}/lease": (Nothing, Lease),
    "PUT /v1/{kind}s/{id}/lease": (Nothing, Lease),
    "DELETE /v1/{kind}s/{id}/lease": (None, None),
    "GET /v1/{kind}s/{id}/label": (None, Labelled),
    "PUT /v1/{kind}s/{id}/label": (LabelBody, Change),
    "POST /v1/{kind}s/{id}/undo": (Undo, Change),
    "GET /v1/{kind}s/{id}/history": (None, History),
    "GET /v1/groups": (None, GroupPage),
    "GET /v1/groups/{id}": (None, Group),
    "POST /v1/groups/{id}/labels": (Said, Bulk),
    "PUT /v1/groups/{id}/decision": (DecisionBody, Change),
    "DELETE /v1/groups/{id}/decision": (None, Change),
    "GET /v1/labels": (None, ChangePage),
    "GET /v1/disagreements": (None, DisagreementPage),
    "GET /v1/agreement": (None, AgreementBody),
    "GET /v1/precision": (None, PrecisionBody),
    "GET /v1/rates": (None, RatesBody),
    "GET /v1/incident": (None, IncidentBody),
    "GET /v1/gates/{name}": (None, GateBody),
}
ELSEWHERE: dict[str, tuple[Any, Any]] = {
    "POST /v1/answers": (None, Results),
    "POST /v1/feedback": (None, Results),
    "GET /v1/cases": (None, CasePage),
    "GET /v1/cases/{case_id}": (None, None),
    "GET /v1/tasks": (None, TaskPageBody),
    "GET /v1/tasks/{task_id}": (None, TaskBody),
    "GET /v1/books": (None, BooksBody),
    "GET /healthz": (None, AliveBody),
    "GET /readyz": (None, ReadyBody),
    "GET /metrics": (None, None),
}


def models_of(name: str) -> tuple[Any, Any]:
    """Of the body that is sent and the one that is answered."""
    found = ELSEWHERE | OF_DESK
    for kind in ("case", "task", "group"):
        general = name.replace(f"/{kind}s/", "/{kind}s/", 1)
        if name not in found and general in found:
            return found[general]
    return found[name]


def examples(content: dict[str, Any]) -> Iterator[Any]:
    for media in content.values():
        schema = media.get("schema", {})
        if "$ref" in schema:
            schema = SCHEMA["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        yield from [media["example"]] if "example" in media else schema.get("examples", [])


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
def test_an_operation_is_described_in_full(name: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"]
    sent, answered = models_of(name)
    good = [status for status in operation["responses"] if status < "400"]
    for status in good:
        if status == "204":
            continue
        [example, *_] = examples(operation["responses"][status]["content"])
        if answered is not None:
            TypeAdapter(answered).validate_python(example)
    assert len(good) == 1
    if name.startswith(("POST", "PUT")):
        [example, *_] = examples(operation["requestBody"]["content"])
        if sent is not None:
            TypeAdapter(sent).validate_python(example)


@pytest.mark.parametrize(
    ("name", "operation"),
    [one for one in OPERATIONS if one[0].partition(" ")[2].startswith("/v1/")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_error_is_a_problem(name: str, operation: dict[str, Any]) -> None:
    bad = {status: said for status, said in operation["responses"].items() if status >= "400"}
    assert "503" in bad
    for said in bad.values():
        [(media_type, media)] = said["content"].items()
        assert media_type == "application/problem+json"
        model = SCHEMA["components"]["schemas"][media["schema"]["$ref"].rpartition("/")[2]]
        assert set(ProblemBody.model_fields) <= set(model["properties"])
    if not name.startswith("GET") and name not in ELSEWHERE:
        assert {"400", "403", "413", "415", "422"} <= set(bad)
    if "{" in name:
        assert "404" in bad


def test_the_example_of_a_case_fits_its_description() -> None:
    operation = dict(OPERATIONS)["GET /v1/cases/{case_id}"]
    [example] = examples(operation["responses"]["200"]["content"])
    example.pop("judgement")
    TypeAdapter(Case).validate_python(example)
