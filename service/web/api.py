"""The JSON routes, and the probes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from service.accounting import Books, PartitionBook
from service.health import Health, liveness, readiness
from service.intake import Intake, Receipt
from service.metrics import Metrics
from service.review.cases import DAY_MS, Case, CaseFilter, CasePage
from service.review.tasks import Task, TaskPage, blind
from service.web.body import JSON, NDJSON, read_body
from service.web.options import WebOptions
from service.web.ports import CaseReader, TaskReader
from service.web.problems import PROBLEM_JSON, Problem, ProblemBody, problem_of

StatusChoice = Literal["open", "claimed", "resolved", "expired", "erased", "any"]
Name = Annotated[str | None, Query(max_length=2048)]

_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DAY_SCHEMA = {"type": "string", "format": "date"}


def _iso_day(given: object) -> object:
    """None for what is left empty, as forms send it. pydantic would take numbers and times too."""
    if given is None or given == "":
        return None
    if not isinstance(given, str) or not _ISO_DAY.fullmatch(given):
        raise ValueError("must be a date, as 2026-11-30")
    return given


OptionalDay = Annotated[
    date | None,
    BeforeValidator(_iso_day),
    WithJsonSchema({"anyOf": [_DAY_SCHEMA, {"const": ""}, {"type": "null"}]}),
]
Day = Annotated[date, Field(ge=date(2000, 1, 1), le=date(2200, 1, 1))]


def day_ms(day: date) -> int:
    """When it began (UTC), milliseconds since 1970."""
    return (day - date(1970, 1, 1)).days * DAY_MS


def case_filter(
    app: Name = None,
    release: Name = None,
    check: Name = None,
    reason: Name = None,
    severity: Annotated[Literal["", "low", "medium", "high"] | None, Query()] = None,
    status: Annotated[StatusChoice, Query(description="`any` lists every status.")] = "open",
    language: Name = None,
    group: Annotated[
        str | None, Query(max_length=200, description="Its open cases, by the group's id.")
    ] = None,
    since: Annotated[
        OptionalDay,
        Query(description="Of answers that were given on this day (UTC) or later."),
    ] = None,
) -> CaseFilter:
    """The filter of the query string; a part left empty (as forms send it) is not given."""
    return CaseFilter(
        app=app or None,
        release=release or None,
        check=check or None,
        reason=reason or None,
        severity=severity or None,
        status=None if status == "any" else status,
        language=language or None,
        group=group or None,
        since_ms=None if since is None else day_ms(since),
    )


Filter = Annotated[CaseFilter, Depends(case_filter)]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the last page.")]
Limit = Annotated[int, Query(ge=1, le=200)]


def page_of(cases: CaseReader, filter: CaseFilter, cursor: str | None, limit: int) -> CasePage:
    """Raises :class:`Problem` 422 for a cursor that the store did not hand out."""
    with cursor_fault(cursor):
        return cases.list_cases(filter, cursor or None, limit)


def task_page_of(tasks: TaskReader, cursor: str | None, limit: int) -> TaskPage:
    """Raises :class:`Problem` 422 for a cursor that the store did not hand out."""
    with cursor_fault(cursor):
        return tasks.list_tasks(cursor or None, limit)


@contextmanager
def cursor_fault(cursor: str | None) -> Iterator[None]:
    """A ValueError about a cursor becomes :class:`Problem` 422."""
    try:
        yield
    except ValueError:
        if not cursor:
            raise
        raise Problem(422, "parameter", "not a cursor of this list", field="cursor") from None


class Results(BaseModel):
    """One receipt an event, in the order they were sent. Keys without a value are left out."""

    results: list[Receipt]


class TaskHead(BaseModel):
    """An audit task in a list. Times are milliseconds since 1970."""

    task_id: str
    app: str
    event_id: str
    release: str
    language: str
    occurred_ms: int
    due_ms: int
    status: Literal["open", "done", "expired", "erased"]
    query: str


class TaskBody(TaskHead):
    """``event``: question, answer and sources alone; ``reduced``: only parts of it were kept."""

    event: dict[str, Any]
    reduced: bool


class TaskPageBody(BaseModel):
    tasks: list[TaskHead]
    next_cursor: str | None


class EquationBody(BaseModel):
    name: str
    left: dict[str, int]
    right: dict[str, int]
    imbalance: int


class AliveBody(BaseModel):
    alive: bool
    tick_age_seconds: float
    max_age_seconds: float


class ConditionBody(BaseModel):
    ok: bool
    detail: str


class ReadyBody(BaseModel):
    """``checks``: what the process depends on, by name."""

    ready: bool
    checks: dict[str, ConditionBody]


class BooksBody(BaseModel):
    balanced: bool
    equations: list[EquationBody]
    partitions: list[PartitionBook]
    totals: dict[str, int]


def json_response(body: object, status: int = 200) -> Response:
    return Response(_encode(body), status, media_type=JSON)


def _encode(body: object) -> bytes:
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError:
        # Half a surrogate pair or a number past 64 bits: rare, and legal once escaped.
        return json.dumps(body, default=asdict).encode()


def receipt_body(receipt: Receipt) -> dict[str, Any]:
    return {name: value for name, value in asdict(receipt).items() if value is not None}


def problems(
    *statuses: int, model: type[ProblemBody] = ProblemBody
) -> dict[int | str, dict[str, Any]]:
    """``model``: one of those that :mod:`service.web.app` puts among the schemas."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {
        status: {
            "description": _DESCRIPTIONS[status],
            "content": {PROBLEM_JSON: {"schema": schema}},
        }
        for status in statuses
    }


