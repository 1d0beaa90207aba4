"""The reader: text → the quantities in it, left to right, each with its place and its readings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.checks.reading.digits import read_digits
from service.checks.reading.numerals import read_cjk, read_roman
from service.checks.reading.passage import Passage
from service.checks.reading.quantities import Reading, Span
from service.checks.reading.ranges import share_units
from service.checks.reading.spoken import (
    CLOCK_WORDS,
    LETTERS,
    has_number_word,
    read_clock_words,
    read_words,
)

_ROMAN_WORD = re.compile(r"[IVXLC]{1,7}(?:e|ème)?")
_NUMBER_WORD, _CLOCK_WORD, _ROMAN_NUMERAL, _NOT_KEPT = 1, 2, 4, 8


def read(text: str, skip: Sequence[Span] = ()) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear in the length of the text.

    ``skip``: disjoint spans in order whose digits are passed over.
    """
    passage = Passage(text)
    read_digits(passage, skip)
    tokens = passage.text.split()
    traits = 0
    for some in set(map(_TRAITS.__getitem__, tokens)):
        traits |= some
    if traits & _NUMBER_WORD:
        read_words(passage, _TRAITS.with_numbers(tokens, traits))
    if traits & _CLOCK_WORD:
        read_clock_words(passage)
    if traits & _ROMAN_NUMERAL:
        read_roman(passage)
    read_cjk(passage)
    passage.found.sort(key=lambda quantity: quantity.start)
    share_units(passage)
    return Reading(passage.text, passage.found)


def _traits(token: str) -> int:
    """What a token between spaces may hold, so that most texts need no second pass."""
    traits = 0
    for word in LETTERS.findall(token):
        if has_number_word(word):
            traits |= _NUMBER_WORD
        if word.lower() in CLOCK_WORDS:
            traits |= _CLOCK_WORD
        if _ROMAN_WORD.fullmatch(word):
            traits |= _ROMAN_NUMERAL
    return traits


class _Traits(dict[str, int]):
    """:func:`_traits` of the tokens seen so far, within a bound."""

    limit = 50_000
    longest_token = 100

    def __init__(self) -> None:
        super().__init__()
        self._with_numbers: set[str] = set()

    def __missing__(self, token: str) -> int:
        traits = _traits(token)
        if len(token) > self.longest_token:
            return traits | _NOT_KEPT
        if len(self) >= self.limit:
            self.clear()
            self._with_numbers.clear()
        self[token] = traits
        if traits & _NUMBER_WORD:
            self._with_numbers.add(token)
        return traits

    def with_numbers(self, tokens: list[str], traits: int) -> set[str]:
        """Those of ``tokens`` that hold a number word. ``traits``: of all of them together."""
        if traits & _NOT_KEPT:
            return {token for token in tokens if self[token] & _NUMBER_WORD}
        return self._with_numbers.intersection(tokens)


_TRAITS = _Traits()
