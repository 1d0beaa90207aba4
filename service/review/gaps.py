"""Knowledge gaps: unserved questions, alike ones together, the most asked first. Pure.

Two questions are alike when they are the same but for case, punctuation and spaces, or when half of
the content words that either has stand in both. Words are compared, not meaning: a paraphrase with
other words is a gap of its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from service.checks.reading.content_words import content_words
from service.questions import Question

ALIKE = 0.5
"""Share of the content words of two questions that both have (Jaccard): a choice, no
measurement."""
FEWEST_WORDS = 2
"""Content words below which a question is only like itself."""
MOST_WORDINGS = 5
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(slots=True)
class Gap:
    """``questions``: how many were asked; ``wordings``: as they were asked, the most frequent
    first; ``why``: reason (:class:`service.questions.Why`) → questions; times in milliseconds since
    1970."""

    app: str
    words: frozenset[str]
    wordings: Counter[str] = field(default_factory=Counter)
    why: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    first_ms: int = 0
    last_ms: int = 0

    @property
    def questions(self) -> int:
        return self.wordings.total()

    @property
    def query(self) -> str:
        """Its most frequent wording."""
        return self.wordings.most_common(1)[0][0]

    @property
    def some_wordings(self) -> list[str]:
        return [wording for wording, _ in self.wordings.most_common(MOST_WORDINGS)]


def gaps_of(questions: Iterable[Question]) -> list[Gap]:
    """The most asked first, of those the one asked last. Each question is in one gap."""
    asked: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for one in questions:
        asked[one.app, _folded(one.query)].append(one)
    groups = _Groups()
    for (app, _), alike in sorted(asked.items(), key=lambda item: (-len(item[1]), item[0])):
        gap = groups.like(app, content_words(alike[0].query))
        for one in alike:
            _add(gap, one)
    return sorted(groups.all, key=lambda gap: (-gap.questions, -gap.last_ms, gap.app, gap.query))


def _folded(query: str) -> str:
    return _NO_WORD.sub(" ", query.casefold()).strip()


def _add(gap: Gap, question: Question) -> None:
    gap.first_ms = min(gap.first_ms or question.occurred_ms, question.occurred_ms)
    gap.last_ms = max(gap.last_ms, question.occurred_ms)
    gap.wordings[question.query] += 1
    gap.languages[question.language] += 1
    gap.why.update(question.why)


class _Groups:
    """A question joins the gap whose first wording it is most like: so gaps do not drift."""

    def __init__(self) -> None:
        self.all: list[Gap] = []
        self._with_word: dict[tuple[str, str], list[int]] = defaultdict(list)

    def like(self, app: str, words: frozenset[str]) -> Gap:
        shared = Counter(at for word in words for at in self._with_word[app, word])
        likeness = {
            at: _jaccard(number, words, self.all[at].words) for at, number in shared.items()
        }
        best = max(likeness, key=lambda at: (likeness[at], -at), default=None)
        if best is not None and len(words) >= FEWEST_WORDS and likeness[best] >= ALIKE:
            return self.all[best]
        self.all.append(Gap(app, words))
        if len(words) >= FEWEST_WORDS:
            for word in words:
                self._with_word[app, word].append(len(self.all) - 1)
        return self.all[-1]


def _jaccard(shared: int, words: frozenset[str], others: frozenset[str]) -> float:
    return shared / (len(words) + len(others) - shared)


def merged(kept: Iterable[Question], disliked: Iterable[Question]) -> list[Question]:
    """Each answer once: a disliked one that is kept already has both reasons."""
    found: dict[str, Question] = {}
    for one in (*kept, *disliked):
        before = found.get(one.answer_id, one)
        found[one.answer_id] = replace(before, why=tuple(dict.fromkeys((*before.why, *one.why))))
    return list(found.values())
