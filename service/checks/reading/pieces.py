"""What one reader has to know of a text's pieces, remembered. A piece stands between white space.

Nearly all pieces of a text were met before and say nothing: those cost one look-up each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Generic, TypeVar

from service.checks.reading.folding import LONG

V = TypeVar("V")

MOST_REMEMBERED = 50_000
"""Pieces that one reader remembers; then it begins anew."""
_LONGEST_REMEMBERED = 100
HEAD: Final = 240
"""Characters of a text's beginning."""


def split(text: str) -> tuple[list[str], list[str]]:
    """The pieces of a text's head, the last of which may be cut off, and those of the whole text.
    Remembered for a while, unless it is long: the second who asks finds them made and hashed."""
    return _remembered(text) if len(text) <= LONG else _split(text)


def _split(text: str) -> tuple[list[str], list[str]]:
    head = text[:HEAD].split()
    if len(text) <= HEAD:
        return head, head
    if text[HEAD - 1].isspace() or text[HEAD].isspace():
        return head, head + text[HEAD:].split()
    cut = len(head[-1])
    return head, head[:-1] + text[HEAD - cut :].split()


_remembered = lru_cache(16)(_split)


class Pieces(Generic[V]):
    """``read`` makes of a piece what it says, None where it says nothing."""

    def __init__(self, read: Callable[[str], V | None]) -> None:
        self._read = read
        self._plain: set[str] = set()
        self._telling: dict[str, V] = {}

    def told(self, pieces: list[str]) -> list[V]:
        """What those pieces say that say something, in order."""
        plain, telling = self._plain, self._telling
        found: list[V] = []
        for piece in pieces:
            if piece not in plain:
                said = telling.get(piece) or self._learn(piece)
                if said is not None:
                    found.append(said)
        return found

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
