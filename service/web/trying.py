"""Try: the checks over what somebody pastes. Nothing is stored, counted or logged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import orjson
from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from service.checking import check_event
from service.events import EventLimits, Rejection, as_told, parse_event
from service.policy import Policy
from service.redaction.answers import MaskedAnswer, masked_answer
from service.redaction.redactor import redactor_of
from service.review.cases import Case, CaseSummary
from service.web.body import read_capped
from service.web.granted import granted
from service.web.marking import Mark, MarkKind, Segment, segments_of, span
from service.web.rendering import Renderer
from service.web.texts import Speaking, Tongue
from service.web.views import CaseView, case_view

MOST_BYTES = 512 << 10
MOST_FIELDS = 20
_LIMITS = EventLimits(max_bytes=8 * MOST_BYTES)
"""JSON writes some characters in six."""

EXAMPLE = {
    "query": "What does an extra seat cost per month?",
    "texts": "# pricing#plans\nStarter: 39 € per seat and month. Pro: 45 € per seat and month.",
    "answer": "An extra seat costs 54 € per month [pricing#seats].",
}


@dataclass(frozen=True, slots=True)
class Tried:
    """``answer``: the answer under its marks; ``refused``: why it could not be checked, in a
    sentence of ours."""

    view: CaseView | None = None
    answer: tuple[Segment, ...] = ()
    refused: str = ""


def try_routes(render: Renderer, policy: Callable[[], Policy]) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    show = partial(render, template="try.html")

    @router.api_route("/try", methods=["GET", "HEAD"])
    def form(t: Speaking) -> Response:
        return show(t, given=EXAMPLE, app="", apps=_apps(policy()), tried=None)

    @router.post("/try")
    async def check(t: Speaking, request: Request) -> Response:
        given = _fields(await read_capped(request, MOST_BYTES))
        current = policy()
        tried = await run_in_threadpool(_tried, given, current, t)
        app = given.get("app", "")
        return show(t, given=given, app=app, apps=_apps(current), tried=tried)

    return router


def _apps(policy: Policy) -> list[str]:
    """Those of which whoever asks may see how they are checked."""
    return [app for app in sorted(policy.apps) if granted().covers(app)]


def _fields(raw: bytes) -> dict[str, str]:
    """A form's fields; the last one of a name, and none beyond the first twenty."""
    try:
        found = parse_qs(raw.decode("utf-8", "replace"), errors="replace",
                         max_num_fields=MOST_FIELDS)  # fmt: skip
    except ValueError:
        return {}
    names = ("app", "query", "texts", "answer")
    return {name: found.get(name, [""])[-1].replace("\r\n", "\n") for name in names}


def _tried(given: Mapping[str, str], policy: Policy, t: Tongue) -> Tried:
    app = given.get("app", "")
    raw = orjson.dumps(
        {
            "event_id": "try",
            "query": given.get("query", ""),
            "retrieved": chunks_of(given.get("texts", "")),
            "answer": given.get("answer", ""),
        }
    )
    event = parse_event(raw, _LIMITS)
    if isinstance(event, Rejection):
        return Tried(refused=event.message)
    of_app = policy.of(app) if app in _apps(policy) else policy.default
    results = check_event(event, of_app)
    texts = [chunk.text for chunk in event.retrieved]
    shown = masked_answer(as_told(raw, event.app), texts, results, redactor_of(of_app.redaction))
    case, answer = _case(shown), shown.event["answer"]
    marked: tuple[tuple[MarkKind, list[dict[str, Any]]], ...] = (
        ("finding", case.findings),
        ("evidence", case.evidence),
    )
    marks = [
        Mark(kind, number, *place)
        for kind, items in marked
        for number, item in enumerate(items, start=1)
        if (place := span(item.get("start"), item.get("end"), answer)) is not None
    ]
    return Tried(case_view(case, t), tuple(segments_of(answer, marks)))


def chunks_of(texts: str) -> list[dict[str, str]]:
    """Pasted texts, apart: each begins with a line ``# its ref``; what stands before the first one
    is a text too, called ``1``."""
    chunks: list[tuple[str, list[str]]] = []
    for line in texts.split("\n"):
        if line.startswith("# ") and line[2:].strip():
            chunks.append((line[2:].strip(), []))
        elif chunks:
            chunks[-1][1].append(line)
        elif line.strip():
            chunks.append(("1", [line]))
    return [{"ref": ref, "text": "\n".join(lines).strip("\n")} for ref, lines in chunks]


def _case(shown: MaskedAnswer) -> Case:
    """What a case of this answer would hold."""
    event, results = shown.event, shown.results
    findings = [finding for result in results.values() for finding in result.findings]
    summary = CaseSummary(
        case_id="", app=event["app"], event_id=event["event_id"], release="", language="",
        occurred_ms=0, severity=findings[0].severity.value if findings else "low",
        status="open", checks=(), reasons=(), headline="", query=event["query"], group=None,
        alike=1, priority=0.0,
    )  # fmt: skip
    return Case(
        summary=summary,
        event=event,
        findings=[asdict(finding) for finding in findings],
        evidence=[asdict(item) for result in results.values() for item in result.evidence],
        outcomes={name: result.outcome.value for name, result in results.items()},
        ruleset="", stratum="", u=0.0, pi=0.0, position=("", 0, 0),
    )  # fmt: skip
