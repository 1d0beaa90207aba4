"""docs/operations.md is held to the code: tests, alerts, settings, commands, figures, links."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from service.doctor.topics import Role, Tools, create_command, plan
from service.settings import Settings
from service.store.checkpoints import SCHEMA

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
DEFAULTS = Settings()


def functions_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_every_test_named_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)
    assert len(named) > 15
    for path, name in named:
        assert name in functions_of(path), f"{path}::{name}"
    beside = re.findall(r"`(tests/[\w/]+\.py)`(?:,|:)\s+`(test_\w+)`", PAGE)
    assert len(beside) >= 4
    for path, name in beside:
        assert name in functions_of(path), f"{path} {name}"
    for path in re.findall(r"`(tests/[\w/]+\.py)`", PAGE):
        assert (ROOT / path).exists(), path


def test_each_line_of_the_failure_table_names_what_shows_it() -> None:
    table = PAGE.partition("| gone | lost |")[2]
    lines = [line for line in table.splitlines()[2:] if line.startswith("|")]
    assert len(lines) > 15
    for line in lines:
        assert "tests/" in line or "(tracing.md)" in line, line


def test_every_alert_named_exists() -> None:
    rules = "".join(
        path.read_text("utf-8") for path in (ROOT / "dashboards/prometheus").glob("*.rules.yaml")
    )
    exist = set(re.findall(r"alert: (Groundwatch\w+)", rules))
    named = set(re.findall(r"`(Groundwatch\w+)`", PAGE))
    assert len(named) > 8
    assert named <= exist


def test_every_setting_named_exists_with_its_default() -> None:
    for name in re.findall(r"GROUNDWATCH_([A-Z_]+)", PAGE):
        assert name.lower() in Settings.model_fields, name
    told = re.findall(r"`GROUNDWATCH_([A-Z_]+)`(?:,| \()\s*(\d+)", PAGE)
    assert len(told) >= 4
    for name, value in told:
        assert getattr(DEFAULTS, name.lower()) == float(value), name


def test_the_topics_are_made_as_the_doctor_says() -> None:
    names: dict[Role, str] = {
        "answers": DEFAULTS.topic_answers,
        "dead_letters": DEFAULTS.topic_dead_letters,
        "verdicts": DEFAULTS.topic_verdicts,
        "reviews": DEFAULTS.topic_reviews,
        "feedback": DEFAULTS.topic_feedback,
    }
    commands = [create_command(topic, Tools("kafka-1:9092", 3)) for topic in plan(names)]
    assert [line for line in PAGE.splitlines() if line.startswith("kafka-topics.sh")] == commands


@pytest.mark.parametrize(
    ("figures", "source"),
    [
        (("2,034", "2,228", "1,756", "2,288", "3,311"), "performance.md"),
        (("9,176 bytes in all", "1.8 GB", "77 MB", "14 MB"), "store.md"),
    ],
)
def test_figures_are_those_that_were_measured(figures: tuple[str, ...], source: str) -> None:
    measured = (ROOT / "docs" / source).read_text("utf-8")
    for figure in figures:
        assert figure in PAGE
        assert figure in measured


def test_the_schema_named_is_the_store_s() -> None:
    assert f"the store's schema, {SCHEMA} today" in PAGE
