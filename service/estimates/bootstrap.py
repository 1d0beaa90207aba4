"""The mean of a measure over questions, and how far the mean over all such questions may be."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from hashlib import shake_256
from math import fsum

from service.estimates.estimate import Estimate
from service.estimates.wilson import wilson

FEWEST = 30
"""With fewer questions a bootstrap's interval is too narrow: it knows no value it did not see."""

RESAMPLES = 1999
"""With 1,999 the ends are order statistics, the 50th from below and from above."""

_TAIL = 50
_BITS = 32


def question_mean(values: Sequence[float], seed: int = 0) -> Estimate:
    """The mean of values in [0, 1], one a question, with its 95 % interval.

    From :data:`FEWEST` questions on a percentile bootstrap over questions; below, and where all
    values are equal, Wilson's, as if each value were that share of one trial: no values between 0
    and 1 vary more than 0 and 1 themselves with the same mean, so it is not too narrow.
    """
    if not values:
        return Estimate(None)
    mean = fsum(values) / len(values)
    if len(values) < FEWEST or min(values) == max(values):
        return Estimate(mean, *wilson(mean * len(values), len(values)))
    return Estimate(mean, *percentile_interval(values, seed))


def percentile_interval(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile interval of the mean of at least one value, of any range: that of the
    means of :data:`RESAMPLES` samples of as many values, drawn with replacement (B. Efron, R. J.
    Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; the number of resamples after
    A. C. Davison, D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 2.4).

    Neither order nor clock has a part in it: the same values and seed give the same interval.
    """
    ordered, n = sorted(values), len(values)
    means = sorted(
        fsum(ordered[word * n >> _BITS] for word in _words(seed, resample, n)) / n
        for resample in range(RESAMPLES)
    )
    return means[_TAIL - 1], means[-_TAIL]


def _words(seed: int, resample: int, count: int) -> array[int]:
    """Uniform whole numbers below 2³², from SHAKE-256 of seed and resample."""
    words = array("I")
    words.frombytes(shake_256(f"{seed}:{resample}".encode()).digest(count * words.itemsize))
    return words
