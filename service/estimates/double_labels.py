"""Agreement between the two people who labelled the same audit task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from service.estimates.agreement import Agreement, agreement
from service.review.labels import (
    Action,
    AnswerCall,
    Behaviour,
    Change,
    Fault,
    Grounded,
    Helpful,
    Label,
)
from service.review.standing import standing

SCALES: dict[str, type[StrEnum]] = {
    "answer": AnswerCall,
    "fault": Fault,
    "behaviour": Behaviour,
    "grounded": Grounded,
    "helpful": Helpful,
}
"""The parts of a label that are one word of a scale."""


def blind_pair(history: Sequence[Change]) -> tuple[Label, Label] | None:
    """The first labels of the two people who labelled a task first, as they were before anything
    was shown to them: what was corrected in sight of the findings says nothing of agreement.

    ``history``: of one task, the oldest first. None before two people's labels stand.
    """
    first = blind_labels(history)
    if len(first) < 2:
        return None
    one, other, *_ = first.values()
    return one, other


def blind_labels(history: Sequence[Change]) -> dict[str, Label]:
    """Reviewer → his first blind label, in the order in which they were given; of those alone whose
    label stands and is no skip. ``history``: of one task, the oldest first."""
    still = {c.reviewer for c in standing(history) if c.action is not Action.SKIPPED}
    first: dict[str, Label] = {}
    for change in history:
        label = change.label
        if label is None or label.skipped or not change.context.get("blind"):
            continue
        if change.reviewer in still:
            first.setdefault(change.reviewer, label)
    return first


def agreement_on(part: str, pairs: Iterable[tuple[Label, Label]]) -> Agreement:
    """On one part of :data:`SCALES`, over the tasks of which both people said it: what one of them
    skipped or left out is missing, not a disagreement. ``pairs``: the earlier label first; people
    change places from task to task, so rows and columns of the table are no persons."""
    said = ((_word(first, part), _word(second, part)) for first, second in pairs)
    both = [(first, second) for first, second in said if first is not None and second is not None]
    return agreement(both, tuple(SCALES[part]))


def _word(label: Label, part: str) -> str | None:
    word: StrEnum | None = getattr(label, part)
    return None if label.skipped or word is None else word.value
