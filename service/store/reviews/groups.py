"""Groups: flagged answers with one cause, and what people decided about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from service.access.roles import ALL, Grant
from service.review.cases import DAY_MS, CaseFilter
from service.review.desk import Decision, Group, GroupPage
from service.review.records import decode_record
from service.store.connection import Connection, text
from service.store.cursors import decode_cursor, encode_cursor

_TOLD_BY = ("app", "check", "reason", "severity")
BASE_DAYS = 7
LEAST = 20
"""A decision never ends by fewer members a day."""
STEPS = 500
"""Groups that one script call looks at: about a millisecond for which Redis serves nobody else."""


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

    def __init__(self, connection: Connection, grant: Grant = ALL) -> None:
        self._c = connection
        self._apps = grant.apps

    def get(self, group_id: str) -> Group | None:
        _, _, *rows = self._run({"ids": [group_id], "want": 1})
        return _group(*rows[0]) if rows else None

    def page(self, filter: CaseFilter, cursor: str | None, limit: int) -> GroupPage:
        """ValueError for a cursor that is not ours."""
        after, found = decode_cursor(cursor), list[Any]()
        wanted = {name: getattr(filter, name) or "" for name in _TOLD_BY}
        while True:
            name, score = after or ("", 0.0)
            place = {"after": name, "score": repr(score), "want": limit + 1 - len(found)}
            name, score, *rows = self._run(wanted | place)
            found += rows
            if len(found) > limit or not name:
                break
            after = text(name), float(score)
        last = found[limit - 1] if len(found) > limit else None
        return GroupPage(
            [_group(*row) for row in found[:limit]],
            encode_cursor((text(last[0]), float(last[1]))) if last else None,
        )

    def _run(self, spec: dict[str, Any]) -> Any:
        keys = self._c.keys
        spec = {"ids": [], "steps": STEPS, "after": "", **dict.fromkeys(_TOLD_BY, "")} | spec
        if self._apps is not None:
            spec["apps"] = dict.fromkeys(self._apps, True)
        return self._c.run(
            "list_groups",
            [keys.groups, keys.index("status", "withheld")],
            [keys.prefix, orjson.dumps(spec)],
        )


def _group(
    group_id: bytes,
    _: bytes,
    app: bytes,
    check: bytes,
    reason: bytes,
    cause: bytes,
    severity: bytes,
    surface: bytes,
    count: bytes,
    decided: bytes | None,
    reopened: bytes | None,
    sample: bytes | None,
    by_day: bytes,
    open_cases: int,
    change: bytes | None,
) -> Group:
    decision = decode_record(change) if decided is not None and change is not None else None
    return Group(
        group_id=text(group_id),
        app=text(app),
        check=text(check),
        reason=text(reason),
        cause=text(cause),
        severity=text(severity),
        surface=text(surface),
        count=int(count),
        by_day=_days(by_day),
        sample=text(sample) if sample is not None else None,
        decision=None if reopened is not None else decision,
        open_cases=open_cases,
        reopened=None if reopened is None else decision,
    )


def _days(written: bytes) -> tuple[tuple[int, int], ...]:
    pairs = (one.split(b":") for one in written.split(b",") if one)
    return tuple(sorted((int(day), int(number)) for day, number in pairs))
