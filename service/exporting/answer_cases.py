"""Test cases of the answer step: the question with the chunks as they were, and what people expect
of an answer to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import orjson

from service.exporting.answers import LabelledAnswer
from service.exporting.part import EXPIRED, Export, answer_by_answer
from service.review.labels import FindingCall, FindingLabel, Label

INCOMPLETE = "without a line, as their chunks are not all kept"
FORMAT = 1
_LEFT_OUT = frozenset({"session_id", "trace_id", "tags", "usage", "latency_ms"})
"""Of the one occasion, not of the question."""
_WORDS = ("behaviour", "answer", "fault", "grounded")


def cases_export() -> Export:
    """One line an answer that somebody labelled who had opened it. ``event`` makes it an input of
    ``groundwatch check``: put a new answer in there, and what the ``checks`` find is what people
    called wrong before."""
    return answer_by_answer("cases", _lines)


def _lines(answer: LabelledAnswer, left: Counter[str]) -> list[str]:
    labels = answer.judged
    if not labels:
        return []
    stored = answer.stored()
    if stored is None:
        left[EXPIRED] += 1
        return []
    if stored.reduced or not _whole(stored.event):
        left[INCOMPLETE] += 1
        return []
    return [orjson.dumps(_case(answer.answer_id, stored.event, labels)).decode()]


def _whole(event: Mapping[str, Any]) -> bool:
    """Whether every chunk that the model saw has its text."""
    return all(
        chunk.get("text") is not None
        for chunk in event["retrieved"]
        if chunk.get("in_prompt", True)
    )


def _case(answer_id: str, event: Mapping[str, Any], labels: Sequence[Label]) -> dict[str, Any]:
    words = {part: {getattr(label, part) for label in labels} - {None} for part in _WORDS}
    findings = [finding for label in labels for finding in label.findings]
    return {
        "format": FORMAT,
        "id": answer_id,
        "event": _event(event),
        "checks": sorted({f.check for f in findings if f.call is FindingCall.REAL}),
        "expect": {"behaviour": _one(words["behaviour"]), "needed": _needed(labels)},
        "recorded": {
            "call": _one(words["answer"]),
            "fault": _one(words["fault"]),
            "grounded": _one(words["grounded"]),
            "findings": [_finding(finding) for finding in findings],
        },
        "disputed": sorted(part for part, said in words.items() if len(said) > 1),
        "labels": len(labels),
    }


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in event.items() if name not in _LEFT_OUT}
    user = kept.get("user")
    if isinstance(user, Mapping):
        kept["user"] = {name: value for name, value in user.items() if name != "id_hash"}
    return kept


def _one(words: set[StrEnum]) -> str | None:
    """What all say; None where nobody says anything, or they differ."""
    return next(iter(words)).value if len(words) == 1 else None


def _needed(labels: Sequence[Label]) -> list[str] | None:
    said = [label for label in labels if label.needed is not None or label.needed_elsewhere]
    refs = {ref for label in said for ref in (*(label.needed or ()), *label.needed_elsewhere)}
    return sorted(refs) if said else None


def _finding(finding: FindingLabel) -> dict[str, Any]:
    return {
        "check": finding.check,
        "reason": finding.reason,
        "surface": finding.surface,
        "start": finding.start,
        "call": finding.call.value,
        "why": finding.why.value if finding.why is not None else None,
    }
