"""Corpora as the judge searches them: read from the document store, indexed, kept for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from service.documents import Documents
from service.judging.corpus import CorpusIndex

log = structlog.get_logger(__name__)

FRESH_S = 600.0
"""Within this time a corpus that was loaded anew is noticed."""

Holds = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class _Kept:
    index: CorpusIndex | None
    until: float


class Corpora:
    """Call :meth:`refresh` from a thread of its own (it reads and indexes), then the object with
    the name of a corpus. A name that is not loaded falls back to the unnamed corpus."""

    def __init__(self, documents: Documents, clock: Callable[[], float] = time.monotonic) -> None:
        self._documents = documents
        self._clock = clock
        self._kept: dict[str, _Kept] = {}

    def __call__(self, name: str) -> Holds | None:
        kept = self._kept.get(name)
        return None if kept is None or kept.index is None else kept.index.holds

    def refresh(self, name: str) -> None:
        """Raises :class:`service.outage.Outage` when the store is away."""
        kept, now = self._kept.get(name), self._clock()
        if kept is None or now >= kept.until:
            self._kept[name] = _Kept(self._index(name), now + FRESH_S)

    def _index(self, name: str) -> CorpusIndex | None:
        texts = self._documents.all_of(name) or self._documents.all_of("")
        if not texts:
            return None
        try:
            return CorpusIndex(texts)
        except ValueError as error:
            # Then a claim's cause is `unknown`: of a part nobody can say what the whole lacks.
            log.warning("corpus_not_indexed", error=str(error))
            return None
