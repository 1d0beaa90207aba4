"""What people said lately, remembered: faults by release, findings confirmed, pairs of labels."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from service.access.roles import ALL, Grant
from service.estimates.double_labels import blind_pair
from service.estimates.precision import precisions
from service.judging.judgement import Cause
from service.review.cases import DAY_MS
from service.review.labels import AnswerCall, Change, Label
from service.review.standing import standing_everywhere
from service.web.ports import ChangeReader

REMEMBERED_S = 30.0
READ_DAYS = 60
MOST_CHANGES = 5_000
"""Read at most: older ones enter no figure of the pages. The exports have all of them."""
_PAGE = 200


class RecentChanges:
    """The newest changes. Raises :class:`service.outage.Outage` while the store is away.
    ``desk``: of all apps, since everybody shares one memory; ``granted``: the apps of whoever asks
    now; ``monotonic``: seconds, by which a memory ages."""

    def __init__(
        self,
        desk: ChangeReader,
        monotonic: Callable[[], float],
        granted: Callable[[], Grant] = lambda: ALL,
    ) -> None:
        self._desk = desk
        self._monotonic = monotonic
        self._granted = granted
        self._read_at: float | None = None
        self._changes: list[Change] = []
        self._reading = threading.Lock()

    def since(self, at_ms: int) -> list[Change]:
        """Those made since then, the newest first; no older than :data:`READ_DAYS` and no more than
        :data:`MOST_CHANGES`."""
        grant, changes = self._granted(), self._read()
        if not grant.everything:
            changes = [one for one in changes if grant.covers(str(one.context.get("app", "")))]
        return [change for change in changes if change.at_ms >= at_ms]

    def reach(self, at_ms: int) -> int:
        """From when on :meth:`since` has all changes: then, or later where more were made than are
        read. Milliseconds since 1970."""
        changes = self._read()
        return max(at_ms, changes[-1].at_ms) if len(changes) >= MOST_CHANGES else at_ms

    def _read(self) -> list[Change]:
        with self._reading:
            now = self._monotonic()
            if self._read_at is None or now - self._read_at > REMEMBERED_S:
                self._changes, self._read_at = self._newest(), now
            return self._changes

    def _newest(self) -> list[Change]:
        found: list[Change] = []
        cursor = None
        while len(found) < MOST_CHANGES:
            page = self._desk.changes(cursor=cursor, limit=_PAGE)
            found += page.changes
            cursor = page.next_cursor
            if cursor is None or found[-1].at_ms < found[0].at_ms - READ_DAYS * DAY_MS:
                break
        return found


_BAD = (AnswerCall.PARTLY, AnswerCall.WRONG)


def faults_of(changes: Sequence[Change]) -> dict[tuple[str, str], Counter[str]]:
    """(app, release) → fault → answers that people called partly right or wrong, by the labels that
    stand; ``unknown``: those of which nobody said whose fault it was."""
    faults: dict[tuple[str, str], Counter[str]] = {}
    for change in standing_everywhere(changes):
        label = change.label
        if label is None or not (label.fault or label.answer in _BAD):
            continue
        of = str(change.context.get("app", "")), str(change.context.get("release", ""))
        fault = label.fault.value if label.fault is not None else Cause.UNKNOWN.value
        faults.setdefault(of, Counter())[fault] += 1
    return faults


def confirmed(changes: Sequence[Change]) -> tuple[int, int]:
    """(findings called real, findings called) in cases that somebody opened."""
    rows = precisions(standing_everywhere(changes)).values()
    return sum(row.real for row in rows), sum(row.findings for row in rows)


def blind_pairs(changes: Iterable[Change]) -> list[tuple[Label, Label]]:
    """Of each audit task that two people labelled: what both said before anything was shown."""
    ordered = sorted(
        (change for change in changes if change.subject.startswith("task:")),
        key=lambda change: (change.subject, change.number),
    )
    histories = groupby(ordered, key=lambda change: change.subject)
    pairs = (blind_pair(list(history)) for _, history in histories)
    return [pair for pair in pairs if pair is not None]
