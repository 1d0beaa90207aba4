"""The JSON API of an incident: what the page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from service.estimates.differences import Difference
from service.review.cases import CaseSummary
from service.web.api import json_response, problems
from service.web.desk_api import answer
from service.web.figures_api import RateBody, rate_body
from service.web.incident import Held, Part, Window
from service.web.incident_read import Found, Incidents, OddTime, asked_of
from service.web.problems import Problem

HOUR_MS = 3_600_000
HOW = "write 2026-11-29T09:00Z, 2026-11-29, seconds or milliseconds since 1970, or 30m, 2h, 3d, 1w"
FAULTS = {
    "unread": f"not a time: {HOW}",
    "future": "lies ahead",
    "backwards": "not after `since`",
}
Moment = Annotated[str, Query(max_length=64)]


class SpanBody(BaseModel):
    """Milliseconds since 1970, ``end_ms`` not included; whole hours, or days."""

    first_ms: int
    end_ms: int


class PartBody(BaseModel):
    """``before``, ``after``: value → share of the answers that told one."""

    name: str
    changed: bool
    before: dict[str, float]
    after: dict[str, float]


class DifferenceBody(BaseModel):
    """After minus before, as shares. ``told``: the interval leaves 0 out."""

    value: float
    low: float
    high: float
    told: bool
    more: int | None = None


class HeldBody(BaseModel):
    """``change``: null where one side has no data."""

    name: str
    before: RateBody
    after: RateBody
    change: DifferenceBody | None = None


class GrownBody(BaseModel):
    """``since``: answers on the day of the incident and later; ``count``: of all time."""

    group_id: str
    check: str
    reason: str
    surface: str
    since: int
    count: int


class IncidentBody(BaseModel):
    """``checked``: answers before and after; ``worst``: the rate that rose most, null where none
    rose beyond chance; ``first_cases``: open ones, the earliest first."""

    app: str
    before: SpanBody
    after: SpanBody
    checked: tuple[int, int]
    worst: str | None = None
    parts: list[PartBody]
    rates: list[HeldBody]
    causes: list[HeldBody]
    grown: list[GrownBody]
    first_cases: list[CaseSummary]


_RATE = {"hits": 12, "trials": 400, "answers": 400, "value": 0.03, "low": 0.017, "high": 0.052}
_RISEN = {"hits": 36, "trials": 300, "answers": 300, "value": 0.12, "low": 0.088, "high": 0.162}
_HELD: dict[str, Any] = {
    "name": "unresolved",
    "before": _RATE,
    "after": _RISEN,
    "change": {"value": 0.09, "low": 0.051, "high": 0.133, "told": True, "more": None},
}
_EXAMPLE: dict[str, Any] = {
    "app": "support-assistant",
    "before": {"first_ms": 1795856400000, "end_ms": 1795942800000},
    "after": {"first_ms": 1795942800000, "end_ms": 1795950000000},
    "checked": [400, 300],
    "worst": "unresolved",
    "parts": [
        {"name": "prompt", "changed": True, "before": {"sha256:1f": 1.0},
         "after": {"sha256:9c": 0.98, "sha256:1f": 0.02}}
    ],
    "rates": [_HELD],
    "causes": [_HELD | {"name": "cause:citations:unknown_ref"}],
    "grown": [
        {"group_id": "5f0c6a1e", "check": "citations", "reason": "unknown_ref",
         "surface": "[pricing#seats]", "since": 31, "count": 240}
    ],
    "first_cases": [],
}  # fmt: skip


def incident_api_routes(incidents: Incidents, now: Callable[[], float]) -> APIRouter:
    """``now``: seconds since 1970."""
    router = APIRouter(tags=["figures"])

    @router.get(
        "/v1/incident",
        summary="Read what changed at a point in time, and what rose since",
        responses=answer(IncidentBody, _EXAMPLE, "Both windows, held against each other")
        | problems(422, 503),
    )
    def read_incident(
        app: Annotated[str, Query(min_length=1, max_length=2048)],
        since: Annotated[Moment, Query(description=f"When it began: {HOW}.")],
        until: Annotated[Moment, Query(description="Empty: now.")] = "",
        release: Annotated[
            str, Query(max_length=2048, description="After: only its answers.")
        ] = "",
    ) -> Response:
        """From the hourly counters: the hour of `since` belongs to the window after. Before it lie
        as many hours, at least 24; neither window is longer than a week."""
        now_ms = int(now() * 1000)
        try:
            asked = asked_of(app, since, until, release, now_ms)
        except OddTime as odd:
            raise Problem(422, "parameter", FAULTS[odd.why], field=odd.field) from None
        return json_response(_body(app, incidents.read(asked, now_ms)))

    return router


def _body(app: str, found: Found) -> dict[str, Any]:
    seen = found.incident
    return {
        "app": app,
        "before": _span(seen.windows.before),
        "after": _span(seen.windows.after),
        "checked": seen.checked,
        "worst": seen.worst.name if seen.worst is not None else None,
        "parts": [_part(part) for part in seen.parts],
        "rates": [_held(held) for held in (*seen.rates, *seen.beside)],
        "causes": [_held(held) for held in seen.causes],
        "grown": [
            {
                "group_id": one.group.group_id,
                "check": one.group.check,
                "reason": one.group.reason,
                "surface": one.group.surface,
                "since": one.since,
                "count": one.group.count,
            }
            for one in found.grown
        ],
        "first_cases": found.first_cases,
    }


def _span(window: Window) -> dict[str, int]:
    return {"first_ms": window.first * HOUR_MS, "end_ms": window.end * HOUR_MS}


def _part(part: Part) -> dict[str, Any]:
    return {
        "name": part.name, "changed": part.changed, "before": part.before, "after": part.after
    }  # fmt: skip


def _held(held: Held) -> dict[str, Any]:
    return {
        "name": held.name,
        "before": rate_body(held.before),
        "after": rate_body(held.after),
        "change": _difference(held.change),
    }


def _difference(change: Difference | None) -> dict[str, Any] | None:
    if change is None:
        return None
    return {
        "value": change.value, "low": change.low, "high": change.high, "told": change.told,
        "more": change.more,
    }  # fmt: skip
