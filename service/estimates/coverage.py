"""How much of what was drawn for the judge it was given. What an exhausted budget or a full backlog
skips is not skipped at random, so this stands beside every judged rate. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.estimates.by_app import Counters, measures_by_app
from service.sampling import BUDGET_SKIPPED, SAMPLED_OUT, SELECTED, STRATA


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of answers. ``selected``: that the judge has, or will have; ``skipped``: that the
    draw chose and the budget or the backlog refused. Second draws are in both."""

    selected: int
    skipped: int

    @property
    def drawn(self) -> int:
        return self.selected + self.skipped

    @property
    def value(self) -> float | None:
        """selected / (selected + skipped); None where nothing was drawn.

        A count, so without an interval, and not weighted by 1/π: what an exhausted budget skips is
        stood for by the audits of its time, with their smaller π, so that weights of the skipped
        would count the same answers twice.
        """
        return self.selected / self.drawn if self.drawn else None


def coverage_of(measures: Mapping[str, int]) -> Coverage:
    """From the counters' measures (:mod:`service.accounting`), summed over whatever is asked."""
    parts = coverage_by_stratum(measures).values()
    return Coverage(sum(part.selected for part in parts), sum(part.skipped for part in parts))


def coverage_by_stratum(measures: Mapping[str, int]) -> dict[str, Coverage]:
    """Stratum → its coverage; strata of which nothing was drawn are absent."""
    found = {
        stratum: Coverage(
            measures.get(f"judge:{SELECTED}:{stratum}", 0),
            measures.get(f"judge:{BUDGET_SKIPPED}:{stratum}", 0),
        )
        for stratum in STRATA
    }
    return {stratum: part for stratum, part in found.items() if part.drawn}


def eligible_by_stratum(measures: Mapping[str, int]) -> dict[str, int]:
    """Stratum → N_s: all answers that could have been drawn from it, drawn or not."""
    return {
        stratum: sum(
            measures.get(f"judge:{selection}:{stratum}", 0)
            for selection in (SELECTED, SAMPLED_OUT, BUDGET_SKIPPED)
        )
        for stratum in STRATA
    }


def coverage_by_app(counters: Counters) -> dict[str, Coverage]:
    """``counters``: of the hours asked for. App → its coverage; apps of which nothing was drawn are
    absent."""
    found = {app: coverage_of(counted) for app, counted in measures_by_app(counters).items()}
    return {app: coverage for app, coverage in found.items() if coverage.drawn}
