"""Groups: flagged answers with one cause, and what people decided about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.review.cases import DAY_MS, CaseFilter
from service.review.desk import Decision, Group, GroupPage
from service.review.labels import Change
from service.store.connection import Connection, pairs, text
from service.store.cursors import decode_cursor, encode_cursor
from service.store.reviews.changes import Changes

BASE_DAYS = 7
LEAST = 20
"""A decision never ends by fewer members a day."""
_PAGE = 200


def threshold(by_day: Mapping[int, int], day: int) -> int:
    """Members a day above which a decision of ``day`` (days since 1970) ends by itself: twice the
    mean of the seven days before it, or twice what that day itself had brought by then (a cause
    that is new has no days before), whichever is more; at least 20."""
    mean = sum(by_day.get(day - back, 0) for back in range(1, BASE_DAYS + 1)) / BASE_DAYS
    return max(LEAST, int(2 * max(mean, by_day.get(day, 0))))


def decided(decision: Decision, by_day: Mapping[int, int], now_ms: int) -> dict[str, Any]:
    """A decision as its change carries it: with what it needs to be repeated."""
    day = now_ms // DAY_MS
    return {
        "kind": decision.kind.value,
        "until_ms": decision.until_ms,
        "ruleset": decision.ruleset,
        "note": decision.note,
        "day": day,
        "threshold": threshold(by_day, day),
    }


class Groups:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, changes: Changes) -> None:
        self._c = connection
        self._changes = changes

    def get(self, group_id: str) -> Group | None:
        found = self._read([group_id])
        return found[0] if found else None

    def page(self, filter: CaseFilter, cursor: str | None, limit: int) -> GroupPage:
        """ValueError for a cursor that is not ours."""
        found: list[tuple[Group, float]] = []
        after = decode_cursor(cursor)
        # Unfiltered, every group read is one that is shown.
        size = limit + 1 if filter in (CaseFilter(), CaseFilter(status=None)) else _PAGE
        while len(found) <= limit:
            step = self._step(after, size)
            groups = {group.group_id: group for group in self._read([name for name, _ in step])}
            found += [
                (groups[name], score)
                for name, score in step
                if name in groups and _fits(groups[name], filter)
            ]
            if len(step) < size:
                break
            after = step[-1]
        more = len(found) > limit
        last = (found[limit - 1][0].group_id, found[limit - 1][1]) if more else None
        return GroupPage(
            [group for group, _ in found[:limit]], encode_cursor(last) if last else None
        )

    def _step(self, after: tuple[str, float] | None, size: int) -> list[tuple[str, float]]:
        """The next groups by falling (last seen, id)."""
        found: list[tuple[str, float]] = []
        skip = 0
        while len(found) < size:
            with self._c.guard():
                page = self._c.client.zrevrangebyscore(
                    self._c.keys.groups, after[1] if after else "+inf", "-inf",
                    start=skip, num=size, withscores=True,
                )  # fmt: skip
            skip += len(page)
            items = [(text(name), float(score)) for name, score in page]
            found += [item for item in items if after is None or item[::-1] < after[::-1]]
            if len(page) < size:
                break
        return found[:size]

    def _read(self, ids: Sequence[str]) -> list[Group]:
        pipe = self._c.client.pipeline(transaction=False)
        for group_id in ids:
            pipe.hgetall(self._c.keys.group(group_id))
            pipe.zcard(self._c.keys.index("group", group_id))
            pipe.zrevrange(self._c.keys.index("group", group_id), 0, 0)
        with self._c.guard():
            replies = pipe.execute() if ids else []
            withheld = int(self._c.client.zcard(self._c.keys.index("status", "withheld")))
        stored = [
            (group_id, pairs(fields), int(size), [text(case_id) for case_id in first])
            for group_id, fields, size, first in zip(
                ids, replies[::3], replies[1::3], replies[2::3], strict=True
            )
            if fields
        ]
        decisions = self._decisions([name for name, fields, *_ in stored if "decision" in fields])
        visible = self._visible(
            [fields["sample"] for _, fields, *_ in stored if "sample" in fields]
        )
        found = [
            _group(name, fields, size, decisions.get(name), _sample(fields, visible, first))
            for name, fields, size, first in stored
        ]
        return [group for group in found if _may_show(group, withheld)]

    def _visible(self, case_ids: Sequence[str]) -> frozenset[str]:
        """Those of the cases that are still there, and not withheld."""
        pipe = self._c.client.pipeline(transaction=False)
        for case_id in case_ids:
            pipe.hget(self._c.keys.case(case_id), "status")
        with self._c.guard():
            states = pipe.execute() if case_ids else []
        return frozenset(
            case_id
            for case_id, status in zip(case_ids, states, strict=True)
            if status not in (None, b"withheld")
        )

    def _decisions(self, ids: Sequence[str]) -> dict[str, Change]:
        histories = self._changes.histories([f"group:{group_id}" for group_id in ids])
        return {
            group_id: history[-1]
            for group_id, history in zip(ids, histories, strict=True)
            if history
        }


def _fits(group: Group, filter: CaseFilter) -> bool:
    return all(
        wanted is None or wanted == value
        for wanted, value in (
            (filter.app, group.app),
            (filter.check, group.check),
            (filter.reason, group.reason),
            (filter.severity, group.severity),
        )
    )


def _may_show(group: Group, withheld: int) -> bool:
    """Not one all of whose members may be under audit: it would tell what was found in them."""
    told = group.sample or group.decision or group.reopened
    return bool(told) or group.count > withheld


def _sample(fields: Mapping[str, str], visible: frozenset[str], first: Sequence[str]) -> str | None:
    """The group's own sample, or its first open case once that one is gone."""
    own = fields.get("sample")
    return own if own in visible else next(iter(first), None)


def _group(
    group_id: str,
    fields: Mapping[str, str],
    open_cases: int,
    decision: Change | None,
    sample: str | None,
) -> Group:
    reopened = "reopened" in fields
    return Group(
        group_id=group_id,
        app=fields["app"],
        check=fields["check"],
        reason=fields["reason"],
        cause=fields["cause"],
        severity=fields["severity"],
        surface=fields["surface"],
        count=int(fields["count"]),
        by_day=tuple(
            sorted((int(name[2:]), int(n)) for name, n in fields.items() if name.startswith("d:"))
        ),
        sample=sample,
        decision=None if reopened else decision,
        open_cases=open_cases,
        reopened=decision if reopened else None,
    )
