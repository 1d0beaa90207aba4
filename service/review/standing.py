"""What stands of a history: whose label holds, after corrections, skips and undos. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from service.review.labels import Action, Change

TASK = "task:"


def standing(history: Sequence[Change]) -> list[Change]:
    """The changes whose labels hold, by rising number. ``history``: of one subject, the oldest
    first.

    A case has one label, the last one, whoever gave it; a task has one of each reviewer. A skip
    says that nothing was said: it stands beside no label of the same case. Each change is the one
    that *made* its label: an undo brings back an earlier one, with its author, its time and the way
    it was given (in bulk, or opened).
    """
    lanes: dict[str, list[tuple[int, Change | None]]] = {}
    lane_of: dict[int, str] = {}
    for change in history:
        lane = lane_of.get(change.undoes or 0) or _lane(change)
        lane_of[change.number] = lane
        before = lanes.setdefault(lane, [])
        before.append((change.number, _maker(change, before)))
    made = [lane[-1][1] for lane in lanes.values()]
    stand = sorted((change for change in made if change is not None), key=lambda c: c.number)
    if history and history[0].subject.startswith(TASK):
        return stand
    labels = [change for change in stand if change.action is not Action.SKIPPED]
    return labels or stand


def standing_everywhere(changes: Sequence[Change]) -> list[Change]:
    """:func:`standing` of many subjects. ``changes``: in any order, each once or more often."""
    numbered = {(change.subject, change.number): change for change in changes}
    ordered = [numbered[key] for key in sorted(numbered)]
    return [
        change
        for _, history in groupby(ordered, key=lambda change: change.subject)
        for change in standing(list(history))
    ]


def _lane(change: Change) -> str:
    """Changes that follow each other: of a task those of one reviewer; of a case all labels, and
    each reviewer's skips apart."""
    if change.subject.startswith(TASK) or change.action is Action.SKIPPED:
        return f"of {change.reviewer}"
    return "all"


def _maker(change: Change, before: Sequence[tuple[int, Change | None]]) -> Change | None:
    if change.label is None:
        return None
    if change.undoes is None:
        return change
    undone = change.undoes
    return next((maker for number, maker in reversed(before) if number < undone), None)
