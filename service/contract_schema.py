"""The contract as JSON Schema: what ``groundwatch schema`` prints and docs/ keeps a copy of."""

from __future__ import annotations

import json

from service.contract import SCHEMA_VERSION, AnswerEvent


def schema_text() -> str:
    """JSON with two-space indent and a final newline."""
    schema = AnswerEvent.model_json_schema()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"groundwatch:answer-event:v{SCHEMA_VERSION}",
        **schema,
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
