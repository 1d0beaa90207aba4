"""compare over run files, as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from service import cli
from service.measuring.runs import Run, write_run
from tests.unit.measuring.made_runs import made_run, with_outcomes

Write = Callable[[str, Run], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, run: Run) -> str:
        (tmp_path / name).write_bytes(b"".join(write_run(run)))
        return str(tmp_path / name)

    return to_file


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(cli.app, ["compare", *arguments])


def test_two_run_files_are_compared_by_question(write: Write) -> None:
    a = write("a.jsonl", made_run({"q-1": {"hit@5": 1.0}, "q-2": {"hit@5": 0.0}}, run="before"))
    b = write("b.jsonl", made_run({"q-1": {"hit@5": 0.0}, "q-2": {"hit@5": 1.0}}, run="after"))
    told = invoke(a, b)
    assert told.exit_code == 0
    assert "hit@5 regressed: q-1" in told.stdout
    found = json.loads(invoke(a, b, "--format", "json").stdout)
    assert found["measures"][0]["questions"]["improved"] == ["q-2"]
    assert found["attribution"]["attributable"] == "not recorded"
    assert found["first"]["run"] == "before"


def test_a_hostile_question_id_does_not_steer_the_terminal(write: Write) -> None:
    name = "q\x1b[2J"
    a = write("a.jsonl", made_run({name: {"hit@5": 1.0}}))
    told = invoke(a, write("b.jsonl", made_run({name: {"hit@5": 0.0}}))).stdout
    assert "\x1b" not in told
    assert "q\\x1b[2J" in told


def test_what_cannot_be_compared_ends_with_2(write: Write) -> None:
    run = write("a.jsonl", made_run({"q": {"hit@5": 1.0}}))
    mixed = invoke(run, "release:2")
    assert mixed.exit_code == 2
    assert "give two of a kind" in mixed.stderr
    assert "--app goes with releases" in invoke(run, run, "--app", "support").stderr
    assert isinstance(invoke(run, run + "x").exception, OSError)
    assert "works on a Redis store" in str(invoke("release:1", "release:2").exception)


def test_a_small_p_is_not_told_as_none_and_equal_costs_have_no_interval(write: Write) -> None:
    told: dict[str, dict[str, Any]] = {
        f"q-{n}": {"usage": {"input_tokens": 10.0}} for n in range(40)
    }
    before = made_run({name: {"hit@5": 0.0} for name in told})
    after = made_run({name: {"hit@5": 1.0} for name in told})
    a = write("a.jsonl", with_outcomes(before, told))
    b = write("b.jsonl", with_outcomes(after, told))
    shown = invoke(a, b).stdout
    assert "<0.001" in shown
    assert "+0 (no interval)" in shown
    assert "too few" not in shown
