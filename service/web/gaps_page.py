"""Knowledge gaps: what was asked and not served, on a page and as JSON."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel
from starlette.responses import HTMLResponse

from service.exporting.gap_rows import gap_row
from service.knowledge_gaps import KnowledgeGaps
from service.questions import Why
from service.web.api import Name, json_response, problems
from service.web.desk_api import answer
from service.web.rendering import Renderer
from service.web.texts import Speaking

SHOWN = 100
Days = Annotated[int, Query(ge=1, le=30, description="So many, until now.")]


class GapBody(BaseModel):
    """``questions``: how many were asked; ``wordings``: some of them, the most frequent first;
    ``why``: reason → questions, a question may have several; ``first_ms``, ``last_ms``: of the
    answers, milliseconds since 1970."""

    app: str
    query: str
    questions: int
    wordings: list[str]
    why: dict[str, int]
    languages: dict[str, int]
    first_ms: int
    last_ms: int


class GapsBody(BaseModel):
    """The most asked first, at most `limit`; ``total``: of all; ``questions``: in all of them."""

    days: int
    total: int
    questions: int
    gaps: list[GapBody]


_EXAMPLE: dict[str, Any] = {
    "days": 30,
    "total": 1,
    "questions": 12,
    "gaps": [
        {
            "app": "support-assistant", "query": "Kann ich per Lastschrift zahlen?",
            "questions": 12, "wordings": ["Kann ich per Lastschrift zahlen?"],
            "why": {"abstained": 12, "disliked": 3}, "languages": {"de": 12},
            "first_ms": 1_790_816_000_000, "last_ms": 1_793_400_000_000,
        }
    ],
}  # fmt: skip


def gap_api_routes(gaps: KnowledgeGaps) -> APIRouter:
    router = APIRouter(tags=["figures"])

    @router.get(
        "/v1/gaps",
        summary="List questions that retrieval did not serve, alike ones together",
        responses=answer(GapsBody, _EXAMPLE, "The gaps") | problems(422, 503),
    )
    def read_gaps(
        app: Name = None,
        days: Days = 30,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> Response:
        """Empty or unused retrievals, abstentions, negative feedback. Of the newest questions, as
        many as `MAX_QUESTIONS` keeps."""
        found = gaps.of(app or None, days)
        return json_response(
            {
                "days": days,
                "total": len(found),
                "questions": sum(gap.questions for gap in found),
                "gaps": [gap_row(gap) for gap in found[:limit]],
            }
        )

    return router


def gap_routes(render: Renderer, gaps: KnowledgeGaps) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    page = partial(router.api_route, methods=["GET", "HEAD"])

    @page("/gaps")
    def gaps_page(
        t: Speaking,
        app: Annotated[str, Query(max_length=2048)] = "",
        shown_days: Annotated[Literal["7", "30"], Query(alias="days")] = "30",
    ) -> Response:
        days = int(shown_days)
        found = gaps.of(app or None, days)
        return render(
            t,
            "gaps.html",
            gaps=found[:SHOWN],
            more=max(0, len(found) - SHOWN),
            questions=sum(gap.questions for gap in found),
            reasons=[why.value for why in Why],
            app=app,
            apps=sorted({gap.app for gap in gaps.of(None, days)} | ({app} if app else set())),
            days=days,
        )

    return router
