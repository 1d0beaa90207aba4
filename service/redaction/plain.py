"""A text in plain characters, one for one: so that a full-width digit, a no-break space or a
typographic dash hides nothing, and offsets still hold."""

from __future__ import annotations

import re

_SPACES = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Drawn as nothing. Between two digits they read as a space does."""
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_ARABIC = {0x0660 + digit: str(digit) for digit in range(10)}
_PERSIAN = {0x06F0 + digit: str(digit) for digit in range(10)}
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}

_PLAIN = (
    _ARABIC
    | _PERSIAN
    | _FULL_WIDTH
    | {ord(char): " " for char in _SPACES + _UNSEEN}
    | {ord(char): "-" for char in _DASHES}
)
_ODD = re.compile("[" + "".join(map(chr, _PLAIN)) + "]")


def plain(text: str, others: str) -> str:
    """``others``: its characters beyond ASCII."""
    return text.translate(_PLAIN) if _ODD.search(others) is not None else text
