"""What people said of audited answers, newest first."""

from __future__ import annotations

from service.review.labels import Change
from service.store.connection import Connection
from service.store.reviews.changes import Changes
from service.store.tasks import Tasks

_AT_ONCE = 200


class Audits:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._tasks = Tasks(connection)
        self._changes = Changes(connection)

    def histories(self, since_ms: int, most: int) -> list[list[Change]]:
        """The changes of each task that was done since then, the last ones first, at most ``most``
        tasks. One that is open, as somebody may yet label it blind, is not among them."""
        ids = self._tasks.done_since(since_ms, most)
        found: list[list[Change]] = []
        for start in range(0, len(ids), _AT_ONCE):
            subjects = [f"task:{task_id}" for task_id in ids[start : start + _AT_ONCE]]
            found += self._changes.histories(subjects)
        return [history for history in found if history]
