"""A rate over all answers, from a judge's verdicts on many and people's labels on few. Pure.

The labels are few, so they are stratified by what the judge said: it need not be right, only to
tell apart. Where it tells nothing apart, the interval is that of the labels alone. Estimates that
correct the judge by a mean difference (prediction-powered inference) have a normal interval, which
collapses while no disagreement was seen; this one stays wide, with 20 labels and with none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt

from service.estimates.estimate import Z95, Estimate
from service.estimates.wilson import wilson

MOST_LABELS = 1_000_000
"""More than anybody gives: past it no number of labels is named."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Answers that were drawn for the judge alike. ``share``: of all answers, N_s / N, counted on
    100 %; ``judged``: M_s, their (effective) number; ``cells``: where its verdicts put them, as
    shares of M_s that add up to 1. Empty where none was judged."""

    share: float
    judged: float
    cells: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Of one cell: so many labels, and so many of them *bad*. Both may be effective numbers. The
    labels of a cell have to be a random sample of it."""

    labels: float = 0.0
    bad: float = 0.0

    @property
    def share(self) -> float:
        """One half where nobody said anything: the middle of what may be."""
        return self.bad / self.labels if self.labels else 0.5

    @property
    def good(self) -> Labelled:
        """The same labels, *good* counted."""
        return Labelled(self.labels, self.labels - self.bad)


Labels = Mapping[str, Labelled]
"""Cell → its labels. A cell that is not in there has none, and its share lies in [0, 1]."""
NOWHERE = "nowhere"
"""The cell of answers that no verdict puts anywhere."""
_NONE = Labelled()


def one_stratum(judged: Mapping[str, float]) -> list[Stratum]:
    """Of answers that were all drawn alike. ``judged``: cell → M_h."""
    whole = sum(judged.values())
    return [Stratum(1.0, whole, {cell: number / whole for cell, number in judged.items()})]


def stratified(strata: Sequence[Stratum], labels: Labels) -> Estimate:
    """The share of bad answers among all.

    θ = Σ W_h p_h, W_h = Σ_s (N_s / N) w_sh, where w_sh is the share of cell h in the judged ones of
    stratum s. Limits: L = θ - √(Σ W_h² (p_h - l_h)² + z² V), U likewise (MOVER: G. Y. Zou, A.
    Donner, Stat. Med. 27 (2008) 1693-1702), l_h and u_h Wilson's, [0, 1] without a label. V is the
    variance of θ that comes from W, as the judged ones are a sample too:
    V = Σ_s (N_s / N)² (Σ_h w_sh p_h² - (Σ_h w_sh p_h)²) / M_s, multinomial. With one stratum it is
    (Σ W_h p_h² - θ²) / M.
    """
    if not strata:
        return Estimate(None)
    value, below, above = _weighted(cell_weights(strata), labels)
    drawn = Z95**2 * sum(_drawn(stratum, labels) for stratum in strata)
    return Estimate(
        value, max(0.0, value - sqrt(below + drawn)), min(1.0, value + sqrt(above + drawn))
    )


def cell_weights(strata: Iterable[Stratum]) -> dict[str, float]:
    """W_h, the share of each cell among all answers."""
    weights: dict[str, float] = {}
    for stratum in strata:
        for cell, share in (stratum.cells or {NOWHERE: 1.0}).items():
            weights[cell] = weights.get(cell, 0.0) + stratum.share * share
    return weights


def judged_number(strata: Iterable[Stratum]) -> float:
    """How many answers, drawn alike, would tell W_h as well as these: (Σ N_s)² / Σ N_s² / M_s (L.
    Kish, Survey Sampling, 1965, 11.7). Strata of which none was judged do not enter."""
    told = [(stratum.share, stratum.judged) for stratum in strata if stratum.judged]
    spread = sum(share * share / judged for share, judged in told)
    return sum(share for share, _ in told) ** 2 / spread if spread else 0.0


def _weighted(weights: Mapping[str, float], labels: Labels) -> tuple[float, float, float]:
    """Σ W p, and the squares of how far its limits lie below and above it."""
    value = below = above = 0.0
    for cell, weight in weights.items():
        found = labels.get(cell, _NONE)
        low, high = wilson(found.bad, found.labels)
        value += weight * found.share
        below += (weight * (found.share - low)) ** 2
        above += (weight * (high - found.share)) ** 2
    return value, below, above


def _drawn(stratum: Stratum, labels: Labels) -> float:
    if not stratum.judged:
        return 0.0
    shares = [(share, labels.get(cell, _NONE).share) for cell, share in stratum.cells.items()]
    mean = sum(share * bad for share, bad in shares)
    spread = sum(share * bad * bad for share, bad in shares) - mean * mean
    return stratum.share**2 * max(0.0, spread) / stratum.judged


