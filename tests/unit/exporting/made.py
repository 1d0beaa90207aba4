"""A desk, cases and tasks that hold what a test puts there. The contract tests run the same exports
over the store's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from service.exporting.answers import Sources
from service.exporting.cursor import START, Cursor
from service.exporting.part import Export, Part
from service.review.cases import Case, CaseSummary
from service.review.desk import ChangePage
from service.review.labels import Change
from service.review.tasks import Task
from tests.unit.review.histories import History

EVENT: dict[str, Any] = {
    "event_id": "e-1",
    "app": "support",
    "query": "Was kostet ein Platz?",
    "query_id": "q-1",
    "retrieved": [
        {"ref": "pricing#plans", "text": "Pro: 45 € pro Platz und Monat.", "rank": 1},
        {"ref": "pricing#faq", "text": "Rechnungen kommen monatlich.", "rank": 2},
    ],
    "answer": "Im Pro-Tarif 54 € [pricing#plans].",
    "user": {"id_hash": "u-77", "tenant": "acme", "groups": ["staff"]},
    "session_id": "s-9",
    "tags": {"channel": "web"},
}


def case(case_id: str, event: dict[str, Any], reduced: bool = False) -> Case:
    summary = CaseSummary(
        case_id, event["app"], event["event_id"], "r1", "de", 0, "high", "resolved", ("numbers",),
        ("absent",), "54 €", event["query"], None, 1, 0.0,
    )  # fmt: skip
    return Case(summary, event, [], [], {}, "1.a", "flagged", 0.1, 0.2, ("s", 0, 0), reduced)


def task(task_id: str, event: dict[str, Any], status: str) -> Task:
    return Task(task_id, event["app"], event["event_id"], "r1", "de", 0, event["query"], event,
                status, 0)  # fmt: skip


@dataclass
class Made:
    """What the exports read. ``page``: changes a page, to cross pages with few changes."""

    histories: dict[str, History] = field(default_factory=dict)
    cases: dict[str, Case] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    page: int = 2

    def add(self, history: History) -> History:
        self.histories[history.subject] = history
        return history

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage:
        del reviewer, limit
        made = [change for history in self.histories.values() for change in history.changes]
        made.sort(key=lambda c: (c.at_ms, c.subject, c.number), reverse=True)
        begin = int(cursor or 0)
        end = begin + self.page
        return ChangePage(made[begin:end], str(end) if end < len(made) else None)

    def history(self, subject: str) -> list[Change]:
        found = self.histories.get(subject)
        return list(found.changes) if found else []

    def case(self, case_id: str) -> Case | None:
        return self.cases.get(case_id)

    def get(self, task_id: str) -> Task | None:
        return self.tasks.get(task_id)

    @property
    def sources(self) -> Sources:
        return Sources(self, self, self)

    def run(self, export: Export, after: Cursor = START, app: str | None = None) -> list[Part]:
        return list(export.run(self.sources, after, app))

    def lines(self, export: Export, after: Cursor = START, app: str | None = None) -> list[str]:
        return [line for part in self.run(export, after, app) for line in part.lines]
