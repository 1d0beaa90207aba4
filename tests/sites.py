"""The web app over a store of its own, on a port of this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.bootstrap import Parts, build, desk
from service.calibrations import calibrations_over
from service.embedded import EmbeddedIntake
from service.health import Health
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.settings import Settings
from service.store.reviews import Desk
from service.web.app import create_app
from service.web.options import WebOptions
from service.web.ports import JudgeState
from tests.e2e.serving import serving

UNAUDITED = Policy(default=AppPolicy(sampling=SamplingPolicy(audit=0)))
"""An audit withholds the case of the same answer."""


@dataclass(frozen=True, slots=True)
class Site:
    """``intake``: what it takes stands in the store at once."""

    address: str
    parts: Parts
    desk: Desk
    intake: EmbeddedIntake


@contextmanager
def embedded_site(
    folder: Path, settings: Settings | None = None, options: WebOptions | None = None
) -> Iterator[Site]:
    """``settings``: where the store is, in memory without any; ``folder``: for journals."""
    parts = build(settings or Settings(), UNAUDITED)
    intake = EmbeddedIntake(parts.store, parts.ingest, folder)
    intake.open()
    reviews = desk(parts, lambda: None)
    app = create_app(
        intake=intake,
        cases=parts.store.archive,
        tasks=parts.store.tasks,
        books=parts.store.archive.books,
        judge=JudgeState,
        counters=parts.store.archive,
        health=Health(),
        metrics=parts.metrics,
        settings=options or WebOptions(),
        desk=reviews,
        probes=parts.store.probes.results,
        secret=parts.terms().secret,
        calibrations=calibrations_over(parts.store, 28, time.time, time.monotonic),
        questions=parts.store.questions,
        policy=lambda: parts.terms().policy,
    )
    with serving(app) as address:
        yield Site(address, parts, reviews, intake)
    intake.close()
    parts.store.connection.client.close()
