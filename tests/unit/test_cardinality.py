"""The stated bound on series: that it is one, and what may come near it."""

from __future__ import annotations

from dataclasses import replace

from service.accounting import CheckRow, Kind, Row
from service.checks import REASONS
from service.checks.model import NotEvaluated, Outcome
from service.metrics import MAX_RELEASES, Metrics
from service.metrics.cardinality import cardinality, series_of
from service.redaction.kinds import Kind as Masked
from tests.contract.judged import GOOD
from tests.unit.test_metrics import HOUR, judged
from tests.unit.web.world import World

FLOOD = 10_000


def row(app: str, release: str) -> Row:
    return Row(
        0, Kind.CHECKED, app=app, release=release, purpose="live", status="ok", hour=HOUR,
        checks={name: CheckRow(Outcome.PASS.value) for name in REASONS}, label="answer",
    )  # fmt: skip


def test_the_bound_is_what_apps_full_of_releases_come_to() -> None:
    metrics, of = Metrics(), cardinality()
    before = series_of(metrics.registry)
    assert before <= of.fixed
    for app in ("one", "two"):
        metrics.observe_rows([row(app, f"r{n}") for n in range(MAX_RELEASES + 5)])
        for n in range(MAX_RELEASES + 5):
            said = judged(GOOD)
            answer = replace(said.answer, app=app, release=f"r{n}")
            metrics.observe_judgement(replace(said, answer=answer), "")
    grown = series_of(metrics.registry) - before
    by_consumers = len(REASONS) * len(NotEvaluated) + len(Masked)
    shown_by_serve_alone = 2 * (of.per_app - by_consumers)
    first_seen = 2 * (MAX_RELEASES + 1)
    assert grown == of.bound(2) - of.fixed - shown_by_serve_alone - first_seen


def test_a_flood_of_judged_names_stays_under_the_bound() -> None:
    metrics = Metrics()
    for n in range(FLOOD):
        said = judged(replace(GOOD, reason=f"why {n}", attempts=(f"for {n}:went {n}",)))
        answer = replace(said.answer, app="support", release=f"r{n}")
        metrics.observe_judgement(replace(said, answer=answer), f"became {n}")
    assert series_of(metrics.registry) <= cardinality().bound(1)


def test_paths_that_do_not_exist_are_one_route() -> None:
    world = World()
    before = series_of(world.metrics.registry)
    for n in range(1_000):
        path = ("/{}", "/cases/{}", "/static/{}", "/v1/cases/{}", "/{}/../x")[n % 5].format(f"p{n}")
        world.get(path)
    grown = series_of(world.metrics.registry) - before
    assert 0 < grown <= 10
    assert "p99" not in world.metrics.exposition()[0].decode()
