"""The pages: rendered on the server, complete without a script, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.web.api import Cursor, task_page_of
from service.web.judging import judge_line
from service.web.ports import JudgeState, TaskReader
from service.web.rendering import Renderer
from service.web.texts import COOKIE, Speaking, safe_return

PAGE_SIZE = 50
A_YEAR_S = 365 * 86_400
Back = Annotated[str, Query(max_length=4096)]


def page_routes(
    render: Renderer,
    tasks: TaskReader,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/language")
    def language(to: Literal["en", "de"], back: Back = "/") -> Response:
        response = RedirectResponse(safe_return(back), 303)
        response.set_cookie(COOKIE, to, max_age=A_YEAR_S, httponly=True, samesite="strict")
        return response

    @page("/tasks")
    def tasks_page(t: Speaking, cursor: Cursor = None) -> Response:
        found = task_page_of(tasks, cursor, PAGE_SIZE)
        return render(t, "tasks.html", page=found, cursor=cursor)

    @page("/books")
    def books_page(t: Speaking) -> Response:
        return render(t, "books.html", books=books(), judge=judge_line(judge(), t))

    return router
