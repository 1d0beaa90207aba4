"""Two measurements of the same questions, paired by question. Pure.

A positive difference means more in the second; whether more is better is the caller's to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import shake_256
from math import comb, fsum, sqrt
from typing import Literal

from service.estimates.bootstrap import FEWEST, percentile_interval
from service.estimates.estimate import Estimate
from service.estimates.wilson import wilson

EXACT_SUMS = 20_000
"""A permutation test is exact up to so many different sums; past it signs are drawn."""
DRAWS = 20_000
"""Random signs of a test that is not exact."""
GRID = 1 / 2_520_000_000
"""Differences are summed as whole multiples of this, so that equal sums are equal; fractions with a
denominator up to 10 are such multiples."""

Method = Literal["McNemar exact", "sign-flip exact", "sign-flip drawn"]


@dataclass(frozen=True, slots=True)
class Sorted:
    """Questions by name: what became of them from the first to the second; ``only_first``,
    ``only_second``: with no value on the other side, so that nothing here counts them."""

    improved: tuple[str, ...]
    regressed: tuple[str, ...]
    unchanged: tuple[str, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """``p``: two-sided; the chance of a mean difference at least as large, of either sign, if each
    question were as likely to have come out the other way round."""

    __test__ = False  # no test of pytest's
    p: float
    method: Method


def sort_out(
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
    lower_is_better: bool = False,
) -> Sorted:
    """Question → value on each side; None is no value. In the order of the first."""
    improved, regressed, unchanged = list[str](), list[str](), list[str]()
    before = {name: value for name, value in first.items() if value is not None}
    after = {name: value for name, value in second.items() if value is not None}
    for name, value in before.items():
        if name not in after:
            continue
        gain = after[name] - value
        if lower_is_better:
            gain = -gain
        (unchanged if abs(gain) < GRID else improved if gain > 0 else regressed).append(name)
    return Sorted(
        tuple(improved),
        tuple(regressed),
        tuple(unchanged),
        tuple(name for name in before if name not in after),
        tuple(name for name in after if name not in before),
    )


def paired_test(pairs: Sequence[tuple[float, float]], seed: int = 0) -> Test | None:
    """(first, second) of each question. Exact for values of 0 and 1 alone, and for graded ones as
    long as they add up to few enough different sums. None without a pair."""
    if not pairs:
        return None
    if all(value in (0, 1) for pair in pairs for value in pair):
        gained = sum(second > first for first, second in pairs)
        lost = sum(second < first for first, second in pairs)
        return Test(mcnemar(gained, lost), "McNemar exact")
    return sign_flip([second - first for first, second in pairs], seed)


def mcnemar(gained: int, lost: int) -> float:
    """Two-sided p of McNemar's exact test, the sign test on the pairs that differ: 2 Σ C(n, i) / 2ⁿ
    over i ≤ min(gained, lost), at most 1 (Q. McNemar, Psychometrika 12 (1947) 153-157; exact form:
    A. Agresti, Categorical Data Analysis, 3rd ed. 2013, section 11.1.4)."""
    n = gained + lost
    ways = sum(comb(n, i) for i in range(min(gained, lost) + 1))
    return min(1.0, float(Fraction(2 * ways, 2**n)))


def sign_flip(differences: Iterable[float], seed: int = 0) -> Test:
    """Fisher's randomisation test of paired differences: the share of all 2ⁿ choices of signs whose
    sum is as far from 0 (R. A. Fisher, The Design of Experiments, 1935, section 21; for retrieval
    measures M. D. Smucker, J. Allan, B. Carterette, CIKM 2007, 623-632).

    Exact, by adding up the distribution of the sum, while it has at most :data:`EXACT_SUMS`
    different values; else from :data:`DRAWS` random choices, the observed one counted among them
    (B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39).
    """
    steps = [step for value in differences if (step := round(value / GRID))]
    observed = abs(sum(steps)) - len(steps)  # each step is off by at most half of GRID
    sums = _sums(steps)
    if sums is None:
        drawn = _drawn_sums(steps, seed)
        far = sum(abs(each) >= observed for each in drawn)
        return Test((far + 1) / (len(drawn) + 1), "sign-flip drawn")
    far = sum(ways for each, ways in sums.items() if abs(each) >= observed)
    return Test(float(Fraction(far, 2 ** len(steps))), "sign-flip exact")


def _sums(steps: Sequence[int]) -> Counter[int] | None:
    """Sum → in how many choices of signs; None where there are too many sums."""
    sums = Counter({0: 1})
    for step in steps:
        wider: Counter[int] = Counter()
        for value, ways in sums.items():
            wider[value + step] += ways
            wider[value - step] += ways
        if len(wider) > EXACT_SUMS:
            return None
        sums = wider
    return sums


def _drawn_sums(steps: Sequence[int], seed: int) -> list[int]:
    """A byte chooses the signs of eight steps at once."""
    tables = [_signed_sums(steps[start : start + 8]) for start in range(0, len(steps), 8)]
    width = len(tables)
    chosen = shake_256(f"sign-flip {seed}".encode()).digest(width * DRAWS)
    return [
        sum(table[byte] for table, byte in zip(tables, chosen[start : start + width], strict=True))
        for start in range(0, width * DRAWS, width)
    ]


def _signed_sums(steps: Sequence[int]) -> list[int]:
    return [
        sum(step if byte >> place & 1 else -step for place, step in enumerate(steps))
        for byte in range(256)
    ]


def mean_difference(
    pairs: Sequence[tuple[float, float]], seed: int = 0, *, shares: bool = True
) -> Estimate:
    """The mean of second - first over (first, second) of each question, with its 95 % interval.

    ``shares``: whether the values are in [0, 1] by what they are. Then, for 0 and 1 alone, for
    fewer than :data:`FEWEST` questions and where the differences are all equal,
    :func:`score_interval`; else a percentile bootstrap over questions. Other values, such as
    tokens, have no interval where one by a bootstrap would deceive.
    """
    if not pairs:
        return Estimate(None)
    differences = [second - first for first, second in pairs]
    known_too_little = len(pairs) < FEWEST or max(differences) - min(differences) < GRID
    values = {value for pair in pairs for value in pair}
    shares = shares and min(values) >= 0 and max(values) <= 1
    if shares and (known_too_little or values <= {0, 1}):
        return score_interval(pairs)
    mean = fsum(differences) / len(pairs)
    if known_too_little:
        return Estimate(mean)
    return Estimate(mean, *_antisymmetric(differences, seed))


def _antisymmetric(differences: Sequence[float], seed: int) -> tuple[float, float]:
    """Of the same draws whichever side is called the first."""
    turned = [-value for value in differences]
    if sorted(turned) > sorted(differences):
        low, high = percentile_interval(turned, seed)
        return -high, -low
    return percentile_interval(differences, seed)


def score_interval(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """The mean of second - first, for values in [0, 1], with a 95 % interval that is never of zero
    width.

    For 0 and 1 it is method 10 of R. G. Newcombe, "Improved confidence intervals for the difference
    between binomial proportions based on paired data", Stat. Med. 17 (1998) 2635-2650: the Wilson
    intervals of both means joined with their correlation φ, from which 1/(2n) is taken in its
    numerator where it is positive. Graded values in [0, 1] vary less than p (1 - p), which Wilson's
    interval allows for, so that the same formula is too wide for them and never too narrow.
    """
    if not pairs:
        return Estimate(None)
    n = len(pairs)
    p1 = sum(first for first, _ in pairs) / n
    p2 = sum(second for _, second in pairs) / n
    (l1, u1), (l2, u2) = wilson(p1 * n, n), wilson(p2 * n, n)
    phi = _correlation(pairs, p1, p2)
    low = _distance(u1 - p1, p2 - l2, phi)
    high = _distance(p1 - l1, u2 - p2, phi)
    return Estimate(p2 - p1, p2 - p1 - low, p2 - p1 + high)


def _correlation(pairs: Sequence[tuple[float, float]], p1: float, p2: float) -> float:
    n = len(pairs)
    spread = p1 * (1 - p1) * p2 * (1 - p2)
    if spread < GRID:
        return 0.0
    covariance = sum(first * second for first, second in pairs) / n - p1 * p2
    if covariance > 0:
        covariance = max(0.0, covariance - 1 / (2 * n))
    return covariance / sqrt(spread)


def _distance(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2))
