"""The reader: text → the quantities in it, left to right, each with its place and its readings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from service.checks.reading.digits import read_digits
from service.checks.reading.numerals import read_cjk, read_roman
from service.checks.reading.passage import Passage
from service.checks.reading.pieces import Pieces
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


def read(text: str, skip: Sequence[Span] = ()) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear in the length of the text.

    ``skip``: disjoint spans in order whose digits are passed over, and whose words are not sought.
    """
    passage = Passage(text)
    read_digits(passage, skip)
    words = _outside(passage.text, skip) if skip else passage.text
    hints = _HINTS.told(words.split())
    if hints:
        number_words: set[str] = set()
        clock = roman = False
        for hint in hints:
            number_words.update(hint.number_words)
            clock = clock or hint.clock
            roman = roman or hint.roman
        if number_words:
            read_words(passage, number_words)
        if clock:
            read_clock_words(passage)
        if roman:
            read_roman(passage)
    if passage.others:
        read_cjk(passage)
    passage.found.sort(key=attrgetter("start"))
    share_units(passage)
    return Reading(passage.text, passage.found)


def _outside(text: str, skip: Sequence[Span]) -> str:
    """``text`` without the spans: refs are new in every answer, and dear to look up as words."""
    pieces = []
    done = 0
    for start, end in skip:
        pieces.append(text[done:start])
        done = end
    pieces.append(text[done:])
    return " ".join(pieces)


class _Hint(NamedTuple):
    """What a piece may hold beside digits: words that say a number, one that may belong to a time,
    a Roman numeral. Most texts need no second pass."""

    number_words: tuple[str, ...]
    clock: bool
    roman: bool


def _hint(piece: str) -> _Hint | None:
    words = LETTERS.findall(piece)
    hint = _Hint(
        tuple(filter(has_number_word, words)),
        any(word.lower() in CLOCK_WORDS for word in words),
        any(_ROMAN_WORD.fullmatch(word) for word in words),
    )
    return hint if any(hint) else None


_HINTS: Pieces[_Hint] = Pieces(_hint)
