"""Whether a quote stands in a text word for word, and where. Pure.

Stricter than the check ``quotes``, which reads what people wrote: a judge copies. Only what copying
changes does not count: white space, case, format characters, the glyphs of quotation marks and
dashes, how accents are composed, bold and code marks. Every letter, digit and sign does.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

from service.checks.reading.content_words import content_words
from service.judging.visible import FORMAT

MAX_QUOTE = 4_000
"""Characters of a quote past which it is none."""

_MOST_TRIES = 64
"""Places of the same letters that are looked at."""
_SPECIAL = re.compile(rf"(?P<gap>(?:[\s`{FORMAT}]|\*\*+)++)|[^\x00-\x7f]")
_GLYPHS = (
    dict.fromkeys("„“”‟«»‹›＂", '"')
    | dict.fromkeys("‚‘’‛ʼ＇", "'")
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | {"…": "..."}
)
_EDGES = " \"'.,;:"
_DIGIT = re.compile(r"[0-9]")
_CUT_BEFORE = re.compile(r"[0-9][.,']\Z|(?:\A|[^a-z])-\Z")
"""What stands before the rest of a number that was cut: ``1,|54``, ``10-|20``, ``-|5``."""
_CUT_BEHIND = re.compile(r"[.,'-][0-9]")


class Folded:
    """A text without what copying changes, and where each of its characters stood."""

    def __init__(self, text: str) -> None:
        self._parts: list[str] = []
        self._at: list[int] = []
        self._raw: list[tuple[int, int]] = []
        self._length = 0
        done = 0
        for match in _SPECIAL.finditer(text):
            start, end = match.span()
            self._add(text[done:start].lower(), done, start)
            self._add(_folded(match), start, end)
            done = end
        self._add(text[done:].lower(), done, len(text))
        self.text = "".join(self._parts)

    def find(self, quote: str) -> tuple[int, int] | None:
        """Character offsets [start, end) of the first place where ``quote`` stands whole, neither
        its words nor its numbers cut; None where it does not, or holds no word that says
        something. Linear."""
        if len(quote) > MAX_QUOTE:
            return None
        sought = Folded(quote).text.strip(_EDGES)
        if not content_words(sought):
            return None
        at = self.text.find(sought)
        for _ in range(_MOST_TRIES):
            if at < 0:
                return None
            if self._is_whole(at, at + len(sought)):
                return self._place(at), self._place(at + len(sought) - 1, last=True)
            at = self.text.find(sought, at + 1)
        return None

    def _add(self, folded: str, start: int, end: int) -> None:
        if folded:
            self._parts.append(folded)
            self._at.append(self._length)
            self._raw.append((start, end))
            self._length += len(folded)

    def _place(self, at: int, *, last: bool = False) -> int:
        """Where the folded character ``at`` begins in the text; with ``last``, where it ends."""
        number = bisect_right(self._at, at) - 1
        start, end = self._raw[number]
        folded = len(self._parts[number])
        if end - start != folded:
            return end if last else start
        return start + at - self._at[number] + last

    def _is_whole(self, start: int, end: int) -> bool:
        text = self.text
        before, behind = text[max(0, start - 2) : start], text[end : end + 2]
        if _in_word(text[start]) and before and _in_word(before[-1]):
            return False
        if _in_word(text[end - 1]) and behind and _in_word(behind[0]):
            return False
        if _DIGIT.match(text[start]) and _CUT_BEFORE.search(before):
            return False
        return not (_DIGIT.match(text[end - 1]) and _CUT_BEHIND.match(behind))


def _folded(special: re.Match[str]) -> str:
    if special["gap"] is not None:
        return " " if any(map(str.isspace, special[0])) else ""
    char = special[0]
    return _GLYPHS.get(char) or unicodedata.normalize("NFD", char).lower()


_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def _in_word(char: str) -> bool:
    """Part of a word that cannot be cut there; Chinese and Japanese have no gaps between words."""
    if _CJK.match(char):
        return False
    return char.isalnum() or unicodedata.combining(char) > 0
