"""How good the judge is: its route, and what its template shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from service.calibrations import Calibrations, JudgeFigures, JudgeScope
from service.estimates.confusion import BAD, FINE
from service.judging.calibration import Calibration, share_bad
from service.web.ports import TaskReader
from service.web.rendering import Renderer
from service.web.texts import Speaking

MOST_EXAMPLES = 20
QUERY = 200
"""Characters of a question that stand in a row."""
Name = Annotated[str, Query(max_length=2048)]


@dataclass(frozen=True, slots=True)
class Example:
    """An audited answer on which judge and people differ."""

    link: str
    app: str
    query: str


def judge_routes(
    render: Renderer,
    calibrations: Calibrations,
    tasks: TaskReader,
    who: Callable[[Request], str],
) -> APIRouter:
    """``who``: the name of the one who asks, empty where it is not known."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/judge")
    def judge_page(t: Speaking, request: Request, app: Name = "", language: Name = "") -> Response:
        scope = JudgeScope(app or None, language or None)
        figures = calibrations.of(scope)
        found, me = figures.calibration, who(request)
        return render(
            t,
            "judge_check.html",
            figures=figures,
            found=found,
            scope=scope,
            cuts=list(_cuts(figures)),
            by_word=[(word, one, share_bad(one)) for word, one in found.by_word.items()],
            missed=_examples(tasks, found.missed, me),
            false_alarms=_examples(tasks, found.false_alarms, me),
            url=partial(judge_url, scope),
            BAD=BAD,
            FINE=FINE,
        )

    return router


def judge_url(scope: JudgeScope, **changes: str) -> str:
    terms = {"app": scope.app, "language": scope.language} | changes
    kept = {name: value for name, value in terms.items() if value}
    return "/judge" + (f"?{urlencode(kept, errors='replace')}" if kept else "")


def _cuts(figures: JudgeFigures) -> Iterator[tuple[str, str, Calibration]]:
    """(``app`` or ``language``, its name, what is known of it)."""
    for app, found in figures.by_app.items():
        yield "app", app, found
    for language, found in figures.by_language.items():
        yield "language", language, found


def _examples(tasks: TaskReader, ids: Sequence[str], reviewer: str) -> list[Example]:
    """None of a task that was opened again: somebody may label it blind."""
    sealed = tasks.sealed(ids[:MOST_EXAMPLES], reviewer)
    kept = [tasks.get(task_id) for task_id in ids[:MOST_EXAMPLES] if task_id not in sealed]
    return [
        Example(f"/tasks/{task.task_id}", task.app, task.query[:QUERY])
        for task in kept
        if task is not None and task.status != "open"
    ]
