"""Made-up traffic: the counters that many answers would leave behind, by the real sums."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from service.accounting import CheckRow, Kind, Row, counters_of, prefix_of
from tests.unit.web.world import NOW_MS

NOW_HOUR = NOW_MS // 3_600_000
TODAY = NOW_HOUR // 24


@dataclass(frozen=True)
class Stream:
    """Answers of one app and release: ``hourly`` in every hour from ``first`` to ``last`` (days
    ago), with the shares that go wrong."""

    app: str
    release: str
    first: float
    last: float = 0.0
    hourly: int = 6
    unresolved: float = 0.05
    unsupported: float = 0.03
    ruleset: str = "1-aaaa"
    language: str = "de"
    tags: str = ""


def counters(
    streams: Iterable[Stream], quiet: Iterable[int] = (), seed: int = 1
) -> dict[tuple[str, int], Counter[str]]:
    """``quiet``: hours (before now) in which nobody asked."""
    rng = random.Random(seed)
    silent = {NOW_HOUR - hours for hours in quiet}
    found: dict[tuple[str, int], Counter[str]] = {}
    for stream in streams:
        start, end = NOW_HOUR - int(24 * stream.first), NOW_HOUR - int(24 * stream.last)
        for hour in range(start, end + 1):
            if hour in silent:
                continue
            rows = _rows(stream, hour, rng)
            for place, fields in counters_of(rows).items():
                found.setdefault(place, Counter()).update(fields)
    return found


def judged(
    counters: Mapping[tuple[str, int], Counter[str]], causes: Mapping[str, int], stream: Stream
) -> None:
    """Add what a judge said were the causes, in the last hour of the stream's app."""
    prefix = prefix_of(stream.release, stream.ruleset, stream.language, stream.tags)
    fields = counters[stream.app, NOW_HOUR]
    for cause, number in causes.items():
        fields[f"{prefix}judge:cause:{cause}"] += number


def drawn(
    counters: Mapping[tuple[str, int], Counter[str]],
    selected: int,
    skipped: int,
    stream: Stream,
    stratum: str = "flagged",
) -> None:
    """Add answers drawn for the judge, in the last hour of the stream's app."""
    prefix = prefix_of(stream.release, stream.ruleset, stream.language, stream.tags)
    fields = counters[stream.app, NOW_HOUR]
    fields[f"{prefix}judge:selected:{stratum}"] += selected
    fields[f"{prefix}judge:budget_skipped:{stratum}"] += skipped


def _rows(stream: Stream, hour: int, rng: random.Random) -> Iterator[Row]:
    for offset in range(stream.hourly):
        m = rng.choice((0, 1, 1, 2, 3))
        bad = rng.random() < stream.unresolved
        x = min(m, 1 + (rng.random() < 0.4)) if bad else 0
        numbers = rng.choice((0, 1, 4))
        wrong = int(numbers > 0 and rng.random() < stream.unsupported)
        abstains = rng.random() < 0.08
        unread = rng.random() < 0.01
        checks = {
            "citations": CheckRow("not_applicable")
            if not m
            else CheckRow("fail" if x else "pass", m, x),
            "numbers": CheckRow("not_evaluated", not_evaluated="missing_text")
            if unread
            else CheckRow("fail" if wrong else "pass" if numbers else "not_applicable", numbers,
                          wrong),
        }  # fmt: skip
        causes = (("citations", "unknown_ref", "r", "high", "r"),) if x or wrong else ()
        yield Row(
            offset, Kind.CHECKED, app=stream.app, release=stream.release, ruleset=stream.ruleset,
            language=stream.language, purpose="live", hour=hour, checks=checks, causes=causes,
            label="no_answer" if abstains else "answer", tags=stream.tags,
        )  # fmt: skip
