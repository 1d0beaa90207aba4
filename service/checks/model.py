"""What a check is given and what it returns. Pure data, shared by every check.

What is made for every answer is not frozen: that would cost five times as much. Nobody changes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from service.events import AnswerEvent
from service.policy import AppPolicy

Span = tuple[int, int]


class Outcome(StrEnum):
    """The outcome of one check for one answer. Every check of every answer has exactly one."""

    PASS = "pass"  # noqa: S105 (an outcome, not a password)
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    NOT_EVALUATED = "not_evaluated"
    DISABLED = "disabled"


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class NotEvaluated(StrEnum):
    """Why a check could not decide. Never counted as a pass, always counted."""

    MISSING_TEXT = "missing_text"
    TOO_LARGE = "too_large"
    CHECK_ERROR = "check_error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    ``start``/``end`` are Python character offsets into ``answer``, end exclusive; both None for a
    structured citation without a place in it. ``detail`` is one line for the reviewer: what was
    looked for, the nearest thing found and where. ``cause`` is what alike findings share (the
    unknown ref, the absent value); findings with equal (app, check, reason, cause) form a group.
    ``near_ref``: the chunk that holds the nearest thing, ``near_start``/``near_end`` its character
    offsets in that chunk's text (None where the chunk itself is the nearest thing).
    """

    check: str
    reason: str
    surface: str
    start: int | None
    end: int | None
    detail: str
    severity: Severity
    cause: str
    near_ref: str | None = None
    near_start: int | None = None
    near_end: int | None = None


@dataclass(slots=True, init=False)
class Evidence:
    """One thing that is fine, and where it stands, so that a page can link the two.

    ``kind``: for numbers ``grounded`` | ``elsewhere`` | ``from_query`` | ``from_context`` |
    ``derived`` | ``approximate``; for citations ``resolved``. ``ref`` is None when the evidence is
    the query. ``chunk_start``/``chunk_end`` are character offsets into that chunk's text.
    """

    check: str
    kind: str
    surface: str
    start: int | None
    end: int | None
    ref: str | None = None
    chunk_start: int | None = None
    chunk_end: int | None = None

    # spelled out: the one that a dataclass makes is left to the interpreter by mypyc
    def __init__(
        self,
        check: str,
        kind: str,
        surface: str,
        start: int | None,
        end: int | None,
        ref: str | None = None,
        chunk_start: int | None = None,
        chunk_end: int | None = None,
    ) -> None:
        self.check = check
        self.kind = kind
        self.surface = surface
        self.start = start
        self.end = end
        self.ref = ref
        self.chunk_start = chunk_start
        self.chunk_end = chunk_end


@dataclass(slots=True, init=False)
class CheckInput:
    """One answer, ready to be checked.

    ``texts`` is aligned with ``event.retrieved``, else ValueError; None where there is no text.
    ``corpus_refs``: of the refs that the answer cites and retrieval did not return, those that the
    document store knows (they turn ``unknown_ref`` into ``not_retrieved``). ``refs`` and
    ``in_prompt``: of the chunks retrieved; every check asks for them, and a look into the event's
    models costs more than one into a list.
    """

    event: AnswerEvent
    texts: tuple[str | None, ...]
    policy: AppPolicy
    corpus_refs: frozenset[str]
    refs: list[str]
    in_prompt: list[bool]

    def __init__(
        self,
        event: AnswerEvent,
        texts: tuple[str | None, ...],
        policy: AppPolicy,
        corpus_refs: frozenset[str] = frozenset(),
    ) -> None:
        self.event = event
        self.texts = texts
        self.policy = policy
        self.corpus_refs = corpus_refs
        chunks = event.retrieved
        if len(chunks) != len(texts):
            raise ValueError("a text belongs to each chunk, or None")
        self.refs = [chunk.ref for chunk in chunks]
        self.in_prompt = [chunk.in_prompt for chunk in chunks]


@dataclass(slots=True, init=False)
class CheckResult:
    """``evaluated``/``failed``: how many citations, numbers, … were decided, and how many of them
    were findings (x and m of a per-item rate). ``owned``: the spans of the answer that this check
    claims, so that a later check leaves them alone (one wrong thing is one finding). ``label``: the
    class a classifying check decided on; ``measures``: (name, value) of a check that measures."""

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    not_evaluated: NotEvaluated | None = None
    evaluated: int = 0
    failed: int = 0
    owned: tuple[Span, ...] = ()
    label: str = ""
    measures: tuple[tuple[str, float], ...] = ()
    error: str | None = None

    def __init__(
        self,
        outcome: Outcome,
        findings: tuple[Finding, ...] = (),
        evidence: tuple[Evidence, ...] = (),
        not_evaluated: NotEvaluated | None = None,
        evaluated: int = 0,
        failed: int = 0,
        owned: tuple[Span, ...] = (),
        label: str = "",
        measures: tuple[tuple[str, float], ...] = (),
        error: str | None = None,
    ) -> None:
        self.outcome = outcome
        self.findings = findings
        self.evidence = evidence
        self.not_evaluated = not_evaluated
        self.evaluated = evaluated
        self.failed = failed
        self.owned = owned
        self.label = label
        self.measures = measures
        self.error = error


def reasons_of(results: Mapping[str, CheckResult]) -> dict[str, str]:
    """Check → why it was not evaluated, of those that were not."""
    return {
        name: result.not_evaluated.value
        for name, result in results.items()
        if result.not_evaluated is not None
    }
