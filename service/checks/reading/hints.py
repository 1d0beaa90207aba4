"""What a piece of a text may hold beside digits that says a number. Most pieces hold nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

from service.checks.reading.spoken import CLOCK_WORDS, LETTERS, has_number_word

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
