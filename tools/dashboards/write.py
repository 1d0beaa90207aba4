"""Write the dashboards, rules and runbooks to where they are committed."""

from __future__ import annotations

import json
from pathlib import Path

from service.thresholds import thresholds
from tools.dashboards import answer_quality, application, operations, review, rules
from tools.dashboards.board import Board

FOLDER = Path(__file__).parents[2] / "dashboards" / "grafana"
BOARDS = {
    "operations": operations.BOARD,
    "answer-quality": answer_quality.BOARD,
    "review": review.BOARD,
    "application": application.BOARD,
}


def text_of(board: Board) -> str:
    return json.dumps(board.as_json(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, board in BOARDS.items():
        (FOLDER / f"{name}.json").write_text(text_of(board), encoding="utf-8")
    rules.write(rules.rule_files(thresholds()))
    return 0
