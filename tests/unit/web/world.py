"""A small world for the web app: cases in memory, an intake that records, the app over both.

The event loop is made when this module is imported: a loop needs a pair of sockets of its own, and
a running unit test may open none.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import orjson

from service.access.roles import Grant
from service.accounting import CASE_STATES, TASK_STATES, Books, PartitionBook, States, books_of
from service.gating import Gatekeeper
from service.health import Health
from service.intake import Receipt
from service.makeup import Makeup
from service.measuring.probed import ProbeResult
from service.metrics import Metrics
from service.outage import Outage
from service.policy import Policy
from service.review.cases import (
    SEVERITY_ORDER,
    Case,
    CaseFilter,
    CasePage,
    CaseSummary,
    QueuePlace,
    priority,
)
from service.review.desk import Group
from service.review.labels import Change
from service.review.tasks import Task, TaskPage
from service.web.app import create_app
from service.web.authentication import Authenticate, nobody_is_asked
from service.web.options import WebOptions
from service.web.ports import JudgeState
from tests.unit.web.desk import MemoryDesk, cut

LOOP = asyncio.new_event_loop()
NOW_MS = 1_796_000_000_000
SECRET = b"of this world"

ANSWER = "Im Pro-Tarif 54 € pro Platz [pricing#seats], ab 3 Plätzen."
EVENT: dict[str, Any] = {
    "event_id": "ev-1",
    "app": "support",
    "query": "Was kostet ein zusätzlicher Platz ab 3 Plätzen im Monat?",
    "retrieved": [
        {
            "ref": "pricing#plans",
            "text": "Starter: 39 €. Pro: 45 € pro Platz und Monat.",
            "rank": 1,
        },
        {"ref": "pricing#faq", "text": "Rechnungen kommen per E-Mail.", "rank": 2, "score": 0.5},
    ],
    "answer": ANSWER,
    "release": {"id": "2026-11-29.2", "model": "m-1"},
}


def finding(surface: str, answer: str, **parts: Any) -> dict[str, Any]:
    start = answer.find(surface)
    place = {"start": start, "end": start + len(surface)} if start >= 0 else {}
    return {
        "check": "numbers",
        "reason": "absent",
        "surface": surface,
        "start": None,
        "end": None,
        "detail": f'"{surface}" stands in no retrieved text.',
        "severity": "high",
        "cause": surface,
        **place,
        **parts,
    }


def case(case_id: str = "c1", event: Mapping[str, Any] = EVENT, **parts: Any) -> Case:
    """A case about ``event``; ``parts`` replace fields of the summary or of the case."""
    answer = str(event["answer"])
    summary = {
        "case_id": case_id,
        "app": "support",
        "event_id": str(event["event_id"]),
        "release": "2026-11-29.2",
        "language": "de",
        "occurred_ms": NOW_MS,
        "severity": "high",
        "status": "open",
        "checks": ("numbers",),
        "reasons": ("absent",),
        "headline": '"54 €" stands in no retrieved text. Nearest: "45 €" in pricing#plans.',
        "query": str(event["query"]),
        "group": "g1",
        "alike": 3,
        "scripted": False,
    }
    summary |= {name: parts.pop(name) for name in list(parts) if name in summary}
    summary["priority"] = priority(str(summary["severity"]), int(str(summary["occurred_ms"])))
    body: dict[str, Any] = {
        "findings": [
            finding("54 €", answer),
            finding("[pricing#seats]", answer, check="citations", reason="unknown_ref"),
        ],
        "evidence": [
            {
                "check": "numbers",
                "kind": "from_query",
                "surface": "3",
                "start": answer.find("3 Pl"),
                "end": answer.find("3 Pl") + 1,
                "ref": None,
                "chunk_start": 37,
                "chunk_end": 38,
            }
        ],
        "outcomes": {"citations": "fail", "numbers": "fail"},
        "ruleset": "1-abc",
        "stratum": "flagged",
        "u": 0.4,
        "pi": 0.2,
        "position": ("http", 0, 7),
    } | parts
    return Case(summary=CaseSummary(**summary), event=dict(event), **body)  # type: ignore[arg-type]


def task(task_id: str = "t1", event: Mapping[str, Any] = EVENT, **parts: Any) -> Task:
    """An audit task about ``event``; ``parts`` replace its fields."""
    fields: dict[str, Any] = {
        "task_id": task_id,
        "app": "support",
        "event_id": str(event["event_id"]),
        "release": "2026-11-29.2",
        "language": "de",
        "occurred_ms": NOW_MS,
        "query": str(event["query"]),
        "event": dict(event),
        "status": "open",
        "due_ms": NOW_MS + 3 * 86_400_000,
    }
    return Task(**fields | parts)


class MemoryTasks:
    """Tasks in a list, open ones by when they are due. ``labelled``: whether a person said anything
    of one."""

    def __init__(self, *tasks: Task) -> None:
        self.tasks = sorted(tasks, key=lambda task: task.due_ms)
        self.away = False
        self.open_alone = False
        self.labelled: Callable[[str, str], bool] = lambda task_id, reviewer: False

    def within(self, grant: Grant) -> MemoryTasks:
        if grant.everything:
            return self
        seen = MemoryTasks(*(one for one in self.tasks if grant.covers(one.app)))
        seen.away, seen.labelled, seen.open_alone = self.away, self.labelled, True
        return seen

    def list_tasks(self, cursor: str | None, limit: int) -> TaskPage:
        self._reach()
        found = [task for task in self.tasks if task.status == "open"]
        return TaskPage(*cut(found, cursor, limit))

    def counts(self) -> dict[str, int]:
        self._reach()
        states = [one.status for one in self.tasks if one.status == "open" or not self.open_alone]
        return dict.fromkeys(TASK_STATES, 0) | Counter(states)

    def get(self, task_id: str) -> Task | None:
        self._reach()
        return next((task for task in self.tasks if task.task_id == task_id), None)

    def sealed(self, task_ids: Collection[str], reviewer: str) -> frozenset[str]:
        self._reach()
        return frozenset(
            task.task_id
            for task in self.tasks
            if task.task_id in task_ids
            and task.status == "open"
            and not self.labelled(task.task_id, reviewer)
        )

    def _reach(self) -> None:
        if self.away:
            raise Outage("the store does not answer")


class MemoryCases:
    """Cases in a list. ``away`` makes every method raise an outage."""

    def __init__(self, *cases: Case) -> None:
        self.cases = sorted(cases, key=lambda case: -case.summary.priority)
        self.away = False
        self.all_apps = True

    def within(self, grant: Grant) -> MemoryCases:
        if grant.everything:
            return self
        seen = MemoryCases(*(one for one in self.cases if grant.covers(one.summary.app)))
        seen.away, seen.all_apps = self.away, False
        return seen

    def list_cases(self, filter: CaseFilter, cursor: str | None, limit: int) -> CasePage:
        self._reach()
        return CasePage(*cut(self._fitting(filter), cursor, limit))

    def case(self, case_id: str) -> Case | None:
        self._reach()
        seen = (case for case in self.cases if case.summary.status != "withheld")
        return next((case for case in seen if case.summary.case_id == case_id), None)

    def place(self, case_id: str, filter: CaseFilter) -> QueuePlace | None:
        self._reach()
        if replace(filter, severity=None) != CaseFilter() != replace(filter, group=None):
            return None
        if not self.all_apps and filter.group is None:
            return None
        ids = [summary.case_id for summary in self._fitting(filter)]
        return QueuePlace(ids.index(case_id) + 1, len(ids)) if case_id in ids else None

    def first_since(self, filter: CaseFilter, until_ms: int, limit: int) -> list[CaseSummary]:
        self._reach()
        found = self._fitting(replace(filter, status="open"))
        found = [summary for summary in found if summary.occurred_ms <= until_ms]
        return sorted(found, key=lambda summary: summary.occurred_ms)[:limit]

    def case_counts(self) -> dict[str, int]:
        self._reach()
        return dict.fromkeys(CASE_STATES, 0) | Counter(one.summary.status for one in self.cases)

    def open_by_severity(self) -> dict[str, int]:
        self._reach()
        found = Counter(summary.severity for summary in self._fitting(CaseFilter()))
        return dict.fromkeys(SEVERITY_ORDER, 0) | found

    def open_since(self, since_ms: int) -> int:
        self._reach()
        return len(self._fitting(CaseFilter(since_ms=since_ms)))

    def oldest_open_ms(self) -> int | None:
        self._reach()
        return min((summary.occurred_ms for summary in self._fitting(CaseFilter())), default=None)

    def facets(self) -> dict[str, list[str]]:
        self._reach()
        seen = self._fitting(CaseFilter(status=None))
        values = {
            "apps": [summary.app for summary in seen],
            "releases": [summary.release for summary in seen],
            "checks": [check for summary in seen for check in summary.checks],
            "reasons": [reason for summary in seen for reason in summary.reasons],
            "languages": [summary.language for summary in seen],
        }
        return {name: sorted(set(found)) for name, found in values.items()}

    def _fitting(self, filter: CaseFilter) -> list[CaseSummary]:
        """By falling priority."""
        summaries = (case.summary for case in self.cases)
        return [one for one in summaries if one.status != "withheld" and _matches(one, filter)]

    def _reach(self) -> None:
        if self.away:
            raise Outage("the store does not answer")


class MemoryCounters:
    """Counters as a store has them: (app, hour) → field → n."""

    def __init__(
        self,
        counters: Mapping[tuple[str, int], Mapping[str, int]] | None = None,
        makeups: Sequence[Makeup] = (),
    ) -> None:
        self.all = dict(counters or {})
        self.made = list(makeups)
        self.reads = 0

    def within(self, grant: Grant) -> MemoryCounters:
        if grant.everything:
            return self
        of_them = {key: fields for key, fields in self.all.items() if grant.covers(key[0])}
        return MemoryCounters(of_them, [made for made in self.made if grant.covers(made.app)])

    def makeups(self, app: str) -> Sequence[Makeup]:
        return [made for made in self.made if made.app == app]

    def counters(
        self, first_hour: int = 0, end_hour: int | None = None
    ) -> dict[tuple[str, int], Mapping[str, int]]:
        self.reads += 1
        return {
            (app, hour): fields
            for (app, hour), fields in self.all.items()
            if first_hour <= hour and (end_hour is None or hour < end_hour)
        }


def _matches(summary: CaseSummary, filter: CaseFilter) -> bool:
    values = {
        "app": [summary.app],
        "release": [summary.release],
        "check": summary.checks,
        "reason": summary.reasons,
        "severity": [summary.severity],
        "status": [summary.status],
        "language": [summary.language],
        "group": [summary.group] if summary.status == "open" else [],
    }
    if filter.since_ms is not None and summary.occurred_ms < filter.since_ms:
        return False
    return all(value in values[name] for name, value in filter.indexes())


@dataclass
class RecordingIntake:
    """Takes what it is given and answers with ``receipt``, or raises ``error``."""

    asynchronous: bool = False
    receipt: Receipt = field(default_factory=lambda: Receipt("checked", "ev-1"))
    error: Exception | None = None
    taken: list[bytes] = field(default_factory=list)

    def submit(self, events: list[bytes]) -> list[Receipt]:
        if self.error is not None:
            raise self.error
        self.taken.extend(events)
        return [self.receipt for _ in events]


def books(received: int = 10, checked: int = 10) -> Books:
    """Books over one partition; they balance when both figures are equal."""
    counts = {"received": received, "checked": checked}
    totals = {"checked": checked, "check:citations:pass": checked, "check:numbers:pass": checked}
    partition = PartitionBook("http", 0, 0, received, 1, counts)
    return books_of([partition], totals, States(), ("citations", "numbers"))


@dataclass
class World:
    """The app and everything it was composed of. ``groups``: the last seen first; ``said``: what
    people said before."""

    cases: MemoryCases = field(default_factory=MemoryCases)
    tasks: MemoryTasks = field(default_factory=MemoryTasks)
    judge: JudgeState = field(default_factory=JudgeState)
    intake: RecordingIntake = field(default_factory=RecordingIntake)
    books: Books = field(default_factory=books)
    counters: MemoryCounters = field(default_factory=MemoryCounters)
    health: Health = field(default_factory=Health)
    metrics: Metrics = field(default_factory=Metrics)
    options: WebOptions = field(default_factory=WebOptions)
    groups: Sequence[Group] = ()
    said: Sequence[Change] = ()
    feedback: RecordingIntake = field(default_factory=RecordingIntake)
    feedback_on: bool = False
    now: Callable[[], float] = lambda: NOW_MS / 1000
    probes: Sequence[ProbeResult] = ()
    policy: Policy = field(default_factory=Policy)
    gates: Gatekeeper | None = None
    authenticate: Authenticate = nobody_is_asked

    def __post_init__(self) -> None:
        known = {group.group_id: group for group in self.groups}
        self.desk = MemoryDesk(self.cases, self.tasks, known, self.now)
        self.desk.keep(*self.said)
        self.tasks.labelled = lambda task_id, reviewer: (
            self.desk.labelled(f"task:{task_id}", reviewer).label is not None
        )
        self.app = create_app(
            intake=self.intake,
            cases=self.cases,
            tasks=self.tasks,
            judge=lambda: self.judge,
            books=lambda: self.books,
            counters=self.counters,
            policy=lambda: self.policy,
            health=self.health,
            metrics=self.metrics,
            settings=self.options,
            desk=self.desk,
            secret=SECRET,
            gates=self.gates,
            probes=lambda: self.probes,
            feedback=self.feedback if self.feedback_on else None,
            now=self.now,
            authenticate=self.authenticate,
        )

    def request(self, method: str, path: str, **parts: Any) -> httpx.Response:
        return LOOP.run_until_complete(self._request(method, path, parts))

    async def _request(self, method: str, path: str, parts: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://groundwatch") as client:
            return await client.request(method, path, **parts)

    def get(self, path: str, **parts: Any) -> httpx.Response:
        return self.request("GET", path, **parts)

    def post(self, body: Any, content_type: str = "application/json") -> httpx.Response:
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        return self.request(
            "POST", "/v1/answers", content=raw, headers={"Content-Type": content_type}
        )
