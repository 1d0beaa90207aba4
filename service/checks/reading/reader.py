"""The reader: text → the quantities in it, left to right, each with its place and its readings."""

from __future__ import annotations

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

_NUMBER_WORD, _CLOCK_WORD, _ROMAN_NUMERAL = 1, 2, 4


def read(text: str, skip: Sequence[Span] = ()) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear in the length of the text.

    ``skip``: disjoint spans in order whose digits are passed over.
    """
    passage = Passage(text)
    read_digits(passage, skip)
    traits = 0
    for token in set(passage.text.split()):
        traits |= _traits(token)
    if traits & _NUMBER_WORD:
        read_words(passage)
    if traits & _CLOCK_WORD:
        read_clock_words(passage)
    if traits & _ROMAN_NUMERAL:
        read_roman(passage)
    read_cjk(passage)
    passage.found.sort(key=lambda quantity: quantity.start)
    share_units(passage)
    return Reading(passage.text, passage.found)


_TRAITS: dict[str, int] = {}
_TRAITS_LIMIT = 50_000
_LONGEST_TOKEN = 40


def _traits(token: str) -> int:
    """What a token between spaces may hold, so that most texts need no second pass. Remembered."""
    known = _TRAITS.get(token)
    if known is not None:
        return known
    traits = 0
    for word in LETTERS.findall(token):
        if has_number_word(word):
            traits |= _NUMBER_WORD
        if word.lower() in CLOCK_WORDS:
            traits |= _CLOCK_WORD
        if word.isupper() and not word.strip("IVXLC"):
            traits |= _ROMAN_NUMERAL
    if len(token) <= _LONGEST_TOKEN:
        if len(_TRAITS) >= _TRAITS_LIMIT:
            _TRAITS.clear()
        _TRAITS[token] = traits
    return traits
