"""What a piece of a text may hold beside digits that says a number. Most pieces hold nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from service.checks.reading.digits import VULGAR
from service.checks.reading.numerals import NUMERALS
from service.checks.reading.spoken import CLOCK_WORDS, LETTERS, MOST_SOUGHT, has_number_word

_ROMAN_WORD = re.compile(r"[IVXLC]{1,7}(?:e|ème)?")


class Hint(NamedTuple):
    """Words that say a number, one that may belong to a time, a Roman numeral."""

    number_words: tuple[str, ...]
    clock: bool
    roman: bool


def hint_of(piece: str) -> Hint | None:
    """``piece``: of a folded text, between white space."""
    words = LETTERS.findall(piece)
    hint = Hint(
        tuple(filter(has_number_word, words)),
        any(word.lower() in CLOCK_WORDS for word in words),
        any(_ROMAN_WORD.fullmatch(word) for word in words),
    )
    return hint if any(hint) else None


_SIGNS = VULGAR | NUMERALS


def is_plain(piece: str, folded: str) -> bool:
    """Whether a text of such pieces need not be folded and holds, beside digits and words, nothing
    that says a number: no ``½``, no ``三``. ``folded``: the piece after folding."""
    return piece == folded and _SIGNS.isdisjoint(piece)


def together(hints: Iterable[Hint]) -> Hint | None:
    """What the pieces of a text hold in all, each word once; of more words than are sought one by
    one, only so many that this shows."""
    number_words: dict[str, None] = {}
    clock = roman = False
    for hint in hints:
        number_words.update(dict.fromkeys(hint.number_words))
        clock = clock or hint.clock
        roman = roman or hint.roman
    if number_words or clock or roman:
        return Hint(tuple(number_words)[: MOST_SOUGHT + 1], clock, roman)
    return None
