"""How many cases there are, of some apps alone: counted one by one, since no index holds it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from service.review.cases import SEVERITY_ORDER
from service.store.connection import Connection, text

STEPS = 1_000
"""Cases that one script call counts: a few milliseconds for which Redis serves nobody else."""
_STATES = ("open", "claimed", "withheld", "resolved")


@dataclass(slots=True)
class Tally:
    """``states``: status → cases, claimed ones among the open ones too; ``severities``: severity →
    open cases; ``given``: open ones of answers given since then; ``oldest_ms``: when the answer of
    the oldest open one was given, ms since 1970."""

    states: dict[str, int]
    severities: dict[str, int]
    given: int = 0
    oldest_ms: int | None = None


def tally(connection: Connection, apps: Iterable[str], since_ms: int = 0) -> Tally:
    """Raises :class:`Outage` when the store is away."""
    found = Tally(dict.fromkeys(_STATES, 0), dict.fromkeys(SEVERITY_ORDER, 0))
    keys = connection.keys
    for app in apps:
        start, looked_at = 0, STEPS
        while looked_at == STEPS:
            looked_at, *numbers, given, oldest = connection.run(
                "tally_cases", [keys.index("app", app)], [keys.prefix, start, STEPS, since_ms]
            )
            _add(found, [int(number) for number in numbers], int(given), text(oldest))
            start += STEPS
    return found


def _add(found: Tally, numbers: list[int], given: int, oldest: str) -> None:
    for name, number in zip(_STATES, numbers, strict=False):
        found.states[name] += number
    for name, number in zip(SEVERITY_ORDER, numbers[len(_STATES) :], strict=True):
        found.severities[name] += number
    found.given += given
    if oldest and (found.oldest_ms is None or int(oldest) < found.oldest_ms):
        found.oldest_ms = int(oldest)
