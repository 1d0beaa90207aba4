"""docs/measuring/retrieval.md: what it shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from service import cli
from service.measuring.questions import REASONS, _Line

PAGE = (Path(__file__).parents[3] / "docs" / "measuring" / "retrieval.md").read_text("utf-8")


def test_the_first_run_gives_what_is_shown(tmp_path: Path) -> None:
    asked, lists = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "relevance.jsonl").write_text(asked)
    (tmp_path / "lists.jsonl").write_text(lists)
    result = CliRunner().invoke(
        cli.app,
        ["measure", "retrieval", "--questions", str(tmp_path / "relevance.jsonl"),
         "--retrieved", str(tmp_path / "lists.jsonl")],
    )  # fmt: skip
    assert result.stdout.split("\n", 1)[1] == shown


def test_every_key_and_every_reason_is_explained() -> None:
    first_cells = "\n".join(re.findall(r"^\| (.*?) \|", PAGE, re.MULTILINE))
    assert set(_Line.model_fields) <= set(re.findall(r"`(\w+)`", first_cells))
    assert {f"`{reason}`" for reason in REASONS} <= set(first_cells.splitlines())
