"""Releases told with a zero, ``HDMI 2.0`` or ``version 3.0``: which whole number may ground one."""

from __future__ import annotations

import re

from service.checks.reading import phrases
from service.checks.reading.quantities import CARDINAL, CODE, NUMBER, Quantity

VERSION_WORDS = frozenset({"version", "versión", "release", "v", "ver."})
_LONGEST_NAME = 24
_OPENS = "(['\"{„“*_`"
_VERB = re.compile(
    r" (?:are|is|was|were|has|have|had|will|can|sind|ist|war|waren|hat|haben|wird)\b"
)
"""What follows a number that counts nothing: 11 and 10 are supported."""
_MOST_TRIED = 4
"""Places of a name in one text that are tried for a number of its own."""


def release_name(text: str, quantity: Quantity) -> str:
    """The name before ``x.0``: a version word or a word with a capital letter; empty where it is no
    release."""
    if not is_zero_release(text, quantity):
        return ""
    word = _word_before(text, quantity.value_start)
    if word.lower() in VERSION_WORDS:
        return word
    return word if len(word) > 1 and word[0].isupper() and word.isalnum() else ""


def is_zero_release(text: str, quantity: Quantity) -> bool:
    """Whether it is written as ``2.0``, without a unit."""
    start, end = quantity.value_start, quantity.value_end
    if quantity.unit is not None or quantity.kind not in (NUMBER, CODE):
        return False
    return 3 <= end - start <= 5 and text[end - 2 : end] == ".0" and text[start : end - 2].isdigit()


def may_ground(name: str, text: str, found: Quantity) -> bool:
    """Whether a number of equal value in ``text`` may be the release ``name x.0``.

    What is counted (three servers, 3 servers) is none behind a version word, nor where the name
    has a number of its own in this text: HDMI 2.1.
    """
    word = _word_before(text, found.start)
    if word.lower() in VERSION_WORDS or word.lower() == name.lower():
        return True
    if text[found.value_start : found.value_end].endswith(".0") or not _is_counted(text, found):
        return True
    return name.lower() not in VERSION_WORDS and not is_numbered(name, text)


def is_numbered(name: str, text: str) -> bool:
    return number_of(name, text) >= 0


def number_of(name: str, text: str) -> int:
    """Where a number stands right behind ``name``; -1 when soon nowhere."""
    at = text.find(name)
    for _ in range(_MOST_TRIED):
        if at < 0:
            break
        end = at + len(name)
        is_whole = not (at and text[at - 1].isalnum())
        if is_whole and text[end : end + 1] == " " and text[end + 1 : end + 2].isdigit():
            return end + 1
        at = text.find(name, end)
    return -1


def _is_counted(text: str, found: Quantity) -> bool:
    if found.form is CARDINAL or found.unit is not None:
        return True
    return phrases.counts_something(text, found) and _VERB.match(text, found.end) is None


def _word_before(text: str, start: int) -> str:
    if start < 2 or text[start - 1] != " ":
        return ""
    left = max(0, start - _LONGEST_NAME)
    return text[max(left, text.rfind(" ", left, start - 1) + 1) : start - 1].lstrip(_OPENS)
