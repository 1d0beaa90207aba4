"""Two judge versions on the same audited answers. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.estimates.agreement import Agreement, agreement
from service.estimates.confusion import BAD, CLASSES, Confusion, confusion
from service.estimates.stratified import Labelled
from service.judging.calibration import UNDECIDED


class Twice(NamedTuple):
    """One audited answer: what the earlier version said of it, what the other one says, and what
    people said; each ``bad`` or ``fine``, of the judges also ``undecided``."""

    answer_id: str
    before: str
    now: str
    said: str


@dataclass(frozen=True, slots=True)
class Drift:
    """``answers``: that both ruled on; ``undecided``: that one of them could not; ``agreement``:
    of the two versions (rows: before); ``before``, ``now``: each against people, on these answers;
    ``changed``: those on which the verdict changed."""

    answers: int
    undecided: int
    agreement: Agreement
    before: Confusion
    now: Confusion
    changed: tuple[Twice, ...]


def drift_of(answers: Sequence[Twice]) -> Drift:
    """``answers``: a uniform sample, as audits are: labels count alike."""
    both = [one for one in answers if UNDECIDED not in (one.before, one.now)]
    return Drift(
        len(both),
        len(answers) - len(both),
        agreement(((one.before, one.now) for one in both), CLASSES),
        _against_people((one.before, one.said) for one in both),
        _against_people((one.now, one.said) for one in both),
        tuple(one for one in both if one.before != one.now),
    )


def _against_people(pairs: Iterable[tuple[str, str]]) -> Confusion:
    known = list(pairs)
    number = Counter(verdict for verdict, _ in known)
    bad = Counter(verdict for verdict, said in known if said == BAD)
    labels = {verdict: Labelled(number[verdict], bad[verdict]) for verdict in number}
    weights = {verdict: count / len(known) for verdict, count in number.items()}
    return confusion(known, weights, labels, {BAD}, len(known))
