"""What the page of a group shows, computed: its trend, its decision, and a decision as a form says
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from service.review.desk import Decision, DecisionKind
from service.review.labels import Change
from service.web.forms import Form
from service.web.problems import Problem

DAYS = 30
HEIGHT = 48
"""Of the trend's drawing, in pixels."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Bar:
    """``x``, ``y``, ``height``: in the drawing; a day with anything is at least one pixel high."""

    day: str
    count: int
    x: int
    y: int
    height: int


def bars_of(by_day: Sequence[tuple[int, int]], today: int) -> list[Bar]:
    """The last :data:`DAYS` days up to ``today`` (days since 1970), 8 pixels each."""
    counts = dict(by_day)
    days = range(today - DAYS + 1, today + 1)
    most = max((counts.get(day, 0) for day in days), default=0) or 1
    bars = []
    for place, day in enumerate(days):
        count = counts.get(day, 0)
        height = max(1, round(HEIGHT * count / most)) if count else 0
        bars.append(Bar(_date(day), count, 8 * place, HEIGHT - height, height))
    return bars


def _date(day: int) -> str:
    return (datetime.fromtimestamp(0, UTC) + day * DAY).strftime("%Y-%m-%d")


def decision_of(form: Form, now_ms: int) -> Decision | None:
    """None for a date that is none, or past. It holds through the day it names, in UTC. Raises
    :class:`Problem` 422 for a kind that is none."""
    try:
        kind = DecisionKind(form.one("kind"))
    except ValueError:
        raise Problem(422, "parameter", "not one of the words that go here", field="kind") from None
    until_ms = None
    if said := form.one("until"):
        try:
            until = datetime.strptime(said, "%Y-%m-%d").replace(tzinfo=UTC) + DAY
        except (OverflowError, ValueError):
            return None
        until_ms = int(until.timestamp() * 1000)
        if until_ms <= now_ms:
            return None
    return Decision(kind, until_ms, form.one("ruleset") or None, form.one("note").strip()[:4000])


@dataclass(frozen=True, slots=True)
class DecisionView:
    kind: str
    who: str
    at_ms: int
    until_ms: int | None
    ruleset: str
    note: str


def decision_view(change: Change | None) -> DecisionView | None:
    """None while a group is undecided, or open again."""
    if change is None or change.decision is None:
        return None
    said = change.decision
    until_ms = said.get("until_ms")
    return DecisionView(
        str(said.get("kind") or ""),
        change.reviewer,
        change.at_ms,
        until_ms if isinstance(until_ms, int) else None,
        str(said.get("ruleset") or ""),
        str(said.get("note") or ""),
    )
