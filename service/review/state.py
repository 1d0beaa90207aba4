"""What a history of changes makes of its case, task or group. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from service.review.labels import Action, Change, Label
from service.review.standing import standing


@dataclass(frozen=True, slots=True)
class State:
    """``labels``: reviewer → the change that made the label that holds (of a case at most one);
    ``skipped``: who passed it over and said nothing since; ``wanted``: how many people are to label
    it; ``decision``: of a group, as it stands."""

    version: int = 0
    last: Change | None = None
    labels: Mapping[str, Change] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    wanted: int = 1
    decision: Mapping[str, Any] | None = None

    @property
    def settled(self) -> bool:
        """Enough people said something: the case is resolved, the task done."""
        return len(self.labels) >= self.wanted

    def label(self, reviewer: str | None = None) -> Label | None:
        """That holds: this reviewer's, or the last one."""
        made = self.labels.get(reviewer) if reviewer is not None else _last(self.labels.values())
        return made.label if made is not None else None

    def differing(self) -> tuple[Change, Change] | None:
        """The first two people's labels, where they disagree."""
        made = sorted(self.labels.values(), key=lambda change: change.number)[:2]
        if len(made) < 2 or made[0].label is None or made[1].label is None:
            return None
        return (made[0], made[1]) if disagree(made[0].label, made[1].label) else None


def state_of(history: Sequence[Change]) -> State:
    """``history``: of one subject, the oldest first."""
    if not history:
        return State()
    last = history[-1]
    if last.subject.startswith("group:"):
        return State(last.number, last, decision=last.decision)
    stand = standing(history)
    labels = [change for change in stand if change.action is not Action.SKIPPED]
    return State(
        version=last.number,
        last=last,
        labels={change.reviewer: change for change in labels},
        skipped=frozenset(c.reviewer for c in stand if c.action is Action.SKIPPED),
        wanted=int(labels[0].context.get("wanted", 1)) if labels else 1,
    )


def _last(changes: Any) -> Change | None:
    return max(changes, key=lambda change: change.number, default=None)


def numbered(changes: Sequence[Change]) -> list[Change]:
    """A subject's history from its records in any order, with repeats. Of changes that bear one
    number (the store fell behind its topic), the earlier comes first and the others move up:
    nothing that a person said is dropped, and the last one wins."""
    unique = {(c.number, c.at_ms, c.reviewer, c.action): c for c in changes}
    history: list[Change] = []
    for key in sorted(unique):
        change = unique[key]
        number = max(change.number, history[-1].number + 1 if history else 1)
        history.append(change if number == change.number else replace(change, number=number))
    return history


def disagree(first: Label, second: Label) -> bool:
    """Whether two labels of one task differ in a part that both say."""
    pairs = (
        (first.answer, second.answer),
        (first.fault, second.fault),
        (_refs(first), _refs(second)),
        (first.grounded, second.grounded),
        (first.helpful, second.helpful),
    )
    return any(one != other for one, other in pairs if one is not None and other is not None)


def _refs(label: Label) -> frozenset[str] | None:
    if label.needed is None:
        return None
    return frozenset((*label.needed, *label.needed_elsewhere))
