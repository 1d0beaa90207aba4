"""Small runs to compare and to gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.measuring.runs import Outcome, QuestionsUsed, Run, RunHeader

Measures = Mapping[str, float | None]


def made_run(outcomes: Mapping[str, Measures], **header: Any) -> Run:
    """Question id → measures; the details of outcomes come from :func:`with_outcomes`."""
    fields: dict[str, Any] = {
        "kind": "retrieval",
        "run": "made",
        "app": "support",
        "k": 5,
        "questions": QuestionsUsed("relevance.jsonl", "ab" * 32, len(outcomes), len(outcomes)),
        "started_at": "2026-12-01T03:00:00Z",
        "groundwatch": "0.1.0",
    }
    return Run(
        RunHeader(**(fields | header)),
        tuple(Outcome(name, f"query {name}", measures) for name, measures in outcomes.items()),
    )


def with_outcomes(run: Run, details: Mapping[str, Mapping[str, Any]]) -> Run:
    """The same run, where the outcomes of these questions have these fields."""
    return Run(
        run.header,
        tuple(replace(outcome, **details.get(outcome.query_id, {})) for outcome in run.outcomes),
    )
