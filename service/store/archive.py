"""Reading the store for people: cases by filter and page, groups, books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import orjson

from service import feedback
from service.access.roles import ALL, Grant
from service.accounting import CASE_STATES, Books, States, books_of
from service.drafts import priority_of
from service.makeup import Makeup
from service.review.cases import (
    SEVERITY_ORDER,
    Case,
    CaseFilter,
    CasePage,
    CaseSummary,
    QueuePlace,
    lowest_priority,
)
from service.store.casefile import BODY_FIELDS, body_of
from service.store.checkpoints import Checkpoints
from service.store.connection import Connection, pairs, text
from service.store.cursors import decode_cursor, encode_cursor
from service.store.jobs import Jobs
from service.store.makeups import makeups_of
from service.store.reach import Reach
from service.store.tally import tally
from service.store.tasks import Tasks

WITHHELD = "withheld"
CLAIMED = ("status", "claimed")
STEPS = 500
"""Cases that one script call looks at: a ZINTERSTORE of two large indexes would block Redis for
tens of milliseconds, a step of the walk along the rarest one takes one or two."""

_FAR = 2_000
"""Cases that a search by time looks at."""


class Archive:
    """Cases and books. Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, checks: Sequence[str], grant: Grant = ALL) -> None:
        self._c = connection
        self._checks = checks
        self._grant = grant
        self._checkpoints = Checkpoints(connection)
        self._tasks = Tasks(connection)
        self._jobs = Jobs(connection)

    def within(self, grant: Grant) -> Archive:
        """What somebody sees who may see these apps alone: cases, counters, facets. The books are
        always of all."""
        return Archive(self._c, self._checks, grant)

    def _granted(self, filter: CaseFilter) -> list[CaseFilter]:
        """The filter, once for each app that may be seen: of one app there is an index."""
        if self._grant.apps is None:
            return [filter]
        if filter.app is not None:
            return [filter] if self._grant.covers(filter.app) else []
        return [replace(filter, app=app) for app in sorted(self._grant.apps)]

    def list_cases(
        self, filter: CaseFilter = CaseFilter(), cursor: str | None = None, limit: int = 50
    ) -> CasePage:
        """Up to ``limit`` cases by falling priority; those that are withheld for an audit are not
        among them. ValueError for a cursor that is not ours."""
        after = decode_cursor(cursor)
        found = [self._found(one, after, limit + 1) for one in self._granted(filter)]
        rows = found[0] if len(found) == 1 else sorted(chain(*found), key=_rank, reverse=True)
        last = rows[limit - 1] if len(rows) > limit else None
        return CasePage(
            [_row(*row) for row in rows[:limit]],
            encode_cursor((text(last[0]), float(last[1]))) if last else None,
        )

    def _found(self, filter: CaseFilter, after: tuple[str, float] | None, want: int) -> list[Any]:
        """Rows by falling (priority, id), after that place."""
        keys, indexes = self._c.keys, filter.indexes()
        claimed = CLAIMED in indexes
        indexes = [("status", "open") if index == CLAIMED else index for index in indexes]
        spec: dict[str, Any] = {
            "indexes": [keys.index(*index) for index in indexes or [("all", "cases")]],
            "steps": STEPS, "claimed": claimed,
        }  # fmt: skip
        if filter.since_ms is not None:
            spec |= {"since": filter.since_ms, "lowest": lowest_priority(filter.since_ms)}
        found = list[Any]()
        while True:
            name, score = after or ("", 0.0)
            spec |= {"after": name, "score": repr(score), "want": want - len(found)}
            name, score, *rows = self._list(spec)
            found += rows
            if len(found) >= want or not name:
                return found
            after = text(name), float(score)

    def _rows(self, case_ids: Sequence[str]) -> list[CaseSummary]:
        """Of these, in this order, as far as they may be seen."""
        _, _, *rows = self._list({"ids": case_ids}) if case_ids else (b"", b"")
        return [_row(*row) for row in rows]

    def _list(self, spec: dict[str, Any]) -> Any:
        keys = self._c.keys
        return self._c.run(
            "list_cases", [keys.index("status", WITHHELD)], [keys.prefix, orjson.dumps(spec)]
        )

    def kept(self, case_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids under which a case is kept that anybody may see."""
        pipe = self._c.client.pipeline(transaction=False)
        for case_id in case_ids:
            pipe.hget(self._c.keys.case(case_id), "status")
        with self._c.guard():
            states = pipe.execute()
        return frozenset(
            case_id
            for case_id, status in zip(case_ids, states, strict=True)
            if status is not None and text(status) != WITHHELD
        )

    def case(self, case_id: str) -> Case | None:
        """None too for one that is withheld for an audit."""
        with self._c.guard():
            status, group, *fields = self._c.client.hmget(
                self._c.keys.case(case_id), "status", "group", *BODY_FIELDS
            )
            if status is None or text(status) == WITHHELD:
                return None
            pipe = self._c.client.pipeline(transaction=False)
            pipe.hget(self._c.keys.group(text(group)), "count")
            pipe.hget(self._c.keys.lease(f"case:{case_id}"), "reviewer")
            count, holder = pipe.execute()
        body = body_of(*fields)
        if not self._grant.covers(body["app"]):
            return None
        source, partition, offset = body["position"]
        return Case(
            summary=_summary(body, text(status), int(count or 1), text(holder or b"")),
            event=body["event"],
            findings=body["findings"],
            evidence=body["evidence"],
            outcomes=body["outcomes"],
            not_evaluated=body.get("not_evaluated", {}),
            ruleset=body["ruleset"],
            stratum=body["stratum"],
            u=body["u"],
            pi=body["pi"],
            position=(source, partition, offset),
            reduced=body["reduced"],
            judgement=body.get("judgement"),
            feedback=body.get("feedback"),
            priority=priority_of(body),
        )

    def place(self, case_id: str, filter: CaseFilter) -> QueuePlace | None:
        """Where an open case stands in the queue of this filter, in O(log n). None for one that is
        not in it, and where no one index holds that queue."""
        index = _index_of(filter)
        if index is None or not self._reaches_queue(index, case_id):
            return None
        key = self._c.keys.index(*index)
        with self._c.guard():
            rank, size = self._c.client.zrevrank(key, case_id), self._c.client.zcard(key)
        return None if rank is None else QueuePlace(int(rank) + 1, int(size))

    def _reaches_queue(self, index: tuple[str, str], case_id: str) -> bool:
        """A place among all apps would tell how many cases the others have."""
        if self._grant.everything:
            return True
        return index[0] == "group" and bool(Reach(self._c, self._grant).cases([case_id]))

    def case_counts(self) -> dict[str, int]:
        """Cases by state. Open ones that a reviewer holds are ``claimed``; of those that ended
        (expired, erased) nothing is left but their number."""
        if self._grant.apps is not None:
            found = tally(self._c, self._grant.apps).states
            return (
                dict.fromkeys(CASE_STATES, 0) | found | {"open": found["open"] - found["claimed"]}
            )
        keys = self._c.keys
        open_cases = keys.index("status", "open")
        claimed = int(self._c.run("count_claims", [open_cases], [keys.prefix]))
        pipe = self._c.client.pipeline(transaction=False)
        for state in CASE_STATES:
            pipe.zcard(keys.index("status", state))
        pipe.hmget(keys.totals, "cases:expired", "cases:erased")
        with self._c.guard():
            *sizes, ended = pipe.execute()
        counts = dict(zip(CASE_STATES, map(int, sizes), strict=True))
        counts["claimed"] = min(claimed, counts["open"])
        counts["open"] -= counts["claimed"]
        counts["expired"], counts["erased"] = (int(number or 0) for number in ended)
        return counts

    def states(self) -> States:
        return States(self.case_counts(), self._tasks.counts(), self._jobs.pending())

    def open_by_severity(self) -> dict[str, int]:
        if self._grant.apps is not None:
            return tally(self._c, self._grant.apps).severities
        pipe = self._c.client.pipeline(transaction=False)
        for severity in SEVERITY_ORDER:
            pipe.zcard(self._c.keys.index("open", severity))
        with self._c.guard():
            return dict(zip(SEVERITY_ORDER, map(int, pipe.execute()), strict=True))

    def open_since(self, since_ms: int) -> int:
        """Open cases of answers that were given since then."""
        if self._grant.apps is not None:
            return tally(self._c, self._grant.apps, since_ms).given
        with self._c.guard():
            key = self._c.keys.index("since", "open")
            return int(self._c.client.zcount(key, since_ms, "+inf"))

    def oldest_open_ms(self) -> int | None:
        """When the oldest open case's answer was given, ms since 1970."""
        if self._grant.apps is not None:
            return tally(self._c, self._grant.apps).oldest_ms
        with self._c.guard():
            first = self._c.client.zrange(
                self._c.keys.index("since", "open"), 0, 0, withscores=True
            )
        return int(first[0][1]) if first else None

    def oldest_open_by_severity(self) -> dict[str, int]:
        """When the oldest open case's answer was given, ms since 1970, of severities with one."""
        pipe = self._c.client.pipeline(transaction=False)
        for severity in SEVERITY_ORDER:
            pipe.zrange(self._c.keys.index("since", f"open:{severity}"), 0, 0, withscores=True)
        with self._c.guard():
            found = pipe.execute()
        return {
            severity: int(first[0][1])
            for severity, first in zip(SEVERITY_ORDER, found, strict=True)
            if first
        }

    def facets(self) -> dict[str, list[str]]:
        """``apps``, ``releases``, ``checks``, ``reasons``, ``languages`` → the values that occur
        among cases that may be seen: a value that only withheld ones have would tell of them."""
        keys, names = self._c.keys, ("app", "release", "check", "reason", "language")
        apps = sorted(self._grant.apps or ())
        args = [keys.prefix, orjson.dumps(apps), int(self._grant.everything), *names]
        found = self._c.run("facets", [keys.index("status", WITHHELD)], args)
        return {
            f"{name}s": sorted(map(text, values)) for name, values in zip(names, found, strict=True)
        }

    def makeups(self, app: str) -> tuple[Makeup, ...]:
        """What the app's releases were made of, by the hour in which that was first told."""
        return makeups_of(self._c, app) if self._grant.covers(app) else ()

    def first_since(self, filter: CaseFilter, until_ms: int, limit: int) -> list[CaseSummary]:
        """The earliest open cases of answers given from ``filter.since_ms`` until ``until_ms``,
        among the first :data:`_FAR` of those."""
        found = [
            case
            for one in self._granted(filter)
            for case in self._first_since(one, until_ms, limit)
        ]
        return sorted(found, key=lambda case: case.occurred_ms)[:limit]

    def _first_since(self, filter: CaseFilter, until_ms: int, limit: int) -> list[CaseSummary]:
        keys = self._c.keys
        others = [keys.index(*index) for index in filter.indexes() if index[0] != "status"]
        with self._c.guard():
            early = self._c.client.zrangebyscore(
                keys.index("since", "open"), filter.since_ms or 0, until_ms, start=0, num=_FAR
            )
            if not early:  # redis-py raises where no member is named
                return []
            pipe = self._c.client.pipeline(transaction=False)
            for other in others:
                pipe.zmscore(other, early)
            scores = pipe.execute()
        fitting = [name for name, *found in zip(early, *scores, strict=True) if None not in found]
        return self._rows([text(name) for name in fitting[:limit]])

    def totals(self) -> dict[str, int]:
        with self._c.guard():
            totals = pairs(self._c.client.hgetall(self._c.keys.totals))
        return {name: int(value) for name, value in sorted(totals.items())}

    def books(self) -> Books:
        """The books as they stand. Read while batches are applied, terms can be one batch apart:
        so they are read twice until two readings of the checkpoints agree."""
        partitions = self._checkpoints.books()
        for _ in range(20):
            totals, states = self.totals(), self.states()
            again = self._checkpoints.books()
            if again == partitions:
                break
            partitions = again
        return books_of(partitions, totals, states, self._checks)

    def counters(
        self, first_hour: int = 0, end_hour: int | None = None
    ) -> dict[tuple[str, int], Counter[str]]:
        """(app, hour) → field → n: what rates are made of. Hours since 1970, ``end_hour`` not
        included. Days that were rolled up stand at their first hour."""
        keys, client = self._c.keys, self._c.client
        covers = self._grant.covers
        before = "+inf" if end_hour is None else f"({end_hour}"
        before_day = "+inf" if end_hour is None else f"({end_hour / 24}"
        found: dict[tuple[str, int], Counter[str]] = {}
        with self._c.guard():
            hours = client.zrangebyscore(keys.hours, first_hour, before)
            days = client.zrangebyscore(keys.days, first_hour / 24, before_day)
            places = [(app, hour, keys.counters(app, hour))
                      for app, hour in map(_app_and_number, hours) if covers(app)]  # fmt: skip
            places += [(app, day * 24, keys.day_counters(app, day))
                       for app, day in map(_app_and_number, days) if covers(app)]  # fmt: skip
            for start in range(0, len(places), _COUNTERS_AT_ONCE):
                some = places[start : start + _COUNTERS_AT_ONCE]
                pipe = client.pipeline(transaction=False)
                for _, _, key in some:
                    pipe.hgetall(key)
                for (app, hour, _), reply in zip(some, pipe.execute(), strict=True):
                    found.setdefault((app, hour), Counter()).update(_numbers(reply))
        return found

    def apps_counted(self, before_hour: int) -> set[str]:
        """Those with any counter of an hour, or of a day, before this one (hours since 1970)."""
        keys, client = self._c.keys, self._c.client
        with self._c.guard():
            members = client.zrangebyscore(keys.hours, "-inf", f"({before_hour}")
            members += client.zrangebyscore(keys.days, "-inf", f"({before_hour // 24}")
        return {_app_and_number(member)[0] for member in members}

    def releases_first_seen(self, apps: Iterable[str], most: int) -> dict[tuple[str, str], int]:
        """(app, release) → when it was first seen, ms since 1970; the ``most`` newest of an app."""
        apps, pipe = list(apps), self._c.client.pipeline(transaction=False)
        for app in apps:
            pipe.zrevrange(self._c.keys.first_seen(app), 0, most - 1, withscores=True)
        with self._c.guard():
            found = pipe.execute()
        return {
            (app, text(release)): int(ms)
            for app, releases in zip(apps, found, strict=True)
            for release, ms in releases
        }


def _index_of(filter: CaseFilter) -> tuple[str, str] | None:
    """The one index that holds exactly the open cases of this filter, if there is one."""
    if filter == CaseFilter():
        return "status", "open"
    if filter == CaseFilter(severity=filter.severity) and filter.severity is not None:
        return "open", filter.severity
    if filter == CaseFilter(group=filter.group) and filter.group is not None:
        return "group", filter.group
    return None


_COUNTERS_AT_ONCE = 50


def _app_and_number(member: bytes) -> tuple[str, int]:
    app, _, number = text(member).rpartition(":")
    return app, int(number)


def _rank(row: Sequence[bytes]) -> tuple[float, bytes]:
    """By which rows of several apps fall into one order, that of every index."""
    return float(row[1]), row[0]


def _numbers(reply: Any) -> Counter[str]:
    return Counter({field: int(number) for field, number in pairs(reply).items()})


def _summary(body: dict[str, Any], status: str, alike: int, holder: str) -> CaseSummary:
    return CaseSummary(
        case_id=body["case_id"],
        app=body["app"],
        event_id=body["event_id"],
        release=body["release"],
        language=body["language"],
        occurred_ms=body["occurred_ms"],
        severity=body["severity"],
        status=status,
        checks=tuple(body["checks"]),
        reasons=tuple(body["reasons"]),
        headline=body["headline"],
        query=body["query"],
        group=body["group"],
        alike=alike,
        priority=priority_of(body).total,
        scripted=_scripted(body.get("judgement")),
        holder=holder,
    )


def _row(
    case_id: bytes,
    priority: bytes,
    status: bytes,
    severity: bytes,
    summary: bytes,
    judged: bytes | None,
    down: bytes | None,
    alike: bytes | None,
    holder: bytes | None,
) -> CaseSummary:
    """A case in a list: as it was drafted, and what judge and feedback added since."""
    row: dict[str, Any] = orjson.loads(summary)
    marks = orjson.loads(judged) if judged is not None else {}
    added = [marks] if marks else []
    if down is not None:
        added.append(feedback.MARKS)
    for name in ("checks", "reasons"):
        row[name] = tuple(sorted(set(row[name]).union(*(more[name] for more in added))))
    return CaseSummary(
        case_id=text(case_id),
        severity=text(severity),
        status=text(status),
        alike=int(alike or 1),
        priority=float(priority),
        scripted=bool(marks.get("scripted")),
        holder=text(holder or b""),
        **row,
    )


def _scripted(judgement: dict[str, Any] | None) -> bool:
    return bool(judgement and judgement["scripted"] and judgement["findings"])
