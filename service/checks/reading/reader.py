"""The reader: text → the quantities in it, left to right, each with its place and its readings."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from service.checks.reading.digits import read_digits
from service.checks.reading.hints import Hint, hint_of, together
from service.checks.reading.numerals import read_cjk, read_roman
from service.checks.reading.passage import Passage
from service.checks.reading.pieces import Pieces, split
from service.checks.reading.quantities import Reading, Span
from service.checks.reading.ranges import share_units
from service.checks.reading.spoken import read_clock_words, read_words


def read(text: str, skip: Sequence[Span] = ()) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear in the length of the text.

    ``skip``: disjoint spans in order whose digits are passed over, and whose words are not sought.
    """
    passage = Passage(text)
    return _read(passage, skip, _hint(passage.text, skip))


def read_known(text: str, hint: Hint | None, plain: bool) -> Reading:
    """:func:`read` for a text whose pieces another has looked at. ``hint`` and ``plain``: what they
    hold (see :class:`service.checks.reading.content_words.Vocabulary`)."""
    return _read(Passage(text, plain), (), hint)


def _read(passage: Passage, skip: Sequence[Span], hint: Hint | None) -> Reading:
    read_digits(passage, skip)
    if hint is not None:
        if hint.number_words:
            read_words(passage, hint.number_words)
        if hint.clock:
            read_clock_words(passage)
        if hint.roman:
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


def _hint(text: str, skip: Sequence[Span]) -> Hint | None:
    """What the words outside ``skip`` hold. Those of the whole text were split and hashed by other
    readers; most often none of them says a number, and then none of those outside does."""
    if not _cuts_a_word(text, skip):
        hints = _HINTS.told(split(text)[1])
        if not hints or not skip:
            return together(hints)
    return together(_HINTS.told(_outside(text, skip).split()))


def _cuts_a_word(text: str, skip: Sequence[Span]) -> bool:
    """Whether a span begins or ends within what is one word of the whole text."""
    for start, end in skip:
        if (start and text[start - 1 : start + 1].isalnum()) or text[end - 1 : end + 1].isalnum():
            return True
    return False


def _outside(text: str, skip: Sequence[Span]) -> str:
    """``text`` without the spans."""
    pieces = []
    done = 0
    for start, end in skip:
        pieces.append(text[done:start])
        done = end
    pieces.append(text[done:])
    return " ".join(pieces)


_START = attrgetter("start")
_HINTS: Pieces[Hint] = Pieces(hint_of)
