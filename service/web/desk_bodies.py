"""What goes in and out of the JSON API of the review desk, and an example of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from service.review.cases import DAY_MS, Case, CaseFilter
from service.review.desk import Decision, DecisionKind, Lease
from service.review.labels import (
    MAX_NOTE,
    MAX_REFS,
    AnswerCall,
    Behaviour,
    Change,
    Fault,
    FindingCall,
    FindingLabel,
    Grounded,
    Helpful,
    Label,
    Why,
)
from service.web.api import OptionalDay, TaskBody, day_ms
from service.web.problems import ProblemBody

MAX_FINDINGS = 500
MAX_PASSED = 1_000
LATEST_MS = 230 * 365 * DAY_MS
"""No decision holds for longer, milliseconds since 1970."""


def _whole(given: object) -> object:
    # JSON knows one kind of number: 7.0 is whole, true and "7" are not numbers.
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ValueError("must be a whole number")
    return given


_WHOLE = BeforeValidator(_whole)
Word = Annotated[str, Field(min_length=1, max_length=200)]
Ref = Annotated[str, Field(min_length=1, max_length=2_048)]
Refs = Annotated[list[Ref], Field(max_length=MAX_REFS)]
Note = Annotated[str, Field(max_length=MAX_NOTE)]
Number = Annotated[int, Field(ge=1, le=1_000_000_000), _WHOLE]


def _boolean(given: object) -> object:
    # 0 is False to Python.
    if not isinstance(given, bool):
        raise ValueError("must be true or false")
    return given


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Nothing(_Sent):
    """`{}`: there is nothing to say."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})


class FilterBody(_Sent):
    """All given parts must hold. ``since``: of answers given on this day (UTC) or later."""

    app: Ref | None = None
    release: Ref | None = None
    check: Ref | None = None
    reason: Ref | None = None
    severity: Literal["low", "medium", "high"] | None = None
    language: Ref | None = None
    group: Word | None = None
    since: OptionalDay = None

    def filter(self) -> CaseFilter:
        parts = self.model_dump(exclude={"since"})
        return CaseFilter(**parts, since_ms=None if self.since is None else day_ms(self.since))


class NextCase(_Sent):
    """``passed``: ids of cases that are not to come again now."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"filter": {"severity": "high"}, "passed": ["5f0c6a1e"]}]}
    )

    filter: FilterBody = FilterBody()
    passed: Annotated[list[Word], Field(max_length=MAX_PASSED)] = []


class _Finding(_Sent):
    """Which finding: its check, reason, surface and start in the answer (null without one)."""

    check: Word
    reason: Word
    surface: Annotated[str, Field(max_length=20_000)]
    start: Annotated[int, Field(ge=0, le=1 << 40), _WHOLE] | None


class RealFinding(_Finding):
    """The finding is right."""

    call: Literal[FindingCall.REAL]
    why: None = None


class FalseAlarm(_Finding):
    """The finding is wrong."""

    call: Literal[FindingCall.FALSE_ALARM]
    why: Why | None = None


class Said(_Sent):
    """What a person says of an answer. What is left out was not said; which parts are required is
    a matter of the app's policy. ``needed``: refs of retrieved chunks that the answer needs, null
    where nobody was asked; ``needed_elsewhere``: refs that it needs and retrieval did not bring."""

    findings: Annotated[list[CalledFinding], Field(max_length=MAX_FINDINGS)] = []
    answer: AnswerCall | None = None
    fault: Fault | None = None
    behaviour: Behaviour | None = None
    needed: Refs | None = None
    needed_elsewhere: Refs = []
    grounded: Grounded | None = None
    helpful: Helpful | None = None
    note: Note = ""
    skipped: Annotated[Literal[False], BeforeValidator(_boolean)] = False

    def label(self) -> Label:
        return Label(
            findings=tuple(FindingLabel(**dict(finding)) for finding in self.findings),
            answer=self.answer,
            fault=self.fault,
            behaviour=self.behaviour,
            needed=None if self.needed is None else tuple(self.needed),
            needed_elsewhere=tuple(self.needed_elsewhere),
            grounded=self.grounded,
            helpful=self.helpful,
            note=self.note,
        )


class Skip(_Sent):
    """Looked at and passed over: recorded as missing, never as a label."""

    skipped: Annotated[Literal[True], BeforeValidator(_boolean)]
    note: Note = ""

    def label(self) -> Label:
        return Label(skipped=True, note=self.note)


def _call(finding: Any) -> str | None:
    call = finding.get("call") if isinstance(finding, dict) else getattr(finding, "call", None)
    return f"<{call}>" if call in tuple(FindingCall) else None


def _kind(label: Any) -> str:
    skipped = label.get("skipped") if isinstance(label, dict) else getattr(label, "skipped", None)
    return "<skip>" if skipped is True else "<label>"


# pydantic's own sentence would repeat what was sent.
CalledFinding = Annotated[
    Annotated[RealFinding, Tag("<real>")] | Annotated[FalseAlarm, Tag("<false_alarm>")],
    Discriminator(
        _call,
        custom_error_type="finding",
        custom_error_message="call must be 'real' or 'false_alarm'",
    ),
]
LabelBody = Annotated[
    Annotated[Said, Tag("<label>")] | Annotated[Skip, Tag("<skip>")], Discriminator(_kind)
]
Said.model_rebuild()


class DecisionBody(_Sent):
    """What becomes of the group's later members: counted, without a case of their own. It holds
    until ``until_ms`` (when answers were given, milliseconds since 1970; null: for ever), and for
    answers that ``ruleset`` checked (null: any)."""

    kind: DecisionKind
    until_ms: Annotated[int, Field(ge=0, le=LATEST_MS), _WHOLE] | None = None
    ruleset: Word | None = None
    note: Note = ""

    def decision(self) -> Decision:
        return Decision(self.kind, self.until_ms, self.ruleset, self.note)


class Undo(_Sent):
    """``number``: of your own last change."""

    number: Number


# What comes out.


class DealtCase(BaseModel):
    """``lease``: null when there is no case left; ``case``: null too when it went meanwhile."""

    lease: Lease | None
    case: Case | None


class DealtTask(BaseModel):
    """``lease``: null when there is no task left; ``task``: null too when it went meanwhile."""

    lease: Lease | None
    task: TaskBody | None


class History(BaseModel):
    """The oldest first."""

    changes: list[Change]


class Bulk(BaseModel):
    """How many cases were labelled; those that somebody holds were not."""

    labelled: int


# Problems with members of their own.


class TakenProblem(ProblemBody):
    """409 ``lease_taken``: until when somebody holds it, milliseconds since 1970. 409
    ``lease_lost`` and ``stale``: nothing was written, ``change`` is what stands now (null: nobody
    changed anything, or it is not to be seen before your own label); of a bulk label, ``labelled``
    cases were done before."""

    holder: str | None = None
    until_ms: int | None = None
    change: Change | None = None
    labelled: int | None = None


class StaleProblem(ProblemBody):
    """``change``: what stands now; null when it is not to be seen before your own label."""

    change: Change | None = None


class IncompleteProblem(ProblemBody):
    """``parts``: what the app's policy requires and the label lacks, of an ``incomplete`` one."""

    parts: list[str] | None = None


