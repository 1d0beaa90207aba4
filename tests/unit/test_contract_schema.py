"""docs/answer-event.schema.json is what ``groundwatch schema`` prints."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from service.cli import app
from service.contract import AnswerEvent
from service.contract_schema import schema_text

COPY = Path(__file__).parents[2] / "docs" / "answer-event.schema.json"


def test_the_committed_copy_is_current() -> None:
    assert COPY.read_text(encoding="utf-8") == schema_text(), (
        "run `groundwatch schema > docs/answer-event.schema.json`"
    )


def test_the_command_prints_it_and_nothing_else() -> None:
    result = CliRunner().invoke(app, ["schema"])
    assert result.exit_code == 0
    assert result.stdout == schema_text()


def test_it_is_a_schema_of_the_whole_event() -> None:
    schema = json.loads(schema_text())
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["required"] == ["event_id", "query", "retrieved", "answer"]
    assert set(schema["properties"]) == set(AnswerEvent.model_fields)
    # What the contract does not know is kept, at every level.
    assert all(part["additionalProperties"] for part in (schema, *schema["$defs"].values()))


def test_the_contract_points_to_it() -> None:
    contract = (COPY.parent / "contract.md").read_text(encoding="utf-8")
    assert f"({COPY.name})" in contract
