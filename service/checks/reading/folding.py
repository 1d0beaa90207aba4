"""Fold the many spellings of digits, spaces, dashes and apostrophes; the length never changes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONG: Final = 20_000
"""Characters of a text past which none of what was read of it is remembered as a whole."""

_SPACES = "\u00a0\u2007\u2008\u2009\u200a\u202f\u3000"
_APOSTROPHES = "\u2019\u2018\u02bc\uff07"
_MINUS = "\u2212\u2011\ufe63\uff0d"
_DASHES = "\u2012\u2014\u301c\uff5e"
_PUNCTUATION = {"\uff1a": ":", "\uff0c": ",", "\uff0e": ".", "\uff0f": "/", "\uff05": "%"}
_PUNCTUATION |= {"\uff08": "(", "\uff09": ")", "\u066b": ".", "\u066c": ",", "\u066a": "%"}
_PUNCTUATION |= dict(zip("ᵉʳᵗʰˢᵈᵐ", "erthsdm", strict=True))
"""18ᵉ, 1ˢᵗ."""
_PUNCTUATION |= {"\uff04": "$", "\uffe5": "\u00a5", "\uffe1": "\u00a3", "\uff0b": "+"}


def _table() -> dict[int, str]:
    folded = {ord(char): " " for char in _SPACES}
    folded |= {ord(char): "'" for char in _APOSTROPHES}
    folded |= {ord(char): "-" for char in _MINUS}
    folded |= {ord(char): "\u2013" for char in _DASHES}
    folded |= {ord(char): plain for char, plain in _PUNCTUATION.items()}
    for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xFF10):
        folded |= {zero + digit: str(digit) for digit in range(10)}
    return folded


_FOLDED = {chr(code): plain for code, plain in _table().items()}
_ALL_FOLDED = frozenset(_FOLDED)
_ASCII = bytes(range(128))
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_FOLDABLE = re.compile("[" + "".join(re.escape(char) for char in sorted(_FOLDED)) + "]")


def fold(text: str) -> str:
    """The same text with plain digits, spaces, signs and apostrophes; equally long."""
    return _folded(text)[0]


def holds_folded_space(text: str) -> bool:
    """Whether a space is folded in ``text``: of all that is, these alone part its pieces."""
    if text.isascii():
        return False
    for space in _SPACES:
        if space in text:
            return True
    return False


def folded(text: str) -> tuple[str, str]:
    """The folded text, and the characters beyond ASCII that it had before. Of texts that are not
    long remembered for a while: many readers ask for the same answer."""
    return _remembered(text) if len(text) <= LONG else _folded(text)


def _folded(text: str) -> tuple[str, str]:
    if "\\" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if text.isascii():
        return text, ""
    others = beyond_ascii(text)
    if _ALL_FOLDED.isdisjoint(others):
        return text, others
    return _FOLDABLE.sub(_plain_character, text), others


_remembered = lru_cache(32)(_folded)


def beyond_ascii(text: str) -> str:
    """The characters of ``text`` that are not ASCII, in order; faster than a search for any."""
    others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return others.decode("utf-8", "surrogatepass")


def _unescaped(match: re.Match[str]) -> str:
    """The space or the sign that a JSON dump spells out, behind as many spaces as it spends."""
    char = chr(int(match[1] or match[2], 16))
    if char.isalnum() or not (char.isprintable() or char.isspace()):
        return match[0]
    return char.rjust(len(match[0]))


def _plain_character(match: re.Match[str]) -> str:
    return _FOLDED[match[0]]


def lower(text: str) -> str:
    """Lower case of the same length (a few capitals grow when lowered; those stay as they are)."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def plain(word: str) -> str:
    """A lower-case word without accents and umlauts (``fünfzehn`` and ``fuenfzehn`` alike)."""
    if word.isascii():
        return word
    for char, pair in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        word = word.replace(char, pair)
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
