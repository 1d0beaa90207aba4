"""Every command explains itself, and what cannot work ends with one line and exit code 2."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from service import cli


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, sub in getattr(command, "commands", {}).items():
        yield from commands(sub, (*path, name))


COMMANDS = dict(commands(typer.main.get_command(cli.app)))


@pytest.fixture
def invoke(monkeypatch):
    """Without any setting of the machine that runs the tests."""
    for name in list(os.environ):
        if name.startswith("GROUNDWATCH_"):
            monkeypatch.delenv(name)
    return lambda *arguments, **options: CliRunner().invoke(cli.app, arguments, **options)


def test_the_commands_of_the_spine_are_there() -> None:
    assert {
        "serve", "consume", "check", "evaluate", "replay", "demo", "books", "checkpoints",
        "dead-letters", "rebuild", "corpus", "export", "schema", "config", "doctor",
    } <= {path[0] for path in COMMANDS if path}  # fmt: skip


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_teaches(invoke, path: tuple[str, ...]) -> None:
    result = invoke(*path, "--help", env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    command = COMMANDS[path]
    assert command.help, "what does it do?"
    assert len(command.help.split()) >= 4
    plain = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name != "help":
            assert parameter.help, f"{parameter.name}: what is it for?"
            assert parameter.opts[0] in plain


def test_help_needs_no_valid_settings(invoke) -> None:
    assert invoke("serve", "--help", env={"GROUNDWATCH_NONSENSE": "1"}).exit_code == 0


@pytest.mark.parametrize("name", ["books", "checkpoints", "rebuild", "export labels"])
def test_a_command_that_needs_redis_says_how_to_name_one(invoke, name: str) -> None:
    result = invoke(*name.split())
    assert result.exit_code != 0
    said = result.output + str(result.exception)
    assert "GROUNDWATCH_REDIS_URL" in said


def test_an_unknown_setting_ends_with_one_line_and_code_2(monkeypatch, capsys) -> None:
    monkeypatch.setenv("GROUNDWATCH_REDIS_ULR", "redis://:geheim@h")
    monkeypatch.setattr("sys.argv", ["groundwatch", "config"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert "did you mean GROUNDWATCH_REDIS_URL?" in said.err
    assert "Traceback" not in said.err
    assert "geheim" not in said.err + said.out


def test_config_shows_every_setting_and_no_secret(invoke) -> None:
    secret = {"GROUNDWATCH_REDIS_URL": "redis://:geheim@h:1/0",
              "GROUNDWATCH_SAMPLING_SECRET": "geheim"}  # fmt: skip
    result = invoke("config", env={"COLUMNS": "300", **secret})
    assert result.exit_code == 0
    assert "GROUNDWATCH_TOPIC_ANSWERS" in result.stdout
    assert "geheim" not in result.stdout


def test_replay_commits_nothing_beside_the_topic(invoke, tmp_path) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text("{}\n")
    kafka = {"GROUNDWATCH_KAFKA_BOOTSTRAP": "127.0.0.1:1"}
    result = invoke("replay", "--commit", str(events), env=kafka)
    assert result.exit_code == 2
    assert "POST /v1/answers" in result.output


def test_text_under_watch_does_not_steer_the_terminal(invoke, tmp_path) -> None:
    events = tmp_path / "events.jsonl"
    event = {
        "event_id": "\x1b]0;owned\x07",
        "query": "?",
        "retrieved": [{"ref": "a", "text": "b"}],
        "answer": "See [\x1b[31mx#y].",
    }
    events.write_text(json.dumps(event) + "\n")
    result = invoke("check", str(events))
    assert "owned" in result.output
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_what_was_not_evaluated_is_told_with_its_reason(invoke, tmp_path) -> None:
    events = tmp_path / "events.jsonl"
    event = {
        "event_id": "e1", "query": "How long?", "retrieved": [{"ref": "a"}],
        "answer": "For 30 days.",
    }  # fmt: skip
    events.write_text(json.dumps(event) + "\n")
    text = invoke("check", str(events)).output
    assert "not evaluated numbers: missing_text" in text
    verdict = json.loads(invoke("check", "--format", "json", str(events)).output)
    assert verdict["not_evaluated"]["numbers"] == "missing_text"
    assert set(verdict["not_evaluated"]) == {
        name for name, outcome in verdict["checks"].items() if outcome == "not_evaluated"
    }


def test_the_version_is_told(invoke) -> None:
    assert invoke("--version").output == f"groundwatch {version('groundwatch')}\n"


def test_config_is_not_cut_on_a_narrow_terminal(invoke) -> None:
    wide = invoke("config", env={"COLUMNS": "500"}).stdout
    narrow = invoke("config", env={"COLUMNS": "40"}).stdout
    assert re.sub(r"\s+", "", narrow) == re.sub(r"\s+", "", wide)


def test_labelled_lines_that_cannot_be_scored_are_named_with_their_file(invoke, tmp_path) -> None:
    file = tmp_path / "cases.jsonl"
    event = {"event_id": "e", "query": "q", "retrieved": [], "answer": "About 12 days."}
    labelled = json.dumps({"event": event, "expect": {"numbers": ["13 days"]}})

    file.write_text("\n")
    empty = invoke("evaluate", str(file))
    file.write_text("\n{\n")
    broken = invoke("evaluate", str(file))
    file.write_bytes(b"\n\n\xff\n")
    foreign = invoke("evaluate", str(file))
    checked = invoke("check", str(file))
    file.write_text(labelled)
    mistyped = invoke("evaluate", "--quiet", str(file))

    for result in (empty, broken, foreign, checked):
        assert result.exit_code == 2
        assert result.stderr.lstrip().startswith(f"error: {file}: ")
    assert "nothing to score" in empty.stderr
    assert "line 2: invalid_json" in broken.stderr
    assert "line 3 is not UTF-8 text" in foreign.stderr
    assert mistyped.exit_code == 0
    assert f"warning: {file}: line 1: expect.numbers: surface 1 does not" in mistyped.stderr
