"""The pages: rendered on the server, complete without a script, nothing loaded from elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.review.cases import CaseFilter
from service.web.api import Cursor, Filter, page_of, task_page_of
from service.web.judging import judge_line
from service.web.options import WebOptions
from service.web.ports import CaseReader, JudgeState, TaskReader
from service.web.problems import ErrorPage, Problem, ProblemBody
from service.web.showing import showable
from service.web.texts import COOKIE, Speaking, Tongue, safe_return, tongue
from service.web.views import (
    books_line,
    case_view,
    moment,
    queue_url,
    task_view,
    utc,
)

TEMPLATES = Path(__file__).with_name("templates")
STATIC = Path(__file__).with_name("static")
PAGE_SIZE = 50
A_YEAR_S = 365 * 86_400
Back = Annotated[str, Query(max_length=4096)]


def _finalize(value: Any) -> Any:
    return showable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@pass_context
def _count(context: Context, number: int) -> str:
    t: Tongue = context["t"]
    return t.count(number)


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
    environment.filters["count"] = _count
    environment.filters["utc"] = utc
    environment.filters["moment"] = moment
    environment.filters["words"] = lambda name: name.replace("_", " ")
    environment.globals["queue_url"] = queue_url
    return environment


def error_page(environment: Environment) -> ErrorPage:
    def render(request: Request, body: ProblemBody) -> str:
        # Nothing that was sent is repeated, its address neither.
        t = replace(tongue(request), here="/")
        titled, explained = f"error.title.{body.status}", f"error.{body.reason}"
        return environment.get_template("error.html").render(
            t=t,
            status=body.status,
            title=t(titled) if t.knows(titled) else body.title,
            detail=t(explained, field=body.field) if t.knows(explained) else _sentence(body.detail),
        )

    return render


def _sentence(detail: str) -> str:
    return f"{detail[:1].upper()}{detail[1:]}."


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

    def render(t: Tongue, template: str, **shown: Any) -> Response:
        now_ms = time.time_ns() // 1_000_000
        return HTMLResponse(
            environment.get_template(template).render(
                t=t,
                age=lambda then_ms: t.age(then_ms, now_ms),
                until=lambda then_ms: t.until(then_ms, now_ms),
                **shown,
            )
        )

    @page("/")
    async def home() -> Response:
        return RedirectResponse("/queue", 307)

    @page("/language")
    def language(to: Literal["en", "de"], back: Back = "/") -> Response:
        response = RedirectResponse(safe_return(back), 303)
        response.set_cookie(COOKIE, to, max_age=A_YEAR_S, httponly=True, samesite="strict")
        return response

    @page("/queue")
    def queue(t: Speaking, filter: Filter, cursor: Cursor = None) -> Response:
        return render(
            t,
            "queue.html",
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

    @page("/cases/{case_id}")
    def case_page(t: Speaking, case_id: str) -> Response:
        case = cases.case(case_id)
        if case is None:
            raise Problem(404, "not_found", "no case has this id; it may have expired")
        return render(t, "case.html", view=case_view(case))

    @page("/tasks")
    def tasks_page(t: Speaking, cursor: Cursor = None) -> Response:
        found = task_page_of(tasks, cursor, PAGE_SIZE)
        return render(t, "tasks.html", page=found, cursor=cursor)

    @page("/tasks/{task_id}")
    def task_page(t: Speaking, task_id: str) -> Response:
        task = tasks.get(task_id)
        if task is None:
            raise Problem(404, "not_found", "no audit task has this id")
        return render(t, "task.html", view=task_view(task))

    @page("/books")
    def books_page(t: Speaking) -> Response:
        return render(t, "books.html", books=books(), judge=judge_line(judge(), t))

    return router
