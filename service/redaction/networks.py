"""IP addresses, versions 4 and 6."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from service.redaction.context import before
from service.redaction.mask import Span

_FOUR = re.compile(r"\d(?<![\w.]\d)\d{0,2}(?:\.\d{1,3}){3}(?![\w]|\.\d|-\w)", re.ASCII)
_MAYBE_SIX = re.compile(r":[0-9A-F]{0,4}:", re.IGNORECASE)
_SIX = re.compile(
    r"(?<![\w:.])[0-9A-F]{0,4}(?::[0-9A-F]{0,4}){2,8}(?:(?:\.\d{1,3}){3})?(?![\w])",
    re.IGNORECASE | re.ASCII,
)
_NUMBERED = re.compile(
    r"(?:version|ver\.|\bv|release|rel\.|build|firmware|patch|update|upgrade|chapter|section|sect\."
    r"|clause|article|kapitel|abschnitt|abs\.|absatz|ziffer|ziff\.|punkt|artikel|ausgabe|fassung"
    r"|stand|§|oid)\W{0,3}$",
    re.IGNORECASE,
)
"""Words in front of what has the shape of an address and is a version or a section."""
_MOST_DIGITS = 3


def find(text: str) -> Iterator[Span]:
    """Not the loopback, not a netmask: they are nobody's, and texts about networks need them."""
    if text.count(":") > 1 and _MAYBE_SIX.search(text):
        for found in _SIX.finditer(text):
            words = found[0].rstrip(":.")
            # a::b is a name of a program, ::1 the loopback.
            if _is_six(words):
                yield found.start(), found.start() + len(words)
    if text.count(".") >= _MOST_DIGITS:
        for found in _FOUR.finditer(text):
            if _is_four(found[0]) and not _NUMBERED.search(before(text, found.start())):
                yield found.span()


def _is_four(words: str) -> bool:
    parts = words.split(".")
    octets = [int(part) for part in parts]
    if max(octets) > 255 or octets[0] in (0, 127, 255):
        return False
    # 1.2.3.4 is a version or a section far more often than somebody's address.
    return any(len(part) > 1 for part in parts)


def _is_six(words: str) -> bool:
    if not any(char.isdigit() for char in words) or sum(char.isalnum() for char in words) < 4:
        return False
    try:
        return not IPv6Address(words).is_loopback
    except AddressValueError:
        return False
