"""An estimate held against a bound: it may be too uncertain to tell. Pure."""

from __future__ import annotations

from enum import StrEnum

from service.estimates.estimate import Estimate


class Outcome(StrEnum):
    PASS = "pass"  # noqa: S105 (an outcome, no password)
    FAIL = "fail"
    UNDECIDED = "undecided"


def at_least(estimate: Estimate, bound: float) -> Outcome:
    """``pass`` where the whole interval lies at the bound or above it, ``fail`` where it lies below
    it; ``undecided`` where it spans the bound, and without an interval."""
    if estimate.low is None or estimate.high is None:
        return Outcome.UNDECIDED
    if estimate.low >= bound:
        return Outcome.PASS
    return Outcome.FAIL if estimate.high < bound else Outcome.UNDECIDED


def worst(outcomes: list[Outcome]) -> Outcome:
    """``fail`` before ``undecided`` before ``pass``; ``pass`` of none."""
    for outcome in (Outcome.FAIL, Outcome.UNDECIDED):
        if outcome in outcomes:
            return outcome
    return Outcome.PASS
