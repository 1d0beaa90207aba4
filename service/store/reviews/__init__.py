"""The review desk over the store: leases, what is dealt to whom, labels, groups and decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from service.access.roles import ALL, Grant
from service.policy import Policy
from service.redaction.redactor import redactor_of
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
    UnknownParts,
    UnknownSubject,
)
from service.review.fitting import speaks_of_strangers
from service.review.labels import Action, Change, Label, missing_parts
from service.review.state import state_of
from service.sampling import uniform
from service.store.connection import Connection
from service.store.reach import Reach
from service.store.reviews.bulk import Bulk
from service.store.reviews.changes import Changes
from service.store.reviews.dealing import Dealing
from service.store.reviews.groups import Groups, decided
from service.store.reviews.leases import DEFAULT_LEASE_MS, Leases
from service.store.reviews.subjects import Subject, Subjects

__all__ = ["DEFAULT_LEASE_MS", "Changes", "Desk"]


class Desk:
    """See :class:`service.review.desk.ReviewDesk`. ``policy``: in force now; ``secret``: keys the
    draw of the tasks that two people label; ``on_change``: told after each write that the outbox
    has work; ``on_stored``: told each change that was stored; ``on_redacted``: (app, kind) → values
    masked in a note. Notes, and refs that people type, are redacted before they are stored.
    ``grant``: the apps that may be seen."""

    def __init__(
        self,
        connection: Connection,
        policy: Callable[[], Policy],
        secret: bytes,
        lease_ms: int = DEFAULT_LEASE_MS,
        on_change: Callable[[], object] = lambda: None,
        on_stored: Callable[[Change], object] = lambda change: None,
        on_redacted: Callable[[Mapping[tuple[str, str], int]], object] = lambda masked: None,
        grant: Grant = ALL,
    ) -> None:
        self._reach = Reach(connection, grant)
        self._on_redacted = on_redacted
        self._c = connection
        self._policy = policy
        self._secret = secret
        self._on_change = on_change
        self._on_stored = on_stored
        self._leases = Leases(connection, lease_ms)
        self._dealing = Dealing(connection, self._leases, grant)
        self._changes = Changes(connection, on_stored)
        self._subjects = Subjects(connection)
        self._bulk = Bulk(connection, self._leases, self._changes, _context)
        self._groups = Groups(connection, grant)

    def within(self, grant: Grant) -> Desk:
        return Desk(
            self._c, self._policy, self._secret, self._leases.lease_ms, self._on_change,
            self._on_stored, self._on_redacted, grant,
        )  # fmt: skip

    def _reached(self, subject: str) -> str:
        """The subject. Raises :class:`UnknownSubject` for one of an app that is not granted."""
        if not self._reach.covers(subject):
            raise UnknownSubject(subject)
        return subject

    # Leases, and what comes next.

    def claim(self, subject: str, reviewer: str, now_ms: int) -> Lease:
        self._reached(subject)
        return self._leases.claim(subject, reviewer, now_ms)

    def renew(self, lease: Lease, now_ms: int) -> Lease:
        self._reached(lease.subject)
        try:
            return self._leases.renew(lease, now_ms)
        except LeaseLost:
            raise LeaseLost(self._by_another(lease)) from None

    def _by_another(self, lease: Lease) -> Change | None:
        """What somebody else said of the subject last."""
        last = state_of(self.history(lease.subject)).last
        return last if last is not None and last.reviewer != lease.reviewer else None

    def release(self, lease: Lease) -> bool:
        return self._reach.covers(lease.subject) and self._leases.release(lease)

    def holders(self, subjects: Sequence[str]) -> Mapping[str, Lease]:
        reached = self._reach.subjects(subjects)
        return self._leases.holders([subject for subject in subjects if subject in reached])

    def next_case(
        self, reviewer: str, filter: CaseFilter, now_ms: int, passed: Sequence[str] = ()
    ) -> Lease | None:
        return self._dealing.next_case(reviewer, filter, now_ms, passed)

    def next_task(self, reviewer: str, now_ms: int) -> Lease | None:
        return self._dealing.next_task(reviewer, now_ms)

    # Labels.

    def save(self, lease: Lease, label: Label, version: int, now_ms: int) -> Change:
        kind = lease.subject.partition(":")[0]
        if kind not in ("case", "task"):
            raise UnknownSubject(lease.subject)
        [subject] = self._subjects.read([self._reached(lease.subject)])
        body, history = subject.body, subject.history
        if body is None:
            raise UnknownSubject(lease.subject)
        if version != subject.version:
            last = history[-1] if history else None
            held = self.holders([lease.subject]).get(lease.subject)
            mine = held is not None and held.fence == lease.fence
            raise Stale(last) if mine else LeaseLost(last)
        if speaks_of_strangers(label, [subject.material]):
            raise UnknownParts
        self._require(body["app"], kind, label, len(subject.material.findings))
        label = self._redacted(label, body["app"])
        action = Action.SKIPPED if label.skipped else Action.LABELLED
        context = _context(body)
        if kind == "task":
            context |= self._of_task(body, history, lease.reviewer)
        change = Change(
            lease.subject, version + 1, now_ms, lease.reviewer, action, label, context=context
        )
        return self._told(self._changes.append(history, change, lease=lease))

    def _redacted(self, label: Label, app: str) -> Label:
        redact = redactor_of(self._policy().of(app).redaction)
        elsewhere = tuple(map(redact, label.needed_elsewhere))
        return replace(label, note=self._note(label.note, app), needed_elsewhere=elsewhere)

    def _note(self, note: str, app: str) -> str:
        found = redactor_of(self._policy().of(app).redaction).redact(note)
        self._on_redacted({(app, kind): number for kind, number in found.kinds.items()})
        return found.text

    def _require(self, app: str, kind: str, label: Label, findings: int) -> None:
        review = self._policy().of(app).review
        required = review.required if kind == "case" else review.required_of_tasks
        if missing := missing_parts(label, required, findings):
            raise Incomplete(missing)

    def _of_task(
        self, body: Mapping[str, Any], history: Sequence[Change], reviewer: str
    ) -> dict[str, Any]:
        share = self._policy().of(body["app"]).review.double_label
        twice = uniform(self._secret, "label twice", body["case_id"]) < share
        # After the first label of a person, the findings were shown.
        blind = all(change.reviewer != reviewer for change in history)
        return {"wanted": 2 if twice else 1, "blind": blind}

    def undo(self, subject: str, reviewer: str, number: int, now_ms: int) -> Change:
        history = self.history(subject)
        last = history[-1] if history else None
        if last is None or last.number != number or last.reviewer != reviewer:
            raise Stale(last)
        before = state_of(history[:-1])
        change = Change(
            subject,
            number + 1,
            now_ms,
            reviewer,
            Action.UNDONE,
            before.label(reviewer if subject.startswith("task:") else None),
            undoes=number,
            decision=before.decision,
            context=last.context,
        )
        return self._told(self._changes.append(history, change))

    def labelled(self, subject: str, reviewer: str | None = None) -> Labelled:
        state = state_of(self.history(subject))
        own = reviewer if subject.startswith("task:") else None
        return Labelled(state.label(own), state.version, state.last)

    def history(self, subject: str) -> list[Change]:
        return self._changes.history(self._reached(subject))

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage:
        return self._changes.page(reviewer, cursor, limit, self._reach)

    def disagreements(self, cursor: str | None = None, limit: int = 50) -> DisagreementPage:
        return self._changes.disagreements(cursor, limit, self._reach)

    # Groups.

    def groups(self, filter: CaseFilter, cursor: str | None = None, limit: int = 50) -> GroupPage:
        return self._groups.page(filter, cursor, limit)

    def group(self, group_id: str) -> Group | None:
        return self._groups.get(group_id)

    def label_cases(self, case_ids: Sequence[str], reviewer: str, label: Label, now_ms: int) -> int:
        reached = self._reach.cases(case_ids)
        picked = self._subjects.read([f"case:{one}" for one in case_ids if one in reached])
        done = sum(
            self._label_picked(one, one.body, reviewer, label, now_ms)
            for one in picked
            if one.body is not None and not state_of(one.history).settled
        )
        self._on_change()
        return done

    def _label_picked(
        self, case: Subject, body: dict[str, Any], reviewer: str, label: Label, now_ms: int
    ) -> bool:
        try:
            self._require(body["app"], "case", label, len(case.material.findings))
            lease = self._leases.claim(case.name, reviewer, now_ms)
        except (Incomplete, LeaseTaken, UnknownSubject):
            return False
        said = self._redacted(label, body["app"])
        change = self._bulk.change(case, body, reviewer, said, now_ms)
        try:
            self._changes.append(case.history, change, lease=lease)
        except (LeaseLost, Stale, UnknownSubject):
            self._leases.release(lease)
            return False
        return True

    def label_group(
        self, lease: Lease, label: Label, now_ms: int, on_progress: Callable[[int], None]
    ) -> int:
        group = self._group_of(lease)
        self._require(group.app, "case", label, 0)
        label = self._redacted(label, group.app)

        def on_step(done: int) -> None:
            self._on_change()
            on_progress(done)

        return self._bulk.label(lease, group.group_id, label, now_ms, on_step)

    def decide(self, lease: Lease, decision: Decision, now_ms: int) -> Change:
        group = self._group_of(lease)
        decision = replace(decision, note=self._note(decision.note, group.app))
        made = decided(decision, dict(group.by_day), now_ms)
        return self._decide(lease, Action.DECIDED, made, now_ms)

    def reopen(self, lease: Lease, now_ms: int) -> Change:
        group = self._group_of(lease)
        if group.decision is None and group.reopened is None:
            raise Stale(state_of(self.history(lease.subject)).last)
        return self._decide(lease, Action.REOPENED, None, now_ms)

    def _decide(
        self, lease: Lease, action: Action, decision: Mapping[str, Any] | None, now_ms: int
    ) -> Change:
        history = self.history(lease.subject)
        number = history[-1].number + 1 if history else 1
        change = Change(lease.subject, number, now_ms, lease.reviewer, action, decision=decision)
        return self._told(self._changes.append(history, change, lease=lease, keep=True))

    def _group_of(self, lease: Lease) -> Group:
        kind, _, group_id = lease.subject.partition(":")
        group = self._groups.get(group_id) if kind == "group" else None
        if group is None:
            raise UnknownSubject(lease.subject)
        return group

    def _told(self, change: Change) -> Change:
        self._on_change()
        return change


def _context(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a label is read with."""
    return {
        "app": body["app"],
        "event_id": body["event_id"],
        "position": body["position"],
        "release": body["release_label"],
        "language": body["language"],
        "occurred_ms": body["occurred_ms"],
        "stratum": body["stratum"],
        "pi": body["pi"],
        "pi_audit": body["pi_audit"],
        "ruleset": body["ruleset"],
    }
