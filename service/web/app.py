"""The web app, composed: JSON routes, probes, pages, errors, headers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.staticfiles import StaticFiles

from service.accounting import Books
from service.calibrations import Calibrations
from service.contract import AnswerEvent
from service.gating import Gatekeeper
from service.health import Health
from service.intake import AppOf, GrantedIntake, Intake
from service.knowledge_gaps import KnowledgeGaps, QuestionReader
from service.measuring.probed import ProbeResult
from service.metrics import Metrics
from service.policy import Policy
from service.review.desk import ReviewDesk
from service.web.admission import READS, Admission
from service.web.api import answer_routes, case_routes, probe_routes, problems, task_routes
from service.web.assets import STATIC
from service.web.authentication import Authenticate, nobody_is_asked
from service.web.body import JSON
from service.web.compare_page import compare_routes
from service.web.days import Days
from service.web.desk_api import desk_routes
from service.web.desk_bodies import PROBLEMS
from service.web.feedback import feedback_routes
from service.web.figures_api import figure_routes
from service.web.gaps_page import gap_api_routes, gap_routes
from service.web.gates_api import gate_routes
from service.web.granted import GrantedQuestions, for_caller, granted
from service.web.groups_page import groups_routes
from service.web.identity import HEADER
from service.web.incident_api import incident_api_routes
from service.web.incident_page import incident_routes
from service.web.incident_read import Incidents
from service.web.judge_page import judge_routes
from service.web.judged_api import judged_routes
from service.web.labelled import RecentChanges
from service.web.labels_page import labels_routes
from service.web.middleware import RequestCounter, ResponseHeaders
from service.web.needs import NEEDS, OPEN
from service.web.options import WebOptions
from service.web.overview_page import overview_routes
from service.web.pages import page_routes
from service.web.ports import CaseReader, CounterReader, JudgeState, ProbeReader, TaskReader
from service.web.problems import ProblemBody, install_error_handlers
from service.web.queue_page import queue_routes
from service.web.rendering import Renderer, error_page, templates
from service.web.reviewer import Identity
from service.web.reviewing import Review, review_routes
from service.web.trying import try_routes

TICK_S = 1.0
_SCHEMA_REF = "#/components/schemas/{model}"


def create_app(
    *,
    intake: Intake,
    cases: CaseReader,
    tasks: TaskReader,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
    counters: CounterReader,
    health: Health,
    metrics: Metrics,
    settings: WebOptions,
    desk: ReviewDesk,
    secret: bytes,
    feedback: Intake | None = None,
    gates: Gatekeeper | None = None,
    calibrations: Calibrations | None = None,
    questions: QuestionReader | None = None,
    probes: ProbeReader = tuple,
    policy: Callable[[], Policy] = Policy,
    now: Callable[[], float] = time.time,
    authenticate: Authenticate = nobody_is_asked,
    app_of_answer: AppOf = lambda raw: "",
    app_of_feedback: AppOf = lambda raw: "",
) -> FastAPI:
    """``books`` and ``judge`` may raise ``service.outage.Outage``, as the methods of the ports
    may. ``feedback``: takes it as ``intake`` takes answers; None where it is off.
    ``calibrations``: what the judge said and people made of it; None where nobody reads it.
    ``questions``: that retrieval did not serve; None where nobody keeps them.
    ``probes``: what they found last. ``desk``: where people's labels are. ``secret``: of the store;
    it signs who a reviewer said to be. ``policy``: as it stands now.
    ``gates``: None where no rules file is configured.
    ``now``: seconds since 1970 that pages tell ages by. ``authenticate``: who asks. ``app_of_*``:
    of an event; without it, only a sender for all apps may send.

    Each port is of all apps; what the routes are given is narrowed to those of whoever asks."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        ticking = asyncio.create_task(_tick(health))
        try:
            yield
        finally:
            ticking.cancel()

    # The documentation pages of FastAPI load their scripts from elsewhere.
    app = _App(
        title="groundwatch",
        summary="Every answer checked, every verdict accounted for",
        version=version("groundwatch"),
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.asks = authenticate is not nobody_is_asked
    environment = templates()
    public_url = settings.public_url.rstrip("/")
    changes = RecentChanges(desk, time.monotonic, granted)
    days = Days(counters, time.monotonic, granted)
    cases, tasks = for_caller(cases), for_caller(tasks)
    counters, desk = for_caller(counters), for_caller(desk)
    judge, probes = partial(_judge_seen, judge), partial(_probes_seen, probes)
    if calibrations is not None:
        calibrations = for_caller(calibrations)
    app.include_router(answer_routes(GrantedIntake(intake, app_of_answer, granted), settings))
    if feedback is not None:
        heard = GrantedIntake(feedback, app_of_feedback, granted)
        app.include_router(feedback_routes(heard, settings))
    # Before the cases and tasks: `next` is no id of one.
    app.include_router(desk_routes(desk, cases, tasks, now))
    app.include_router(case_routes(cases, books))
    app.include_router(task_routes(tasks))
    app.include_router(probe_routes(health, metrics, settings))
    render = Renderer(environment, now)
    app.include_router(figure_routes(desk, tasks, changes, days, now))
    app.include_router(gate_routes(gates))
    app.include_router(page_routes(render, tasks, books, judge))
    app.include_router(compare_routes(render, days))
    app.include_router(
        overview_routes(
            render,
            cases,
            days,
            books,
            judge,
            changes,
            calibrations,
            questions is not None,
            public_url,
            probes,
            settings.wanted,
        )
    )
    identity = app.state.identity = Identity(secret, public_url.startswith("https:"))
    review = Review(
        render, cases, tasks, desk, identity, lambda app, kind: policy().of(app).review.parts(kind)
    )
    app.include_router(queue_routes(review, books, judge, public_url))
    app.include_router(groups_routes(render, desk, cases))
    incidents = Incidents(counters, cases, desk)
    app.include_router(incident_routes(render, incidents))
    app.include_router(incident_api_routes(incidents, now))
    app.include_router(review_routes(review))
    app.include_router(
        labels_routes(render, desk, tasks, changes, lambda request: identity.visitor(request).name)
    )
    if calibrations is not None:
        app.include_router(judged_routes(calibrations))
        app.include_router(
            judge_routes(
                render, calibrations, tasks, lambda request: identity.visitor(request).name
            )
        )
    if questions is not None:
        gaps = KnowledgeGaps(GrantedQuestions(questions), cases, now)
        app.include_router(gap_api_routes(gaps))
        app.include_router(gap_routes(render, gaps))
    app.include_router(try_routes(render, policy))
    app.mount("/static", StaticFiles(directory=STATIC))
    install_error_handlers(app, error_page(environment))
    app.add_middleware(
        Admission,
        routes_of=app,
        authenticate=authenticate,
        options=settings,
        monotonic=time.monotonic,
    )
    app.add_middleware(ResponseHeaders)
    app.add_middleware(RequestCounter, metrics=metrics)
    return app


def _judge_seen(judge: Callable[[], JudgeState]) -> JudgeState:
    """What waits, and what is left of the budget, is of all apps together."""
    state = judge()
    return state if granted().everything else JudgeState(state.model, state.scripted, None)


def _probes_seen(probes: ProbeReader) -> list[ProbeResult]:
    return [result for result in probes() if granted().covers(result.app)]


async def _tick(health: Health) -> None:
    while True:
        health.tick()
        await asyncio.sleep(TICK_S)


class _App(FastAPI):
    """FastAPI, with the contract and the form of problems among the schemas. ``asks``: who comes
    in."""

    asks = False

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            schema = get_openapi(
                title=self.title, version=self.version, summary=self.summary, routes=self.routes
            )
            schemas = schema.setdefault("components", {}).setdefault("schemas", {})
            for model in (AnswerEvent, ProblemBody, *PROBLEMS):
                described = model.model_json_schema(ref_template=_SCHEMA_REF)
                schemas.update(described.pop("$defs", {}))
                schemas[model.__name__] = described
            _drop_foreign_problems(schema)
            _tell_of_roles(schema)
            (_tell_of_keys if self.asks else _require_a_name)(schema)
            self.openapi_schema = schema
        return self.openapi_schema


def _tell_of_roles(schema: dict[str, Any]) -> None:
    for path, operations in schema["paths"].items():
        need = NEEDS.get(path, OPEN)
        if need.is_open:
            continue
        for method, operation in operations.items():
            roles = need.read if method.upper() in READS else need.write
            operation["x-roles"] = sorted(roles)
            operation["responses"].setdefault("403", problems(403)[403])


def _tell_of_keys(schema: dict[str, Any]) -> None:
    """A key is one way in; a proxy's word is the other."""
    scheme = {"type": "http", "scheme": "bearer", "description": "A key: gw_…"}
    schema["components"]["securitySchemes"] = {"key": scheme}
    for path, operations in schema["paths"].items():
        if NEEDS.get(path, OPEN).is_open:
            continue
        for operation in operations.values():
            operation["security"] = [{"key": []}, {}]
            operation["responses"]["401"] = problems(401)[401]


def _require_a_name(schema: dict[str, Any]) -> None:
    """Where nobody is asked, whoever writes says a name."""
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == HEADER and method.upper() not in READS:
                    parameter["required"] = True
                    said = parameter["schema"]
                    parameter["schema"] = said.pop("anyOf")[0] | said


def _drop_foreign_problems(schema: dict[str, Any]) -> None:
    """FastAPI describes a 422 of its own for each route with a parameter, in a form that this app
    never answers."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            said = operation["responses"].get("422", {}).get("content", {})
            if JSON in said:
                del operation["responses"]["422"]
    for name in ("HTTPValidationError", "ValidationError"):
        schema["components"]["schemas"].pop(name, None)
