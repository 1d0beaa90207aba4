"""What one reader has to know of a text's pieces, remembered. A piece stands between white space.

Nearly all pieces of a text were met before and say nothing, so a text is sifted without a call for
each of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import filterfalse
from typing import Generic, TypeVar

V = TypeVar("V")

MOST_REMEMBERED = 50_000
"""Pieces that one reader remembers; then it begins anew."""
_LONGEST_REMEMBERED = 100


class Pieces(Generic[V]):
    """``read`` makes of a piece what it says, None where it says nothing."""

    def __init__(self, read: Callable[[str], V | None]) -> None:
        self._read = read
        self._plain: set[str] = set()
        self._telling: dict[str, V] = {}

    def told(self, pieces: Collection[str]) -> list[V]:
        """What those pieces say that say something, in order."""
        if self._plain.issuperset(pieces):
            return []
        telling = filterfalse(self._plain.__contains__, pieces)
        found = [self._telling.get(piece) or self._learn(piece) for piece in telling]
        return [some for some in found if some is not None]

    def _learn(self, piece: str) -> V | None:
        found = self._read(piece)
        if len(piece) <= _LONGEST_REMEMBERED:
            if len(self._plain) + len(self._telling) >= MOST_REMEMBERED:
                self._plain.clear()
                self._telling.clear()
            if found is None:
                self._plain.add(piece)
            else:
                self._telling[piece] = found
        return found
