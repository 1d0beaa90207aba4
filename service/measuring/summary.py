"""A run in figures: the mean of each measure with its interval, over all questions and by tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum

from service.estimates.bootstrap import FEWEST, percentile_interval, question_mean
from service.estimates.estimate import Estimate
from service.measuring.questions import (
    BEHAVIOUR,
    NO_LIST,
    NO_MAPPING,
    NO_RELEVANT,
    NOT_IN_CORPUS,
    OTHER_APP,
    SPLIT,
)
from service.measuring.runs import Outcome, QuestionsUsed

_IN_WORDS = {
    SPLIT: "another split",
    OTHER_APP: "another app",
    BEHAVIOUR: "behaviour not answer",
    NO_MAPPING: "no mapping",
    NO_RELEVANT: "no relevant ref named",
    NOT_IN_CORPUS: "ref not in the corpus",
    NO_LIST: "nothing retrieved for it",
}


COUNTS = frozenset({"findings"})


@dataclass(frozen=True, slots=True)
class Mean:
    """``questions``: how many have a value; those without are in no mean."""

    estimate: Estimate
    questions: int


def means(outcomes: Iterable[Outcome], seed: int = 0) -> dict[str, Mean]:
    """By measure; one that no question has a value of is there, without a mean."""
    values: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.measures.items():
            values.setdefault(name, []).extend([] if value is None else [value])
    return {name: Mean(_estimate(known, seed), len(known)) for name, known in values.items()}


def _estimate(values: list[float], seed: int) -> Estimate:
    """What is no share, such as a number of findings, has no interval from few questions."""
    if all(0 <= value <= 1 for value in values):
        return question_mean(values, seed)
    mean = fsum(values) / len(values)
    if len(values) < FEWEST or min(values) == max(values):
        return Estimate(mean)
    return Estimate(mean, *percentile_interval(values, seed))


def shares(found: Mapping[str, Mean]) -> dict[str, Mean]:
    """Without what is a number of things, not a share."""
    return {name: mean for name, mean in found.items() if name not in COUNTS}


def by_tag(outcomes: Iterable[Outcome], seed: int = 0) -> dict[str, Mapping[str, Mean]]:
    """Tag → :func:`means`; a question with two tags is in both, one without is in none."""
    tagged: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for tag in outcome.tags:
            tagged.setdefault(tag, []).append(outcome)
    return {tag: means(tagged[tag], seed) for tag in sorted(tagged)}


def questions_in_words(n: int) -> str:
    return "1 question" if n == 1 else f"{n} questions"


def denominator(used: QuestionsUsed) -> str:
    """``25 questions, 13 measured, 12 excluded: 9 behaviour not answer, 3 another split.``"""
    told = (
        f"{questions_in_words(used.total)}, {used.measured} measured, "
        f"{used.total - used.measured} excluded"
    )
    reasons = [
        f"{count} {_IN_WORDS.get(reason, reason)}"
        for reason, count in used.excluded.items()
        if count
    ]
    return f"{told}: {', '.join(reasons)}." if reasons else f"{told}."
