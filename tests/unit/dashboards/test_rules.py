"""The committed rules and runbooks are those of the sources, and keep what was promised of each."""

from __future__ import annotations

import re

import pytest

from service.metrics import Metrics
from service.thresholds import Threshold, read, thresholds
from tests.unit.dashboards.boards import ROOT
from tests.unit.dashboards.rules import FILES, Alert, alert_tests, alerts, rules
from tests.unit.test_thresholds import changed
from tools.dashboards.rules import FOLDER, rule_files, told

RUNBOOKS = (ROOT / "dashboards" / "runbooks.md").read_text(encoding="utf-8")
HEADINGS = re.findall("^## (.+)$", RUNBOOKS, re.MULTILINE)
PARTS = (
    "What it means", "What users notice", "How to look", "What to do", "When to ignore",
)  # fmt: skip
RECORDED = re.compile(r"\b[a-z_]+:groundwatch_[a-z_]+:[a-z0-9_]+")
NAME = re.compile(r"\bgroundwatch_[a-z0-9_]+")

ALERTS = alerts()
every_alert = pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)


@pytest.mark.parametrize("name", rule_files(thresholds()))
def test_the_committed_file_is_what_the_sources_say(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == rule_files(thresholds())[name], "run `make dashboards`"


def test_there_is_no_other_rule_file() -> None:
    written = {name.removeprefix("prometheus/") for name in rule_files(thresholds())}
    assert {path.name for path in FILES} == written - {"runbooks.md"}


def test_a_changed_threshold_changes_rule_and_text() -> None:
    files = rule_files(read(changed(false_alarms_high={"value": 0.35})))
    assert "> 0.35" in files["prometheus/review.rules.yaml"]
    assert "more than 35%" in files["prometheus/review.rules.yaml"]
    assert "more than 35%" in files["runbooks.md"]


def test_addresses_can_be_given() -> None:
    files = rule_files(thresholds(), "https://pages.local", "https://wiki.local/runbooks")
    assert "example.com" not in "".join(files.values())
    assert "https://pages.local/incident?app=" in files["prometheus/quality.rules.yaml"]
    assert (
        "https://wiki.local/runbooks#groundwatchabsent" in files["prometheus/ingestion.rules.yaml"]
    )


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (0.05, "ratio", "5%"),
        (0.145, "ratio", "14.5%"),
        (900, "seconds", "15 minutes"),
        (3600, "seconds", "1 hour"),
        (172_800, "seconds", "2 days"),
        (90, "seconds", "90 seconds"),
        (4, "hours", "4 hours"),
        (1, "answers", "1 answer"),
    ],
)
def test_thresholds_are_told_in_words(value: float, unit: str, words: str) -> None:
    data = {"value": value, "unit": unit, "sentence": "X."}
    assert told(Threshold.model_validate(data)) == words


@every_alert
def test_an_alert_says_what_it_is_and_what_comes_first(alert: Alert) -> None:
    assert alert.name.startswith("Groundwatch")
    assert alert.labels["severity"] in {"page", "ticket"}
    assert {"component", "severity"} <= alert.labels.keys() <= {"component", "severity", "band"}
    assert " First: " in alert.annotations["description"]
    assert len(alert.annotations["summary"].split()) > 2


@every_alert
def test_an_alert_links_to_its_runbook(alert: Alert) -> None:
    assert alert.annotations["runbook_url"].endswith(f"#{alert.name.lower()}")


@every_alert
def test_an_alert_of_an_app_names_it_and_links_to_its_incident(alert: Alert) -> None:
    of_app = alert.labels["component"] in {"quality", "access"}
    link = alert.annotations.get("incident_url", "")
    assert ("/incident?app={{ $labels.app | urlquery }}&since=" in link) == of_app
    if of_app:
        assert alert.annotations["summary"].startswith("{{ $labels.app }}: ")


