"""The pages: rendered on the server, complete without a script, nothing loaded from elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.review.cases import CaseFilter
from service.web.api import Cursor, Filter, page_of
from service.web.options import WebOptions
from service.web.ports import CaseReader
from service.web.problems import Problem
from service.web.views import ago, books_line, case_view, moment, queue_url, showable, utc

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
    return environment


def error_page(environment: Environment) -> Callable[[int, str, str], str]:
    def render(status: int, title: str, detail: str) -> str:
        return environment.get_template("error.html").render(
            status=status, title=title, detail=detail
        )

    return render


def page_routes(
    environment: Environment, cases: CaseReader, books: Callable[[], Books], options: WebOptions
) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    def render(template: str, **shown: Any) -> Response:
        return HTMLResponse(environment.get_template(template).render(**shown))

    @router.get("/")
    async def home() -> Response:
        return RedirectResponse("/queue", 307)

    @router.get("/queue")
    def queue(filter: Filter, cursor: Cursor = None) -> Response:
        now_ms = time.time_ns() // 1_000_000
        return render(
            "queue.html",
            page=page_of(cases, filter, cursor, PAGE_SIZE),
            filter=filter,
            unfiltered=CaseFilter(),
            cursor=cursor,
            counts=cases.case_counts(),
            facets=cases.facets(),
            books=books_line(books()),
            age=lambda then_ms: ago(then_ms, now_ms),
            public_url=options.public_url.rstrip("/"),
        )

    @router.get("/cases/{case_id}")
    def case_page(case_id: str) -> Response:
        case = cases.case(case_id)
        if case is None:
            raise Problem(404, "not_found", "no case has this id; it may have expired")
        now_ms = time.time_ns() // 1_000_000
        return render("case.html", view=case_view(case), age=ago(case.summary.occurred_ms, now_ms))

    @router.get("/books")
    def books_page() -> Response:
        return render("books.html", books=books())

    return router
