"""The diagnosis tree: the measures of a RAG system, to be read from the top. Pure.

What retrieval does not bring, no later step can mend: where recall misses its target, the lines
under it are shown greyed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from service.estimates.bootstrap import question_mean
from service.estimates.estimate import Estimate
from service.estimates.spread import spread_of
from service.judging.rates import JudgedRate, JudgedRateName
from service.measuring.probed import ProbeResult, Share
from service.review.labels import Change
from service.review.standing import standing_everywhere
from service.thresholds import thresholds

JUDGED: Sequence[JudgedRateName] = ("faithfulness", "relevance", "context_precision")


class Source(StrEnum):
    """``QUESTIONS``: labelled ones, of the last probe; ``AUDITS``: live answers that people
    labelled blind; ``JUDGE``: live answers, by the judge's sample."""

    QUESTIONS = "questions"
    AUDITS = "audits"
    JUDGE = "judge"
    NONE = "none"


class Standing(StrEnum):
    """Of a value to its target. ``MAYBE``: above it, but its interval reaches below."""

    MET = "met"
    MAYBE = "maybe"
    MISSED = "missed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Line:
    """``n``: questions or answers; ``k``: of recall@k and precision@k, None elsewhere;
    ``attainable``: the best mean that precision@k could have; ``spread``: how many in each tenth
    of [0, 1]; ``greyed``: not to be acted on before recall meets its target."""

    name: str
    target: float
    estimate: Estimate
    n: int
    source: Source
    k: int | None = None
    attainable: float | None = None
    spread: tuple[int, ...] = ()
    greyed: bool = False

    @property
    def standing(self) -> Standing:
        value, low = self.estimate.value, self.estimate.low
        if value is None:
            return Standing.UNKNOWN
        if value <= self.target:
            return Standing.MISSED
        return Standing.MET if low is None or low > self.target else Standing.MAYBE


def tree_of(
    probe: ProbeResult | None,
    audited: Iterable[Change],
    judged: Mapping[JudgedRateName, JudgedRate],
    wanted: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Line, ...]:
    """Of one app. ``probe``: its last; ``audited``: what people said lately, from which recall is
    taken where no probe measured it; ``judged``: live rates by the judge; ``wanted``: targets by
    line, where they are not the packaged ones."""
    recall, *under = (
        replace(line, target=wanted.get(line.name, line.target))
        for line in (
            _asked("recall", probe) or _audited_recall(audited),
            _asked("precision", probe) or _unknown("precision"),
            *(_judged(name, judged) for name in JUDGED),
        )
    )
    greyed = recall.standing is Standing.MISSED
    return recall, *(replace(line, greyed=greyed) for line in under)


def _target(name: str) -> float:
    return thresholds().by_name()[f"{name}_wanted"].value


def _asked(name: str, probe: ProbeResult | None) -> Line | None:
    share = probe.shares.get(f"{name}@{probe.k}") if probe is not None else None
    if probe is None or share is None:
        return None
    return Line(
        name,
        _target(name),
        _estimate(share),
        share.questions,
        Source.QUESTIONS,
        probe.k,
        probe.attainable if name == "precision" else None,
        share.spread,
    )


def _estimate(share: Share) -> Estimate:
    return Estimate(share.mean, share.low, share.high)


def _audited_recall(changes: Iterable[Change]) -> Line:
    """Of the chunks that people found needed, the share that had been retrieved. Audited answers
    alone: they are a sample of all, opened cases are the gravest."""
    found = []
    for change in standing_everywhere(list(changes)):
        label = change.label
        if label is None or label.skipped or not change.subject.startswith("task:"):
            continue
        brought, missed = len(label.needed or ()), len(label.needed_elsewhere)
        if brought + missed:
            found.append(brought / (brought + missed))
    if not found:
        return _unknown("recall")
    return Line("recall", _target("recall"), question_mean(found), len(found), Source.AUDITS,
                spread=spread_of(found))  # fmt: skip


def _judged(name: JudgedRateName, judged: Mapping[JudgedRateName, JudgedRate]) -> Line:
    found = judged.get(name)
    if found is None or found.estimate.value is None:
        return _unknown(name)
    return Line(name, _target(name), found.estimate, found.answers, Source.JUDGE,
                spread=found.spread)  # fmt: skip


def _unknown(name: str) -> Line:
    return Line(name, _target(name), Estimate(None), 0, Source.NONE)
