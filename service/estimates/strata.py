"""The store's counters by app, ruleset, language and tags: strata that hold rates equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from service.accounting import parse_field
from service.estimates.by_app import Counters
from service.estimates.rates import RATES, Rate, Rates, rates_of


class Stratum(NamedTuple):
    """Another ruleset decides otherwise, other apps, languages and channels fail otherwise.
    ``tags``: as :meth:`service.policy.AppPolicy.counted_tags` writes them."""

    app: str
    ruleset: str
    language: str
    tags: str = ""

    @property
    def tag_names(self) -> tuple[str, ...]:
        return tuple(tag.partition("=")[0] for tag in self.tags.split(",") if tag)


Strata = Mapping[Stratum, Rates]
Measured = Mapping[Stratum, Mapping[str, int]]
"""Stratum → measure → n."""


def one_rate(strata: Strata, name: str) -> dict[Stratum, Rate]:
    """``name``: one of :data:`service.estimates.rates.RATES`."""
    return {stratum: RATES[name](rates) for stratum, rates in strata.items()}


def rates_of_release(counters: Counters, release: str, app: str | None = None) -> Rates:
    """Over all strata of its live answers; ``app``: None for all of them."""
    total: Counter[str] = Counter()
    for measures in _measures(counters, release, app).values():
        total.update(measures)
    return rates_of(total)


def rates_of_both(
    counters: Counters, first: str, second: str, app: str | None = None
) -> tuple[Strata, Strata]:
    """Of two releases' live answers, in strata that can be compared."""
    return in_shared_strata(_measures(counters, first, app), _measures(counters, second, app))


def in_shared_strata(first: Measured, second: Measured) -> tuple[Strata, Strata]:
    """Tags of an app make strata where both sides count tags of the same names. Else one of them
    is older than the policy that names them, and they are summed over."""
    counted = [{(one.app, one.tag_names) for one in side} for side in (first, second)]
    apps = {app for app, _ in counted[0] & counted[1]}
    return _by_tags_of(first, apps), _by_tags_of(second, apps)


def _by_tags_of(side: Measured, apps: Collection[str]) -> Strata:
    found: dict[Stratum, Counter[str]] = {}
    for stratum, measures in side.items():
        kept = stratum if stratum.app in apps else stratum._replace(tags="")
        found.setdefault(kept, Counter()).update(measures)
    return {stratum: rates_of(measures) for stratum, measures in found.items()}


def parts_held_equal(first: Strata, second: Strata) -> str:
    """What tells the strata of these two sides apart, in words."""
    names = sorted({name for side in (first, second) for one in side for name in one.tag_names})
    if not names:
        return "app, ruleset and language"
    return f"app, ruleset, language and {'tag' if len(names) == 1 else 'tags'} {', '.join(names)}"


def _measures(counters: Counters, release: str, app: str | None) -> dict[Stratum, Counter[str]]:
    found: dict[Stratum, Counter[str]] = {}
    for (counted_app, _), fields in counters.items():
        if app not in (None, counted_app):
            continue
        for name, number in fields.items():
            field = parse_field(name)
            if field.release == release:
                stratum = Stratum(counted_app, field.ruleset, field.language, field.tags)
                found.setdefault(stratum, Counter())[field.measure] += number
    return found
