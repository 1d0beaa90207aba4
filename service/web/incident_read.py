"""An incident as pages and API ask for it: the terms of the query string, and what they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.review.cases import DAY_MS, CaseFilter, CaseSummary
from service.review.desk import Group, ReviewDesk
from service.web.groups_page import may_be_seen
from service.web.incident import Incident, incident, windows_of
from service.web.moments import moment_of
from service.web.ports import CaseReader, CounterReader

FIRST_CASES = 5
SINGLE_CAUSES = 5
GROUPS_READ = 50
"""The groups of the app that were seen last; the ones that grew most are picked from these."""
USUAL_SINCE = "24h"


class OddTime(Exception):
    """``field``: the term that is no time, or not one that makes sense; ``why``: ``unread``,
    ``future`` or ``backwards``."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


@dataclass(frozen=True, slots=True)
class Asked:
    """``since_ms``, ``until_ms``: milliseconds since 1970; ``release``: empty for all."""

    app: str
    since_ms: int
    until_ms: int
    release: str


@dataclass(frozen=True, slots=True)
class Grown:
    """A group, and how many answers it got on the day of the incident and since."""

    group: Group
    since: int


@dataclass(frozen=True, slots=True)
class Found:
    incident: Incident
    first_cases: Sequence[CaseSummary]
    grown: Sequence[Grown]


def asked_of(app: str, since: str, until: str, release: str, now_ms: int) -> Asked:
    """The terms as they were written; ``since`` and ``until`` may be empty (a day ago, now). Raises
    :class:`OddTime`."""
    begin = _moment("since", since or USUAL_SINCE, now_ms)
    end = _moment("until", until or "now", now_ms)
    if begin > now_ms:
        raise OddTime("since", "future")
    if end <= begin:
        raise OddTime("until", "backwards")
    return Asked(app, begin, min(end, now_ms), release)


def _moment(field: str, said: str, now_ms: int) -> int:
    try:
        return moment_of(said, now_ms)
    except (OverflowError, ValueError):
        raise OddTime(field, "unread") from None


@dataclass(frozen=True, slots=True)
class Incidents:
    """Raises :class:`service.outage.Outage` while the store is away."""

    counters: CounterReader
    cases: CaseReader
    desk: ReviewDesk

    def read(self, asked: Asked, now_ms: int) -> Found:
        windows = windows_of(asked.since_ms, asked.until_ms, now_ms)
        counted = self.counters.counters(windows.before.first, windows.after.end)
        filter = CaseFilter(
            asked.app, asked.release or None, since_ms=windows.after.first * 3_600_000
        )
        return Found(
            incident(counted, self.counters.makeups(asked.app), asked.app, windows, asked.release),
            self.cases.first_since(filter, asked.until_ms, FIRST_CASES),
            self._grown(asked.app, windows.after.first // 24, asked.until_ms // DAY_MS),
        )

    def apps(self) -> list[str]:
        return self.cases.facets().get("apps", [])

    def _grown(self, app: str, first_day: int, last_day: int) -> list[Grown]:
        groups = self.desk.groups(CaseFilter(app), None, GROUPS_READ).groups
        grown = [
            Grown(group, sum(n for day, n in group.by_day if first_day <= day <= last_day))
            for group in groups
            if may_be_seen(group)
        ]
        grown.sort(key=lambda one: (-one.since, one.group.group_id))
        return [one for one in grown[:SINGLE_CAUSES] if one.since]
