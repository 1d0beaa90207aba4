"""Labelled cases of one check: what it finds on them, scored as ``groundwatch evaluate`` does."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from service.checking import read_line
from service.checks import citations, identifiers, links, numbers, quotes
from service.checks.model import CheckInput, CheckResult, Evidence, Finding, NotEvaluated, Span
from service.evaluation import SurfaceLabels, Tally
from service.events import AnswerEvent
from service.policy import AppPolicy

CASES = Path(__file__).parents[2] / "cases"
_CHECKS: dict[str, ModuleType] = {
    "links": links,
    "quotes": quotes,
    "numbers": numbers,
    "identifiers": identifiers,
}
"""The checks that take spans, in the order in which they own them."""


def given(answer: str, *chunks: str | None, policy: AppPolicy | None = None) -> CheckInput:
    """An answer to nothing in particular over chunks ``kb-1``, ``kb-2``, …"""
    event = AnswerEvent.model_validate(
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


def score(name: str) -> tuple[Tally, list[str]]:
    """The tally over ``tests/cases/<name>.jsonl``, and what is wrong, a line each."""
    total, wrong = Tally(), []
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        labelled, event = read_line(line)
        assert isinstance(event, AnswerEvent)
        texts = tuple(chunk.text for chunk in event.retrieved)
        result = run(name, CheckInput(event, texts, AppPolicy()))
        assert result.not_evaluated is not NotEvaluated.CHECK_ERROR
        labels = SurfaceLabels(name, labelled["expect"][name], labelled["alt"])
        tally, faults = labels.score(event.answer, result.findings)
        tally.lines = 1
        total.add(tally)
        wrong += [f"{labelled['id']}: {' '.join(fault)}" for fault in faults]
    return total, wrong
