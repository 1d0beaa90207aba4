"""One label for all open cases of a group, in steps that keep nobody waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from service.review.desk import Lease, LeaseLost, UnknownParts
from service.review.fitting import fitted, speaks_of_strangers
from service.review.labels import Action, Change, Label
from service.review.state import state_of
from service.store.connection import Connection, text
from service.store.reviews.changes import Changes
from service.store.reviews.leases import Leases
from service.store.reviews.subjects import Subject, Subjects

STEP = 50
"""Cases that are read in one round trip and written in another."""


class Bulk:
    """``context``: of a case's label, from its body. Every method raises :class:`Outage` when the
    store is away."""

    def __init__(
        self,
        connection: Connection,
        leases: Leases,
        changes: Changes,
        context: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> None:
        self._c = connection
        self._leases = leases
        self._changes = changes
        self._subjects = Subjects(connection)
        self._context = context

    def label(
        self,
        lease: Lease,
        group: str,
        label: Label,
        now_ms: int,
        on_progress: Callable[[int], None],
    ) -> int:
        """Returns how many were labelled. Raises :class:`UnknownParts` and :class:`LeaseLost`."""
        waiting, done = self._open_cases(group), 0
        # One that does not hold the group learns that first, and is not told what it contains.
        lease = self._leases.renew(lease, now_ms)
        members = (one.material for step in _steps(waiting) for one in self._subjects.read(step))
        if speaks_of_strangers(label, members):
            raise UnknownParts
        for step in _steps(waiting):
            # Others see that it goes on, and it does not run out in the middle.
            lease = self._leases.renew(lease, now_ms)
            changes = [
                (one.history, self.change(one, one.body, lease.reviewer, label, now_ms, group))
                for one in self._subjects.read(step)
                if one.body is not None and not state_of(one.history).settled
            ]
            written, held = self._changes.append_free(changes, lease)
            done += written
            on_progress(done)
            if not held:
                raise LeaseLost
        return done

    def _open_cases(self, group: str) -> list[str]:
        with self._c.guard():
            ids = self._c.client.zrevrange(self._c.keys.index("group", group), 0, -1)
        return [f"case:{text(case_id)}" for case_id in ids]

    def change(
        self,
        case: Subject,
        body: dict[str, Any],
        reviewer: str,
        label: Label,
        now_ms: int,
        group: str = "",
    ) -> Change:
        """What the label becomes for one of the cases. ``group``: empty for one that was picked."""
        return Change(
            case.name,
            case.version + 1,
            now_ms,
            reviewer,
            Action.LABELLED_IN_BULK,
            fitted(label, case.material),
            group=group,
            context=self._context(body),
        )


def _steps(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[first : first + STEP] for first in range(0, len(names), STEP))