PROBLEMS = (TakenProblem, StaleProblem, IncompleteProblem)

# Examples.

LABEL: dict[str, Any] = {
    "findings": [
        {
            "check": "numbers",
            "reason": "transposed",
            "surface": "54 €",
            "start": 19,
            "call": "real",
            "why": None,
        }
    ],
    "answer": "wrong",
    "fault": "generation",
    "behaviour": "answer",
    "needed": ["pricing#plans"],
    "needed_elsewhere": [],
    "grounded": "no",
    "helpful": "partial_but_useful",
    "note": "",
    "skipped": False,
}
ALL_ALIKE: dict[str, Any] = {"answer": "wrong", "fault": "generation"}
LEASE: dict[str, Any] = {
    "subject": "case:5f0c6a1e",
    "reviewer": "ann@example.org",
    "token": "7.kX3vT0qZr8aLw1Yb",
    "fence": 7,
    "until_ms": 1_796_000_600_000,
}
CHANGE: dict[str, Any] = {
    "subject": "case:5f0c6a1e",
    "number": 1,
    "at_ms": 1_796_000_000_000,
    "reviewer": "ann@example.org",
    "action": "labelled",
    "label": LABEL,
    "undoes": None,
    "group": "",
    "decision": None,
    "context": {"app": "support-assistant", "event_id": "ev-1", "release": "2026-11-29.2"},
}
DECISION: dict[str, Any] = {
    "kind": "known_cause",
    "until_ms": 1_798_000_000_000,
    "ruleset": None,
    "note": "The page was deleted.",
}
DECIDED = CHANGE | {
    "subject": "group:91ab",
    "action": "decided",
    "label": None,
    "decision": DECISION | {"day": 20_787, "threshold": 40},
    "context": {},
}
GROUP: dict[str, Any] = {
    "group_id": "91ab",
    "app": "support-assistant",
    "check": "citations",
    "reason": "unknown_ref",
    "cause": "pricing#seats",
    "severity": "high",
    "surface": "[pricing#seats]",
    "count": 240,
    "by_day": [[20_786, 100], [20_787, 140]],
    "sample": "5f0c6a1e",
    "decision": None,
    "open_cases": 12,
    "reopened": None,
}
