"""The store's counters by app, ruleset and language: strata over which rates are held equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from service.accounting import SEPARATOR
from service.estimates.by_app import Counters
from service.estimates.rates import RATES, Rate, Rates, rates_of


class Stratum(NamedTuple):
    """Another ruleset decides otherwise, other apps and languages fail otherwise."""

    app: str
    ruleset: str
    language: str


Strata = Mapping[Stratum, Rates]


def one_rate(strata: Strata, name: str) -> dict[Stratum, Rate]:
    """``name``: one of :data:`service.estimates.rates.RATES`."""
    return {stratum: RATES[name](rates) for stratum, rates in strata.items()}


def rates_by_stratum(counters: Counters, release: str, app: str | None = None) -> Strata:
    """Of one release's live answers; ``app``: None for all of them."""
    found = _measures(counters, release, app)
    return {stratum: rates_of(measures) for stratum, measures in found.items()}


def rates_of_release(counters: Counters, release: str, app: str | None = None) -> Rates:
    """Over all strata."""
    total: Counter[str] = Counter()
    for measures in _measures(counters, release, app).values():
        total.update(measures)
    return rates_of(total)


def _measures(counters: Counters, release: str, app: str | None) -> dict[Stratum, Counter[str]]:
    found: dict[Stratum, Counter[str]] = {}
    for (counted_app, _), fields in counters.items():
        if app not in (None, counted_app):
            continue
        for name, number in fields.items():
            counted_release, ruleset, language, measure = name.split(SEPARATOR, 3)
            if counted_release == release:
                stratum = Stratum(counted_app, ruleset, language)
                found.setdefault(stratum, Counter())[measure] += number
    return found
