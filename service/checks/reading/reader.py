"""The reader: text → the quantities in it, left to right, each with its place and its readings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import filterfalse

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
_NUMBER_WORD, _CLOCK_WORD, _ROMAN_NUMERAL = 1, 2, 4


def read(text: str, skip: Sequence[Span] = ()) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear in the length of the text.

    ``skip``: disjoint spans in order whose digits are passed over, and whose words are not sought.
    """
    passage = Passage(text)
    read_digits(passage, skip)
    traits = 0
    telling = {}
    for token in filterfalse(_TRAITS.plain.__contains__, _outside(passage.text, skip).split()):
        telling[token] = some = _TRAITS[token]
        traits |= some
    if traits & _NUMBER_WORD:
        read_words(passage, {token for token, some in telling.items() if some & _NUMBER_WORD})
    if traits & _CLOCK_WORD:
        read_clock_words(passage)
    if traits & _ROMAN_NUMERAL:
        read_roman(passage)
    read_cjk(passage)
    passage.found.sort(key=lambda quantity: quantity.start)
    share_units(passage)
    return Reading(passage.text, passage.found)


def _outside(text: str, skip: Sequence[Span]) -> str:
    """``text`` without the spans: refs are new in every answer, and dear to look up as words."""
    if not skip:
        return text
    pieces = []
    done = 0
    for start, end in skip:
        pieces.append(text[done:start])
        done = end
    pieces.append(text[done:])
    return " ".join(pieces)


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
    """:func:`_traits` of the tokens seen so far, within a bound. ``plain``: those that have none,
    nearly all of a text, so that a text is sifted without a call for each of its words."""

    limit = 50_000
    longest_token = 100

    def __init__(self) -> None:
        super().__init__()
        self.plain: set[str] = set()

    def __missing__(self, token: str) -> int:
        traits = _traits(token)
        if len(token) > self.longest_token:
            return traits
        if len(self) + len(self.plain) >= self.limit:
            self.clear()
            self.plain.clear()
        if traits:
            self[token] = traits
        else:
            self.plain.add(token)
        return traits


_TRAITS = _Traits()
