"""The committed dashboards, taken apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "dashboards" / "grafana"
COMMITTED = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
NAME = re.compile(r"(?<![:\w])groundwatch_[a-z0-9_]+(?![:\w])")
"""Of a metric; what stands between colons is the name of a recording rule."""


def panels(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every panel that is no row's heading."""
    return (panel for panel in board["panels"] if panel["type"] != "row")


def expressions(board: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(what it is for, PromQL) of every panel's query and of every annotation."""
    for panel in panels(board):
        for target in panel["targets"]:
            yield f"{panel['title']} / {target['legendFormat']}", target["expr"]
    for annotation in board["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]
