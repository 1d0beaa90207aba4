"""Which chunks a question needs, as people ticked them: what retrieval is measured against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from service.exporting.answers import LabelledAnswer, Step
from service.exporting.part import EXPIRED, HELD, Export, Part
from service.review.labels import Label


@dataclass(slots=True)
class _Question:
    """``labels``: how many say what it needs; ``new``: one of them since the cursor."""

    app: str
    query_id: str | None
    query: str
    refs: set[str] = field(default_factory=set)
    labels: int = 0
    new: bool = False


_Questions = dict[tuple[str, str | None, str], _Question]


def relevance_export(*, resumed: bool) -> Export:
    """One line a question, the same ``query_id`` (or, without one, the same words) of an app: all
    refs that anybody called needed, retrieved or not. No refs: nothing is needed, as they say.
    ``resumed``: after an earlier export; then null refs say that what stood there was taken back.

    A question's labels may lie far apart, so all are read before the first line.
    """
    left: Counter[str] = Counter()

    def parts(steps: Iterable[Step]) -> Iterator[Part]:
        questions: _Questions = {}
        last = None
        for last in steps:
            left[HELD] += last.answer is None
            if last.answer is not None:
                left[EXPIRED] += not _add(questions, last.answer, last.new)
            yield Part([], None, last.done, last.total)
        if last is not None:
            new = [question for question in questions.values() if question.new]
            lines = [_line(question) for question in new if question.labels or resumed]
            yield Part(lines, last.cursor, last.total, last.total)

    return Export("relevance", parts, old_too=True, left=left)


def _add(questions: _Questions, answer: LabelledAnswer, new: bool) -> bool:
    """False where people said what it needs, and its question is gone."""
    ever = [change.label for change in answer.changes if change.label and not change.group]
    if not any(map(_said, ever)):
        return True
    stored = answer.stored()
    if stored is None:
        return False
    question = _question(questions, stored.event)
    for label in filter(_said, answer.judged):
        question.labels += 1
        question.refs.update(label.needed or (), label.needed_elsewhere)
    question.new = question.new or new
    return True


def _said(label: Label) -> bool:
    return label.needed is not None or bool(label.needed_elsewhere)


def _question(questions: _Questions, event: Mapping[str, Any]) -> _Question:
    app, query_id, query = event.get("app", ""), event.get("query_id"), event["query"]
    key = (app, query_id, "" if query_id else query)
    return questions.setdefault(key, _Question(app, query_id, query))


def _line(question: _Question) -> str:
    return orjson.dumps(
        {
            "query_id": question.query_id,
            "query": question.query,
            "relevant": sorted(question.refs) if question.labels else None,
            "app": question.app,
            "labels": question.labels,
        }
    ).decode()