@every_alert
def test_a_figure_is_told_for_people(alert: Alert) -> None:
    texts = alert.annotations["summary"] + alert.annotations["description"]
    for use in re.findall(r"\{\{ \$value[^}]*\}\}", texts):
        assert "| humanize" in use or alert.name == "GroundwatchPartitionHalted", use
    counted = {"GroundwatchAbsent", "GroundwatchConsumersAbsent", "GroundwatchRedisAway"}
    assert ("$value" in texts) != (alert.name in counted)


def test_only_ingestion_books_and_a_forbidden_chunk_page() -> None:
    paging = [alert for alert in ALERTS if alert.labels["severity"] == "page"]
    assert {a.labels["component"] for a in paging} == {"ingestion", "books", "access"}
    assert [a.name for a in ALERTS if a.labels["component"] == "access"] == [
        "GroundwatchForbiddenChunk"
    ]


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    assert sorted(HEADINGS) == sorted({alert.name for alert in ALERTS})
    assert len(HEADINGS) == len(set(HEADINGS))


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_runbook_answers_the_five_questions(heading: str) -> None:
    text = RUNBOOKS.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    assert tuple(re.findall(r"^\*\*(.+)\.\*\*", text, re.MULTILINE)) == PARTS


def test_links_between_runbooks_lead_somewhere() -> None:
    anchors = set(re.findall(r"\]\(#(.+?)\)", RUNBOOKS))
    assert anchors <= {heading.lower() for heading in HEADINGS}
    for path in re.findall(r"\]\((?!#)(.+?)(?:#.*?)?\)", RUNBOOKS):
        assert (ROOT / "dashboards" / path).exists(), path


@pytest.mark.parametrize("name", sorted({alert.name for alert in ALERTS}))
def test_promtool_sees_it_silent_and_firing(name: str) -> None:
    assert {fires for tested, fires in alert_tests() if tested == name} == {True, False}


def test_every_band_of_an_alert_fires_somewhere() -> None:
    """Two alerts of one name are told apart by a label; a test of one is none of the other."""
    texts = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*_test.yaml"))
    for alert in ALERTS:
        if band := alert.labels.get("band"):
            assert re.search(
                rf"alertname: {alert.name}\n\s+exp_alerts:\n(.*\n){{0,12}}?.*band: {band}", texts
            ), (alert.name, band)


def test_rules_read_metrics_that_exist_and_records_that_are_written() -> None:
    metrics = {
        name
        for definition in Metrics().definitions
        for name in (definition.name, *(f"{definition.name}_{end}" for end in ENDS))
    }
    records = {rule["record"] for rule in rules() if "record" in rule}
    for rule in rules():
        read_records = set(RECORDED.findall(rule["expr"]))
        assert read_records <= records
        assert set(NAME.findall(RECORDED.sub("", rule["expr"]))) <= metrics


ENDS = ("bucket", "sum", "count")


def test_rules_pick_series_by_labels_that_their_metrics_have() -> None:
    labels = {definition.name: set(definition.labels) for definition in Metrics().definitions}
    for rule in rules():
        for name, matchers in re.findall(r"\b(groundwatch_\w+)\{(.+?)\}", rule["expr"]):
            if name in labels:
                assert set(re.findall(r"(\w+)!?[=~]", matchers)) <= labels[name], rule["expr"]


def test_records_are_named_level_metric_operation() -> None:
    for rule in rules():
        if "record" in rule:
            assert RECORDED.fullmatch(rule["record"])


def test_every_record_is_read_by_an_alert_or_another_record() -> None:
    texts = [rule["expr"] for rule in rules()]
    for record in {rule["record"] for rule in rules() if "record" in rule}:
        assert any(re.search(rf"{record}\b", text) for text in texts), record


def test_the_window_of_a_recorded_rate_and_its_factor_belong_together() -> None:
    """Recorded rates are summed over time: each stands for the seconds until the next one."""
    (group,) = [path for path in FILES if path.name == "recording.rules.yaml"]
    text = group.read_text(encoding="utf-8")
    minutes = int(re.findall(r"interval: (\d+)m", text)[0])
    factors = {int(factor) for factor in re.findall(r"\) \* (\d+)", text)}
    assert factors == {60 * minutes}
    assert minutes < 5
