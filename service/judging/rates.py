"""What the judge said of some hours' answers, as a sample of all of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from service.estimates.estimate import Estimate
from service.estimates.spread import spread_of
from service.estimates.weighted import weighted, weighted_share
from service.judging.judgement import RELEVANCE_SCORES, Relevance, Status, Verdict
from service.judging.verification import faithfulness

JudgedRateName = Literal[
    "faithfulness", "context_sufficiency", "relevance", "context_precision", "unsupported_claims",
    "contradicted_claims",
]  # fmt: skip
Sample = list[tuple[float, float]]
"""(y, π) of each judged answer."""
Items = list[tuple[float, float, float]]
"""(x, m, π) of each judged answer: x of its m claims."""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """What :mod:`service.estimates.weighted` takes. ``faithfulness``, ``unsupported`` and
    ``contradicted`` (claims): of answers with a claim, where the judge saw all that the model saw;
    ``sufficiency``: 1 where the context was; ``relevance``: by its anchored words; ``precision``:
    of the context, the share of chunks that were of use, of answers with chunks."""

    faithfulness: Sample = field(default_factory=list)
    sufficiency: Sample = field(default_factory=list)
    unsupported: Items = field(default_factory=list)
    contradicted: Items = field(default_factory=list)
    relevance: Sample = field(default_factory=list)
    precision: Sample = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class JudgedRate:
    """``answers``: judged ones that it rests on; ``spread``: of means, how many of these are in
    each tenth of [0, 1], as they were drawn."""

    estimate: Estimate
    answers: int
    spread: tuple[int, ...] = ()


def judged_by_app(rows: Iterable[Mapping[str, Any]], hours: range) -> dict[str, JudgedSample]:
    """``rows``: as :func:`service.judging.results.compact` makes them; ``hours``: since 1970."""
    found: dict[str, JudgedSample] = {}
    for row in rows:
        if row["hour"] in hours and is_judged(row):
            add(found.setdefault(row["app"], JudgedSample()), row)
    return found


def is_judged(row: Mapping[str, Any]) -> bool:
    return row["status"] == Status.JUDGED and "claims" in row


def add(sample: JudgedSample, row: Mapping[str, Any]) -> None:
    """``row``: of a judged answer."""
    pi, verdicts = row["pi"], row["claims"]
    sample.sufficiency.append((float(row["sufficient"]), pi))
    claims = sum(number for verdict, number in verdicts.items() if verdict != Verdict.NOT_A_CLAIM)
    share = faithfulness(Counter(verdicts).elements())
    if share is not None and not row["partial"]:
        sample.faithfulness.append((share, pi))
        sample.unsupported.append((verdicts.get(Verdict.UNSUPPORTED, 0), claims, pi))
        sample.contradicted.append((verdicts.get(Verdict.CONTRADICTED, 0), claims, pi))
    if (relevance := row.get("relevance")) is not None:
        sample.relevance.append((RELEVANCE_SCORES[Relevance(relevance)], pi))
    if (precision := row.get("precision")) is not None:
        sample.precision.append((precision, pi))


def judged_rates(sample: JudgedSample) -> dict[JudgedRateName, JudgedRate]:
    """By name, each over all answers: weighted by 1/π, clustered by answer."""
    means: dict[JudgedRateName, Sample] = {
        "faithfulness": sample.faithfulness,
        "context_sufficiency": sample.sufficiency,
        "relevance": sample.relevance,
        "context_precision": sample.precision,
    }
    shares: dict[JudgedRateName, Items] = {
        "unsupported_claims": sample.unsupported,
        "contradicted_claims": sample.contradicted,
    }
    of_answers = {
        name: JudgedRate(weighted(drawn), len(drawn), spread_of(y for y, _ in drawn))
        for name, drawn in means.items()
    }
    of_claims = {
        name: JudgedRate(weighted_share(drawn), len(drawn)) for name, drawn in shares.items()
    }
    return of_answers | of_claims
