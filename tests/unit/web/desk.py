"""A review desk in memory, as small as its contract allows. Cases, tasks and groups are names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from service.outage import Outage
from service.review.cases import CaseFilter
from service.review.desk import (
    ChangePage,
    Decision,
    DisagreementPage,
    Group,
    GroupPage,
    Incomplete,
    Labelled,
    Lease,
    LeaseLost,
    LeaseTaken,
    Stale,
    UnknownSubject,
)
from service.review.labels import (
    CASE_PARTS,
    TASK_PARTS,
    Action,
    Change,
    Label,
    missing_parts,
)
from service.web.ports import ChangeReader

LEASE_MS = 600_000


@dataclass
class MemoryDesk:
    """``queue``: case ids, the most urgent first; ``due``: task ids; ``members``: group id → ids of
    its open cases."""

    queue: list[str] = field(default_factory=lambda: ["c1"])
    due: list[str] = field(default_factory=list)
    known: dict[str, Group] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    case_parts: tuple[str, ...] = CASE_PARTS
    away: bool = False
    told: ChangeReader | None = None
    """Where its lists of changes come from, if not from what was done at it."""

    def __post_init__(self) -> None:
        self.leases: dict[str, Lease] = {}
        self.changes_of: dict[str, list[Change]] = {}
        self._fences = itertools.count(1)
        self._settled: set[tuple[str, str]] = set()

    def claim(self, subject: str, reviewer: str, now_ms: int) -> Lease:
        self._reach()
        kind, _, name = subject.partition(":")
        if name not in {"case": self.queue, "task": self.due, "group": self.known}[kind]:
            raise UnknownSubject
        held = self._held(subject, now_ms)
        if held is not None and held.reviewer != reviewer:
            raise LeaseTaken(held.reviewer, held.until_ms)
        if held is None:
            fence = next(self._fences)
            held = Lease(subject, reviewer, f"secret-{fence}", fence, 0)
        self.leases[subject] = replace(held, until_ms=now_ms + LEASE_MS)
        return self.leases[subject]

    def renew(self, lease: Lease, now_ms: int) -> Lease:
        self._check(lease, now_ms)
        return self.claim(lease.subject, lease.reviewer, now_ms)

    def release(self, lease: Lease) -> bool:
        self._reach()
        held = self.leases.get(lease.subject)
        if held is None or held.token != lease.token:
            return False
        del self.leases[lease.subject]
        return True

    def holders(self, subjects: Sequence[str]) -> Mapping[str, Lease]:
        self._reach()
        return {s: replace(self.leases[s], token="") for s in subjects if s in self.leases}

    def next_case(
        self, reviewer: str, filter: CaseFilter, now_ms: int, passed: Sequence[str] = ()
    ) -> Lease | None:
        self._reach()
        for case_id in self.queue:
            if case_id not in passed and not self._done(f"case:{case_id}", reviewer, now_ms):
                return self.claim(f"case:{case_id}", reviewer, now_ms)
        return None

    def next_task(self, reviewer: str, now_ms: int) -> Lease | None:
        self._reach()
        for task_id in self.due:
            if not self._done(f"task:{task_id}", reviewer, now_ms):
                return self.claim(f"task:{task_id}", reviewer, now_ms)
        return None

    def save(self, lease: Lease, label: Label, version: int, now_ms: int) -> Change:
        self._check(lease, now_ms)
        last = self._last(lease.subject)
        if version != (last.number if last else 0):
            raise Stale(last)
        is_task = lease.subject.startswith("task:")
        missing = missing_parts(label, TASK_PARTS if is_task else self.case_parts)
        if missing:
            raise Incomplete(missing)
        action = Action.SKIPPED if label.skipped else Action.LABELLED
        change = self._append(lease.subject, now_ms, lease.reviewer, action, label=label)
        self._settled.add((lease.subject, "" if not label.skipped else lease.reviewer))
        self.release(lease)
        return change

    def undo(self, subject: str, reviewer: str, number: int, now_ms: int) -> Change:
        self._reach()
        history = self.changes_of.get(subject, [])
        if not history or history[-1].number != number or history[-1].reviewer != reviewer:
            raise Stale(history[-1] if history else None)
        self._settled -= {(subject, ""), (subject, reviewer)}
        before = history[-2].label if len(history) > 1 else None
        return self._append(subject, now_ms, reviewer, Action.UNDONE, label=before, undoes=number)

    def labelled(self, subject: str, reviewer: str | None = None) -> Labelled:
        self._reach()
        last = self._last(subject)
        if last is None:
            return Labelled()
        own = [c for c in self.changes_of[subject] if reviewer in (None, c.reviewer)]
        return Labelled(own[-1].label if own else None, last.number, own[-1] if own else None)

    def history(self, subject: str) -> list[Change]:
        self._reach()
        return list(self.changes_of.get(subject, []))

    def label_cases(self, case_ids: Sequence[str], reviewer: str, label: Label, now_ms: int) -> int:
        self._reach()
        free = [case_id for case_id in case_ids
                if case_id in self.queue and not self._done(f"case:{case_id}", reviewer, now_ms)
                and not missing_parts(label, self.case_parts)]  # fmt: skip
        for case_id in free:
            subject = f"case:{case_id}"
            self._append(subject, now_ms, reviewer, Action.LABELLED_IN_BULK, label=label)
            self._settled.add((subject, ""))
        return len(free)

    def label_group(
        self, lease: Lease, label: Label, now_ms: int, on_progress: Callable[[int], None]
    ) -> int:
        self._check(lease, now_ms)
        if missing := missing_parts(label, self.case_parts):
            raise Incomplete(missing)
        group_id, done = lease.subject.removeprefix("group:"), 0
        for case_id in self.members.get(group_id, []):
            subject = f"case:{case_id}"
            if self._held(subject, now_ms) is None and not self._done(subject, "", now_ms):
                self._append(
                    subject, now_ms, lease.reviewer, Action.LABELLED_IN_BULK,
                    label=label, group=group_id,
                )  # fmt: skip
                self._settled.add((subject, ""))
                done += 1
        self.known[group_id] = replace(self.known[group_id], open_cases=0)
        on_progress(done)
        return done

    def decide(self, lease: Lease, decision: Decision, now_ms: int) -> Change:
        self._check(lease, now_ms)
        change = self._append(
            lease.subject, now_ms, lease.reviewer, Action.DECIDED, decision=asdict(decision)
        )
        self._regroup(lease.subject, change)
        return change

    def reopen(self, lease: Lease, now_ms: int) -> Change:
        self._check(lease, now_ms)
        group = self.known[lease.subject.removeprefix("group:")]
        if group.decision is None:
            raise Stale(self._last(lease.subject))
        self._regroup(lease.subject, None)
        return self._append(lease.subject, now_ms, lease.reviewer, Action.REOPENED)

    def groups(self, filter: CaseFilter, cursor: str | None = None, limit: int = 50) -> GroupPage:
        self._reach()
        if cursor is not None and not cursor.isdecimal():
            raise ValueError("not a cursor of this list")
        names = ("app", "check", "reason", "severity")
        wanted = {name: value for name, value in filter.indexes() if name in names}
        found = [
            group
            for group in self.known.values()
            if all(getattr(group, name) == value for name, value in wanted.items())
        ]
        first = int(cursor or 0)
        more = str(first + limit) if len(found) > first + limit else None
        return GroupPage(found[first : first + limit], more)

    def group(self, group_id: str) -> Group | None:
        self._reach()
        return self.known.get(group_id)

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage:
        self._reach()
        if self.told is not None:
            return self.told.changes(reviewer=reviewer, cursor=cursor, limit=limit)
        found = [c for history in self.changes_of.values() for c in history]
        mine = [c for c in found if reviewer in (None, c.reviewer)]
        return ChangePage(sorted(mine, key=lambda c: -c.at_ms)[:limit])

    def disagreements(self, cursor: str | None = None, limit: int = 50) -> DisagreementPage:
        self._reach()
        return DisagreementPage() if self.told is None else self.told.disagreements(cursor, limit)

    def _held(self, subject: str, now_ms: int) -> Lease | None:
        held = self.leases.get(subject)
        return held if held is not None and held.until_ms > now_ms else None

    def _check(self, lease: Lease, now_ms: int) -> None:
        self._reach()
        held = self._held(lease.subject, now_ms)
        if held is None or held.token != lease.token or held.reviewer != lease.reviewer:
            last = self._last(lease.subject)
            raise LeaseLost(last if last and last.reviewer != lease.reviewer else None)

    def _done(self, subject: str, reviewer: str, now_ms: int) -> bool:
        held = self._held(subject, now_ms)
        return (
            (held is not None and held.reviewer != reviewer)
            or (subject, "") in self._settled
            or (subject, reviewer) in self._settled
        )

    def _last(self, subject: str) -> Change | None:
        history = self.changes_of.get(subject)
        return history[-1] if history else None

    def _append(
        self, subject: str, now_ms: int, reviewer: str, action: Action, **parts: object
    ) -> Change:
        history = self.changes_of.setdefault(subject, [])
        change = Change(subject, len(history) + 1, now_ms, reviewer, action, **parts)  # type: ignore[arg-type]
        history.append(change)
        return change

    def _regroup(self, subject: str, decision: Change | None) -> None:
        group_id = subject.removeprefix("group:")
        self.known[group_id] = replace(self.known[group_id], decision=decision)

    def _reach(self) -> None:
        if self.away:
            raise Outage("the store does not answer")
