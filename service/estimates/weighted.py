"""Rates over all answers, from a sample that was drawn unevenly: each answer counts 1/π times."""

from __future__ import annotations

from collections.abc import Iterable

from service.estimates.estimate import Estimate
from service.estimates.wilson import wilson

NO_VARIANCE = 1e-12


def weighted(sample: Iterable[tuple[float, float]]) -> Estimate:
    """The mean of y over all answers, for a sample of (y, π) with y in [0, 1] and π > 0.

    R = Σ(y/π) / Σ(1/π) (J. Hájek, "Comment on a paper by D. Basu", in Foundations of Statistical
    Inference, 1971, 236). Its variance is that of a ratio of two sums over independent draws,
    n / (n - 1) · Σ((y - R)/π)² / (Σ1/π)² (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, section
    9A.2). The interval is Wilson's on the number of trials whose binomial variance is as large,
    R (1 - R) / Var (E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998) 193-201); where
    nothing varies, on (Σw)² / Σw² with w = 1/π (L. Kish, Survey Sampling, 1965).
    """
    drawn = list(sample)
    if not drawn:
        return Estimate(None)
    weights = [1 / pi for _, pi in drawn]
    whole = sum(weights)
    mean = sum(w * y for w, (y, _) in zip(weights, drawn, strict=True)) / whole
    squares = sum((w * (y - mean)) ** 2 for w, (y, _) in zip(weights, drawn, strict=True))
    n, variance = len(drawn), 0.0
    if n > 1:
        variance = n / (n - 1) * squares / whole**2
    if variance < NO_VARIANCE:
        effective = whole**2 / sum(w * w for w in weights)
    else:
        effective = mean * (1 - mean) / variance
    return Estimate(mean, *wilson(mean * effective, effective))


def weighted_share(sample: Iterable[tuple[float, float, float]]) -> Estimate:
    """The share of bad items among all items of all answers, for a sample of answers (x, m, π): x
    of m items are bad, m > 0 and π > 0. Answers are what was drawn, so the items are clustered.

    R = Σ(x/π) / Σ(m/π), its variance n / (n - 1) · Σ((x - R m)/π)² / (Σm/π)² (linearised; W. G.
    Cochran, Sampling Techniques, 3rd ed. 1977, sections 6.4 and 9A.2). The interval is Wilson's on
    the effective number of items, as :func:`service.estimates.rates.clustered` has it; where
    nothing varies, on (Σm/π)² / Σ(m/π)².
    """
    drawn = list(sample)
    if not drawn:
        return Estimate(None)
    items = [m / pi for _, m, pi in drawn]
    whole = sum(items)
    share = sum(x / pi for x, _, pi in drawn) / whole
    squares = sum(((x - share * m) / pi) ** 2 for x, m, pi in drawn)
    n, variance = len(drawn), 0.0
    if n > 1:
        variance = n / (n - 1) * squares / whole**2
    effective = whole**2 / sum(item * item for item in items)
    if variance >= NO_VARIANCE:
        effective = min(sum(m for _, m, _ in drawn), share * (1 - share) / variance)
    return Estimate(share, *wilson(share * effective, effective))
