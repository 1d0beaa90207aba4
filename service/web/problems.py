"""Every error of the HTTP interface: RFC 9457 problems for machines, a page for people.

Nothing that was sent is ever repeated: a problem names the field and what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import Match

from service.intake import Overloaded, Receipt
from service.outage import Outage
from service.web.middleware import SECURITY_HEADERS

PROBLEM_JSON = "application/problem+json"
OUTAGE_RETRY_S = 5

_MACHINE_PATHS = ("/v1/", "/metrics", "/healthz", "/readyz", "/openapi.json")

_REJECTION_STATUS = {
    "invalid_json": 400,
    "not_utf8": 400,
    "too_large": 413,
    "schema": 422,
    "unsupported_version": 422,
    "unknown_app": 422,
    "app_not_granted": 403,
}


class FieldError(BaseModel):
    field: str
    message: str


class ProblemBody(BaseModel):
    """The documented form (RFC 9457). ``reason`` is one of a closed set, for programs."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    reason: str
    field: str | None = None
    errors: list[FieldError] = []


ErrorPage = Callable[[Request, ProblemBody], str]
"""The problem as HTML, for whoever asked."""


class Problem(Exception):
    """Raised by a route; ``detail`` is a sentence of ours. ``more``: further members of the
    problem, as its documented form has them."""

    def __init__(
        self,
        status: int,
        reason: str,
        detail: str,
        *,
        field: str | None = None,
        errors: list[FieldError] | None = None,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.more = dict(more or {})
        self.headers = dict(headers or {})
        self.body = ProblemBody(
            title=HTTPStatus(status).phrase,
            status=status,
            detail=detail,
            reason=reason,
            field=field,
            errors=errors or ([FieldError(field=field, message=detail)] if field else []),
        )


def problem_of(receipt: Receipt) -> Problem:
    """The refusal of the only event of a request."""
    reason = receipt.reason or "schema"
    return Problem(
        _REJECTION_STATUS.get(reason, 422),
        reason,
        receipt.message or "not a valid answer event",
        field=receipt.field,
    )


def install_error_handlers(app: FastAPI, error_page: ErrorPage) -> None:
    def respond(request: Request, problem: Problem) -> Response:
        body = problem.body
        if not request.url.path.startswith(_MACHINE_PATHS):
            page = error_page(request, body)
            return Response(page, body.status, problem.headers, "text/html; charset=utf-8")
        members = orjson.dumps(body.model_dump() | problem.more)
        return Response(members, body.status, problem.headers, PROBLEM_JSON)

    @app.exception_handler(Problem)
    async def on_problem(request: Request, error: Problem) -> Response:
        return respond(request, error)

    @app.exception_handler(HTTPException)
    async def on_http_exception(request: Request, error: HTTPException) -> Response:
        reason = HTTPStatus(error.status_code).name.lower()
        detail = _EXPLANATIONS.get(error.status_code, "the request could not be answered")
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = ", ".join(_allowed(app, request))
        return respond(request, Problem(error.status_code, reason, detail, headers=headers))

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(request: Request, error: RequestValidationError) -> Response:
        errors = [_field_error(fault) for fault in error.errors()]
        first = errors[0]
        return respond(
            request,
            Problem(422, "parameter", first.message, field=first.field, errors=errors),
        )

    @app.exception_handler(Overloaded)
    async def on_overload(request: Request, error: Overloaded) -> Response:
        retry = {"Retry-After": str(error.retry_after_s)}
        return respond(
            request,
            Problem(429, "overloaded", "too much at once; come back later", headers=retry),
        )

    @app.exception_handler(Outage)
    async def on_outage(request: Request, error: Outage) -> Response:
        retry = {"Retry-After": str(OUTAGE_RETRY_S)}
        detail = "a service behind this one is away; nothing is lost by sending again later"
        return respond(request, Problem(503, "outage", detail, headers=retry))

    @app.exception_handler(Exception)
    async def on_defect(request: Request, error: Exception) -> Response:
        # This answer is sent outside the middleware that adds the headers elsewhere.
        detail = "a defect of groundwatch; its log says where"
        return respond(request, Problem(500, "defect", detail, headers=SECURITY_HEADERS))


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
_EXPLANATIONS = {
    404: "there is nothing at this address",
    405: "this address does not take that method",
}


def _allowed(app: FastAPI, request: Request) -> list[str]:
    """Of all routes at this address, where a route knows its own methods alone."""
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in app.routes
        )
    ]


def _field_error(fault: Mapping[str, Any]) -> FieldError:
    # Only names of declared parameters and pydantic's sentence: neither holds what was sent.
    place, message = fault["loc"], str(fault["msg"])
    if fault["type"] == "extra_forbidden":
        place, message = place[:-1], "has a key that is not known"
    return FieldError(field=_path(place), message=message)


def _path(place: Sequence[str | int]) -> str:
    """``findings[0].why``: without where it stands in the request, and without the names, in angle
    brackets, of the alternatives that were tried."""
    path = ""
    for part in place[1:]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not part.startswith("<"):
            path += f".{part}" if path else part
    return path or str(place[0])
