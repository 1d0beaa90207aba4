"""The review desk: what a reviewer may do, and what stands in the way. The port that pages and API
speak to; the store keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from service.access.roles import Grant
from service.review.cases import CaseFilter
from service.review.labels import Change, Label


class LeaseTaken(Exception):
    """Somebody else holds it. ``until_ms``: when that ends unless renewed, ms since 1970."""

    def __init__(self, holder: str, until_ms: int) -> None:
        super().__init__("somebody else holds this lease")
        self.holder = holder
        self.until_ms = until_ms


class LeaseLost(Exception):
    """The lease is not this reviewer's any more; nothing was written. ``change``: what somebody
    saved in between, None when it only ran out."""

    def __init__(self, change: Change | None = None) -> None:
        super().__init__("the lease is not held any more")
        self.change = change


class Incomplete(Exception):
    """The label lacks parts that the app's policy requires."""

    def __init__(self, parts: tuple[str, ...]) -> None:
        super().__init__("parts are missing: " + ", ".join(parts))
        self.parts = parts


class UnknownParts(Exception):
    """The label speaks of findings or chunks that its answer does not have (any more), or that no
    open case of its group has; nothing was written."""

    def __init__(self) -> None:
        super().__init__("the label speaks of findings or chunks that are not there")


class Stale(Exception):
    """Something came after the version that the writer saw. ``change``: what stands now, None when
    nothing was ever written."""

    def __init__(self, change: Change | None = None) -> None:
        super().__init__("another version stands by now")
        self.change = change


class UnknownSubject(Exception):
    """No such case, task or group, or none that may be seen now (a case that is withheld)."""


@dataclass(frozen=True, slots=True)
class Lease:
    """``subject``: ``case:<id>``, ``task:<id>`` or ``group:<id>``; ``token``: a secret of the
    holder's browser; ``fence``: grows with every new holder of the subject; ``until_ms``:
    milliseconds since 1970."""

    subject: str
    reviewer: str
    token: str
    fence: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """``label``: as it stands; ``version``: number of the last change, 0 where there was none;
    ``last``: that change."""

    label: Label | None = None
    version: int = 0
    last: Change | None = None


