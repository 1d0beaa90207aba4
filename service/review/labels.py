"""What a person says about an answer. Pure: the words, what each app asks for, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

Word = TypeVar("Word", bound=StrEnum)

MAX_NOTE = 4_000
MAX_REFS = 200


class FindingCall(StrEnum):
    REAL = "real"
    FALSE_ALARM = "false_alarm"


class Why(StrEnum):
    """Why a finding is a false alarm."""

    FORMAT = "format"
    PARAPHRASE = "paraphrase"
    COMPUTED = "computed"
    OTHER = "other"


class AnswerCall(StrEnum):
    CORRECT = "correct"
    PARTLY = "partly"
    WRONG = "wrong"
    CANT_TELL = "cant_tell"


class Fault(StrEnum):
    """Whose fault a wrong answer is."""

    RETRIEVAL = "retrieval"
    GENERATION = "generation"
    NOT_IN_CORPUS = "not_in_corpus"
    SOURCE_WRONG = "source_wrong"
    QUESTION_UNCLEAR = "question_unclear"


class Behaviour(StrEnum):
    """What the system should have done."""

    ANSWER = "answer"
    CLARIFY = "clarify"
    NO_ANSWER = "no_answer"
    DENY = "deny"


class Grounded(StrEnum):
    """Does the retrieved text carry the answer?"""

    YES = "yes"
    NO = "no"
    CANT_TELL = "cant_tell"


class Helpful(StrEnum):
    """Does the answer answer the question? The judge's words."""

    COMPLETE = "complete"
    PARTIAL = "partial_but_useful"
    TANGENTIAL = "tangential"
    OFF_TOPIC = "off_topic"


@dataclass(frozen=True, slots=True)
class FindingLabel:
    """Which finding (its check, reason, and place in the answer, None without one) and what it is.
    ``why`` only for a false alarm."""

    check: str
    reason: str
    surface: str
    start: int | None
    call: FindingCall
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """``needed``: refs of retrieved chunks that the answer really needs, None where nobody was
    asked; ``needed_elsewhere``: refs that it needs and retrieval did not bring. ``skipped``: looked
    at and passed over: missing data, never a label."""

    findings: tuple[FindingLabel, ...] = ()
    answer: AnswerCall | None = None
    fault: Fault | None = None
    behaviour: Behaviour | None = None
    needed: tuple[str, ...] | None = None
    needed_elsewhere: tuple[str, ...] = ()
    grounded: Grounded | None = None
    helpful: Helpful | None = None
    note: str = ""
    skipped: bool = False


PARTS = ("answer", "findings", "fault", "behaviour", "needed", "grounded", "helpful")
"""Parts of a label that a policy may require."""
CASE_PARTS = ("answer",)
"""One key settles a case."""
TASK_PARTS = ("answer", "fault", "needed", "grounded", "helpful")
"""An audit asks for more. ``fault`` only of an answer that is not correct."""


def missing_parts(label: Label, required: Sequence[str], findings: int = 0) -> tuple[str, ...]:
    """What is required and not said. ``findings``: how many the case shows (all must be called
    where they are required). Nothing is required of a skipped one, nor a fault of a correct one."""
    if label.skipped:
        return ()
    said = {
        "answer": label.answer is not None,
        "findings": len(label.findings) >= findings,
        "fault": label.fault is not None
        or label.answer in (AnswerCall.CORRECT, AnswerCall.CANT_TELL),
        "behaviour": label.behaviour is not None,
        "needed": label.needed is not None,
        "grounded": label.grounded is not None,
        "helpful": label.helpful is not None,
    }
    return tuple(part for part in PARTS if part in required and not said[part])


class Action(StrEnum):
    """What changed. One entry of a history each."""

    LABELLED = "labelled"
    SKIPPED = "skipped"
    UNDONE = "undone"
    LABELLED_IN_BULK = "labelled_in_bulk"
    DECIDED = "decided"
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the history: who did what when. Append-only; also a record of ``rag.reviews``.

    ``subject``: ``case:<id>``, ``task:<id>`` or ``group:<id>``; ``number``: of the change within
    its subject, from 1; ``reviewer``: a name or e-mail address, as the reviewer is known;
    ``label``: as it stands after the change, None after an undo back to nothing; ``undoes``: the
    number of the change that this one takes back; ``group``: whose bulk label it came with (what
    nobody opened counts in no precision).
    """

    subject: str
    number: int
    at_ms: int
    reviewer: str
    action: Action
    label: Label | None = None
    undoes: int | None = None
    group: str = ""
    decision: Mapping[str, Any] | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    """What a label is read with: app, event id, position, stratum, π, π_audit, ruleset, version."""


def without_words(change: Change) -> Change:
    """The change without its note and without words of the answer: of what was erased, only the
    calls stay."""
    label = change.label
    if label is None:
        return change
    findings = tuple(replace(finding, surface="") for finding in label.findings)
    return replace(change, label=replace(label, note="", findings=findings))


def encode_label(label: Label) -> dict[str, Any]:
    return asdict(label)


def decode_label(data: Mapping[str, Any]) -> Label:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_label` never made."""
    needed = data["needed"]
    return replace(
        Label(**data),
        findings=tuple(_finding(item) for item in data["findings"]),
        answer=_one(AnswerCall, data["answer"]),
        fault=_one(Fault, data["fault"]),
        behaviour=_one(Behaviour, data["behaviour"]),
        needed=None if needed is None else tuple(needed),
        needed_elsewhere=tuple(data["needed_elsewhere"]),
        grounded=_one(Grounded, data["grounded"]),
        helpful=_one(Helpful, data["helpful"]),
    )


def _finding(data: Mapping[str, Any]) -> FindingLabel:
    return replace(FindingLabel(**data), call=FindingCall(data["call"]), why=_one(Why, data["why"]))


def _one(words: type[Word], value: str | None) -> Word | None:
    return None if value is None else words(value)


def encode_change(change: Change) -> dict[str, Any]:
    return asdict(change)


def decode_change(data: Mapping[str, Any]) -> Change:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_change` never made."""
    label = data["label"]
    return replace(
        Change(**data),
        action=Action(data["action"]),
        label=None if label is None else decode_label(label),
    )
