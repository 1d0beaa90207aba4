"""Reading the store for people: cases by filter and page, groups, books."""

from __future__ import annotations

import base64
import binascii
import json
import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from service.accounting import CASE_STATES, Books, books_of
from service.review.cases import (
    DAY_MS,
    SEVERITY_ORDER,
    Case,
    CaseFilter,
    CasePage,
    CaseSummary,
    priority,
)
from service.store.checkpoints import Checkpoints
from service.store.connection import Connection, pairs, text

_WALK = 200
"""Ids looked at per round trip. A ZINTERSTORE of two large indexes would block Redis for tens of
milliseconds; walking the rarest one in pages takes three to nine."""


class Archive:
    """Cases and books. Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, checks: Sequence[str]) -> None:
        self._c = connection
        self._checks = checks
        self._checkpoints = Checkpoints(connection)

    def list_cases(
        self, filter: CaseFilter = CaseFilter(), cursor: str | None = None, limit: int = 50
    ) -> CasePage:
        """Up to ``limit`` cases by falling priority. ValueError for a cursor that is not ours."""
        dimensions = filter.indexes() or [("all", "cases")]
        keys = [self._c.keys.index(*dimension) for dimension in dimensions]
        with self._c.guard():
            sizes = [self._c.client.zcard(key) for key in keys]
            rarest = keys[sizes.index(min(sizes))]
            others = [key for key in keys if key != rarest]
            found = self._walk(rarest, others, _decode_cursor(cursor), limit + 1)
            cases = self._summaries([case_id for case_id, _ in found[:limit]])
        more = len(found) > limit
        return CasePage(cases, _encode_cursor(found[limit - 1]) if more else None)

    def _walk(
        self, key: str, others: Sequence[str], after: tuple[str, float] | None, want: int
    ) -> list[tuple[str, float]]:
        """Ids of ``key`` that are in all ``others``, by falling (priority, id), after ``after``."""
        found: list[tuple[str, float]] = []
        top: Any = after[1] if after else "+inf"
        skip = 0
        while len(found) < want:
            page = self._c.client.zrevrangebyscore(
                key, top, "-inf", start=skip, num=_WALK, withscores=True
            )
            skip += len(page)
            ids = [(text(case_id), score) for case_id, score in page]
            if after is not None:
                ids = [item for item in ids if (item[1], item[0]) < (after[1], after[0])]
            for other in others:
                if ids:
                    scores = self._c.client.zmscore(other, [case_id for case_id, _ in ids])
                    ids = [
                        item for item, score in zip(ids, scores, strict=True) if score is not None
                    ]
            found += ids
            if len(page) < _WALK:
                break
        return found[:want]

    def _summaries(self, case_ids: Sequence[str]) -> list[CaseSummary]:
        pipe = self._c.client.pipeline(transaction=False)
        for case_id in case_ids:
            pipe.hmget(self._c.keys.case(case_id), "record", "status", "group")
        stored = [reply for reply in pipe.execute() if reply[0] is not None]
        for _, _, group in stored:
            pipe.hget(self._c.keys.group(text(group)), "count")
        counts = pipe.execute() if stored else []
        return [
            _summary(_body(record), text(status), int(count or 1))
            for (record, status, _), count in zip(stored, counts, strict=True)
        ]

    def kept(self, case_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids under which a case is kept."""
        pipe = self._c.client.pipeline(transaction=False)
        for case_id in case_ids:
            pipe.exists(self._c.keys.case(case_id))
        with self._c.guard():
            found = pipe.execute()
        return frozenset(id_ for id_, there in zip(case_ids, found, strict=True) if there)

    def case(self, case_id: str) -> Case | None:
        with self._c.guard():
            record, status, group = self._c.client.hmget(
                self._c.keys.case(case_id), "record", "status", "group"
            )
            if record is None:
                return None
            count = self._c.client.hget(self._c.keys.group(text(group)), "count")
        body = _body(record)
        source, partition, offset = body["position"]
        return Case(
            summary=_summary(body, text(status), int(count or 1)),
            event=body["event"],
            findings=body["findings"],
            evidence=body["evidence"],
            outcomes=body["outcomes"],
            ruleset=body["ruleset"],
            stratum=body["stratum"],
            u=body["u"],
            pi=body["pi"],
            position=(source, partition, offset),
            reduced=body["reduced"],
        )

    def case_counts(self) -> dict[str, int]:
        """Cases by state, counted from the index."""
        with self._c.guard():
            counts = {
                state: int(self._c.client.zcard(self._c.keys.index("status", state)))
                for state in CASE_STATES
            }
        return counts

    def open_by_severity(self) -> dict[str, int]:
        with self._c.guard():
            return {
                severity: int(self._c.client.zcard(self._c.keys.index("severity", severity)))
                for severity in SEVERITY_ORDER
            }

    def oldest_open_ms(self) -> int | None:
        """When the oldest open case's answer was given, ms since 1970. Within one severity the
        order by priority is the order by time."""
        ages = []
        with self._c.guard():
            for severity in SEVERITY_ORDER:
                key = self._c.keys.index("severity", severity)
                for _, score in self._c.client.zrange(key, 0, 0, withscores=True):
                    ages.append(int((score - priority(severity, 0)) * DAY_MS))
        return min(ages, default=None)

    def facets(self) -> dict[str, list[str]]:
        """``apps``, ``releases``, ``checks``, ``reasons`` → the values that occur among cases."""
        with self._c.guard():
            return {
                f"{name}s": sorted(
                    text(value) for value in self._c.client.smembers(self._c.keys.facet(name))
                )
                for name in ("app", "release", "check", "reason")
            }

    def totals(self) -> dict[str, int]:
        with self._c.guard():
            totals = pairs(self._c.client.hgetall(self._c.keys.totals))
        return {name: int(value) for name, value in sorted(totals.items())}

    def books(self) -> Books:
        """The books as they stand. Read while batches are applied, terms can be one batch apart:
        so they are read twice until two readings of the checkpoints agree."""
        partitions = self._checkpoints.books()
        for _ in range(20):
            totals, states = self.totals(), self.case_counts()
            again = self._checkpoints.books()
            if again == partitions:
                break
            partitions = again
        return books_of(partitions, totals, states, self._checks)

    def counters(self) -> dict[tuple[str, int], Counter[str]]:
        """(app, hour) → field → n, all of it: what rates are made of. Days that were rolled up
        stand at their first hour."""
        keys, client = self._c.keys, self._c.client
        found: dict[tuple[str, int], Counter[str]] = {}
        with self._c.guard():
            for app, hour in map(_app_and_number, client.zrange(keys.hours, 0, -1)):
                found[app, hour] = _numbers(client.hgetall(keys.counters(app, hour)))
            for app, day in map(_app_and_number, client.zrange(keys.days, 0, -1)):
                rolled = _numbers(client.hgetall(keys.day_counters(app, day)))
                found[app, day * 24] = found.get((app, day * 24), Counter()) + rolled
        return found


def _app_and_number(member: bytes) -> tuple[str, int]:
    app, _, number = text(member).rpartition(":")
    return app, int(number)


def _numbers(reply: Any) -> Counter[str]:
    return Counter({field: int(number) for field, number in pairs(reply).items()})


def _body(record: bytes) -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads(zlib.decompress(record))
    return body


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
        priority=body["priority"],
    )


def _encode_cursor(position: tuple[str, float]) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def _decode_cursor(cursor: str | None) -> tuple[str, float] | None:
    if not cursor:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        case_id, score = json.loads(base64.urlsafe_b64decode(padded))
        position = str(case_id), float(score)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError):
        position = "", math.nan
    if not math.isfinite(position[1]):
        raise ValueError("the cursor is not one of ours")
    return position