_DESCRIPTIONS = {
    400: "Not JSON, or not UTF-8",
    401: "No key, or one that opens nothing (any more)",
    403: "The role or the grant does not reach so far; another site's page; a name that is not "
    "taken from there",
    404: "None has this id, or none that may be seen",
    409: "Somebody else is at it, or something else stands by now",
    412: "Another version stands by now",
    413: "Too many bytes or events",
    415: "Another media type",
    422: "Not a valid answer event, or an invalid parameter; `field` names it",
    428: "If-Match is missing",
    429: "Overloaded: come back after `Retry-After` seconds",
    503: "The store or Kafka is away: come back after `Retry-After` seconds",
}

_EXAMPLE_EVENT = {
    "event_id": "ev-1",
    "app": "support-assistant",
    "query": "What does an extra seat cost per month?",
    "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € per seat and month."}],
    "answer": "An extra seat costs 54 € per month [pricing#plans].",
}
_EXAMPLE_RESULT = {
    "results": [
        {
            "state": "checked",
            "event_id": "ev-1",
            "verdict": {
                "checks": {"citations": "pass", "numbers": "fail"},
                "findings": [{"check": "numbers", "reason": "transposed", "surface": "54 €"}],
                "case_id": "…",
            },
        }
    ]
}
# FastAPI drops what is null from examples.
EXAMPLE_CURSOR = "WyI1ZjBjNmExZSIsIDIwNzkxLjBd"
_EXAMPLE_SUMMARY = {
    "case_id": "5f0c6a1e",
    "app": "support-assistant",
    "event_id": "ev-1",
    "release": "2026-11-29.2",
    "language": "en",
    "occurred_ms": 1_796_000_000_000,
    "severity": "high",
    "status": "open",
    "checks": ["numbers"],
    "reasons": ["transposed"],
    "headline": '"54 €" stands in no retrieved text. Nearest: "45 €" in pricing#plans.',
    "query": "What does an extra seat cost per month?",
    "group": "91ab",
    "alike": 3,
    "priority": 20_791.0,
    "scripted": False,
    "holder": "",
}
EXAMPLE_TASK = {
    "task_id": "5f0c6a1e",
    "app": "support-assistant",
    "event_id": "ev-1",
    "release": "2026-11-29.2",
    "language": "en",
    "occurred_ms": 1_796_000_000_000,
    "due_ms": 1_796_259_200_000,
    "status": "open",
    "query": "What does an extra seat cost per month?",
}
EXAMPLE_FULL_TASK = EXAMPLE_TASK | {"event": _EXAMPLE_EVENT, "reduced": False}
_EXAMPLE_BOOKS = {
    "balanced": True,
    "equations": [
        {
            "name": "records",
            "left": {"received": 5},
            "right": {"checked": 4, "recorded": 0, "rejected": 0, "duplicate": 1},
            "imbalance": 0,
        }
    ],
    "partitions": [],
    "totals": {"checked": 4},
}
_EXAMPLE_METRICS = 'groundwatch_records_total{kind="received"} 5.0\n'
EXAMPLE_CASE = {
    "summary": _EXAMPLE_SUMMARY,
    "event": _EXAMPLE_EVENT,
    "findings": [{"check": "numbers", "reason": "transposed", "surface": "54 €"}],
    "evidence": [],
    "outcomes": {"citations": "pass", "numbers": "fail"},
    "ruleset": "2-dace8dae",
    "stratum": "flagged_high",
    "u": 0.12,
    "pi": 0.3,
    "position": ["answers", 0, 17],
    "reduced": False,
    "not_evaluated": {},
    "feedback": None,
    "judgement": {
        "status": "judged",
        "reason": "",
        "model": "a-model",
        "version": "a-model/4f1c…/9b2e…",
        "scripted": False,
        "relevance": "complete",
        "assessment": {
            "faithfulness": 0.0,
            "context_sufficient": True,
            "useful": ["pricing#plans"],
            "answer_kind": "answer",
            "claims": [
                {
                    "sentence": 1,
                    "start": 0,
                    "end": 51,
                    "text": "An extra seat costs 54 € per month",
                    "verdict": "contradicted",
                    "reason": "The chunk says 45 €.",
                    "evidence": [
                        {
                            "ref": "pricing#plans",
                            "quote": "Pro: 45 € per seat and month.",
                            "start": 0,
                            "end": 29,
                        }
                    ],
                    "downgraded": False,
                    "miscited": False,
                    "cause": "generation",
                }
            ],
        },
    },
}


