"""The committed rule files, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from tests.unit.dashboards.boards import ROOT

FOLDER = ROOT / "dashboards" / "prometheus"
FILES = sorted(FOLDER.glob("*.rules.yaml"))
TESTS = sorted(FOLDER.glob("*_test.yaml"))


@dataclass(frozen=True)
class Alert:
    name: str
    expression: str
    labels: dict[str, str]
    annotations: dict[str, str]


def rules() -> list[dict[str, Any]]:
    """Recording rules and alerts, in the order of the files."""
    return [
        rule
        for path in FILES
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]


def alerts() -> list[Alert]:
    return [
        Alert(rule["alert"], rule["expr"], rule["labels"], rule["annotations"])
        for rule in rules()
        if "alert" in rule
    ]


def alert_tests() -> list[tuple[str, bool]]:
    """(alert, whether it is to fire) of every moment that promtool looks at."""
    return [
        (moment["alertname"], bool(moment["exp_alerts"]))
        for path in TESTS
        for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]
        for moment in test.get("alert_rule_test", ())
    ]
