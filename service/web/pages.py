"""The pages: rendered on the server, complete without a script, nothing loaded from elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.review.cases import CaseFilter
from service.web.api import Cursor, Filter, page_of, task_page_of
from service.web.judging import SCRIPTED, judge_line
from service.web.options import WebOptions
from service.web.ports import CaseReader, JudgeState, TaskReader
from service.web.problems import Problem
from service.web.views import (
    ago,
    books_line,
    case_view,
    moment,
    queue_url,
    showable,
    task_view,
    until,
    utc,
)

TEMPLATES = Path(__file__).with_name("templates")
STATIC = Path(__file__).with_name("static")
PAGE_SIZE = 50


def _finalize(value: Any) -> Any:
    return showable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def templates() -> Environment:
    """Everything is escaped; a name that is not given is an error; every text can be shown."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = "{:,}".format
    environment.filters["utc"] = utc
    environment.filters["moment"] = moment
    environment.filters["words"] = lambda name: name.replace("_", " ")
    environment.globals["queue_url"] = queue_url
    environment.globals["SCRIPTED"] = SCRIPTED
    return environment


def error_page(environment: Environment) -> Callable[[int, str, str], str]:
    def render(status: int, title: str, detail: str) -> str:
        return environment.get_template("error.html").render(
            status=status, title=title, detail=detail
        )

    return render


def page_routes(
    environment: Environment,
    cases: CaseReader,
    tasks: TaskReader,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
    options: WebOptions,
) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    def render(template: str, **shown: Any) -> Response:
        now_ms = time.time_ns() // 1_000_000
        return HTMLResponse(
            environment.get_template(template).render(
                age=lambda then_ms: ago(then_ms, now_ms),
                until=lambda then_ms: until(then_ms, now_ms),
                **shown,
            )
        )

    @page("/")
    async def home() -> Response:
        return RedirectResponse("/queue", 307)

    @page("/queue")
    def queue(filter: Filter, cursor: Cursor = None) -> Response:
        return render(
            "queue.html",
            page=page_of(cases, filter, cursor, PAGE_SIZE),
            filter=filter,
            unfiltered=CaseFilter(),
            cursor=cursor,
            counts=cases.case_counts(),
            facets=cases.facets(),
            books=books_line(books()),
            judge=judge_line(judge()),
            public_url=options.public_url.rstrip("/"),
        )

    @page("/cases/{case_id}")
    def case_page(case_id: str) -> Response:
        case = cases.case(case_id)
        if case is None:
            raise Problem(404, "not_found", "no case has this id; it may have expired")
        return render("case.html", view=case_view(case))

    @page("/tasks")
    def tasks_page(cursor: Cursor = None) -> Response:
        found = task_page_of(tasks, cursor, PAGE_SIZE)
        return render("tasks.html", page=found, cursor=cursor)

    @page("/tasks/{task_id}")
    def task_page(task_id: str) -> Response:
        task = tasks.get(task_id)
        if task is None:
            raise Problem(404, "not_found", "no audit task has this id")
        return render("task.html", view=task_view(task))

    @page("/books")
    def books_page() -> Response:
        return render("books.html", books=books(), judge=judge_line(judge()))

    return router
