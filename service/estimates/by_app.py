"""The store's hourly counters, summed by app."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from service.accounting import measure_of

Counters = Mapping[tuple[str, int], Mapping[str, int]]
"""(app, hours since 1970) → field → n, as :func:`service.accounting.counters_of` makes them."""


def measures_by_app(counters: Counters) -> dict[str, Counter[str]]:
    """App → measure → n, over hours, releases, rulesets, languages and tags."""
    found: dict[str, Counter[str]] = {}
    for (app, _), fields in counters.items():
        total = found.setdefault(app, Counter())
        for field, number in fields.items():
            total[measure_of(field)] += number
    return found


def silent_hours(counters: Counters, hours: range, before: Collection[str]) -> dict[str, int]:
    """App → how many of ``hours`` had no checked answer; from its first one on, but for the apps
    that had one ``before``. Apps that never had any are absent."""
    heard: dict[str, set[int]] = {app: set() for app in before}
    for (app, hour), fields in counters.items():
        if hour in hours and any(measure_of(field) == "checked" for field in fields):
            heard.setdefault(app, set()).add(hour)
    return {
        app: len(range(hours.start if app in before else min(known), hours.stop)) - len(known)
        for app, known in heard.items()
    }
