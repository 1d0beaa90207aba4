"""A flood of made-up names, and how many series a process has after it."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.bootstrap import Parts, build
from service.embedded import EmbeddedFeedback, EmbeddedIntake
from service.figures import FigureKeeper
from service.joining import FeedbackJoin
from service.metrics.cardinality import cardinality, series_of
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.settings import Settings
from service.store import Connection

FLOOD = 10_000
AT_ONCE = 500
APPS = 3
"""Two of the policy, and ``other``."""
INVENTED = "zqx"
POLICY = Policy(apps={"support": AppPolicy(sampling=SamplingPolicy(audit=0)), "sales": AppPolicy()})


def answer(n: int) -> bytes:
    """Every name that a sender may choose is one of its own."""
    name = f"{INVENTED}{n}"
    body: dict[str, Any] = {
        "event_id": name,
        "app": "support" if n % 2 else name,
        "query": f"{name}?",
        "answer": f"{name} costs {n} € [{name}].",
        "retrieved": [{"ref": f"ref-{name}", "text": name, "metadata": {name: name}}],
        "release": {"id": f"release-{n}", "model": name},
        "tags": {name: name},
        "user": {"id_hash": name, "tenant": name, "groups": [name]},
        "session_id": name,
        "trace_id": name,
        "latency_ms": {name: 1.0, "total": 5.0},
        name: name,
    }
    if n % 10 == 3:
        body["status"] = name
    if n % 10 == 5:
        del body["query"]
    return orjson.dumps(body)


def said(n: int) -> bytes:
    name = f"{INVENTED}{n}"
    return orjson.dumps(
        {"event_id": name, "app": "support" if n % 2 else name, "thumb": "down", "comment": name}
    )


@pytest.fixture
def parts(redis_connection: Connection) -> Parts:
    options = redis_connection.client.connection_pool.connection_kwargs
    url = f"redis://{options['host']}:{options['port']}/0"
    return build(Settings(redis_url=url, kafka_bootstrap="nowhere:9092"), POLICY)


def test_a_flood_of_names_stays_under_the_stated_bound(parts: Parts, tmp_path: Path) -> None:
    intake = EmbeddedIntake(parts.store, parts.ingest, tmp_path)
    intake.open()
    feedback = EmbeddedFeedback(
        parts.store,
        FeedbackJoin(parts.store, parts.documents, parts.terms),
        intake,
        parts.metrics,
    )
    for start in range(0, FLOOD, AT_ONCE):
        intake.submit([answer(n) for n in range(start, start + AT_ONCE)])
    feedback.submit([said(n) for n in range(0, FLOOD, 10)])
    intake.close()
    FigureKeeper(parts, time.time).refresh()
    text = parts.metrics.exposition()[0].decode()
    of = cardinality()
    assert series_of(parts.metrics.registry) <= of.bound(APPS)
    # It was a flood: support has all its releases by name.
    assert text.count('groundwatch_answers_total{app="support"') == 21 * 3
    assert INVENTED not in text
    assert set(re.findall(r'app="([^"]*)"', text)) <= {"support", "sales", "other"}
