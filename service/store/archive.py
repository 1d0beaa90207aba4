"""Reading the store for people: cases by filter and page, groups, books."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from service.accounting import CASE_STATES, Books, States, books_of
from service.drafts import priority_of
from service.feedback import on_case
from service.judging.cases import with_judgement
from service.review.cases import (
    SEVERITY_ORDER,
    Case,
    CaseFilter,
    CasePage,
    CaseSummary,
    Thumbs,
    lowest_priority,
)
from service.store.checkpoints import Checkpoints
from service.store.connection import Connection, pairs, text
from service.store.cursors import decode_cursor, encode_cursor
from service.store.jobs import Jobs
from service.store.tasks import Tasks

WITHHELD = "withheld"
_CASE_FIELDS = (
    "record", "status", "group", "severity", "judgement", "thumbs_up", "thumbs_down", "comment",
)  # fmt: skip
_WALK = 200
"""Ids looked at per round trip. A ZINTERSTORE of two large indexes would block Redis for tens of
milliseconds; walking the rarest one in pages takes three to nine."""


class Archive:
    """Cases and books. Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, checks: Sequence[str]) -> None:
        self._c = connection
        self._checks = checks
        self._checkpoints = Checkpoints(connection)
        self._tasks = Tasks(connection)
        self._jobs = Jobs(connection)

    def list_cases(
        self, filter: CaseFilter = CaseFilter(), cursor: str | None = None, limit: int = 50
    ) -> CasePage:
        """Up to ``limit`` cases by falling priority; those that are withheld for an audit are not
        among them. ValueError for a cursor that is not ours."""
        dimensions = filter.indexes() or [("all", "cases")]
        keys = [self._c.keys.index(*dimension) for dimension in dimensions]
        with self._c.guard():
            sizes = [self._c.client.zcard(key) for key in keys]
            rarest = keys[sizes.index(min(sizes))]
            others = [key for key in keys if key != rarest]
            found = self._walk(rarest, others, decode_cursor(cursor), limit + 1, filter.since_ms)
            cases = self._summaries([case_id for case_id, _ in found[:limit]])
        more = len(found) > limit
        return CasePage(cases, encode_cursor(found[limit - 1]) if more else None)

    def _walk(
        self,
        key: str,
        others: Sequence[str],
        after: tuple[str, float] | None,
        want: int,
        since_ms: int | None,
    ) -> list[tuple[str, float]]:
        """Ids of ``key`` that are in all ``others``, not withheld and of answers since
        ``since_ms``, by falling (priority, id), after ``after``."""
        withheld = self._c.keys.index("status", WITHHELD)
        found: list[tuple[str, float]] = []
        top: Any = after[1] if after else "+inf"
        bottom: Any = "-inf" if since_ms is None else lowest_priority(since_ms)
        skip = 0
        while len(found) < want:
            page = self._c.client.zrevrangebyscore(
                key, top, bottom, start=skip, num=_WALK, withscores=True
            )
            skip += len(page)
            ids = [(text(case_id), score) for case_id, score in page]
            if after is not None:
                ids = [item for item in ids if (item[1], item[0]) < (after[1], after[0])]
            for other in others:
                ids = self._those(ids, other, inside=True)
            ids = self._those(ids, withheld, inside=False)
            found += ids if since_ms is None else self._since(ids, since_ms)
            if len(page) < _WALK:
                break
        return found[:want]

    def _those(
        self, ids: list[tuple[str, float]], key: str, *, inside: bool
    ) -> list[tuple[str, float]]:
        if not ids:
            return []
        scores = self._c.client.zmscore(key, [case_id for case_id, _ in ids])
        return [
            item for item, score in zip(ids, scores, strict=True) if (score is not None) is inside
        ]

    def _since(self, ids: list[tuple[str, float]], since_ms: int) -> list[tuple[str, float]]:
        pipe = self._c.client.pipeline(transaction=False)
        for case_id, _ in ids:
            pipe.hget(self._c.keys.case(case_id), "occurred")
        times = pipe.execute()
        return [
            item
            for item, ms in zip(ids, times, strict=True)
            if ms is not None and int(ms) >= since_ms
        ]

    def _summaries(self, case_ids: Sequence[str]) -> list[CaseSummary]:
        pipe = self._c.client.pipeline(transaction=False)
        for case_id in case_ids:
            pipe.hmget(self._c.keys.case(case_id), *_CASE_FIELDS)
        stored = [reply for reply in pipe.execute() if reply[0] is not None]
        for _, _, group, *_ in stored:
            pipe.hget(self._c.keys.group(text(group)), "count")
        counts = pipe.execute() if stored else []
        return [
            _summary(_body(*fields), text(fields[1]), int(count or 1))
            for fields, count in zip(stored, counts, strict=True)
        ]

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
            fields = self._c.client.hmget(self._c.keys.case(case_id), *_CASE_FIELDS)
            _, status, group, *_ = fields
            if status is None or text(status) == WITHHELD:
                return None
            count = self._c.client.hget(self._c.keys.group(text(group)), "count")
        body = _body(*fields)
        source, partition, offset = body["position"]
        return Case(
            summary=_summary(body, text(status), int(count or 1)),
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

    def case_counts(self) -> dict[str, int]:
        """Cases by state. Open ones that a reviewer holds are ``claimed``; of those that ended
        (expired, erased) nothing is left but their number."""
        keys = self._c.keys
        open_cases = keys.index("status", "open")
        claimed = int(self._c.run("count_claims", [open_cases], [keys.prefix]))
        with self._c.guard():
            counts = {
                state: int(self._c.client.zcard(keys.index("status", state)))
                for state in CASE_STATES
            }
            ended = self._c.client.hmget(keys.totals, "cases:expired", "cases:erased")
        counts["claimed"] = min(claimed, counts["open"])
        counts["open"] -= counts["claimed"]
        counts["expired"], counts["erased"] = (int(number or 0) for number in ended)
        return counts

    def states(self) -> States:
        return States(self.case_counts(), self._tasks.counts(), self._jobs.pending())

    def open_by_severity(self) -> dict[str, int]:
        with self._c.guard():
            return {
                severity: int(self._c.client.zcard(self._c.keys.index("open", severity)))
                for severity in SEVERITY_ORDER
            }

    def open_since(self, since_ms: int) -> int:
        """Open cases of answers that were given since then."""
        with self._c.guard():
            key = self._c.keys.index("since", "open")
            return int(self._c.client.zcount(key, since_ms, "+inf"))

    def oldest_open_ms(self) -> int | None:
        """When the oldest open case's answer was given, ms since 1970."""
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
        with self._c.guard():
            withheld = self._c.client.zrange(self._c.keys.index("status", WITHHELD), 0, -1)
            return {
                f"{name}s": sorted(
                    value
                    for value in map(text, self._c.client.smembers(self._c.keys.facet(name)))
                    if self._shows(self._c.keys.index(name, value), withheld)
                )
                for name in ("app", "release", "check", "reason", "language")
            }

    def _shows(self, key: str, withheld: Sequence[bytes]) -> bool:
        """Whether an index holds a case that is not withheld."""
        size = int(self._c.client.zcard(key))
        if not withheld or size > len(withheld):
            return size > 0
        scores = self._c.client.zmscore(key, withheld)
        return size > sum(score is not None for score in scores)

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
        before = "+inf" if end_hour is None else f"({end_hour}"
        before_day = "+inf" if end_hour is None else f"({end_hour / 24}"
        found: dict[tuple[str, int], Counter[str]] = {}
        with self._c.guard():
            hours = client.zrangebyscore(keys.hours, first_hour, before)
            days = client.zrangebyscore(keys.days, first_hour / 24, before_day)
            places = [(app, hour, keys.counters(app, hour))
                      for app, hour in map(_app_and_number, hours)]  # fmt: skip
            places += [(app, day * 24, keys.day_counters(app, day))
                       for app, day in map(_app_and_number, days)]  # fmt: skip
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


_COUNTERS_AT_ONCE = 50


def _app_and_number(member: bytes) -> tuple[str, int]:
    app, _, number = text(member).rpartition(":")
    return app, int(number)


def _numbers(reply: Any) -> Counter[str]:
    return Counter({field: int(number) for field, number in pairs(reply).items()})


def _body(
    record: bytes,
    status: Any,
    group: Any,
    severity: Any,
    judgement: Any,
    up: Any,
    down: Any,
    comment: Any,
) -> dict[str, Any]:
    """A case as it was drafted, and what judge and feedback added since."""
    body: dict[str, Any] = orjson.loads(zlib.decompress(record))
    if severity is not None:
        body["severity"] = text(severity)
    if judgement is not None:
        body = with_judgement(body, orjson.loads(zlib.decompress(judgement)))
    if up is None and down is None:
        return body
    return on_case(body, Thumbs(int(up or 0), int(down or 0), text(comment or b"")))


def _summary(body: dict[str, Any], status: str, alike: int) -> CaseSummary:
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
    )


def _scripted(judgement: dict[str, Any] | None) -> bool:
    return bool(judgement and judgement["scripted"] and judgement["findings"])
