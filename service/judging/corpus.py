"""Whether the corpus holds the evidence of a claim, by its words and numbers. Pure.

It tells a claim that retrieval could have grounded from one that no document could. It compares
words, so it takes no notice of negation, and finds nothing across languages.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from math import ceil

from service.checks.reading.content_words import content_words
from service.checks.reading.quantities import Quantity
from service.checks.reading.reader import read

ENOUGH = 0.8
"""Share of a claim's content words that a chunk must have to hold its evidence."""
FEWEST = 2
"""Content words, numbers among them, below which a claim is not searched for."""
MAX_CHARS = 50_000_000
"""Characters of a corpus that is indexed, in memory."""


class CorpusIndex:
    """Chunk texts by ref, indexed once. Raises ValueError where they are longer together than
    ``max_chars``: of a part of a corpus nobody can say that it does not hold something."""

    def __init__(self, texts: Mapping[str, str], max_chars: int = MAX_CHARS) -> None:
        size = sum(map(len, texts.values()))
        if size > max_chars:
            raise ValueError(
                f"the corpus has {size} characters, more than the {max_chars} that may be indexed"
            )
        self._refs = sorted(texts)
        self._words = [content_words(texts[ref]) for ref in self._refs]
        self._numbers = [_numbers(texts[ref]) for ref in self._refs]
        self._holders: dict[str, list[int]] = {}
        for chunk, words in enumerate(self._words):
            for word in words:
                self._holders.setdefault(word, []).append(chunk)

    def holds(self, claim: str) -> str | None:
        """The ref of the chunk that has all numbers of the claim and most of its content words, at
        least :data:`ENOUGH`; of equal ones the first by name. None without one."""
        words, numbers = _sought(claim)
        if len(words) + len(numbers) < FEWEST:
            return None
        need = ceil(ENOUGH * len(words))
        best: tuple[int, int] | None = None
        for chunk in self._candidates(words, need):
            shared = len(self._words[chunk] & words)
            if shared < need or not all(self._numbers[chunk] & one for one in numbers):
                continue
            if best is None or (shared, -chunk) > best:
                best = shared, -chunk
        return None if best is None else self._refs[-best[1]]

    def _candidates(self, words: frozenset[str], need: int) -> Iterator[int]:
        """Who has ``need`` of the words has at least one of the rarest ``len(words) - need + 1``;
        every chunk is one where no words are asked for."""
        if not need:
            yield from range(len(self._refs))
            return
        rarest = sorted(words, key=lambda word: (len(self._holders.get(word, ())), word))
        seen: set[int] = set()
        for word in rarest[: len(words) - need + 1]:
            for chunk in self._holders.get(word, ()):
                if chunk not in seen:
                    seen.add(chunk)
                    yield chunk


def _sought(claim: str) -> tuple[frozenset[str], list[frozenset[Hashable]]]:
    """The content words of a claim outside of its numbers (``54 Euro`` stands as ``54,00 €``), and
    what each of these may mean."""
    reading = read(claim)
    rest, at = [], 0
    for quantity in reading.quantities:
        rest.append(claim[at : max(at, quantity.start)])
        at = max(at, quantity.end)
    rest.append(claim[at:])
    numbers = [frozenset(_readings(quantity)) for quantity in reading.quantities]
    return content_words(" ".join(rest)), [one for one in numbers if one]


def _numbers(text: str) -> frozenset[Hashable]:
    return frozenset(
        reading for quantity in read(text).quantities for reading in _readings(quantity)
    )


def _readings(quantity: Quantity) -> Iterator[Hashable]:
    """All that a quantity may mean; two quantities are equal where they have one in common."""
    yield from quantity.values
    yield from (("date", date) for date in quantity.dates)
    yield from (("minute", minute) for minute in quantity.minutes)
    if quantity.code:
        yield "code", quantity.code