def many(schema: dict[str, Any]) -> dict[str, Any]:
    """An array is taken whatever its elements are: each has a receipt of its own."""
    other = {"description": "Anything else is refused in its own receipt."}
    return {"type": "array", "items": {"anyOf": [schema, other]}}


_EVENT_SCHEMA = {"$ref": "#/components/schemas/AnswerEvent"}
_REQUEST_BODY = {
    "required": True,
    "content": {
        JSON: {
            "schema": {"oneOf": [_EVENT_SCHEMA, many(_EVENT_SCHEMA)]},
            "example": _EXAMPLE_EVENT,
        },
        NDJSON: {"schema": {"description": "One event a line."}},
    },
}


def answer_routes(intake: Intake, options: WebOptions) -> APIRouter:
    router = APIRouter(tags=["answers"])
    taken = 202 if intake.asynchronous else 200

    @router.post(
        "/v1/answers",
        summary="Send one answer event or many",
        status_code=taken,
        openapi_extra={"requestBody": _REQUEST_BODY},
        responses={
            taken: {
                "model": Results,
                "description": "Acknowledged; the verdicts follow" if taken == 202 else "Checked",
                "content": {JSON: {"example": _EXAMPLE_RESULT}},
            },
            **problems(400, 413, 415, 422, 429, 503),
        },
    )
    async def post_answers(request: Request) -> Response:
        """A single object that is refused is a 4xx; of many, each refusal stands in its receipt.
        Sending the same event again is safe: app and `event_id` identify it."""
        body = await read_body(request, options.max_body_bytes, options.max_events)
        receipts = await run_in_threadpool(intake.submit, body.events) if body.events else []
        if body.single and receipts[0].state == "rejected":
            raise problem_of(receipts[0])
        return json_response({"results": [receipt_body(receipt) for receipt in receipts]}, taken)

    return router


def case_routes(cases: CaseReader, books: Callable[[], Books]) -> APIRouter:
    router = APIRouter(tags=["review"])

    @router.get(
        "/v1/cases",
        summary="List cases, the most urgent first",
        response_model=CasePage,
        responses={
            200: {
                "content": {
                    JSON: {"example": {"cases": [_EXAMPLE_SUMMARY], "next_cursor": EXAMPLE_CURSOR}}
                }
            },
            **problems(422, 503),
        },
    )
    def list_cases(filter: Filter, cursor: Cursor = None, limit: Limit = 50) -> Response:
        """All given filters must hold. Follow `next_cursor` until it is null."""
        return json_response(page_of(cases, filter, cursor, limit))

    @router.get(
        "/v1/cases/{case_id}",
        summary="Read one case",
        response_model=Case,
        responses={
            200: {"content": {JSON: {"example": EXAMPLE_CASE}}},
            **problems(404, 503),
        },
    )
    def read_case(case_id: str) -> Response:
        """The event, its findings, its evidence, and what the judge said (`judgement`, null where
        it said nothing yet). Offsets count characters, end exclusive. A case that is withheld for
        an audit is not there."""
        case = cases.case(case_id)
        if case is None:
            raise Problem(404, "not_found", "no case has this id")
        return json_response(case)

    @router.get(
        "/v1/books",
        summary="Read the books",
        response_model=BooksBody,
        responses={200: {"content": {JSON: {"example": _EXAMPLE_BOOKS}}}, **problems(503)},
    )
    def read_books() -> Response:
        """Every equation with its terms; an imbalance other than 0 is a defect or a loss."""
        return json_response(_books_body(books()))

    return router


