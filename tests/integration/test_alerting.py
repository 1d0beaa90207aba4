"""From a fault to the person who is told: a real groundwatch, scraped by a real Prometheus with our
rules, whose alerts a real Alertmanager routes and holds back by our example.

Every duration in rules and routes is a hundredth of what it is in production.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import yaml

from tests.integration.world import World
from tests.servers import unavailable
from tests.servers.prometheus import Alertmanager, Prometheus, PrometheusMissing, program
from tests.servers.webhook import Webhook
from tests.unit.dashboards.rules import FILES, FOLDER

FASTER = 100
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
DURATION = re.compile(r"(?<=\[|\s)(\d+)([smhd])(?=[\])\s]|$)", re.MULTILINE)
SUMMED = re.compile(r"(?<=\) \* )(\d+)\b")


def shortened(text: str) -> str:
    """Rules or routes with every duration, and the factor of every sum over time, made smaller."""

    def faster(found: re.Match[str]) -> str:
        return f"{int(found[1]) * SECONDS[found[2]] * 1000 // FASTER}ms"

    return SUMMED.sub(lambda found: f"{int(found[1]) / FASTER:g}", DURATION.sub(faster, text))


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    with Webhook() as receiver:
        yield receiver


@pytest.fixture
def alertmanager(tmp_path: Path, webhook: Webhook) -> Iterator[Alertmanager]:
    example = (FOLDER / "alertmanager.example.yaml").read_text(encoding="utf-8")
    ours = shortened(example).replace("http://127.0.0.1:9099", webhook.url)
    server = Alertmanager(tmp_path / "alertmanager", yaml.safe_load(ours))
    try:
        server.start()
    except PrometheusMissing as error:
        unavailable(str(error))
    yield server
    server.stop()


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    made = make_world(partitions=2)
    made.consume()
    return made


@pytest.fixture
def prometheus(tmp_path: Path, world: World, alertmanager: Alertmanager) -> Iterator[Prometheus]:
    try:
        program("prometheus")
    except PrometheusMissing as error:
        unavailable(str(error))
    rules = [tmp_path / path.name for path in FILES]
    for path, short in zip(FILES, rules, strict=True):
        short.write_text(shortened(path.read_text(encoding="utf-8")), encoding="utf-8")
    targets = {
        "serve": [urlsplit(world.serve()).netloc],
        "consume": [urlsplit(str(world.probe("/healthz").url)).netloc],
    }
    server = Prometheus(
        tmp_path / "prometheus",
        targets,
        interval_s=0.5,
        rules=rules,
        alertmanagers=[alertmanager.address],
    )
    server.start()
    yield server
    server.stop()


def test_durations_are_shortened_and_nothing_else() -> None:
    rule = 'for: 10m\nexpr: sum(rate(a{period="1h"}[6h] offset 7d)) * 120 > 0.5\ntext: since=2h'
    short = 'for: 6000ms\nexpr: sum(rate(a{period="1h"}[216000ms] offset 6048000ms)) * 1.2 > 0.5'
    assert shortened(rule) == f"{short}\ntext: since=2h"


def test_what_knows_no_installation_holds_back_those_of_every_one(
    alertmanager: Alertmanager,
) -> None:
    """GroundwatchAbsent has no namespace: nothing is left that could name one."""
    sent = [
        {"alertname": "GroundwatchAbsent", "severity": "page", "component": "ingestion"},
        *(
            {"alertname": name, "component": component, "app": "a", "namespace": "prod"}
            for name, component in (
                ("GroundwatchUnresolvableCitationsHigh", "quality"),
                ("GroundwatchAppSilent", "ingestion"),
                ("GroundwatchForbiddenChunk", "access"),
                ("GroundwatchBooksOutOfBalance", "books"),
            )
        ),
    ]
    alerts = [{"labels": labels} for labels in sent]
    httpx.post(f"{alertmanager.url}/api/v2/alerts", json=alerts).raise_for_status()
    give_up = time.monotonic() + 20
    while len(states := _states(alertmanager)) < len(sent) or "unprocessed" in states.values():
        assert time.monotonic() < give_up, states
        time.sleep(0.05)
    assert {name for name, state in states.items() if state == "suppressed"} == {
        "GroundwatchUnresolvableCitationsHigh", "GroundwatchAppSilent"
    }  # fmt: skip


def _states(alertmanager: Alertmanager) -> dict[str, str]:
    return {
        alert["labels"]["alertname"]: alert["status"]["state"] for alert in alertmanager.alerts()
    }


def test_three_faults_reach_a_person_and_blindness_holds_quality_back(
    world: World,
    prometheus: Prometheus,
    alertmanager: Alertmanager,
    webhook: Webhook,
    redis_server: Any,
) -> None:
    def told(path: str, name: str, **labels: str) -> dict[str, Any]:
        """The first alert of that name, once it is there."""
        found: list[dict[str, Any]] = []

        def arrived() -> bool:
            found[:] = [
                alert
                for alert in webhook.alerts(path, name)
                if labels.items() <= alert["labels"].items()
            ]
            return bool(found)

        world.until(arrived)
        return found[0]

    def trials() -> float:
        samples = prometheus.query('sum(groundwatch_citation_sums_total{measure="answers"})')
        return samples[0].value if samples else 0.0

    # A share needs a beginning: the first answers of a release are only seen as having been there.
    world.produce(40, poison_every=0, faulty_every=0)
    world.until(lambda: trials() == 40)
    assert webhook.posted == []
    for _ in range(10):
        world.produce(30, poison_every=0, faulty_every=2)
        time.sleep(0.3)
    citations = told("/tickets", "GroundwatchUnresolvableCitationsHigh", band="severe")
    assert citations["labels"]["app"] == "support"
    assert citations["labels"]["severity"] == "ticket"
    share = re.match(r"support: (\d+)\.?\d*% of the citing", citations["annotations"]["summary"])
    assert share is not None
    assert 40 <= int(share[1]) <= 60
    assert "/incident?app=support&since=2h" in citations["annotations"]["incident_url"]

    store = world.parts.store.connection
    store.client.hincrby(store.keys.totals, "flagged", 3)
    books = told("/pages", "GroundwatchBooksOutOfBalance")
    assert books["labels"]["severity"] == "page"
    assert books["annotations"]["summary"] == "The books are out of balance: flagged by 3"
    store.client.hincrby(store.keys.totals, "flagged", -3)

    redis_server.stop()

    def stopped() -> bool:
        world.produce(20, poison_every=0)
        return bool(webhook.alerts("/pages", "GroundwatchNotConsuming"))

    world.until(stopped)
    blind = told("/pages", "GroundwatchNotConsuming")
    assert blind["labels"]["job"] == "consume"

    def held_back() -> bool:
        stands = {alert["fingerprint"]: alert for alert in alertmanager.alerts()}
        return any(
            stands[source]["labels"]["component"] == "ingestion"
            for alert in stands.values()
            if alert["labels"]["component"] == "quality"
            and alert["status"]["state"] == "suppressed"
            for source in alert["status"]["inhibitedBy"]
            if source in stands
        )

    world.until(held_back)
    redis_server.start()
    world.until_received()
