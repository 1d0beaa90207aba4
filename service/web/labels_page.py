"""Labels: mine, all, disagreements, and how far two people agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from service.estimates.agreement import Agreement
from service.estimates.double_labels import SCALES, agreement_on
from service.review.labels import Change, FindingCall, Label
from service.web.api import Cursor, cursor_fault
from service.web.labelled import RecentChanges, blind_pairs
from service.web.ports import ChangeReader, TaskReader
from service.web.rendering import Renderer
from service.web.sight import Sight
from service.web.texts import Speaking, Tongue

PAGE_SIZE = 50
NOTE = 300
"""Characters of a note that stand in a row."""
View = Literal["all", "disagreements"]
Reviewer = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True, slots=True)
class LabelRow:
    """``link``: to what was labelled; ``said``: the label in words, None where it must not be seen
    yet."""

    change: Change
    kind: str
    link: str
    said: tuple[str, ...] | None
    note: str


def labels_routes(
    render: Renderer,
    desk: ChangeReader,
    tasks: TaskReader,
    changes: RecentChanges,
    who: Callable[[Request], str],
) -> APIRouter:
    """``who``: the name of the one who asks, empty where it is not known."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    sight = Sight(tasks)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/labels")
    def labels_page(
        t: Speaking,
        request: Request,
        view: View = "all",
        reviewer: Reviewer = "",
        cursor: Cursor = None,
    ) -> Response:
        me = who(request)
        rows: list[list[LabelRow]]
        with cursor_fault(cursor):
            if view == "disagreements":
                found = desk.disagreements(cursor or None, PAGE_SIZE)
                rows = [[_row(one.first, t), _row(one.second, t)] for one in found.disagreements]
                following = found.next_cursor
            else:
                listed = desk.changes(
                    reviewer=reviewer or None, cursor=cursor or None, limit=PAGE_SIZE
                )
                seen = sight.of(listed.changes, me)
                rows = [[_row(change, t, change not in seen)] for change in listed.changes]
                following = listed.next_cursor
        return render(
            t,
            "labels.html",
            rows=rows,
            view=view,
            reviewer=reviewer,
            me=me,
            cursor=cursor,
            next_url=_url(view, reviewer, following) if following else None,
            url=_url,
            agreements=_agreements(changes),
        )

    return router


def _agreements(changes: RecentChanges) -> list[tuple[str, Agreement]]:
    """Of each part that at least two people said something about."""
    pairs = blind_pairs(changes.since(0))
    found = [(part, agreement_on(part, pairs)) for part in SCALES]
    return [(part, one) for part, one in found if one.n]


def _row(change: Change, t: Tongue, sealed: bool = False) -> LabelRow:
    kind, _, subject_id = change.subject.partition(":")
    label = change.label
    return LabelRow(
        change,
        kind,
        f"/{kind}s/{subject_id}",
        None if sealed else tuple(_said(label, t)) if label is not None else (),
        "" if sealed or label is None else label.note[:NOTE],
    )


def _said(label: Label, t: Tongue) -> Iterator[str]:
    for part in SCALES:
        word = getattr(label, part)
        if word is not None:
            yield f"{t.word('part', part)}: {t.word('said', word.value)}"
    calls = [finding.call for finding in label.findings]
    if real := calls.count(FindingCall.REAL):
        yield t.say("labels.real", n=real)
    if false := calls.count(FindingCall.FALSE_ALARM):
        yield t.say("labels.false", n=false)
    if label.needed is not None:
        yield t.say("labels.needed", n=len(label.needed) + len(label.needed_elsewhere))


def _url(view: str, reviewer: str = "", cursor: str | None = None) -> str:
    terms = {"view": "" if view == "all" else view, "reviewer": reviewer, "cursor": cursor}
    kept = {name: value for name, value in terms.items() if value}
    return "/labels" + (f"?{urlencode(kept, errors='replace')}" if kept else "")