def task_routes(tasks: TaskReader) -> APIRouter:
    router = APIRouter(tags=["review"])

    @router.get(
        "/v1/tasks",
        summary="List open audit tasks, those that are due first before the others",
        response_model=TaskPageBody,
        responses={
            200: {
                "content": {
                    JSON: {"example": {"tasks": [EXAMPLE_TASK], "next_cursor": EXAMPLE_CURSOR}}
                }
            },
            **problems(422, 503),
        },
    )
    def list_tasks(cursor: Cursor = None, limit: Limit = 50) -> Response:
        """Answers to be labelled blind. Follow `next_cursor` until it is null."""
        page = task_page_of(tasks, cursor, limit)
        heads = [_task_head(task) for task in page.tasks]
        return json_response({"tasks": heads, "next_cursor": page.next_cursor})

    @router.get(
        "/v1/tasks/{task_id}",
        summary="Read one audit task",
        response_model=TaskBody,
        responses={
            200: {"content": {JSON: {"example": EXAMPLE_FULL_TASK}}},
            **problems(404, 503),
        },
    )
    def read_task(task_id: str) -> Response:
        """Question, answer and sources; no finding, no verdict, no mark."""
        task = tasks.get(task_id)
        if task is None:
            raise Problem(404, "not_found", "no audit task has this id")
        return json_response(task_body(task))

    return router


def task_body(task: Task) -> dict[str, Any]:
    """A :class:`TaskBody`: blind."""
    return {**_task_head(task), "event": blind(task.event), "reduced": task.reduced}


def _task_head(task: Task) -> dict[str, Any]:
    return {name: getattr(task, name) for name in TaskHead.model_fields}


def _books_body(books: Books) -> dict[str, Any]:
    return {
        "balanced": books.balanced,
        "equations": [
            {
                "name": equation.name,
                "left": dict(equation.left),
                "right": dict(equation.right),
                "imbalance": equation.imbalance,
            }
            for equation in books.equations
        ],
        "partitions": list(books.partitions),
        "totals": dict(books.totals),
    }


def probe_routes(health: Health, metrics: Metrics, options: WebOptions) -> APIRouter:
    router = APIRouter(tags=["operations"])

    def probe(model: type[BaseModel], good: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
        content = {JSON: {"example": good}}
        return {
            200: {"model": model, "description": "Yes", "content": content},
            503: {"model": model, "description": "No"},
        }

    @router.get(
        "/healthz",
        summary="Is the process alive?",
        responses=probe(
            AliveBody, {"alive": True, "tick_age_seconds": 0.4, "max_age_seconds": 30.0}
        ),
    )
    async def healthz() -> Response:
        """Its loop ticked lately. On 503, restart it."""
        status, body = liveness(health, options.max_tick_age_s)
        return json_response(body, status)

    @router.get(
        "/readyz",
        summary="May it be given work, and if not, why?",
        responses=probe(
            ReadyBody, {"ready": True, "checks": {"redis": {"ok": True, "detail": ""}}}
        ),
    )
    async def readyz() -> Response:
        """Everything that it depends on reported well; else `checks` says what did not."""
        status, body = readiness(health)
        return json_response(body, status)

    @router.get(
        "/metrics",
        summary="Prometheus metrics",
        response_class=PlainTextResponse,
        responses={200: {"content": {"text/plain": {"example": _EXAMPLE_METRICS}}}},
    )
    def exposition() -> Response:
        """Reads nothing but memory: a scrape is answered while the store is away."""
        body, content_type = metrics.exposition()
        return Response(body, headers={"Content-Type": content_type})

    return router
