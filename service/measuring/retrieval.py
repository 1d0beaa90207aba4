"""Retrieval on labelled questions: each list against the refs that its question needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from service.estimates.retrieval import retrieval_measures, top_k
from service.measuring.lists import RetrievedList
from service.measuring.questions import NO_LIST, Question, Selection
from service.measuring.runs import Outcome


@dataclass(frozen=True, slots=True)
class Missing:
    """``found`` of ``needed`` refs are among the first k; ``refs``: the others."""

    query_id: str
    found: int
    needed: int
    refs: tuple[str, ...]
    critical: bool


def with_lists(selection: Selection, lists: Mapping[str, RetrievedList]) -> Selection:
    """Without the questions that have no list: they are excluded, too. An empty list is one, and
    finds nothing."""
    there = tuple(each for each in selection.measured if each.query_id in lists)
    gone = tuple(each for each in selection.measured if each.query_id not in lists)
    excluded = {**selection.excluded, NO_LIST: gone} if gone else selection.excluded
    return Selection(there, excluded, selection.stale)


def outcome_of(question: Question, retrieved: RetrievedList, k: int) -> Outcome:
    return Outcome(
        query_id=question.query_id,
        query=question.query,
        tags=question.tags,
        language=question.language,
        critical=question.critical,
        behaviour=question.behaviour,
        relevant=question.relevant,
        retrieved=retrieved.refs,
        measures=retrieval_measures(retrieved.refs, question.relevant, k),
        usage=retrieved.usage,
        latency_ms=retrieved.latency_ms,
    )


def missing(outcomes: Iterable[Outcome], k: int) -> tuple[Missing, ...]:
    """The questions of which a needed ref is not among the first ``k``, in their order. One whose
    list is not known misses nothing that anybody saw."""
    found = []
    for outcome in outcomes:
        if outcome.measures.get(f"hit@{k}") is None:
            continue
        top = set(top_k(outcome.retrieved, k))
        lacking = tuple(ref for ref in outcome.relevant if ref not in top)
        if lacking:
            needed = len(outcome.relevant)
            found.append(
                Missing(outcome.query_id, needed - len(lacking), needed, lacking, outcome.critical)
            )
    return tuple(found)
