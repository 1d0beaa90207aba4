"""The API does what its own description says: schemathesis calls every route with what fits the
description and with what does not, and holds each answer against it.

Always the same calls: hypothesis draws without chance, and the clock of the desk stands still.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import orjson
import pytest
import schemathesis
from fastapi import FastAPI
from schemathesis import GenerationMode
from schemathesis.config import (
    ChecksConfig,
    GenerationConfig,
    PositiveDataAcceptanceConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from schemathesis.config._checks import MissingRequiredHeaderConfig

from service.bootstrap import Parts, build, desk
from service.calibrations import calibrations_over
from service.drafts import case_id
from service.embedded import EmbeddedFeedback, EmbeddedIntake
from service.health import Health
from service.joining import FeedbackJoin
from service.policy import AppPolicy, Policy, ReviewPolicy, SamplingPolicy
from service.review.cases import CaseFilter
from service.review.desk import LeaseTaken, UnknownSubject
from service.review_outbox import ReviewOutbox
from service.settings import Settings
from service.store.reviews import Desk
from service.web.app import create_app
from service.web.options import WebOptions
from service.web.ports import JudgeState
from tests.e2e.serving import serving

NOW_S = 1_795_000_000
EXAMPLES = 5
"""Calls a route that hypothesis draws, beside those that walk the limits of each parameter."""
AUDITED = "shop"
CONFIG = SchemathesisConfig(
    seed=1,
    projects=ProjectsConfig(
        default=ProjectConfig(
            generation=GenerationConfig(deterministic=True, max_examples=EXAMPLES),
            checks=ChecksConfig(
                # A condition that does not hold (412), or that was not given (428), is neither a
                # fault of the data nor of the description.
                positive_data_acceptance=PositiveDataAcceptanceConfig(
                    expected_statuses=["2xx", "403", "404", "409", "412"]
                ),
                missing_required_header=MissingRequiredHeaderConfig(
                    expected_statuses=["403", "415", "422", "428"]
                ),
            ),
        )
    ),
)


@dataclass
class Site:
    """The embedded service at ``address``, with something of everything in it."""

    address: str
    desk: Desk
    subjects: dict[str, list[str]]
    cursors: dict[str, str]
    turns: Iterator[int] = field(default_factory=itertools.count)

    def aim(self, call: schemathesis.Case) -> None:
        """What fits the description is to find something now and then: cursors are ones that were
        handed out, points in time lie behind us, every other call that names a case, task or group
        finds one, and holds its lease."""
        if call.meta is None or call.meta.generation.mode is not GenerationMode.POSITIVE:
            return
        if "cursor" in call.query:
            call.query["cursor"] = self.cursors.get(call.path, "")
        if call.path == "/v1/incident":
            call.query |= {"since": "2h", "until": ""}
        turn = next(self.turns)
        kind = call.path.split("/")[2].removesuffix("s") if call.path.startswith("/v1/") else ""
        known = self.subjects.get(kind)
        if turn % 2 or not known or not call.path_parameters:
            return
        subject_id = known[turn // 2 % len(known)]
        call.path_parameters.update(dict.fromkeys(call.path_parameters, subject_id))
        self._lend(call, f"{kind}:{subject_id}")

    def _lend(self, call: schemathesis.Case, subject: str) -> None:
        reviewer = call.headers.get("X-Reviewer")
        if "X-Lease-Token" not in call.headers or not isinstance(reviewer, str):
            return
        try:
            lease = self.desk.claim(subject, reviewer, NOW_S * 1000)
        except (LeaseTaken, UnknownSubject):
            return
        call.headers["X-Lease-Token"] = f"{lease.fence}.{lease.token}"
        if "If-Match" in call.headers:
            call.headers["If-Match"] = f'"{self.desk.labelled(subject).version}"'


def event(name: str, app: str, cites: str) -> bytes:
    return orjson.dumps(
        {
            "event_id": name,
            "app": app,
            "query": "What does a seat cost?",
            "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}],
            "answer": f"A seat costs 54 € [pricing#{cites}].",
        }
    )


def composed(folder: Path) -> tuple[FastAPI, EmbeddedIntake, Parts, Desk]:
    policy = Policy(
        default=AppPolicy(sampling=SamplingPolicy(audit=0), review=ReviewPolicy(required=())),
        # What a policy requires of a label is no matter of the description.
        apps={
            AUDITED: AppPolicy(
                sampling=SamplingPolicy(audit=1), review=ReviewPolicy(required_of_tasks=())
            )
        },
    )
    parts = build(Settings(data_dir=folder), policy)
    intake = EmbeddedIntake(parts.store, parts.ingest, folder, clock_ms=lambda: NOW_S * 1000)
    intake.open()
    reviews = desk(parts, ReviewOutbox(parts.store, intake.reviews).flush)
    join = FeedbackJoin(parts.store, parts.documents, parts.terms)
    app = create_app(
        intake=intake,
        feedback=EmbeddedFeedback(parts.store, join, intake, parts.metrics),
        cases=parts.store.archive,
        tasks=parts.store.tasks,
        books=parts.store.archive.books,
        judge=JudgeState,
        counters=parts.store.archive,
        desk=reviews,
        secret=b"secret",
        calibrations=calibrations_over(parts.store, 28, lambda: NOW_S, time.monotonic),
        questions=parts.store.questions,
        policy=lambda: parts.terms().policy,
        health=Health(),
        metrics=parts.metrics,
        settings=WebOptions(max_body_bytes=100_000, max_events=20),
        now=lambda: NOW_S,
    )
    return app, intake, parts, reviews


def description() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        app, intake, _, _ = composed(Path(folder))
        intake.close()
        return app.openapi()


@pytest.fixture(autouse=True)
def _collect_sockets() -> None:
    """No Kafka here that leaves any: a collection after each route would take half of the time."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    app, intake, _, reviews = composed(tmp_path_factory.mktemp("embedded"))
    names = [f"e{number}" for number in range(12)]
    intake.submit([event(name, "support", name[:2]) for name in names])
    intake.submit([event(name, AUDITED, "plans") for name in names])
    subjects = {
        "case": [case_id("support", name) for name in names],
        "task": [case_id(AUDITED, name) for name in names],
        "group": [group.group_id for group in reviews.groups(CaseFilter()).groups],
    }
    assert all(subjects.values())
    with serving(app) as address:
        lists = ("/v1/cases", "/v1/tasks", "/v1/groups")
        pages = {path: httpx.get(f"{address}{path}?limit=1").json() for path in lists}
        cursors = {path: page["next_cursor"] for path, page in pages.items()}
        assert all(cursors.values())
        yield Site(address, reviews, subjects, cursors)
    intake.close()


@schemathesis.serializer("application/x-ndjson")
def ndjson(_: object, lines: object) -> bytes:
    return str(lines).encode("utf-8", "surrogatepass")


api = schemathesis.openapi.from_dict(description(), config=CONFIG)


@api.parametrize()
def test_the_api_does_what_it_says(case: schemathesis.Case, site: Site) -> None:
    site.aim(case)
    case.call_and_validate(base_url=site.address)
