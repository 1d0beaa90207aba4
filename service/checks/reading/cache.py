"""What was read of the texts seen last, bounded by an estimate of its bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class ReadingCache(Generic[V]):
    """Text → what ``read`` makes of it; the entry that was asked for longest ago is dropped first.

    ``cost``: the bytes that an entry, its text included, is taken to hold. One that would fill a
    quarter of the cache is not kept.

    Each event brings its chunks as new strings, and hashing one takes longer than all else here. So
    a text is known again by a few of its letters, compared as a whole, and looked up by its twin,
    whose hash is known. Where another text with these letters came later, it is hashed.
    """

    def __init__(
        self, max_bytes: int, read: Callable[[str], V], cost: Callable[[str, V], int]
    ) -> None:
        self._max = max_bytes
        self._read = read
        self._cost = cost
        self._held = 0
        self._entries: OrderedDict[str, tuple[V, int]] = OrderedDict()
        self._texts: dict[str, str] = {}

    def known(self, text: str) -> V | None:
        """What was read of it, unless it was dropped or never asked for."""
        entry = self._entries.get(text)
        return None if entry is None else entry[0]

    def of(self, text: str) -> V:
        letters = some_letters(text)
        twin = self._texts.get(letters)
        if twin is not None and twin == text:
            text = twin
        entry = self._entries.get(text)
        if entry is not None:
            try:
                self._entries.move_to_end(text)
            except KeyError:  # another thread has just dropped it
                pass
            return entry[0]
        found = self._read(text)
        cost = self._cost(text, found)
        if cost <= self._max // 4 and text not in self._entries:
            self._texts[letters] = text
            self._entries[text] = (found, cost)
            self._held += cost
            while self._held > self._max:
                self._drop()
        return found

    def _drop(self) -> None:
        text, (_, cost) = self._entries.popitem(last=False)
        self._held -= cost
        letters = some_letters(text)
        if self._texts.get(letters) == text:
            self._texts.pop(letters, None)


def some_letters(text: str) -> str:
    """At most 16 of them, from all over the text: where they differ, the texts do."""
    return text[:: len(text) // 16 + 1]
