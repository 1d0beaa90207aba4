"""From a template to a page: what every template may use, and how it is escaped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from service.web.assets import asset
from service.web.caller import caller
from service.web.problems import ErrorPage, ProblemBody
from service.web.showing import showable
from service.web.texts import Tongue, tongue
from service.web.views import moment, query_of, queue_url, utc

TEMPLATES = Path(__file__).with_name("templates")


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
    environment.globals["asset"] = asset
    environment.globals["caller"] = caller
    environment.globals["queue_url"] = queue_url
    environment.globals["query_of"] = query_of
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


class Renderer:
    """Templates to responses. ``now``: seconds since 1970 that ages are told by."""

    def __init__(self, environment: Environment, now: Callable[[], float] = time.time) -> None:
        self._environment = environment
        self._now = now

    @property
    def now_ms(self) -> int:
        return int(self._now() * 1000)

    def __call__(self, t: Tongue, template: str, **shown: Any) -> Response:
        now_ms = self.now_ms
        return HTMLResponse(
            self._environment.get_template(template).render(
                t=t,
                age=lambda then_ms: t.age(then_ms, now_ms),
                until=lambda then_ms: t.until(then_ms, now_ms),
                **shown,
            )
        )
