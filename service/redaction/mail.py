"""E-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.redaction.mask import Span

_AT = re.compile(r"@|%40")
# Two numbers first make a version: react@18.2.0-rc.
_DOMAIN = re.compile(
    r"(?!\d+\.\d)[^\W_](?:[\w-]{0,62}\.){1,8}[^\W\d_][\w-]{1,62}|\[[0-9A-Fa-f.:]{3,45}\]"
)
_LOCAL = frozenset(".+-_%'!#$&*/=?^{|}~")
_LONGEST_LOCAL = 64


def find(text: str) -> Iterator[Span]:
    """``jane.doe+x@mail.example.com``, its at sign also percent-encoded, its local part also in
    quotation marks. Linear: each at sign is looked at within a fixed distance."""
    if "@" not in text and "%40" not in text:
        return
    for at in _AT.finditer(text):
        domain = _DOMAIN.match(text, at.end())
        start = _local_start(text, at.start())
        if domain is not None and start < at.start():
            yield start, domain.end()


def _local_start(text: str, at: int) -> int:
    floor = max(0, at - _LONGEST_LOCAL)
    if text[at - 1 : at] == '"':
        opening = text.rfind('"', floor, at - 1)
        return opening if opening >= 0 else at
    start = at
    while start > floor and (text[start - 1].isalnum() or text[start - 1] in _LOCAL):
        start -= 1
    # In an address of the web or a ref, what stands before the last of these is no name.
    for sign in "/=?&#":
        start = max(start, text.rfind(sign, start, at) + 1)
    return start
