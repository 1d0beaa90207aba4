"""Points in time as people and Grafana write them. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_BACK = re.compile(r"(?:now-)?(\d{1,5})([mhdw])", re.ASCII)
_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_EARLIEST_MS, _LATEST_MS = 946_684_800_000, 7_258_118_400_000
"""2000 to 2200: what lies outside is a number of another kind."""
MILLISECONDS_FROM = 100_000_000_000
"""A number that is at least so large counts milliseconds, else seconds."""


def moment_of(said: str, now_ms: int) -> int:
    """Milliseconds since 1970. Takes ISO 8601 (``2026-11-29T09:00``, with ``Z`` or an offset; UTC
    without), a date, seconds or milliseconds since 1970, and so long ago: ``30m``, ``2h``, ``3d``,
    ``1w``, ``now-2h``, ``now``. Raises ValueError for anything else."""
    text = said.strip()
    if text == "now":
        return now_ms
    if back := _BACK.fullmatch(text):
        return _bounded(now_ms - int(back[1]) * _UNITS_MS[back[2]])
    if text.isascii() and text.isdecimal():
        number = int(text[:20])
        return _bounded(number if number >= MILLISECONDS_FROM else number * 1000)
    # In a query string a plus sign that nobody escaped arrives as a space.
    moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _bounded(int(moment.timestamp() * 1000))


def _bounded(then_ms: int) -> int:
    if not _EARLIEST_MS <= then_ms < _LATEST_MS:
        raise ValueError("not a time between 2000 and 2200")
    return then_ms
