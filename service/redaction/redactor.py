"""One text: its personal data masked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from service.policy import RedactionPolicy
from service.redaction import banking, mail, networks, phones
from service.redaction.mask import Span, blank, covered
from service.redaction.plain import plain

Find = Callable[[str], Iterable[Span]]

_MOST_PASSES = 4
UNREADABLE = "unreadable"
"""The kind of a text that is masked as a whole: after some passes there was still something."""


class Secret(NamedTuple):
    """One value that was found: of which kind, and where, as character offsets."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """``text``: as long as what was given; ``secrets``: what is masked in it."""

    text: str
    secrets: tuple[Secret, ...] = ()

    @property
    def kinds(self) -> Counter[str]:
        return Counter(secret.kind for secret in self.secrets)


class Redactor:
    """Under one app's policy. Redacting twice changes nothing: what a mask lays bare (its neighbour
    stood in a word before, and now stands alone) is masked too."""

    def __init__(self, policy: RedactionPolicy) -> None:
        self.exempt = policy.exempt
        self._finds = tuple(_finds_of(policy))

    def redact(self, text: str) -> Redacted:
        """Time and memory are linear in the text's length."""
        secrets: list[Secret] = []
        for _ in range(_MOST_PASSES):
            found = self._pass(text)
            if not found:
                return Redacted(text, tuple(secrets))
            secrets += found
            text = covered(text, (secret[1:] for secret in found))
        if self._pass(text):
            return Redacted(blank(text), (Secret(UNREADABLE, 0, len(text)),))
        return Redacted(text, tuple(secrets))

    def __call__(self, text: str) -> str:
        return self.redact(text).text

    def _pass(self, text: str) -> list[Secret]:
        """What is found at first sight; of two that overlap, the kind that is looked for first."""
        found: list[Secret] = []
        for kind, find in self._finds:
            here = [Secret(kind, *span) for span in find(plain(text))]
            if here:
                found += here
                text = covered(text, (secret[1:] for secret in here))
        return found


def _finds_of(policy: RedactionPolicy) -> Iterator[tuple[str, Find]]:
    for custom in policy.patterns:
        yield custom.name, partial(_find_pattern, re.compile(custom.matches))
    builtin: dict[str, Find] = {
        "email": mail.find,
        "iban": banking.find_ibans,
        "card": banking.find_cards,
        "ip": networks.find,
        "phone": partial(phones.find, regions=policy.phone_regions),
    }
    for kind, find in builtin.items():
        if getattr(policy, kind):
            yield kind, find


def _find_pattern(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """A match without a letter or digit has nothing to mask."""
    for found in pattern.finditer(text):
        if any(map(str.isalnum, found[0])):
            yield found.span()


@lru_cache(maxsize=512)
def redactor_of(policy: RedactionPolicy) -> Redactor:
    """One for each policy in force."""
    return Redactor(policy)
