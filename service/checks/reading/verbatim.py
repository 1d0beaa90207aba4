"""Whether words stand in a text word for word, and where the text comes closest to them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from service.checks.reading.shown import shown

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"(?:[^\W_{_CJK}][\u0300-\u036f]*)+|[{_CJK}]")
_COMPOSED_WORD = re.compile(rf"[^\W_{_CJK}]+|[{_CJK}]")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_IS_CJK = re.compile(f"[{_CJK}]")

_MOST_COMPARED = 80
"""Words of a quotation that are compared one by one for its explanation."""
_MOST_PLACES = 32
"""Places of one word that are looked at."""
_MOST_TRIES = 64


class Passage(NamedTuple):
    """Words ``first`` to ``last`` (exclusive) of a text, and how they differ from what was sought.

    ``share``: of the words sought, those that stand there in the same order. ``changes``: what
    was sought and what stands there instead, each a run of words, either of them may be empty.
    """

    first: int
    last: int
    share: float
    changes: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


class Wording:
    """A text as its words: case, white space, punctuation, hyphenation and Markdown do not count.

    A CJK character is a word of its own.
    """

    def __init__(self, text: str) -> None:
        self._text = shown(text)
        plain = unicodedata.is_normalized("NFKC", self._text)
        self._pattern = _ASCII_WORD if text.isascii() else _COMPOSED_WORD if plain else _WORD
        found = self._pattern.findall(self._text)
        run = "".join(found)
        letters = run.lower()
        if plain and len(letters) == len(run):
            self.letters = letters
            self.ends = list(accumulate(map(len, found)))
        else:
            found = [unicodedata.normalize("NFKC", word).lower() for word in found]
            self.letters = "".join(found)
            self.ends = list(accumulate(map(len, found)))

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def words(self) -> list[str]:
        starts = [0, *self.ends]
        return [self.letters[a:b] for a, b in zip(starts, self.ends, strict=False)]

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Offsets of every word into the text that was given."""
        return [match.span() for match in self._pattern.finditer(self._text)]

    @property
    def weight(self) -> int:
        """How many words a reader would count; two CJK characters make one."""
        if self.letters.isascii():
            return len(self.ends)
        cjk = len(_IS_CJK.findall(self.letters))
        return len(self.ends) - cjk + cjk // 2

    def find(self, letters: str, after: int = 0) -> tuple[int, int] | None:
        """The first place, from word ``after`` on, where these letters are whole words.

        Returns the numbers of the first word and of the one behind the last.
        """
        ends = self.ends
        at = self.letters.find(letters, ends[after - 1] if after else 0)
        for _ in range(_MOST_TRIES):
            if at < 0:
                return None
            first = 0 if at == 0 else bisect_left(ends, at) + 1
            if at == 0 or ends[first - 1] == at:
                last = bisect_left(ends, at + len(letters))
                if ends[last] == at + len(letters):
                    return first, last + 1
            at = self.letters.find(letters, at + 1)
        return None

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            kept = places.setdefault(word, [])
            if len(kept) < _MOST_PLACES:
                kept.append(number)
        return places

    @cached_property
    def _distinct(self) -> set[str]:
        return set(self.words)

    def has(self, word: str) -> bool:
        return word in self._distinct

    def shared(self, words: set[str]) -> int:
        """How many of these words stand somewhere in the text."""
        return len(words & self._distinct)

    def nearest(self, sought: Sequence[str]) -> Passage | None:
        """The passage that shares most words with ``sought``, in their order; None without any.

        The words vote for where the passage would begin; rare words weigh more.
        """
        sought = sought[:_MOST_COMPARED]
        votes: Counter[int] = Counter()
        for number, word in enumerate(sought):
            places = self._places.get(word, ())
            for place in places:
                votes[place - number] += 240 // len(places)
        if not votes:
            return None
        begin = max(votes, key=lambda at: (sum(votes.get(at + by, 0) for by in range(-2, 3)), -at))
        left = max(0, begin - 4)
        right = min(len(self), begin + len(sought) + 6)
        return _compare(sought, self.words[left:right], left)


def _compare(sought: Sequence[str], window: Sequence[str], left: int) -> Passage | None:
    matcher = SequenceMatcher(None, sought, window, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return None
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size
    lead, tail = blocks[0].a, len(sought) - blocks[-1].a - blocks[-1].size
    # words at either end that differ stand against as many of the text
    first, last = max(0, first - lead), min(len(window), last + tail)
    changes = []
    matcher.set_seqs(sought, window[first:last])
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            changes.append((tuple(sought[a:b]), tuple(window[first + c : first + d])))
    share = sum(block.size for block in blocks) / len(sought)
    return Passage(left + first, left + last, share, tuple(changes))
