"""The pages: rendered on the server, complete without a script, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.review.cases import CaseFilter
from service.web.api import Cursor, Filter, day_ms, page_of, task_page_of
from service.web.judging import judge_line
from service.web.options import WebOptions
from service.web.ports import CaseReader, JudgeState, TaskReader
from service.web.rendering import Renderer
from service.web.texts import COOKIE, Speaking, safe_return
from service.web.views import books_line, saved_filters, utc

PAGE_SIZE = 50
AGES = (("today", 0), ("yesterday", 1), ("week", 6), ("month", 29))
"""Choices of age, and how many days back each begins."""
A_YEAR_S = 365 * 86_400
Back = Annotated[str, Query(max_length=4096)]


def page_routes(
    render: Renderer,
    cases: CaseReader,
    tasks: TaskReader,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
    options: WebOptions,
) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/language")
    def language(to: Literal["en", "de"], back: Back = "/") -> Response:
        response = RedirectResponse(safe_return(back), 303)
        response.set_cookie(COOKIE, to, max_age=A_YEAR_S, httponly=True, samesite="strict")
        return response

    @page("/queue")
    def queue(t: Speaking, filter: Filter, cursor: Cursor = None) -> Response:
        by_severity = cases.open_by_severity()
        today = datetime.fromtimestamp(render.now_ms / 1000, UTC).date()
        return render(
            t,
            "queue.html",
            saved=saved_filters(
                filter, by_severity, cases.open_since(day_ms(today)), today, tasks.counts()
            ),
            oldest_ms=cases.oldest_open_ms(),
            ages=[(name, (today - timedelta(days=back)).isoformat()) for name, back in AGES],
            since="" if filter.since_ms is None else utc(filter.since_ms)[:10],
            page=page_of(cases, filter, cursor, PAGE_SIZE),
            filter=filter,
            unfiltered=CaseFilter(),
            cursor=cursor,
            counts=cases.case_counts(),
            facets=cases.facets(),
            books=books_line(books()),
            judge=judge_line(judge(), t),
            public_url=options.public_url.rstrip("/"),
        )

    @page("/tasks")
    def tasks_page(t: Speaking, cursor: Cursor = None) -> Response:
        found = task_page_of(tasks, cursor, PAGE_SIZE)
        return render(t, "tasks.html", page=found, cursor=cursor)

    @page("/books")
    def books_page(t: Speaking) -> Response:
        return render(t, "books.html", books=books(), judge=judge_line(judge(), t))

    return router
