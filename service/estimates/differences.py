"""The difference of two independent rates: of two releases, or of two periods. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import TypeVar

from service.estimates.estimate import Estimate
from service.estimates.rates import Rate
from service.estimates.wilson import wilson

MOST_ANSWERS = 10_000_000
"""More than anybody waits for: past it no number of answers is named."""

Stratum = TypeVar("Stratum", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Difference:
    """``value``: second minus first, a difference of two shares; ``low``, ``high``: its interval,
    of 95 % unless said otherwise. ``more``: so many more answers would tell, if both sides grew
    alike and their shares stayed as they are; None where it is told already, or where no sensible
    number would."""

    value: float
    low: float
    high: float
    more: int | None = None

    @property
    def told(self) -> bool:
        """The interval leaves 0 out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class HeldEqual:
    """Two rates over the same mix of strata. ``first``, ``second``: each as it would be over that
    mix; ``left_out``: answers of the first and of the second that stand in strata in which the
    other side has none, and that nothing here speaks of; ``strata``: how many are shared."""

    first: Estimate
    second: Estimate
    difference: Difference
    left_out: tuple[int, int]
    strata: int


@dataclass(frozen=True, slots=True)
class Demand:
    """What a second rate p2 is held against: ``ratio`` · p1 + ``margin``, p1 being the first one.
    ``confidence`` of the interval, between 0 and 1."""

    ratio: float = 1.0
    margin: float = 0.0
    confidence: float = 0.95

    @property
    def z(self) -> float:
        """The quantile of the standard normal distribution of a two-sided interval."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)


PLAIN = Demand()


def difference(first: Rate, second: Rate) -> Difference | None:
    """Of two rates as they are; None where one of them has no data."""
    found = held_equal({"": first}, {"": second})
    return None if found is None else found.difference


def held_equal(
    first: Mapping[Stratum, Rate], second: Mapping[Stratum, Rate], demand: Demand = PLAIN
) -> HeldEqual | None:
    """The difference of two rates, post-stratified: both are weighted to the mix that they have
    together in the strata that both have, so that another mix of traffic is not taken for a worse
    release. None where they share no stratum with data.

    A standardised rate is Σ W_h p_h with W_h the share of both sides' trials in stratum h (direct
    standardisation: J. L. Fleiss, B. Levin, M. C. Paik, Statistical Methods for Rates and
    Proportions, 3rd ed. 2003, chapter 19). Its interval joins the Wilson intervals of the strata,
    L = Σ W_h p_h - √(Σ W_h² (p_h - l_h)²), U likewise; that of the difference joins those of the
    two rates, L = d - √((p2 - l2)² + r² (u1 - p1)²) for d = p2 - r p1 - margin: the method of
    variance estimates recovery (G. Y. Zou, A. Donner, Stat. Med. 27 (2008) 1693-1702), which is
    method 10 of R. G. Newcombe, Stat. Med. 17 (1998) 873-890, for one stratum and r = 1.
    """
    shared = [one for one in first if first[one].trials and _trials(second, one)]
    if not shared:
        return None
    whole = sum(first[one].trials + second[one].trials for one in shared)
    weights = {one: (first[one].trials + second[one].trials) / whole for one in shared}
    before = _Standardised(tuple((weight, first[one]) for one, weight in weights.items()))
    after = _Standardised(tuple((weight, second[one]) for one, weight in weights.items()))
    found = _joined(before, after, demand, 1.0)
    if not found.told:
        more = _more(before, after, demand)
        found = Difference(found.value, found.low, found.high, more)
    return HeldEqual(
        Estimate(before.value, *before.bounds(demand.z)),
        Estimate(after.value, *after.bounds(demand.z)),
        found,
        (_answers(first) - before.answers, _answers(second) - after.answers),
        len(shared),
    )


def against(rate: Rate, bound: float, confidence: float = 0.95) -> Difference | None:
    """One rate minus a fixed bound, by its Wilson interval; None without data."""
    alone = {"": rate}
    found = held_equal(alone, alone, Demand(0.0, bound, confidence))
    if found is None:
        return None
    more = found.difference.more
    # The rate stood on both sides, the first of them with weight 0.
    return Difference(
        found.difference.value, found.difference.low, found.difference.high,
        None if more is None else ceil(more / 2),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Standardised:
    """``parts``: (weight, rate) of each stratum; the weights sum to 1."""

    parts: tuple[tuple[float, Rate], ...]

    @property
    def value(self) -> float:
        return sum(weight * rate.hits / rate.trials for weight, rate in self.parts)

    @property
    def answers(self) -> int:
        return sum(rate.answers for _, rate in self.parts)

    def bounds(self, z: float, scale: float = 1.0) -> tuple[float, float]:
        """``scale``: with so many times the answers."""
        below = above = 0.0
        for weight, rate in self.parts:
            share = rate.hits / rate.trials
            effective = rate.effective * scale
            low, high = wilson(share * effective, effective, z)
            below += (weight * (share - low)) ** 2
            above += (weight * (high - share)) ** 2
        return self.value - sqrt(below), self.value + sqrt(above)


def _joined(
    first: _Standardised, second: _Standardised, demand: Demand, scale: float
) -> Difference:
    (low1, high1), (low2, high2) = first.bounds(demand.z, scale), second.bounds(demand.z, scale)
    value = second.value - demand.ratio * first.value - demand.margin
    below = (second.value - low2) ** 2 + (demand.ratio * (high1 - first.value)) ** 2
    above = (high2 - second.value) ** 2 + (demand.ratio * (first.value - low1)) ** 2
    return Difference(value, value - sqrt(below), value + sqrt(above))


def _more(first: _Standardised, second: _Standardised, demand: Demand) -> int | None:
    """By bisection: the interval shrinks with every answer more."""
    answers = first.answers + second.answers
    short, enough = 1.0, 1 + MOST_ANSWERS / answers
    if not _joined(first, second, demand, enough).told:
        return None
    while (enough - short) * answers > 0.5:
        middle = (short + enough) / 2
        told = _joined(first, second, demand, middle).told
        short, enough = (short, middle) if told else (middle, enough)
    return ceil((enough - 1) * answers)


def _trials(side: Mapping[Stratum, Rate], stratum: Stratum) -> int:
    return side[stratum].trials if stratum in side else 0


def _answers(side: Mapping[Stratum, Rate]) -> int:
    return sum(rate.answers for rate in side.values())