def sensitivity_weighted(
    weights: Mapping[str, float], labels: Labels, flagged: Collection[str], judged: float = inf
) -> Estimate:
    """Of the bad answers, the share that the judge flags: A / (A + B), A = Σ W_h p_h over the cells
    in ``flagged``, B over the others. None where no label is of a bad answer.

    The limits are those of the ratio of both, which join those of A and B (MOVER-R: A. Donner, G.
    Y. Zou, "Closed-form confidence intervals for functions of the normal mean and standard
    deviation", Stat. Methods Med. Res. 21 (2012) 347-359). ``judged``: M, the (effective) number of
    answers that the W were counted on; they are a sample too, and infinitely many none. Its part of
    the variance of A is Σ W p² / M, of B likewise: multinomial, without the -A² / M, -B² / M and
    the covariance -A B / M, which cancel in the variance of a ratio. A side on which nothing was
    judged may hold what Wilson's limit says of 0 in M. Where flagged answers were labelled
    first, the plain share says how people chose: .984 where it is .75
    (docs/measuring/judge-check.md).
    """
    if not any(labels.get(cell, _NONE).bad for cell in weights):
        return Estimate(None)
    caught = _limits({cell: w for cell, w in weights.items() if cell in flagged}, labels, judged)
    missed = _limits(
        {cell: w for cell, w in weights.items() if cell not in flagged}, labels, judged
    )
    value = caught[0] / (caught[0] + missed[0])
    # The larger one goes under the line: the limits are the same, but for one that is 0 above it.
    if caught[0] < missed[0]:
        low, high = _ratio_limits(caught, missed)
        return Estimate(value, low / (1 + low), high / (1 + high) if high < inf else 1.0)
    low, high = _ratio_limits(missed, caught)
    return Estimate(value, 1 / (1 + high), 1 / (1 + low))


def specificity_weighted(
    weights: Mapping[str, float], labels: Labels, flagged: Collection[str], judged: float = inf
) -> Estimate:
    """Of the good answers, the share that the judge does not flag, as
    :func:`sensitivity_weighted`."""
    good = {cell: found.good for cell, found in labels.items()}
    fine = [cell for cell in weights if cell not in flagged]
    return sensitivity_weighted(weights, good, fine, judged)


_Limited = tuple[float, float, float]
"""Value, low, high."""


def _limits(weights: Mapping[str, float], labels: Labels, judged: float) -> _Limited:
    if not weights:
        return 0.0, 0.0, wilson(0, judged)[1] if judged < inf else 0.0
    value, below, above = _weighted(weights, labels)
    drawn = Z95**2 * sum(w * labels.get(cell, _NONE).share ** 2 for cell, w in weights.items())
    below, above = below + drawn / judged, above + drawn / judged
    return value, max(0.0, value - sqrt(below)), value + sqrt(above)


def _ratio_limits(over: _Limited, under: _Limited) -> tuple[float, float]:
    """Of ``over`` / ``under``, independent and not below 0."""
    (x, x_low, x_high), (y, y_low, y_high) = over, under
    low_root = (x * y) ** 2 - x_low * y_high * (2 * x - x_low) * (2 * y - y_high)
    high_root = (x * y) ** 2 - x_high * y_low * (2 * x - x_high) * (2 * y - y_low)
    low_under, high_under = y_high * (2 * y - y_high), y_low * (2 * y - y_low)
    # Where y's own interval reaches past twice y, the lower limit is 0, as at y_high = 2y.
    low = (x * y - sqrt(max(0.0, low_root))) / low_under if low_under > 0 else 0.0
    high = (x * y + sqrt(max(0.0, high_root))) / high_under if high_under > 0 else inf
    return max(0.0, low), high


def labels_needed(
    strata: Sequence[Stratum], labels: Labels, half_width: float = 0.02
) -> int | None:
    """How many more labels would bring the interval of :func:`stratified` to ``half_width`` on
    average of its sides, if they fell on the cells by their weights (as a random sample's do) and
    found the shares that are known now, one half where none is. None where no number would: then
    too few answers were judged.
    """
    if not strata:
        return None
    weights = cell_weights(strata)

    def enough(more: int) -> bool:
        return _half_width(stratified(strata, _grown(weights, labels, more))) <= half_width

    if enough(0):
        return 0
    if not enough(MOST_LABELS):
        return None
    return bisect_left(range(MOST_LABELS), True, key=enough)


def _half_width(estimate: Estimate) -> float:
    return ((estimate.high or 0.0) - (estimate.low or 0.0)) / 2


def _grown(weights: Mapping[str, float], labels: Labels, more: int) -> dict[str, Labelled]:
    grown = {}
    for cell, weight in weights.items():
        found = labels.get(cell, _NONE)
        number = found.labels + more * weight
        grown[cell] = Labelled(number, found.share * number)
    return grown
