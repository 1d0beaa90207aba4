"""The list of groups: flagged answers by their cause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from service.review.cases import DAY_MS, CaseFilter
from service.review.desk import Group, ReviewDesk
from service.web.api import Cursor, Name, cursor_fault
from service.web.charts import Plot, Point, line
from service.web.groups import DAYS, DecisionView, bars_of, decision_view
from service.web.ports import CaseReader
from service.web.rendering import Renderer
from service.web.texts import Speaking, Tongue

PAGE_SIZE = 50
TREND_PX = 28
LONGEST = 160
"""Characters of an answer's own words in a headline."""


def group_filter(
    app: Name = None,
    check: Name = None,
    reason: Name = None,
    severity: Annotated[Literal["", "low", "medium", "high"] | None, Query()] = None,
) -> CaseFilter:
    """What a group can be told by; a part left empty is not given."""
    return CaseFilter(
        app=app or None, check=check or None, reason=reason or None, severity=severity or None
    )


GroupFilter = Annotated[CaseFilter, Depends(group_filter)]


@dataclass(frozen=True, slots=True)
class GroupRow:
    """``headline``: the cause in words; ``trend``: answers a day, drawn."""

    group: Group
    headline: str
    trend: Markup
    decision: DecisionView | None


def group_row(group: Group, today: int, t: Tongue) -> GroupRow:
    """``today``: days since 1970."""
    return GroupRow(
        group, cause_words(group, t), group_trend(group, today, t), decision_view(group.decision)
    )


def cause_words(group: Group, t: Tongue) -> str:
    """The cause as a sentence; check and reason where there is none for them."""
    key = f"cause.{group.check}.{group.reason}"
    what = group.surface or group.cause or "…"
    if t.knows(key):
        return t.say(key, what=what if len(what) <= LONGEST else what[: LONGEST - 1] + "…")
    return f"{group.check}: {t.word('reason', group.reason)}"


def group_trend(group: Group, today: int, t: Tongue) -> Markup:
    bars = bars_of(group.by_day, today)
    most = max(bar.count for bar in bars)
    points = [Point(f"{bar.day}: {t.count(bar.count)}", float(bar.count)) for bar in bars]
    title = t.say("groups.trend", days=DAYS, most=most)
    return line(Plot("", title, "", points, TREND_PX))


def may_be_seen(group: Group) -> bool:
    """A group of which no case can be seen may be all about one that is withheld for an audit: to
    name its cause would tell of it. What somebody decided about has been seen."""
    return group.sample is not None or group.decision is not None or group.reopened is not None


def groups_routes(render: Renderer, desk: ReviewDesk, cases: CaseReader) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/groups")
    def groups_page(t: Speaking, filter: GroupFilter, cursor: Cursor = None) -> Response:
        with cursor_fault(cursor):
            found = desk.groups(filter, cursor or None, PAGE_SIZE)
        today = render.now_ms // DAY_MS
        return render(
            t,
            "groups.html",
            rows=[group_row(group, today, t) for group in found.groups if may_be_seen(group)],
            next_cursor=found.next_cursor,
            cursor=cursor,
            filter=filter,
            facets=cases.facets(),
        )

    return router
