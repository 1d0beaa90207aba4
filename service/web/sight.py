"""What a reviewer may see of what others said: nothing of an audit task that somebody may yet label
blind. One rule for pages and API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from service.review.labels import Change
from service.web.ports import TaskReader

_TASK = "task:"


class Sight:
    """``reviewer``: None or empty where it is not known who asks. Every method raises
    :class:`service.outage.Outage` when the store is away."""

    def __init__(self, tasks: TaskReader) -> None:
        self._tasks = tasks

    def sealed(self, changes: Iterable[Change], reviewer: str | None) -> frozenset[str]:
        """Subjects of which others' changes are not shown to this reviewer."""
        ids = {
            change.subject.removeprefix(_TASK)
            for change in changes
            if change.subject.startswith(_TASK) and not _is_by(change, reviewer)
        }
        found = self._tasks.sealed(ids, reviewer or "")
        return frozenset(_TASK + task_id for task_id in found)

    def of(self, changes: Sequence[Change], reviewer: str | None) -> list[Change]:
        """Those that he may see."""
        sealed = self.sealed(changes, reviewer)
        return [
            change for change in changes if change.subject not in sealed or _is_by(change, reviewer)
        ]

    def one(self, change: Change | None, reviewer: str | None) -> Change | None:
        return next(iter(self.of([change], reviewer)), None) if change is not None else None


def _is_by(change: Change, reviewer: str | None) -> bool:
    return bool(reviewer) and change.reviewer == reviewer
