"""What ``serve`` keeps up to date beside serving: by a clock that a demo may stop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service import bootstrap
from service.accounting import prefix_of
from service.bootstrap import Parts, build
from service.drafts import case_id
from service.embedded import EmbeddedIntake
from service.gauges import GaugeKeeper
from service.health import Health
from service.measuring.probed import ProbeResult
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.review.labels import AnswerCall, FindingCall, FindingLabel, Label
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


HOUR_MS = 3_600_000
CITED = {"ref": "pricing#plans", "text": "Pro: 45 € a seat."}
PLACE = {"app": "support"}


@pytest.fixture
def watched(tmp_path) -> Iterator[tuple[Parts, EmbeddedIntake]]:
    """Two days of answers every hour but one, the last ones bad."""
    now = [THEN_MS]
    quiet = AppPolicy(sampling=SamplingPolicy(audit=0))
    parts = build(Settings(), Policy(apps={"support": quiet, "sales": quiet}))
    intake = EmbeddedIntake(parts.store, parts.ingest, tmp_path, clock_ms=lambda: now[0])
    intake.open()
    for hour in range(48):
        now[0] = THEN_MS - (47 - hour) * HOUR_MS
        if hour != 40:
            intake.submit([answer(f"e{hour}", "plans" if hour < 44 else "seats")])
    yield parts, intake
    intake.close()


def answer(event_id: str, cites: str) -> bytes:
    said = f"A seat costs 45 € [pricing#{cites}]."
    release = {"id": "r1" if cites == "plans" else "r2"}
    body = EVENT | {"event_id": event_id, "answer": said, "retrieved": [CITED], "release": release}
    return orjson.dumps(body)


def shown(parts: Parts, name: str) -> dict[frozenset[tuple[str, str]], float]:
    GaugeKeeper(parts, Health(), now=lambda: THEN_MS / 1000).refresh()
    families = text_string_to_metric_families(parts.metrics.exposition()[0].decode())
    return {
        frozenset(sample.labels.items()): sample.value
        for family in families
        for sample in family.samples
        if sample.name == f"groundwatch_{name}"
    }


def labels(**named: str) -> frozenset[tuple[str, str]]:
    return frozenset(named.items())


def test_the_rates_of_the_last_day_come_from_the_store(watched: tuple[Parts, Any]) -> None:
    found = shown(watched[0], "rate")
    rate = "unresolvable_citations_per_answer"
    of = {
        statistic: found[labels(rate=rate, statistic=statistic, **PLACE)]
        for statistic in ("value", "low", "high", "n")
    }
    # The running hour and the 23 before it, one of them without an answer.
    assert (of["n"], of["value"]) == (23, 4 / 23)
    assert 0 < of["low"] < of["value"] < of["high"] < 1
    # Nobody judged, and the other app said nothing: no series, not 0.
    assert labels(rate="faithfulness", statistic="value", **PLACE) not in found
    assert {dict(series)["app"] for series in found} == {"support"}


def test_hours_without_an_answer_are_counted(watched: tuple[Parts, Any]) -> None:
    assert shown(watched[0], "hours_without_data") == {labels(**PLACE): 1}


def test_releases_are_told_by_when_they_were_first_seen(watched: tuple[Parts, Any]) -> None:
    assert shown(watched[0], "release_first_seen_timestamp_seconds") == {
        labels(release="r1", **PLACE): (THEN_MS - 47 * HOUR_MS) / 1000,
        labels(release="r2", **PLACE): (THEN_MS - 3 * HOUR_MS) / 1000,
    }


def test_cases_stand_by_state_and_age(watched: tuple[Parts, Any]) -> None:
    assert shown(watched[0], "cases")[labels(state="open")] == 4
    ages = shown(watched[0], "oldest_open_case_seconds")
    assert max(ages.values()) == 3 * HOUR_MS / 1000
    assert shown(watched[0], "redis_up") == {labels(): 1}


def test_what_people_said_is_counted_and_weighs_the_checks(watched: tuple[Parts, Any]) -> None:
    parts, _ = watched
    desk, subject = bootstrap.desk(parts, lambda: None), f"case:{case_id('support', 'e47')}"
    false = FindingLabel("citations", "unknown_ref", "[pricing#seats]", 18, FindingCall.FALSE_ALARM)
    said = Label(answer=AnswerCall.CORRECT, findings=(false,))
    desk.save(desk.claim(subject, "ann", THEN_MS), said, 0, THEN_MS)
    assert shown(parts, "labels_total")[labels(kind="case")] == 1
    assert shown(parts, "check_precision")[labels(check="citations", statistic="value")] == 0
    assert shown(parts, "check_labelled_findings") == {labels(check="citations"): 1}
    assert shown(parts, "cases")[labels(state="resolved")] == 1
    assert shown(parts, "reviewer_agreement_pairs") == {labels(): 0}
    assert shown(parts, "reviewer_agreement") == {}


def test_the_last_probe_of_each_app_is_shown() -> None:
    parts = build(Settings())
    for release, at_ms, lost in (("r1", 1_000, 2), ("r2", 2_000, 0)):
        parts.store.probes.keep(ProbeResult("support", release, "p", at_ms, 5, 3, 0, {}, lost=lost))
    GaugeKeeper(parts, Health(), now=lambda: THEN_MS / 1000).refresh()
    told = parts.metrics.exposition()[0].decode()
    shown = [line for line in told.splitlines() if line.startswith("groundwatch_probe_critical")]
    assert shown == [
        'groundwatch_probe_critical_without_hit{app="support",release="r2"} 0.0',
    ]  # fmt: skip
