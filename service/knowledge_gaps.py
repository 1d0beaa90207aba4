"""Knowledge gaps from the store: unserved questions, and those whose answers users disliked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from service.feedback import NEGATIVE
from service.questions import Question, Why
from service.review.cases import DAY_MS, CaseFilter, CasePage, CaseSummary
from service.review.gaps import Gap, gaps_of, merged

MOST_QUESTIONS = 20_000
MOST_DISLIKED = 1_000
"""Cases with negative feedback that are read, the gravest first."""
_PAGE = 200


class QuestionReader(Protocol):
    def since(self, since_ms: int, most: int) -> list[Question]:
        """Raises ``service.outage.Outage`` while the store is away."""
        ...


class CaseLister(Protocol):
    def list_cases(self, filter: CaseFilter, cursor: str | None, limit: int) -> CasePage: ...


class KnowledgeGaps:
    """``now``: seconds since 1970."""

    def __init__(
        self, questions: QuestionReader, cases: CaseLister, now: Callable[[], float]
    ) -> None:
        self._questions = questions
        self._cases = cases
        self._now = now

    def of(self, app: str | None, days: int) -> list[Gap]:
        """Of the last ``days`` days, the most asked first. Raises ``service.outage.Outage``."""
        since_ms = int(self._now() * 1000) - days * DAY_MS
        kept = self._questions.since(since_ms, MOST_QUESTIONS)
        asked = merged(kept, self._disliked(app, since_ms))
        return gaps_of(one for one in asked if app in (None, one.app))

    def _disliked(self, app: str | None, since_ms: int) -> Iterator[Question]:
        filter = CaseFilter(app=app, reason=NEGATIVE, status=None, since_ms=since_ms)
        cursor, read = None, 0
        while read < MOST_DISLIKED:
            page = self._cases.list_cases(filter, cursor, _PAGE)
            yield from map(_question, page.cases)
            read, cursor = read + len(page.cases), page.next_cursor
            if cursor is None:
                return


def _question(case: CaseSummary) -> Question:
    return Question(
        answer_id=case.case_id,
        position=("", 0, 0),
        app=case.app,
        release=case.release,
        language=case.language,
        query=case.query,
        why=(Why.DISLIKED.value,),
        occurred_ms=case.occurred_ms,
    )
