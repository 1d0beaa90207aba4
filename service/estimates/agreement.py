"""How far two people who labelled the same answers agree, and what chance would have done.

Kappa falls towards 0 where nearly everything is of one class, however well people agree (of 200
answers, 192 good for both and 1 bad for both: kappa 0.20, AC1 0.96, agreement 0.97). So neither
stands alone: :class:`Agreement` has both, the observed agreement, and the table of classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from service.estimates.estimate import Z95, Estimate
from service.estimates.wilson import wilson

NO_VARIANCE = 1e-12
"""Below it a variance is 0 but for rounding. Nobody knows more for having seen no disagreement: an
interval of width 0 is not given."""


@dataclass(frozen=True, slots=True)
class ClassTable:
    """``counts[i][j]``: answers that the first put into ``categories[i]``, the second into
    ``categories[j]``."""

    categories: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def n(self) -> int:
        return sum(map(sum, self.counts))

    @property
    def agreed(self) -> int:
        return sum(self.counts[k][k] for k in range(len(self.categories)))


@dataclass(frozen=True, slots=True)
class Agreement:
    """``observed``: share of equal labels, with its Wilson interval; ``kappa``: Cohen's, ``ac1``:
    Gwet's, with intervals of normal approximation (too narrow below some 30 answers)."""

    table: ClassTable
    observed: Estimate
    kappa: Estimate
    ac1: Estimate

    @property
    def n(self) -> int:
        return self.table.n


def agreement(pairs: Iterable[tuple[str, str]], categories: Sequence[str] = ()) -> Agreement:
    """Of two labels for each answer. ``categories``: the scale, in the order of the table; labels
    outside it follow in alphabetical order. AC1 counts on the whole scale, used or not."""
    counts = Counter(pairs)
    seen = {str(label) for pair in counts for label in pair}
    scale = (*map(str, categories), *sorted(seen - set(map(str, categories))))
    rows = tuple(tuple(counts[first, second] for second in scale) for first in scale)
    return agreement_of(ClassTable(scale, rows))


def agreement_of(table: ClassTable) -> Agreement:
    return Agreement(table, _observed(table), cohen_kappa(table), gwet_ac1(table))


def _observed(table: ClassTable) -> Estimate:
    if not table.n:
        return Estimate(None)
    return Estimate(table.agreed / table.n, *wilson(table.agreed, table.n))


def cohen_kappa(table: ClassTable) -> Estimate:
    """(po - pe) / (1 - pe), pe = Σ p_i. p_.i. No value where both put everything into one class
    (pe = 1). J. Cohen, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20
    (1960) 37-46. Standard error, valid for any kappa: J. L. Fleiss, J. Cohen, B. S. Everitt, "Large
    sample standard errors of kappa and weighted kappa", Psychol. Bull. 72 (1969) 323-327.
    """
    if not table.n:
        return Estimate(None)
    shares, rows, columns = _shares(table)
    classes = range(len(rows))
    observed = sum(shares[k][k] for k in classes)
    chance = sum(rows[k] * columns[k] for k in classes)
    if chance >= 1:
        return Estimate(None)
    kappa = (observed - chance) / (1 - chance)
    equal = sum(shares[k][k] * (1 - (rows[k] + columns[k]) * (1 - kappa)) ** 2 for k in classes)
    unequal = (1 - kappa) ** 2 * sum(
        shares[i][j] * (columns[i] + rows[j]) ** 2 for i in classes for j in classes if i != j
    )
    shift = (kappa - chance * (1 - kappa)) ** 2
    return _coefficient(kappa, (equal + unequal - shift) / ((1 - chance) ** 2 * table.n), table.n)


def gwet_ac1(table: ClassTable) -> Estimate:
    """(po - pe) / (1 - pe), pe = Σ π_k (1 - π_k) / (q - 1), π_k the mean of both shares of class k,
    q the number of classes; no value for a scale of one class. K. L. Gwet, "Computing inter-rater
    reliability and its variance in the presence of high agreement", Br. J. Math. Stat. Psychol. 61
    (2008) 29-48. Standard error: Gwet's too, from the linearised coefficient of each answer with
    the divisor n(n - 1), as his R package irrCAC computes it.
    """
    n, classes = table.n, range(len(table.categories))
    if not n or len(classes) < 2:
        return Estimate(None)
    shares, rows, columns = _shares(table)
    means = [(rows[k] + columns[k]) / 2 for k in classes]
    rarity = [(1 - mean) / (len(classes) - 1) for mean in means]
    observed = sum(shares[k][k] for k in classes)
    chance = sum(mean * rare for mean, rare in zip(means, rarity, strict=True))
    ac1 = (observed - chance) / (1 - chance)

    def deviation(i: int, j: int) -> float:
        of_chance = (rarity[i] + rarity[j]) / 2 - chance
        return ((i == j) - chance - 2 * (1 - ac1) * of_chance) / (1 - chance) - ac1

    squares = sum(shares[i][j] * deviation(i, j) ** 2 for i in classes for j in classes)
    return _coefficient(ac1, squares / (n - 1) if n > 1 else 0.0, n)


def _shares(table: ClassTable) -> tuple[list[list[float]], list[float], list[float]]:
    """Of the cells, the rows and the columns."""
    shares = [[count / table.n for count in row] for row in table.counts]
    return (
        shares,
        [sum(row) for row in shares],
        [sum(column) for column in zip(*shares, strict=True)],
    )


def _coefficient(value: float, variance: float, n: int) -> Estimate:
    if n < 2 or variance < NO_VARIANCE:
        return Estimate(value)
    se = sqrt(variance)
    return Estimate(value, max(-1.0, value - Z95 * se), min(1.0, value + Z95 * se), se)
