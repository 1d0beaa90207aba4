"""The reader: text → the quantities in it, left to right, each with its place and its readings."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from service.checks.reading.digits import read_digits
from service.checks.reading.hints import Hint, hint_of
from service.checks.reading.numerals import read_cjk, read_roman
from service.checks.reading.passage import Passage
from service.checks.reading.pieces import Pieces
from service.checks.reading.quantities import Reading, Span
from service.checks.reading.ranges import share_units
from service.checks.reading.spoken import read_clock_words, read_words


def read(text: str, skip: Sequence[Span] = (), *, counts: bool = True) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear in the length of the text.

    ``skip``: disjoint spans in order whose digits are passed over, and whose words are not sought.
    ``counts``: False where it is known that no word says a number (see
    :class:`service.checks.reading.content_words.Vocabulary`): then the words are not looked at.
    """
    passage = Passage(text)
    read_digits(passage, skip)
    words = _outside(passage.text, skip) if skip else passage.text
    hints = _HINTS.told(words.split()) if counts else []
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
    found = passage.found
    for number in range(1, len(found)):
        if found[number].start < found[number - 1].start:
            found.sort(key=_START)
            break
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


_START = attrgetter("start")
_HINTS: Pieces[Hint] = Pieces(hint_of)
