"""Two releases held against each other by their live answers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.estimates.by_app import Counters
from service.estimates.differences import HeldEqual, held_equal
from service.estimates.rates import RATES
from service.estimates.strata import Strata, one_rate, rates_by_stratum
from service.makeup import Makeup
from service.measuring.attribution import Attribution, attribution_of


@dataclass(frozen=True, slots=True)
class LiveRate:
    """``held``: over the mix that both releases have in common, None where they share nothing."""

    name: str
    held: HeldEqual | None


@dataclass(frozen=True, slots=True)
class LiveComparison:
    """``checked``: answers of each; ``rulesets``: under which each was checked."""

    first: str
    second: str
    apps: tuple[str, ...]
    attribution: Attribution
    checked: tuple[int, int]
    rulesets: tuple[tuple[str, ...], tuple[str, ...]]
    rates: tuple[LiveRate, ...]


def compare_releases(
    counters: Counters,
    makeups: Iterable[Makeup],
    first: str,
    second: str,
    app: str | None = None,
) -> LiveComparison:
    """``makeups``: of the apps compared."""
    before, after = rates_by_stratum(counters, first, app), rates_by_stratum(counters, second, app)
    apps = sorted({stratum.app for stratum in (*before, *after)})
    made = list(makeups)
    return LiveComparison(
        first,
        second,
        tuple(apps),
        attribution_of(made_of(made, first, apps), made_of(made, second, apps)),
        (_checked(before), _checked(after)),
        (_rulesets(before), _rulesets(after)),
        tuple(
            LiveRate(name, held_equal(one_rate(before, name), one_rate(after, name)))
            for name in RATES
        ),
    )


def made_of(makeups: Sequence[Makeup], release: str, apps: Iterable[str]) -> dict[str, str]:
    """What the release was last told to be made of; of several apps, all that they told."""
    found: dict[str, dict[str, str]] = {}
    for app in apps:
        for made in sorted(makeups, key=lambda made: made.hour):
            if (made.app, made.release) == (app, release):
                for part, told in made.told().items():
                    found.setdefault(part, {})[app] = told
    return {part: " + ".join(dict.fromkeys(told.values())) for part, told in found.items()}


def _checked(strata: Strata) -> int:
    return sum(rates.checked for rates in strata.values())


def _rulesets(strata: Strata) -> tuple[str, ...]:
    return tuple(sorted({stratum.ruleset for stratum in strata}))
