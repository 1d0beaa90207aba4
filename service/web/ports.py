"""What the pages and the JSON routes read the store through."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from service.access.roles import Grant
from service.budget import BudgetState
from service.makeup import Makeup
from service.measuring.probed import ProbeResult
from service.review.cases import Case, CaseFilter, CasePage, CaseSummary, QueuePlace
from service.review.desk import ChangePage, DisagreementPage
from service.review.tasks import Task, TaskPage


class CaseReader(Protocol):
    """All methods raise ``service.outage.Outage`` while the store is away."""

    def within(self, grant: Grant) -> CaseReader:
        """The same for somebody who may see these apps alone: nothing else is there, nor counted.
        Of cases that ended (expired, erased) it counts none, since nothing tells their apps."""
        ...

    def list_cases(self, filter: CaseFilter, cursor: str | None, limit: int) -> CasePage:
        """At most ``limit`` cases by falling priority, after ``cursor`` (None: from the top).
        Raises ValueError for a cursor that it did not hand out."""
        ...

    def case(self, case_id: str) -> Case | None: ...

    def place(self, case_id: str, filter: CaseFilter) -> QueuePlace | None:
        """Where an open case stands in the queue of this filter. None for one that is not in it,
        and where only a walk through the queue would tell: with another filter than one of
        severity, or of group."""
        ...

    def first_since(self, filter: CaseFilter, until_ms: int, limit: int) -> list[CaseSummary]:
        """The earliest open cases of answers given from ``filter.since_ms`` until ``until_ms``,
        both milliseconds since 1970."""
        ...

    def case_counts(self) -> dict[str, int]:
        """Status → number of cases."""
        ...

    def open_by_severity(self) -> dict[str, int]:
        """Severity → number of open cases."""
        ...

    def open_since(self, since_ms: int) -> int:
        """Open cases of answers that were given since then, ms since 1970."""
        ...

    def oldest_open_ms(self) -> int | None:
        """When the oldest open case's answer was given, ms since 1970; None without one."""
        ...

    def facets(self) -> dict[str, list[str]]:
        """The known values of ``apps``, ``releases``, ``checks``, ``reasons`` and
        ``languages``."""
        ...


class TaskReader(Protocol):
    """All methods raise ``service.outage.Outage`` while the store is away."""

    def within(self, grant: Grant) -> TaskReader:
        """The same for somebody who may see these apps alone: nothing else is there, nor counted.
        It counts open tasks only."""
        ...

    def counts(self) -> dict[str, int]:
        """Status → number of tasks."""
        ...

    def list_tasks(self, cursor: str | None, limit: int) -> TaskPage:
        """At most ``limit`` open tasks, those that are due first before the others, after
        ``cursor`` (None: from the top). Raises ValueError for a cursor that it did not hand out."""
        ...

    def get(self, task_id: str) -> Task | None: ...

    def sealed(self, task_ids: Collection[str], reviewer: str) -> frozenset[str]:
        """Those of which this reviewer (empty: nobody known) is shown nothing that others said:
        they are open, and he has not labelled them."""
        ...


@dataclass(frozen=True, slots=True)
class JudgeState:
    """``model``: the name that the endpoint is asked for, None where the judge is off; never the
    endpoint's address. ``waiting``: answers that are drawn and not judged yet; None for somebody
    who may not see all apps, as it is of all."""

    model: str | None = None
    scripted: bool = False
    waiting: int | None = 0
    budget: BudgetState | None = None


ProbeReader = Callable[[], Sequence[ProbeResult]]
"""What probes found last, of each app and release. Raises ``service.outage.Outage`` while the store
is away."""


class CounterReader(Protocol):
    """Raises ``service.outage.Outage`` while the store is away."""

    def within(self, grant: Grant) -> CounterReader:
        """The same for somebody who may see these apps alone."""
        ...

    def counters(
        self, first_hour: int = 0, end_hour: int | None = None
    ) -> Mapping[tuple[str, int], Mapping[str, int]]:
        """(app, hours since 1970) → field → n, ``end_hour`` not included; the fields are those of
        :func:`service.accounting.counters_of`. Hours that were rolled up stand at the first hour of
        their day."""
        ...

    def makeups(self, app: str) -> Sequence[Makeup]:
        """What the app's releases were made of, by the hour in which that was first told."""
        ...


class ChangeReader(Protocol):
    """What of the review desk (:class:`service.review.desk.ReviewDesk`) is read for lists."""

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage: ...

    def disagreements(self, cursor: str | None = None, limit: int = 50) -> DisagreementPage: ...
