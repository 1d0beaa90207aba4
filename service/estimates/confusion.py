"""A judge held against people: who said what how often, and how often the judge is right. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from service.estimates.agreement import Agreement, agreement
from service.estimates.estimate import Estimate
from service.estimates.stratified import (
    Labels,
    sensitivity_weighted,
    specificity_weighted,
)

BAD, FINE = "bad", "fine"
CLASSES = (BAD, FINE)


@dataclass(frozen=True, slots=True)
class Confusion:
    """``agreement``: of judge (rows) and people (columns) over the labelled answers, with the
    table; ``sensitivity``: of the bad answers, the share that the judge calls bad; ``specificity``:
    of the fine ones, the share that it calls fine; both over all answers, not over the labelled."""

    agreement: Agreement
    sensitivity: Estimate
    specificity: Estimate

    @property
    def n(self) -> int:
        return self.agreement.n

    def count(self, judge: str, people: str) -> int:
        row, column = CLASSES.index(judge), CLASSES.index(people)
        return self.agreement.table.counts[row][column]


def confusion(
    pairs: Iterable[tuple[str, str]],
    weights: Mapping[str, float],
    labels: Labels,
    flagged: Collection[str],
    judged: float,
) -> Confusion:
    """``pairs``: (judge, people) of each labelled answer, words of :data:`CLASSES`; ``weights``:
    the share of each cell of verdicts among all answers; ``labels``: what people said in it;
    ``flagged``: the cells that the judge calls bad; ``judged``: on how many answers, drawn alike,
    the weights were counted. Cells without a verdict are no part of it.

    The table, κ and AC1 count labels as they are: the labels have to be a uniform sample, as audits
    are. Sensitivity and specificity are weighted, so they hold for labels given unevenly too.
    """
    return Confusion(
        agreement(pairs, CLASSES),
        sensitivity_weighted(weights, labels, flagged, judged),
        specificity_weighted(weights, labels, flagged, judged),
    )
