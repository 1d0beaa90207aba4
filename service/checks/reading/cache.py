"""What was read of the texts seen last, and these texts, bounded by an estimate of their bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from sys import getsizeof
from typing import Generic, TypeVar

V = TypeVar("V")


class ReadingCache(Generic[V]):
    """Text → what ``read`` makes of it; the entry that was asked for longest ago is dropped first.

    ``cost``: the bytes that an entry, its text included, is taken to hold. One that would fill a
    quarter of the cache is not kept.
    """

    def __init__(
        self, max_bytes: int, read: Callable[[str], V], cost: Callable[[str, V], int]
    ) -> None:
        self._max = max_bytes
        self._read = read
        self._cost = cost
        self._held = 0
        self._entries: OrderedDict[str, tuple[V, int]] = OrderedDict()

    def known(self, text: str) -> V | None:
        """What was read of it, unless it was dropped or never asked for."""
        entry = self._entries.get(text)
        return None if entry is None else entry[0]

    def of(self, text: str) -> V:
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
            self._entries[text] = (found, cost)
            self._held += cost
            while self._held > self._max:
                _, (_, dropped) = self._entries.popitem(last=False)
                self._held -= dropped
        return found


class Twins:
    """Text → the first that was equal to it, so that one object stands for all of them.

    Each event brings its chunks as new strings, and hashing one takes longer than all else that a
    :class:`ReadingCache` does: its twin's hash is known. So a text is known again by a few of its
    letters and then compared as a whole; of two with the same letters the later one is remembered.

    One that is full is begun anew. A text that would fill a quarter of it is not remembered.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._held = 0
        self._texts: dict[str, str] = {}

    def of(self, text: str) -> str:
        letters = some_letters(text)
        twin = self._texts.get(letters)
        if twin is not None and twin == text:
            return twin
        size = getsizeof(text)
        if size <= self._max // 4:
            self._held += size
            if self._held > self._max:  # replaced, not emptied: another thread may be asking it
                self._texts, self._held = {}, size
            self._texts[letters] = text
        return text


def some_letters(text: str) -> str:
    """At most 16 of them, from all over the text: where they differ, the texts do."""
    return text[:: len(text) // 16 + 1]
