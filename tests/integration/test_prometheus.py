"""The real Prometheus of the tests: its history, its answers, its alerts and their manager."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers import unavailable
from tests.servers.prometheus import (
    Alertmanager,
    Prometheus,
    PrometheusMissing,
    QueryRefused,
    program,
    promtool,
)

HISTORY = """\
# TYPE made counter
made_total{{app="support"}} 0 {0}
made_total{{app="support"}} 60 {1}
# EOF
"""
ALWAYS = """\
groups:
- name: tried
  rules:
  - {alert: Always, expr: vector(7), labels: {severity: page}}
"""


@pytest.fixture(autouse=True, scope="module")
def _programs() -> None:
    try:
        for name in ("prometheus", "promtool", "alertmanager"):
            program(name)
    except PrometheusMissing as error:
        unavailable(str(error))


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[Prometheus]:
    server = Prometheus(tmp_path / "prometheus")
    yield server
    server.stop()


@pytest.fixture
def alertmanager(tmp_path: Path) -> Iterator[Alertmanager]:
    config = {"route": {"receiver": "nobody"}, "receivers": [{"name": "nobody"}]}
    server = Alertmanager(tmp_path / "alertmanager", config)
    yield server
    server.stop()


def _until(condition: Callable[[], object], timeout_s: float = 20) -> None:
    give_up = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.1)


def test_history_is_there_beside_what_is_scraped(prometheus: Prometheus) -> None:
    now = int(time.time())
    week = 7 * 86400
    prometheus.backfill(HISTORY.format(now - week - 60, now - week))
    prometheus.config["scrape_configs"] = [
        {"job_name": "self", "static_configs": [{"targets": [prometheus.address]}]}
    ]
    prometheus.start()
    (then,) = prometheus.query("made_total", at=now - week)
    assert (then.labels["app"], then.value) == ("support", 60)
    assert prometheus.query("made_total") == []
    (weekly,) = prometheus.query_range("made_total offset 7d", now - 30, now, 15)
    assert weekly.points[-1] == (now, 60)
    assert prometheus.label_values("app", "made_total") == ["support"]
    _until(lambda: prometheus.query("up == 1"))
    with pytest.raises(QueryRefused, match="parse error"):
        prometheus.query("sum(")


def test_an_alert_reaches_the_manager(
    prometheus: Prometheus, alertmanager: Alertmanager, tmp_path: Path
) -> None:
    rules = tmp_path / "always.rules.yaml"
    rules.write_text(ALWAYS)
    assert promtool("check", "rules", rules).returncode == 0
    alertmanager.start()
    prometheus.config["rule_files"] = [str(rules)]
    prometheus.config["alerting"]["alertmanagers"] = [
        {"static_configs": [{"targets": [alertmanager.address]}]}
    ]
    prometheus.start()
    _until(alertmanager.alerts)
    (alert,) = alertmanager.alerts()
    assert alert["labels"] == {"alertname": "Always", "severity": "page"}
    assert alert["status"]["state"] == "active"
    assert [alert["value"] for alert in prometheus.alerts()] == ["7e+00"]
