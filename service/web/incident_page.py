"""The page that an alert about quality leads to: what changed, what rose, where to look first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from service.review.cases import CaseFilter
from service.web.groups_page import cause_words, group_trend
from service.web.incident import Held, Part, Window
from service.web.incident_read import Found, Incidents, OddTime, asked_of
from service.web.rendering import Renderer
from service.web.texts import Speaking, Tongue
from service.web.views import moment, queue_url

Term = Annotated[str, Query(max_length=2048)]
Moment = Annotated[str, Query(max_length=64)]
HOUR_MS = 3_600_000
SHOWN_VALUES = 3
"""Of a part, on each side; the rest is told as a number."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The terms as they were written, to stand in the form again."""

    app: str
    since: str
    until: str
    release: str


def incident_routes(render: Renderer, incidents: Incidents) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @router.api_route("/incident", methods=["GET", "HEAD"])
    def incident_page(
        t: Speaking,
        app: Term = "",
        since: Moment = "",
        until: Moment = "",
        release: Term = "",
    ) -> Response:
        apps = incidents.apps()
        sent = Sent(app or (apps[0] if len(apps) == 1 else ""), since, until, release)
        odd: OddTime | None = None
        found: Found | None = None
        try:
            asked = asked_of(sent.app, since, until, release, render.now_ms)
            found = incidents.read(asked, render.now_ms) if sent.app else None
        except OddTime as error:
            odd = error
        response = render(
            t,
            "incident.html",
            sent=sent,
            apps=apps,
            odd=odd,
            found=found,
            told=partial(_told, t),
            values=_values,
            span=_span,
            cause=lambda held: _cause(held, t),
            headline=lambda group: cause_words(group, t),
            trend=lambda group: group_trend(group, render.now_ms // (24 * HOUR_MS), t),
            cases_url=partial(_cases_url, sent, found),
        )
        response.status_code = 422 if odd is not None else 200
        return response

    return router


def _told(t: Tongue, part: Part) -> str:
    """``prompt p1 → p2``: by the value that most answers had."""
    before, after = next(iter(part.before)), next(iter(part.after))
    named = t.word("part", part.name)
    if before == after:
        return t.say("incident.part.share", part=named, value=after,
                     before=t.percent(part.before[after], 0),
                     after=t.percent(part.after[after], 0))  # fmt: skip
    return t.say("incident.part.other", part=named, before=before, after=after)


def _values(shares: dict[str, float]) -> tuple[list[tuple[str, float]], int]:
    """The largest, and how many more there are."""
    return list(shares.items())[:SHOWN_VALUES], max(0, len(shares) - SHOWN_VALUES)


def _span(window: Window) -> tuple[str, str]:
    return moment(window.first * HOUR_MS), moment(window.end * HOUR_MS)


def _cause(held: Held, t: Tongue) -> str:
    return f"{held.check}: {t.word('reason', held.reason)}"


def _cases_url(sent: Sent, found: Found | None, check: str = "", reason: str = "") -> str:
    since = found.incident.windows.after.first * HOUR_MS if found is not None else None
    return queue_url(
        CaseFilter(
            sent.app or None, sent.release or None, check or None, reason or None,
            status=None, since_ms=since,
        )
    )  # fmt: skip
