"""Whatever names a metric names one that exists, and every metric is somewhere to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.metrics import Metrics
from tests.unit.dashboards.boards import COMMITTED, FOLDER, NAME, ROOT, expressions

TEXTS = sorted(
    path
    for pattern in ("dashboards/**/*", "docs/**/*.md", "README.md", "helm/**/*")
    for path in ROOT.glob(pattern)
    if path.suffix in {".json", ".yaml", ".yml", ".md", ".tpl"}
)
SHOWN = [path for path in TEXTS if path.is_relative_to(ROOT / "dashboards")]
EMITTER = "groundwatch_emitter"
"""The Python package of who sends answers, and the start of the metrics that it has there."""
PARTS = {"histogram": ("_bucket", "_sum", "_count")}


def _samples() -> dict[str, str]:
    """Name of a sample → of its metric."""
    return {
        f"{definition.name}{part}": definition.name
        for definition in Metrics().definitions
        for part in ("", *PARTS.get(definition.kind, ()))
    }


def _named_in(path: Path) -> Iterator[str]:
    texts = [path.read_text(encoding="utf-8")]
    if path.is_relative_to(FOLDER):
        board = COMMITTED[path.stem]
        variables = [str(variable["query"]) for variable in board["templating"]["list"]]
        texts = [expression for _, expression in expressions(board)] + variables
    for text in texts:
        yield from NAME.findall(text)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_metric_that_is_named_exists(path: Path) -> None:
    ours = {name for name in _named_in(path) if not name.startswith(EMITTER)}
    assert ours - _samples().keys() == set()


def test_every_metric_is_on_a_dashboard_or_in_a_rule() -> None:
    metric_of = _samples()
    shown = {metric_of[name] for path in SHOWN for name in _named_in(path)}
    assert set(metric_of.values()) - shown == set()


def test_every_metric_is_documented() -> None:
    headings = re.findall(r"^## (\w+)$", (ROOT / "docs" / "metrics.md").read_text(), re.MULTILINE)
    assert sorted(headings) == sorted(set(_samples().values()))
