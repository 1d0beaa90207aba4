"""From what a payload says to :class:`service.contract.Citation`: which chunk, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from service.contract import Citation

MAX_CITATIONS = 5_000
"""Citations kept of one payload. The check of citations evaluates no answer with so many."""
MAX_REF = 2_048
"""Characters of a ref, as the contract has it."""
_NEAR = 1_000
"""Characters around its offsets in which a quoted span is sought."""

Place = tuple[int, int]


class Adapted(NamedTuple):
    """``answer``: the text that the payload holds, else None. The citations' offsets point into
    it, or into the answer that was handed in where the payload holds none."""

    answer: str | None
    citations: list[Citation]


class Collector:
    """The citations of one payload. ``refs`` of the retrieved chunks, in the order of retrieval."""

    def __init__(self, refs: Sequence[str]) -> None:
        self.citations: list[Citation] = []
        self._refs = refs
        self._known = frozenset(refs)
        self._chosen: dict[tuple[str, ...], str | None] = {}

    @property
    def is_full(self) -> bool:
        return len(self.citations) >= MAX_CITATIONS

    def add(self, ref: str, place: Place | None, quote: str | None = None) -> None:
        if self.is_full:
            return
        start, end = place or (None, None)
        self.citations.append(Citation(ref=ref[:MAX_REF], start=start, end=end, quote=quote))

    def nth(self, index: int | None) -> str | None:
        """The ref of the chunk at this index, from 0."""
        if index is None or not 0 <= index < len(self._refs):
            return None
        return self._refs[index]

    def known(self, names: Iterable[str | None]) -> str | None:
        """The first of a source's names that is the ref of a retrieved chunk."""
        return next((name for name in names if name in self._known), None)

    def name(self, names: Iterable[str | None], otherwise: str) -> str:
        """How to cite a source: by its ref, else by the name that refs begin with (they are chunks
        of it), else by its first name; ``otherwise`` stands for a source without any."""
        given = tuple(name for name in names if name)
        if given not in self._chosen:
            self._chosen[given] = self.known(given) or self._document(given)
        return self._chosen[given] or (given[0] if given else otherwise)

    def _document(self, names: tuple[str, ...]) -> str | None:
        for name in names:
            for ref in self._refs:
                if ref.startswith(name) and not ref[len(name)].isalnum():
                    return name
        return None


def locate(
    answer: str, start: int | None, end: int | None, words: str | None = None
) -> Place | None:
    """Where a span stands in the answer, or None: a citation without a place still has a ref.

    ``words``, what the API says stands there, decide where they are known: systems count in bytes
    or UTF-16, and include the end or not. Without them the offsets must be sound.
    """
    if start is None or start < 0:
        return None
    if not words:
        if end is None or not start < end <= len(answer):
            return None
        return start, end
    low, high = max(0, start - _NEAR), start + len(words) + _NEAR
    after = answer.find(words, start, high)
    before = answer.rfind(words, low, start + len(words))
    near = [found for found in (before, after) if found >= 0]
    if not near:
        return None
    found = min(near, key=lambda place: abs(place - start))
    return found, found + len(words)