class DecisionKind(StrEnum):
    KNOWN_CAUSE = "known_cause"
    FALSE_ALARM = "false_alarm"


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a group's later members: counted, without a case of their own. It holds until
    ``until_ms`` (when the answers were given, milliseconds since 1970; None for ever) and only for
    answers checked by ``ruleset`` (None for any)."""

    kind: DecisionKind
    until_ms: int | None = None
    ruleset: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Flagged answers with one cause. ``surface``: of its earliest member; ``by_day``: (days since
    1970, members), rising, the last 60 days; ``sample``: a case of it that may be seen;
    ``decision``: the change that decided it, None while it is undecided or open again;
    ``reopened``: the one that ended by itself, as the group's rate had doubled; ``open_cases``:
    open cases that are filed under it."""

    group_id: str
    app: str
    check: str
    reason: str
    cause: str
    severity: str
    surface: str
    count: int
    by_day: tuple[tuple[int, int], ...] = ()
    sample: str | None = None
    decision: Change | None = None
    open_cases: int = 0
    reopened: Change | None = None


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Groups, the last seen first; ``next_cursor``: None on the last page (opaque otherwise)."""

    groups: list[Group] = field(default_factory=list)
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Changes, the newest first."""

    changes: list[Change] = field(default_factory=list)
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A task that two people labelled, differently in one of the parts that are asked of tasks."""

    task_id: str
    first: Change
    second: Change


@dataclass(frozen=True, slots=True)
class DisagreementPage:
    disagreements: list[Disagreement] = field(default_factory=list)
    next_cursor: str | None = None


class ReviewDesk(Protocol):
    """Every method raises :class:`service.outage.Outage` when the store is away. ``now_ms``:
    milliseconds since 1970. What names a subject raises :class:`UnknownSubject` for one that is not
    there; a cursor that is not ours is a ValueError."""

    def within(self, grant: Grant) -> ReviewDesk:
        """The same desk for somebody who may see these apps alone: what belongs to others is not
        there."""
        ...

    def claim(self, subject: str, reviewer: str, now_ms: int) -> Lease:
        """Take the subject for this reviewer, or renew one's own lease (same token and fence).
        Raises :class:`LeaseTaken`."""
        ...

    def renew(self, lease: Lease, now_ms: int) -> Lease:
        """Raises :class:`LeaseLost`."""
        ...

    def release(self, lease: Lease) -> bool:
        """False when it was not held any more."""
        ...

    def holders(self, subjects: Sequence[str]) -> Mapping[str, Lease]:
        """Those of the subjects that somebody holds. Their tokens are empty."""
        ...

    def next_case(
        self, reviewer: str, filter: CaseFilter, now_ms: int, passed: Sequence[str] = ()
    ) -> Lease | None:
        """Claim the open case of highest priority that nobody holds, that this reviewer neither
        labelled nor skipped, and that is not among ``passed`` (case ids). A case of a group that
        somebody else is at comes last. None when there is none."""
        ...

    def next_task(self, reviewer: str, now_ms: int) -> Lease | None:
        """Claim the open task that is due first; of one to be labelled twice, never the second time
        for the same reviewer."""
        ...

    def save(self, lease: Lease, label: Label, version: int, now_ms: int) -> Change:
        """Write the label down and give the lease back. ``version``: as the reviewer saw it; a
        label with ``skipped`` is a skip. Raises :class:`LeaseLost`, :class:`Stale`,
        :class:`UnknownParts`, :class:`Incomplete`."""
        ...

    def undo(self, subject: str, reviewer: str, number: int, now_ms: int) -> Change:
        """Take back change ``number``, the reviewer's own last one, as a new change. Undoing an
        undo puts the label back. Raises :class:`Stale` when something came after, or when it was
        somebody else's."""
        ...

    def labelled(self, subject: str, reviewer: str | None = None) -> Labelled:
        """What stands. Of a task: what ``reviewer`` said, where given (``version`` always counts
        all changes of the subject)."""
        ...

    def history(self, subject: str) -> list[Change]:
        """Every change, the oldest first."""
        ...

    def label_cases(self, case_ids: Sequence[str], reviewer: str, label: Label, now_ms: int) -> int:
        """Label cases that were picked from a list, unopened; returns how many. Left alone is what
        somebody else holds, what has a label by now or is gone, and whose app requires more."""
        ...

    def label_group(
        self, lease: Lease, label: Label, now_ms: int, on_progress: Callable[[int], None]
    ) -> int:
        """Label every open case of the group that nobody holds, in steps; ``on_progress`` is told
        how many are done. Each case's label calls those of the findings that are its own. Returns
        how many. Raises :class:`LeaseLost` (what was labelled until then stays), and before
        anything is written :class:`UnknownParts` and :class:`Incomplete`."""
        ...

    def decide(self, lease: Lease, decision: Decision, now_ms: int) -> Change:
        """Raises :class:`LeaseLost`."""
        ...

    def reopen(self, lease: Lease, now_ms: int) -> Change:
        """End the group's decision. Raises :class:`LeaseLost`, and :class:`Stale` when there is
        none."""
        ...

    def groups(self, filter: CaseFilter, cursor: str | None = None, limit: int = 50) -> GroupPage:
        """Groups by app, check, reason and severity; the other parts of the filter say nothing of
        a group."""
        ...

    def group(self, group_id: str) -> Group | None: ...

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage:
        """Changes of all subjects, or of one reviewer, the newest first."""
        ...

    def disagreements(self, cursor: str | None = None, limit: int = 50) -> DisagreementPage:
        """Tasks that two people labelled differently, the newest first."""
        ...
