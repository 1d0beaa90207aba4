"""README.md and docs/how-it-works.md are held to the code: settings, links, events, halts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import typer.main

from consumers.placement import HOW_TO_MEND
from service.cli import app
from service.events import AnswerEvent, parse_event
from service.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_setting_named_exists() -> None:
    named = set(re.findall(r"GROUNDWATCH_([A-Z_]+)", README)) - {"CONFIG"}
    assert len(named) > 10
    assert {name.lower() for name in named} <= Settings.model_fields.keys()


def test_documented_defaults_are_the_code_s() -> None:
    settings = Settings.model_validate({})
    lines = re.findall(r"^\| (`GROUNDWATCH_[^|]+) \| ([^|]+) \|", README, re.MULTILINE)
    assert len(lines) > 10
    for names, defaults in lines:
        for name, default in zip(names.split(", "), defaults.split(", "), strict=True):
            value = getattr(settings, name.strip("`").removeprefix("GROUNDWATCH_").lower())
            assert default.strip("`") == ("–" if value is None else str(value)), name


def test_every_link_leads_somewhere() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_first_event_shown_is_valid() -> None:
    shown = re.search(r"-d '(\{.*?\n\})'", README, re.DOTALL)
    assert shown is not None
    event = parse_event(shown[1].encode())
    assert isinstance(event, AnswerEvent)
    assert json.loads(shown[1]).keys() == {"event_id", "query", "retrieved", "answer"}


def test_every_halt_is_explained_with_what_mends_it() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    mends = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE))
    for reason, mend in HOW_TO_MEND.items():
        commands = re.findall(r"`([^`]+)`", mend)
        assert all(f"`{command}`" in mends[reason] for command in commands), reason


def test_the_commands_table_is_complete() -> None:
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    documented = re.findall(r"^\| `([a-z-]+)(?: load)?` \|", README, re.MULTILINE)
    assert len(documented) == len(known)
    assert set(documented) == known
