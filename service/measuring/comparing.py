"""Two runs of the same questions, held against each other question by question. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from service.estimates.estimate import Estimate
from service.estimates.paired import Sorted, Test, mean_difference, paired_test, sort_out
from service.measuring.attribution import Attribution, attribution_of
from service.measuring.runs import Outcome, Run, RunHeader

LOWER_IS_BETTER = frozenset({"findings"})
"""Measures of which less is better; of all others more is."""
COUNTS = frozenset({"findings"})
"""Measures that are no shares, however small."""
GROWS_WITH_K = frozenset({"hit", "recall", "mrr"})
"""Measures that never fall when more of the same list is looked at."""
Cannot = Literal["regress", "improve"]

_AT_K = re.compile(r"(.+)@(\d+)")


class NothingToCompare(ValueError):
    """Two runs without a question, or without a measure, in common."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure. ``measure``: its name in the first run, ``against``: in the second; ``n``:
    questions with a value on both sides, of which ``first`` and ``second`` are the means;
    ``difference``: second minus first; ``cannot``: what the second could not do whatever its
    answers were, as it looks at more, or less, of the same lists."""

    measure: str
    against: str
    n: int
    first: float | None
    second: float | None
    difference: Estimate
    test: Test | None
    questions: Sorted
    cannot: Cannot | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """A cost of a question: tokens, money, or milliseconds of a stage; means over the ``n``
    questions of which both sides told it."""

    name: str
    n: int
    first: float
    second: float
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """``tags``: tag → its measures; ``only_first``, ``only_second``: questions that the other run
    does not have; ``warnings``: what makes the two hard to compare, in sentences."""

    first: RunHeader
    second: RunHeader
    attribution: Attribution
    warnings: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    measures: tuple[Compared, ...]
    tags: Mapping[str, tuple[Compared, ...]]
    spent: tuple[Spent, ...]


def compare_runs(first: Run, second: Run, seed: int = 0) -> Comparison:
    """Paired by question id. Raises :class:`NothingToCompare`."""
    after = second.by_id
    pairs = [(one, after[one.query_id]) for one in first.outcomes if one.query_id in after]
    if not pairs:
        raise NothingToCompare("the two runs have no question in common (compared by query_id)")
    names = list(_names(first, second))
    if not names:
        raise NothingToCompare(
            f"the two runs have no measure in common: {_listed(first)} against {_listed(second)}"
        )
    before = first.by_id
    return Comparison(
        first.header,
        second.header,
        attribution_of(first.header.release, second.header.release),
        tuple(_warnings(first.header, second.header)),
        tuple(name for name in before if name not in after),
        tuple(name for name in after if name not in before),
        _compared(names, pairs, seed),
        {tag: _compared(names, _tagged(pairs, tag), seed) for tag in _tags(pairs)},
        tuple(_spent(pairs, seed)),
    )


Pairs = Sequence[tuple[Outcome, Outcome]]


def _names(first: Run, second: Run) -> Iterator[tuple[str, str]]:
    """Of each measure in both. Where only the same at another k is there, that stands for it, if it
    grows with k: precision@3 and precision@5 are two measures, each with its own best value."""
    have = _measures(second)
    for name in _measures(first):
        if name in have:
            yield name, name
            continue
        stem, _ = _cut(name)
        others = [other for other in have if _cut(other)[0] == stem]
        if stem in GROWS_WITH_K and len(others) == 1:
            yield name, others[0]


def _measures(run: Run) -> list[str]:
    return list(dict.fromkeys(name for outcome in run.outcomes for name in outcome.measures))


def _listed(run: Run) -> str:
    return ", ".join(_measures(run)) or "none"


def _cut(name: str) -> tuple[str, int]:
    """Stem and k; 0 where it has none."""
    found = _AT_K.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


def _compared(names: Sequence[tuple[str, str]], pairs: Pairs, seed: int) -> tuple[Compared, ...]:
    return tuple(_measure(name, against, pairs, seed) for name, against in names)


def _measure(name: str, against: str, pairs: Pairs, seed: int) -> Compared:
    before = {one.query_id: one.measures.get(name) for one, _ in pairs}
    after = {other.query_id: other.measures.get(against) for _, other in pairs}
    values = [
        (value, other)
        for query_id, value in before.items()
        if value is not None and (other := after[query_id]) is not None
    ]
    return Compared(
        name,
        against,
        len(values),
        _mean(value for value, _ in values),
        _mean(other for _, other in values),
        mean_difference(values, seed, shares=name not in COUNTS),
        paired_test(values, seed),
        sort_out(before, after, name in LOWER_IS_BETTER),
        _cannot(name, against, pairs),
    )


def _cannot(name: str, against: str, pairs: Pairs) -> Cannot | None:
    (stem, k), (_, other) = _cut(name), _cut(against)
    if stem not in GROWS_WITH_K or k == other:
        return None
    least = min(k, other)
    if any(one.retrieved[:least] != two.retrieved[:least] for one, two in pairs):
        return None
    return "regress" if other > k else "improve"


def _tags(pairs: Pairs) -> list[str]:
    return sorted({tag for one, other in pairs for tag in (*one.tags, *other.tags)})


def _tagged(pairs: Pairs, tag: str) -> Pairs:
    return [(one, other) for one, other in pairs if tag in one.tags or tag in other.tags]


def _spent(pairs: Pairs, seed: int) -> Iterator[Spent]:
    told = [(_costs(one), _costs(other)) for one, other in pairs]
    for name in dict.fromkeys(name for one, _ in told for name in one):
        values = [(one[name], other[name]) for one, other in told if name in one and name in other]
        if values:
            first, second = (fsum(side) / len(values) for side in zip(*values, strict=True))
            difference = mean_difference(values, seed, shares=False)
            yield Spent(name, len(values), first, second, difference)


def _costs(outcome: Outcome) -> dict[str, float]:
    found = {name: value for name, value in (outcome.usage or {}).items() if value is not None}
    return found | {f"latency_ms.{stage}": ms for stage, ms in (outcome.latency_ms or {}).items()}


def _warnings(first: RunHeader, second: RunHeader) -> Iterator[str]:
    if first.questions.sha256 != second.questions.sha256:
        yield "the question files differ: only questions with the same id are compared"
    if first.app != second.app:
        yield f"the runs are of different apps: {first.app} and {second.app}"
    if first.kind != second.kind:
        yield f"the runs are of different kinds: {first.kind} and {second.kind}"
    if first.k != second.k and None not in (first.k, second.k):
        yield f"the runs look at {first.k} and {second.k} places of each list"
    if first.judge != second.judge:
        yield "the judge differs: what it decided (faithful) is not measured by one ruler"


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fsum(found) / len(found) if found else None
