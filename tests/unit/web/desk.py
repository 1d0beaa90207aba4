"""A review desk in memory, over whatever cases and tasks it is given. It keeps the promises of
``tests/contract/test_desk_promises.py``, as the one in the store does."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from service.access.roles import ALL, Grant
from service.outage import Outage
from service.review.cases import CaseFilter, CaseSummary
from service.review.desk import (
    ChangePage,
    Decision,
    Disagreement,
    DisagreementPage,
    Group,
    GroupPage,
    Incomplete,
    Labelled,
    Lease,
    LeaseLost,
    LeaseTaken,
    Stale,
    UnknownParts,
    UnknownSubject,
)
from service.review.fitting import Material, fitted, material_of, speaks_of_strangers
from service.review.labels import (
    CASE_PARTS,
    TASK_PARTS,
    Action,
    Change,
    Label,
    missing_parts,
)
from service.review.state import State, state_of
from service.review.tasks import Task
from service.web.ports import CaseReader, TaskReader

LEASE_MS = 600_000
EVERYTHING = 1_000
"""More than any world in memory has."""

Item = TypeVar("Item")


def cut(found: Sequence[Item], cursor: str | None, limit: int) -> tuple[list[Item], str | None]:
    """One page, and the cursor of the next. ValueError for a cursor that is not ours."""
    if cursor is not None and not cursor.isdecimal():
        raise ValueError("not a cursor of this list")
    first = int(cursor or 0)
    more = str(first + limit) if len(found) > first + limit else None
    return list(found[first : first + limit]), more


@dataclass
class MemoryDesk:
    """``known``: groups by id, the last seen first; they stay as they are but for what is said of
    them. ``wanted``: how many people are to label a task. ``now``: seconds since 1970, by which
    leases end."""

    cases: CaseReader
    tasks: TaskReader
    known: Mapping[str, Group] = field(default_factory=dict)
    now: Callable[[], float] = lambda: 0.0
    case_parts: tuple[str, ...] = CASE_PARTS
    task_parts: tuple[str, ...] = TASK_PARTS
    wanted: int = 1
    away: bool = False
    grant: Grant = ALL

    def __post_init__(self) -> None:
        self.leases: dict[str, Lease] = {}
        self.changes_of: dict[str, list[Change]] = {}
        self._fences = itertools.count(1)

    def keep(self, *changes: Change) -> None:
        """What was said before."""
        for change in changes:
            self.changes_of.setdefault(change.subject, []).append(change)

    def within(self, grant: Grant) -> MemoryDesk:
        if grant.everything:
            return self
        seen = copy.copy(self)
        seen.cases, seen.tasks = self.cases.within(grant), self.tasks.within(grant)
        seen.known = {name: one for name, one in self.known.items() if grant.covers(one.app)}
        seen.grant = grant
        return seen

    def _sees(self, subject: str) -> bool:
        kind, _, name = subject.partition(":")
        if self.grant.everything:
            return True
        if kind == "case":
            return self.cases.case(name) is not None
        return self.tasks.get(name) is not None if kind == "task" else name in self.known

    def _seen(self, subject: str) -> None:
        if not self._sees(subject):
            raise UnknownSubject(subject)

    # Leases, and what comes next.

    def claim(self, subject: str, reviewer: str, now_ms: int) -> Lease:
        if not self._may_take(subject, reviewer):
            raise UnknownSubject(subject)
        held = self._held(subject)
        if held is not None and held.reviewer != reviewer:
            raise LeaseTaken(held.reviewer, held.until_ms)
        if held is None:
            fence = next(self._fences)
            held = Lease(subject, reviewer, f"secret-{fence}", fence, 0)
        self.leases[subject] = replace(held, until_ms=now_ms + LEASE_MS)
        return self.leases[subject]

    def renew(self, lease: Lease, now_ms: int) -> Lease:
        self._seen(lease.subject)
        if not self._holds(lease):
            last = self._state(lease.subject).last
            raise LeaseLost(last if last is not None and last.reviewer != lease.reviewer else None)
        self.leases[lease.subject] = replace(lease, until_ms=now_ms + LEASE_MS)
        return self.leases[lease.subject]

    def release(self, lease: Lease) -> bool:
        held = self._sees(lease.subject) and self._holds(lease)
        if held:
            del self.leases[lease.subject]
        return held

    def holders(self, subjects: Sequence[str]) -> Mapping[str, Lease]:
        seen = [subject for subject in subjects if self._sees(subject)]
        held = [lease for subject in seen if (lease := self._held(subject)) is not None]
        return {lease.subject: replace(lease, token="") for lease in held}

    def next_case(
        self, reviewer: str, filter: CaseFilter, now_ms: int, passed: Sequence[str] = ()
    ) -> Lease | None:
        others = [
            lease.subject
            for lease in map(self._held, self.leases)
            if lease is not None and lease.reviewer != reviewer
        ]
        busy = {group for subject in others if (group := self._group_of(subject)) is not None}
        for one in sorted(self._open(filter), key=lambda one: one.group in busy):
            subject = f"case:{one.case_id}"
            if one.case_id not in passed and self._waits_for(subject, reviewer):
                return self.claim(subject, reviewer, now_ms)
        return None

    def next_task(self, reviewer: str, now_ms: int) -> Lease | None:
        for task in self.tasks.list_tasks(None, EVERYTHING).tasks:
            if self._waits_for(f"task:{task.task_id}", reviewer):
                return self.claim(f"task:{task.task_id}", reviewer, now_ms)
        return None

    # Labels.

    def save(self, lease: Lease, label: Label, version: int, now_ms: int) -> Change:
        subject, held = lease.subject, self._holds(lease)
        history, state = self.history(subject), self._state(subject)
        if not held:
            raise LeaseLost(state.last if version != state.version else None)
        if version != state.version:
            raise Stale(state.last)
        material, context = self._answer(subject)
        if speaks_of_strangers(label, [material]):
            raise UnknownParts
        is_task = subject.startswith("task:")
        self._require(label, self.task_parts if is_task else self.case_parts, material)
        action = Action.SKIPPED if label.skipped else Action.LABELLED
        if is_task:
            blind = all(change.reviewer != lease.reviewer for change in history)
            context |= {"wanted": self.wanted, "blind": blind}
        self.release(lease)
        return self._append(subject, now_ms, lease.reviewer, action, label=label, context=context)

    def undo(self, subject: str, reviewer: str, number: int, now_ms: int) -> Change:
        history = self.history(subject)
        last = history[-1] if history else None
        if last is None or last.number != number or last.reviewer != reviewer:
            raise Stale(last)
        before = state_of(history[:-1])
        return self._append(
            subject, now_ms, reviewer, Action.UNDONE, label=before.label(_own(subject, reviewer)),
            undoes=number, decision=before.decision, context=last.context,
        )  # fmt: skip

    def labelled(self, subject: str, reviewer: str | None = None) -> Labelled:
        state = self._state(subject)
        return Labelled(state.label(_own(subject, reviewer)), state.version, state.last)

    def history(self, subject: str) -> list[Change]:
        self._reach()
        self._seen(subject)
        return list(self.changes_of.get(subject, []))

    def label_cases(self, case_ids: Sequence[str], reviewer: str, label: Label, now_ms: int) -> int:
        done = 0
        for subject in filter(self._sees, (f"case:{case_id}" for case_id in case_ids)):
            held = self._held(subject)
            if held is not None and held.reviewer != reviewer:
                continue
            try:
                self._label_unopened(subject, reviewer, label, now_ms)
            except (Incomplete, Stale, UnknownSubject):
                continue
            self.leases.pop(subject, None)
            done += 1
        return done

    def label_group(
        self, lease: Lease, label: Label, now_ms: int, on_progress: Callable[[int], None]
    ) -> int:
        group = self._led(lease)
        self._require(label, self.case_parts, Material())
        members = [f"case:{one.case_id}" for one in self._open(CaseFilter(group=group.group_id))]
        if speaks_of_strangers(label, (self._answer(one)[0] for one in members)):
            raise UnknownParts
        done = 0
        for subject in members:
            if self._held(subject) is None and not self._state(subject).settled:
                self._label_unopened(subject, lease.reviewer, label, now_ms, group.group_id)
                done += 1
        on_progress(done)
        return done

    def _label_unopened(
        self, subject: str, reviewer: str, label: Label, now_ms: int, group: str = ""
    ) -> None:
        material, context = self._answer(subject)
        if self._state(subject).settled:
            raise Stale(self._state(subject).last)
        self._require(label, self.case_parts, Material() if group else material)
        self._append(
            subject, now_ms, reviewer, Action.LABELLED_IN_BULK, label=fitted(label, material),
            group=group, context=context,
        )  # fmt: skip

    # Groups.

    def decide(self, lease: Lease, decision: Decision, now_ms: int) -> Change:
        self._led(lease)
        made = asdict(decision)
        return self._append(lease.subject, now_ms, lease.reviewer, Action.DECIDED, decision=made)

    def reopen(self, lease: Lease, now_ms: int) -> Change:
        group = self._led(lease)
        if group.decision is None and group.reopened is None:
            raise Stale(self._state(lease.subject).last)
        return self._append(lease.subject, now_ms, lease.reviewer, Action.REOPENED)

    def groups(self, filter: CaseFilter, cursor: str | None = None, limit: int = 50) -> GroupPage:
        wanted = [
            (name, value)
            for name, value in filter.indexes()
            if name in ("app", "check", "reason", "severity")
        ]
        found = [
            group
            for group in map(self.group, self.known)
            if group is not None and all(getattr(group, name) == value for name, value in wanted)
        ]
        return GroupPage(*cut(found, cursor, limit))

    def group(self, group_id: str) -> Group | None:
        self._reach()
        group = self.known.get(group_id)
        if group is None:
            return None
        members = self._open(CaseFilter(group=group_id))
        said = sum(self._state(f"case:{one.case_id}").settled for one in members)
        last = self._state(f"group:{group_id}").last
        if last is not None:
            group = replace(group, decision=last if last.decision else None, reopened=None)
        return replace(group, open_cases=group.open_cases - said)

    # All changes.

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage:
        self._reach()
        found = [
            change
            for subject, history in self.changes_of.items()
            if self._sees(subject)
            for change in history
            if reviewer in (None, change.reviewer)
        ]
        found.sort(key=lambda change: change.at_ms, reverse=True)
        return ChangePage(*cut(found, cursor, limit))

    def disagreements(self, cursor: str | None = None, limit: int = 50) -> DisagreementPage:
        self._reach()
        found = [
            Disagreement(subject.removeprefix("task:"), *pair)
            for subject in self.changes_of
            if subject.startswith("task:")
            and self._sees(subject)
            and (pair := self._state(subject).differing())
        ]
        found.sort(key=lambda one: one.second.at_ms, reverse=True)
        return DisagreementPage(*cut(found, cursor, limit))

    # What is there, and who is at it.

    def _reach(self) -> None:
        if self.away:
            raise Outage("the store does not answer")

    def _held(self, subject: str) -> Lease | None:
        self._reach()
        held = self.leases.get(subject)
        return held if held is not None and held.until_ms > self.now() * 1000 else None

    def _holds(self, lease: Lease) -> bool:
        held = self._held(lease.subject)
        return held is not None and (held.token, held.reviewer) == (lease.token, lease.reviewer)

    def _state(self, subject: str) -> State:
        return state_of(self.history(subject))

    def _waits_for(self, subject: str, reviewer: str) -> bool:
        """Nobody else is at it, and it lacks a word of this reviewer."""
        held, state = self._held(subject), self._state(subject)
        return (
            (held is None or held.reviewer == reviewer)
            and not state.settled
            and reviewer not in {*state.labels, *state.skipped}
        )

    def _may_take(self, subject: str, reviewer: str) -> bool:
        self._reach()
        kind, _, name = subject.partition(":")
        if kind == "task":
            task, state = self.tasks.get(name), self._state(subject)
            still_open = task is not None and task.status == "open" and not state.settled
            return still_open and reviewer not in state.labels
        if kind == "case":
            case = self.cases.case(name)
            return case is not None and case.summary.status in ("open", "resolved")
        return kind == "group" and name in self.known

    def _open(self, filter: CaseFilter) -> list[CaseSummary]:
        self._reach()
        return self.cases.list_cases(replace(filter, status="open"), None, EVERYTHING).cases

    def _group_of(self, subject: str) -> str | None:
        kind, _, name = subject.partition(":")
        case = self.cases.case(name) if kind == "case" else None
        if case is not None:
            return case.summary.group
        return name if kind == "group" else None

    def _led(self, lease: Lease) -> Group:
        """The group whose lease this is."""
        group = self.group(lease.subject.removeprefix("group:"))
        if group is None:
            raise UnknownSubject(lease.subject)
        if not self._holds(lease):
            raise LeaseLost
        return group

    def _answer(self, subject: str) -> tuple[Material, dict[str, Any]]:
        """What a label may speak of, and what it is read with."""
        kind, _, name = subject.partition(":")
        case = self.cases.case(name) if kind == "case" else None
        task = self.tasks.get(name) if kind == "task" else None
        if case is not None:
            material = material_of({"event": case.event, "findings": case.findings})
            return material, _context(case.summary)
        if task is not None:
            return material_of({"event": task.event}, blind=True), _context(task)
        raise UnknownSubject(subject)

    def _require(self, label: Label, required: Sequence[str], material: Material) -> None:
        if missing := missing_parts(label, required, len(material.findings)):
            raise Incomplete(missing)

    def _append(
        self, subject: str, now_ms: int, reviewer: str, action: Action, **parts: Any
    ) -> Change:
        number = self._state(subject).version + 1
        self.keep(Change(subject, number, now_ms, reviewer, action, **parts))
        return self.changes_of[subject][-1]


def _own(subject: str, reviewer: str | None) -> str | None:
    """Of a task each says something of their own."""
    return reviewer if subject.startswith("task:") else None


def _context(about: Task | CaseSummary) -> dict[str, Any]:
    names = ("app", "event_id", "release", "language", "occurred_ms")
    return {name: getattr(about, name) for name in names}
