"""Cases: flagged answers that wait for a person. One per app + event id, whatever flagged it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

DAY_MS = 86_400_000
SEVERITY_WEIGHT = {"low": 1.0, "medium": 4.0, "high": 16.0}
SEVERITY_ORDER = ("high", "medium", "low")


SEVERITY_STEPS = {name: math.log2(weight) for name, weight in SEVERITY_WEIGHT.items()}


LEAST_WEIGHT, MOST_WEIGHT = 1 / 16, 16.0
"""Of an app."""
COMMONEST = 4.0
"""At most so much is taken off for a cause that is known well (from 255 answers on)."""


@dataclass(frozen=True, slots=True)
class Priority:
    """The terms of a case's priority, in half-lives (a day); their sum orders the queue.

    ``severity``: log2 of its weight (low 1, medium 4, high 16); ``app``: log2 of the app's weight
    in the policy; ``rarity``: −½·log2(1 + n), at least −4, with the n answers of the same cause
    before this one; ``recency``: when the answer was given, in half-lives since 1970.

    Time-invariant: each term is fixed when the case is made, and time stands in it as a sum. So of
    two cases the same one stays ahead for ever, and nothing is re-scored. A high finding is worth
    as much as a low one that is four days younger; the first of a cause as much as its 256th four
    days later.
    """

    severity: float
    app: float
    rarity: float
    recency: float

    @property
    def total(self) -> float:
        # Rarity last: it is known last, and adding it to the others' sum must give the same.
        return self.severity + self.app + self.recency + self.rarity


def priority_terms(
    severity: str,
    occurred_ms: int,
    weight: float = 1.0,
    seen: int = 0,
    half_life_days: float = 1.0,
) -> Priority:
    """``weight``: the app's, above 0; ``seen``: answers of the same cause before this one."""
    return Priority(
        SEVERITY_STEPS[severity],
        math.log2(weight),
        0.0 - min(COMMONEST, math.log2(1 + seen) / 2),
        occurred_ms / (DAY_MS * half_life_days),
    )


def priority(
    severity: str,
    occurred_ms: int,
    weight: float = 1.0,
    seen: int = 0,
    half_life_days: float = 1.0,
) -> float:
    """The sum of :func:`priority_terms`."""
    return priority_terms(severity, occurred_ms, weight, seen, half_life_days).total


def lowest_priority(since_ms: int) -> float:
    """No case of an answer that was given since then has a lower one."""
    return (
        min(priority(severity, since_ms, LEAST_WEIGHT) for severity in SEVERITY_WEIGHT) - COMMONEST
    )


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """One row of the queue. ``occurred_ms``: milliseconds since 1970; ``headline``: the gravest
    finding's detail line; ``alike``: flagged answers of its group so far, this one included;
    ``scripted``: the judge's part in it is by a script, no model ruled; ``holder``: who is at it
    now, empty where nobody is."""

    case_id: str
    app: str
    event_id: str
    release: str
    language: str
    occurred_ms: int
    severity: str
    status: str
    checks: tuple[str, ...]
    reasons: tuple[str, ...]
    headline: str
    query: str
    group: str | None
    alike: int
    priority: float
    scripted: bool = False
    holder: str = ""


@dataclass(frozen=True, slots=True)
class Thumbs:
    """What users said of one answer: a hint, never truth. ``comment``: the last one, empty where
    there is none; it may be anything that somebody typed."""

    up: int
    down: int
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A case in full. ``event``: the answer event as a dict (chunk texts filled in where they could
    be had, perhaps reduced: ``reduced`` says so); ``findings`` / ``evidence``: dicts with the keys
    of :class:`service.checks.model.Finding` / ``Evidence``; ``outcomes``: check name → outcome
    (``not_evaluated``: → why it was not);
    ``position``: (source, partition, offset) of the event; ``judgement``: what the judge said, as
    :func:`service.judging.judgement.encode_judgement` makes it, None where it said nothing yet;
    ``feedback``: what users said, None where none did; ``priority``: why it stands where it does
    in the queue."""

    summary: CaseSummary
    event: dict[str, Any]
    findings: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    outcomes: dict[str, str]
    ruleset: str
    stratum: str
    u: float
    pi: float
    position: tuple[str, int, int]
    reduced: bool = False
    not_evaluated: dict[str, str] = field(default_factory=dict)
    judgement: dict[str, Any] | None = None
    feedback: Thumbs | None = None
    priority: Priority | None = None


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """All given parts must hold. ``status`` defaults to the open queue; None means any. ``group``:
    the open cases that are filed under it; ``since_ms``: of answers given since then, milliseconds
    since 1970."""

    app: str | None = None
    release: str | None = None
    check: str | None = None
    reason: str | None = None
    severity: str | None = None
    status: str | None = "open"
    language: str | None = None
    group: str | None = None
    since_ms: int | None = None

    def indexes(self) -> list[tuple[str, str]]:
        names = ("app", "release", "check", "reason", "severity", "status", "language", "group")
        return [(name, value) for name in names if (value := getattr(self, name)) is not None]


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Where an open case stands: ``number`` from 1, ``of`` so many open ones."""

    number: int
    of: int


@dataclass(frozen=True, slots=True)
class CasePage:
    """Cases by falling priority; ``next_cursor`` is None on the last page (opaque otherwise)."""

    cases: list[CaseSummary] = field(default_factory=list)
    next_cursor: str | None = None
