"""What ``serve`` keeps up to date beside serving: by a clock that a demo may stop."""

from __future__ import annotations

import orjson

from service.accounting import prefix_of
from service.bootstrap import Parts, build
from service.embedded import EmbeddedIntake
from service.gauges import GaugeKeeper
from service.health import Health
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.settings import Settings

THEN_MS = 1_600_000_000_000
DAY_S = 86_400
EVENT = {"event_id": "a", "app": "support", "query": "q?", "answer": "So.", "retrieved": []}


def audited(tmp_path) -> Parts:
    """One answer of long ago that waits for an audit."""
    policy = Policy(apps={"support": AppPolicy(sampling=SamplingPolicy(audit=1.0))})
    parts = build(Settings(), policy)
    intake = EmbeddedIntake(parts.store, parts.ingest, tmp_path, clock_ms=lambda: THEN_MS)
    intake.open()
    intake.submit([orjson.dumps(EVENT)])
    intake.close()
    return parts


def test_tasks_expire_by_the_clock_that_is_given(tmp_path) -> None:
    parts, health = audited(tmp_path), Health()
    keeper = GaugeKeeper(parts, health, now=lambda: THEN_MS / 1000 + 2 * DAY_S)
    keeper.refresh()
    assert parts.store.tasks.counts()["open"] == 1
    GaugeKeeper(parts, health).refresh()
    assert parts.store.tasks.counts() == {"open": 0, "done": 0, "expired": 1, "erased": 0}
    assert health.ready()[0]


def test_coverage_is_of_the_last_24_hours_and_absent_without_a_draw(tmp_path) -> None:
    parts = audited(tmp_path)
    keys, client = parts.store.connection.keys, parts.store.connection.client

    def count(app: str, hours_ago: int, selected: int, skipped: int) -> None:
        hour = THEN_MS // 3_600_000 - hours_ago
        for name, n in (("selected", selected), ("budget_skipped", skipped)):
            field = prefix_of("r1", "1-aa", "en") + f"judge:{name}:flagged"
            client.hincrby(keys.counters(app, hour), field, n)
        client.zadd(keys.hours, {f"{app}:{hour}": hour})

    count("support", 24, 0, 1_000)
    count("support", 23, 3, 0)
    count("support", 0, 0, 1)
    count("sales", 30, 1, 0)
    GaugeKeeper(parts, Health(), now=lambda: THEN_MS / 1000).refresh()
    lines = parts.metrics.exposition()[0].decode().splitlines()
    shares = [line for line in lines if line.startswith("groundwatch_judge_coverage{")]
    assert shares == ['groundwatch_judge_coverage{app="support"} 0.75']
