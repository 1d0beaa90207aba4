"""Labelled cases of one check: what it finds on them, scored as ``groundwatch evaluate`` does."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import yaml

from service.checks import citations, identifiers, links, numbers, quotes
from service.checks.model import CheckInput, CheckResult, Evidence, Finding, Span
from service.evaluation import Evaluation, Tally, evaluate
from service.policy import AppPolicy, Policy
from tests.unit.answers import as_event

CASES = Path(__file__).parents[2] / "cases"
POLICY = Policy.model_validate(yaml.safe_load((CASES / "policy.yaml").read_text("utf-8")))
"""The policy under which the labelled cases are meant."""

_CHECKS: dict[str, ModuleType] = {
    "links": links,
    "quotes": quotes,
    "numbers": numbers,
    "identifiers": identifiers,
}
"""The checks that take spans, in the order in which they own them."""


def given(answer: str, *chunks: str | None, policy: AppPolicy | None = None) -> CheckInput:
    """An answer to nothing in particular over chunks ``kb-1``, ``kb-2``, …"""
    event = as_event(
        {
            "event_id": "e",
            "query": "?",
            "retrieved": [{"ref": f"kb-{n}", "text": text} for n, text in enumerate(chunks, 1)],
            "answer": answer,
        }
    )
    return CheckInput(event, tuple(chunks), policy or AppPolicy())


def run(name: str, case: CheckInput) -> CheckResult:
    """One check, after those that own spans before it."""
    owned: tuple[Span, ...] = citations.check(case).owned
    for check, module in _CHECKS.items():
        result: CheckResult = module.check(case, owned)
        if check == name:
            return result
        owned += result.owned
    raise LookupError(name)


def reported(result: CheckResult) -> list[Finding | Evidence]:
    """All that a check says about places of the answer."""
    return [*result.findings, *result.evidence]


def evaluated(name: str) -> Evaluation:
    """``tests/cases/<name>.jsonl`` as ``groundwatch evaluate`` scores it under their policy."""
    with (CASES / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return evaluate(lines, policy=POLICY)


def faults(evaluation: Evaluation) -> list[str]:
    """What is wrong, or could not be decided, a line each."""
    return [
        f"{wrong.id}: {wrong.check} {wrong.fault} {wrong.surface} {wrong.detail}"
        for wrong in evaluation.wrong
    ]


def score(name: str) -> tuple[Tally, list[str]]:
    """The tally of a check's findings over its cases, and what is wrong, a line each."""
    evaluation = evaluated(name)
    return evaluation.checks[name], faults(evaluation)
