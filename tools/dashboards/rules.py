"""Prometheus' rule files and the runbooks: the sources in rule_sources, with the thresholds in.

In a source, ``[[name]]`` is a threshold's value, ``[[name:told]]`` the same in words,
``[[groundwatch]]`` the address of the pages, and ``[[runbooks]]`` that of the runbooks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from service.thresholds import Threshold, Thresholds
from tools.dashboards.board import GROUNDWATCH_URL, RUNBOOK_URL

FOLDER = Path(__file__).parents[2] / "dashboards"

_SOURCES = Path(__file__).with_name("rule_sources")
_WRITTEN = (
    "Written by `make dashboards` from tools/dashboards/rule_sources and service/thresholds.yaml."
)
_PLACE = re.compile(r"\[\[([a-z_:]+)\]\]")
_LENGTHS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def rule_files(
    thresholds: Thresholds, groundwatch: str = GROUNDWATCH_URL, runbooks: str = RUNBOOK_URL
) -> dict[str, str]:
    """Path below :data:`FOLDER` → text. Raises KeyError for a place that names no threshold."""
    values = {"groundwatch": groundwatch, "runbooks": runbooks, **_told(thresholds)}

    def filled(name: str) -> str:
        source = (_SOURCES / name).read_text(encoding="utf-8")
        return _PLACE.sub(lambda place: values[place[1]], source)

    rules = sorted(path.name for path in _SOURCES.glob("*.rules.yaml"))
    return {
        **{f"prometheus/{name}": f"# {_WRITTEN}\n\n{filled(name)}" for name in rules},
        "runbooks.md": f"<!-- {_WRITTEN} -->\n\n{filled('runbooks.md')}",
    }


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def told(threshold: Threshold) -> str:
    """In Prometheus' own manner: ``5%``, ``6 hours``, ``30 answers``."""
    if threshold.unit == "ratio":
        return f"{100 * threshold.value:g}%"
    if threshold.unit == "seconds":
        return _counted(*_length(threshold.value))
    return _counted(threshold.value, threshold.unit.removesuffix("s"))


def _told(thresholds: Thresholds) -> dict[str, str]:
    found = {}
    for name, threshold in thresholds.by_name().items():
        found[name] = f"{threshold.value:.15g}"
        found[f"{name}:told"] = told(threshold)
    return found


def _length(seconds: float) -> tuple[float, str]:
    """In the largest unit that it is a whole number of."""
    whole = ((seconds / size, unit) for size, unit in _LENGTHS if seconds % size == 0)
    return next(whole, (seconds, "second"))


def _counted(number: float, unit: str) -> str:
    return f"{number:g} {unit}" if number == 1 else f"{number:g} {unit}s"
