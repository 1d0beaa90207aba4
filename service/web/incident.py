"""What changed at a point in time, and what went wrong since: two windows of the hourly counters
held against each other. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.accounting import SEPARATOR
from service.estimates.differences import Difference, difference
from service.estimates.rates import RATES, Rate, rates_of
from service.makeup import PARTS, Makeup
from service.web.overview import HOURS_KNOWN

LEAST_BEFORE_H = 24
MOST_H = 7 * 24
"""Of each window, hours."""
SHIFT = 0.05
"""A part has changed where the share of one of its values moved by so much."""
MOST_CAUSES = 8
COMPARED = ("unresolved", "unsupported", "abstained", "flagged")
"""Rates that an incident may be about; a rise of any of them is bad."""
BESIDE = ("citing", "unread_citations", "unread_numbers")
"""Companions: where one of these moved, a rate above says less."""
CAUSE = "cause:"

Counters = Mapping[tuple[str, int], Mapping[str, int]]
"""(app, hours since 1970) → field → n."""


@dataclass(frozen=True, slots=True)
class Window:
    """Hours since 1970, ``end`` not included."""

    first: int
    end: int

    def __contains__(self, hour: int) -> bool:
        return self.first <= hour < self.end


@dataclass(frozen=True, slots=True)
class Windows:
    """``whole_days``: so long ago that only days are known; both windows then begin with a day."""

    before: Window
    after: Window
    whole_days: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """What answers were made with: release, ruleset, or a part of a release. ``before``,
    ``after``: value → share of the answers of which it was told, the largest first; empty where
    nobody told it."""

    name: str
    before: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def changed(self) -> bool:
        values = {*self.before, *self.after}
        moved = (abs(self.after.get(one, 0.0) - self.before.get(one, 0.0)) for one in values)
        return bool(self.before and self.after) and max(moved, default=0.0) >= SHIFT


@dataclass(frozen=True, slots=True)
class Held:
    """A rate before and after; ``check`` and ``reason`` where it is that of a cause."""

    name: str
    before: Rate
    after: Rate
    check: str = ""
    reason: str = ""

    @property
    def change(self) -> Difference | None:
        return difference(self.before, self.after)

    @property
    def risen(self) -> bool:
        change = self.change
        return change is not None and change.low > 0


@dataclass(frozen=True, slots=True)
class Incident:
    """``checked``: answers before and after; ``worst``: the rate that rose most, None where none
    rose beyond chance."""

    windows: Windows
    checked: tuple[int, int]
    parts: tuple[Part, ...]
    rates: tuple[Held, ...]
    beside: tuple[Held, ...]
    causes: tuple[Held, ...]

    @property
    def worst(self) -> Held | None:
        risen = [held for held in self.rates if held.risen]
        return max(risen, key=_rise, default=None)

    @property
    def changed(self) -> list[Part]:
        return [part for part in self.parts if part.changed]


def windows_of(since_ms: int, until_ms: int, now_ms: int) -> Windows:
    """The hour of ``since_ms`` is the first one after. Before it as many hours as after it, at
    least a day; neither side more than a week."""
    since, until = since_ms // 3_600_000, -(-until_ms // 3_600_000)
    now = now_ms // 3_600_000
    whole_days = since - MOST_H < now - HOURS_KNOWN
    if whole_days:
        since, until = since // 24 * 24, -(-until // 24) * 24
    end = min(max(until, since + 1), since + MOST_H)
    length = min(max(end - since, LEAST_BEFORE_H), MOST_H)
    return Windows(Window(since - length, since), Window(since, end), whole_days)


def incident(
    counters: Counters, makeups: Sequence[Makeup], app: str, windows: Windows, release: str = ""
) -> Incident:
    """``counters``: of both windows; ``makeups``: of the app, by rising hour; ``release``: only
    its answers after, held against all before."""
    before = _Side(counters, app, windows.before)
    after = _Side(counters, app, windows.after, release)
    return Incident(
        windows=windows,
        checked=(before.measures["checked"], after.measures["checked"]),
        parts=tuple(_parts(before, after, makeups)),
        rates=tuple(_held(name, before, after) for name in COMPARED),
        beside=tuple(_held(name, before, after) for name in BESIDE),
        causes=tuple(_causes(before, after)),
    )


class _Side:
    """One window's counts. ``used``: (hour, release, ruleset) → checked answers."""

    def __init__(self, counters: Counters, app: str, window: Window, release: str = "") -> None:
        self.measures: Counter[str] = Counter()
        self.used: Counter[tuple[int, str, str]] = Counter()
        for (of, hour), fields in counters.items():
            if of == app and hour in window:
                for field, number in fields.items():
                    self._add(hour, field, number, release)

    def _add(self, hour: int, field: str, number: int, only: str) -> None:
        release, ruleset, _, measure = field.split(SEPARATOR, 3)
        if only and release != only:
            return
        self.measures[measure] += number
        if measure == "checked":
            self.used[hour, release, ruleset] += number

    def shares(self, values: Mapping[tuple[int, str, str], str]) -> dict[str, float]:
        """Of what each key of ``used`` stands for, its share of those that stand for anything."""
        told: Counter[str] = Counter()
        for key, number in self.used.items():
            if values.get(key):
                told[values[key]] += number
        return {value: number / told.total() for value, number in told.most_common()}


def _parts(before: _Side, after: _Side, makeups: Sequence[Makeup]) -> Iterator[Part]:
    keys = {*before.used, *after.used}
    told = {key: _makeup_at(makeups, key[1], key[0]) for key in keys}
    values: dict[str, dict[tuple[int, str, str], str]] = {
        "release": {key: key[1] for key in keys},
        **{name: {key: told[key].get(name, "") for key in keys} for name in PARTS},
        "ruleset": {key: key[2] for key in keys},
    }
    for name, of in values.items():
        yield Part(name, before.shares(of), after.shares(of))


def _makeup_at(makeups: Sequence[Makeup], release: str, hour: int) -> Mapping[str, str]:
    """What the release was made of in that hour: as it was told last until then, or else first."""
    own = [made for made in makeups if made.release == release]
    known = [made for made in own if made.hour <= hour] or own[:1]
    return known[-1].told() if known else {}


def _held(name: str, before: _Side, after: _Side) -> Held:
    part = RATES[name]
    return Held(name, part(rates_of(before.measures)), part(rates_of(after.measures)))


def _causes(before: _Side, after: _Side) -> list[Held]:
    """Those with any answer, what rose most first, then what is most frequent now."""
    names = {name for side in (before, after) for name in side.measures if name.startswith(CAUSE)}
    found = []
    for name in names:
        _, check, reason = name.split(":", 2)
        rates = [Rate.of(side.measures[name], side.measures["checked"]) for side in (before, after)]
        found.append(Held(name, rates[0], rates[1], check, reason))
    found.sort(key=lambda held: (not held.risen, -_rise(held), -held.after.hits, held.name))
    return found[:MOST_CAUSES]


def _rise(held: Held) -> float:
    change = held.change
    return change.value if change is not None else 0.0
