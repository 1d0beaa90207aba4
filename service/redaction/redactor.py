"""One text: its personal data masked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from sys import getsizeof
from typing import NamedTuple

from service.checks.reading.cache import ReadingCache
from service.checks.reading.folding import beyond_ascii
from service.policy import RedactionPolicy
from service.redaction import banking, mail, networks, phones
from service.redaction.kinds import Kind
from service.redaction.mask import Span, blank, covered
from service.redaction.plain import plain

Find = Callable[[str], Iterable[Span]]

_MOST_PASSES = 4
_SHORT = 80
"""Characters: refs, titles and names, which come again in many answers."""
_REMEMBERED = 4096


class Secret(NamedTuple):
    """One value that was found: of which kind, and where, as character offsets."""

    kind: Kind
    start: int
    end: int


@dataclass(slots=True, init=False)
class Redacted:
    """``text``: as long as what was given; ``secrets``: what is masked in it."""

    text: str
    secrets: tuple[Secret, ...] = ()

    # spelled out: the one that a dataclass makes is left to the interpreter by mypyc
    def __init__(self, text: str, secrets: tuple[Secret, ...] = ()) -> None:
        self.text = text
        self.secrets = secrets

    @property
    def kinds(self) -> Counter[str]:
        return Counter(secret.kind.value for secret in self.secrets)


class Redactor:
    """Under one app's policy. Redacting twice changes nothing: what a mask lays bare (its neighbour
    stood in a word before, and now stands alone) is masked too."""

    def __init__(self, policy: RedactionPolicy) -> None:
        self.exempt = policy.exempt
        self._custom = tuple(_customs_of(policy))
        self._finds = (*self._custom, *_finds_of(policy))
        self._again = lru_cache(_REMEMBERED)(self._redact)

    def redact(self, text: str) -> Redacted:
        """Time and memory are linear in the text's length."""
        return self._again(text) if len(text) <= _SHORT else self._redact(text)

    def _redact(self, text: str) -> Redacted:
        secrets: list[Secret] = []
        for _ in range(_MOST_PASSES):
            found = self._pass(text)
            if not found:
                return Redacted(text, tuple(secrets))
            secrets += found
            text = covered(text, (secret[1:] for secret in found))
        if self._pass(text):
            return Redacted(blank(text), (Secret(Kind.UNREADABLE, 0, len(text)),))
        return Redacted(text, tuple(secrets))

    def __call__(self, text: str) -> str:
        return self.redact(text).text

    def _pass(self, text: str) -> list[Secret]:
        """What is found at first sight; of two that overlap, the kind that is looked for first."""
        reading, may_hold = _read(text) if len(text) <= _SHORT else _READINGS.of(text)
        finds = self._finds if may_hold else self._custom
        found: list[Secret] = []
        for kind, find in finds:
            here = [Secret(kind, *span) for span in find(reading)]
            if here:
                found += here
                reading = covered(reading, (secret[1:] for secret in here))
        return found


def _read(text: str) -> tuple[str, bool]:
    """In plain characters, and whether it may hold what is looked for under every policy."""
    if text.isascii():
        return text, _may_hold(text, "")
    others = beyond_ascii(text)
    reading = plain(text, others)
    if reading is not text:
        others = beyond_ascii(reading)
    return reading, _may_hold(reading, others)


def _bytes(text: str, read: tuple[str, bool]) -> int:
    """Too many for the cache where a built-in kind may find something: no such text is kept."""
    reading, may_hold = read
    if may_hold:
        return CACHE_BYTES
    return getsizeof(text) + (0 if reading is text else getsizeof(reading)) + 540


CACHE_BYTES = 8 << 20
_READINGS = ReadingCache(CACHE_BYTES, _read, _bytes)
"""Of the long texts seen last, whatever the policy: chunks come again in many answers."""

_DENSE = re.compile(r"\d(?:\W{0,5}\d){4}")
"""Every number that is looked for has as many digits so near to each other."""
_DIGIT, _OTHER, _WORD = b"0 a"
_SORTS = bytes(
    _DIGIT if char.isdecimal() else _WORD if char.isalnum() or char == "_" else _OTHER
    for char in map(chr, range(256))
)
# Spelt out and possessive: a repeated group took 1.6 times the instructions.
_DENSE_SORTS = re.compile(rb"0" + rb" {0,5}+0" * 4)


def _may_hold(text: str, others: str) -> bool:
    """Cheap: most texts hold nothing, and are asked nothing more. ``others``: the characters beyond
    ASCII."""
    if "@" in text or "%40" in text or text.count(":") > 1:
        return True
    return _is_dense(text, others)


def _is_dense(text: str, others: str) -> bool:
    """Whether :data:`_DENSE` is found. Of Latin-1 a byte tells the sort of each character, and a
    search for one byte is many times faster than one for a set of characters."""
    has_others = len(others.encode("latin-1", "ignore")) < len(others)
    if has_others and any(map(str.isdecimal, set(others))):
        return _DENSE.search(text) is not None
    latin = text.encode("latin-1", "replace")
    if _DENSE_SORTS.search(latin.translate(_SORTS)) is None:
        return False
    # the others may be letters, which end a number
    return not has_others or _DENSE.search(text) is not None


def _customs_of(policy: RedactionPolicy) -> Iterator[tuple[Kind, Find]]:
    for custom in policy.patterns:
        yield Kind.CUSTOM, partial(_find_pattern, re.compile(custom.matches))


def _finds_of(policy: RedactionPolicy) -> Iterator[tuple[Kind, Find]]:
    builtin: dict[Kind, tuple[bool, Find]] = {
        Kind.EMAIL: (policy.email, mail.find),
        Kind.IBAN: (policy.iban, banking.find_ibans),
        Kind.CARD: (policy.card, banking.find_cards),
        Kind.IP: (policy.ip, networks.find),
        Kind.PHONE: (policy.phone, partial(phones.find, regions=policy.phone_regions)),
    }
    yield from ((kind, find) for kind, (wanted, find) in builtin.items() if wanted)


def _find_pattern(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """A match without a letter or digit has nothing to mask."""
    for found in pattern.finditer(text):
        if any(map(str.isalnum, found[0])):
            yield found.span()


@lru_cache(maxsize=512)
def redactor_of(policy: RedactionPolicy) -> Redactor:
    """One for each policy in force."""
    return Redactor(policy)
