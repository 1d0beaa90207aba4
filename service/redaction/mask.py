"""The mask: each letter and digit of a match becomes the same character, all else stays.

So lengths and offsets hold, a reviewer still sees what kind of value stood there, and nothing of it
can be computed back: no hash, no key. The mask is no letter, no digit and no Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable

MASK = "█"

Span = tuple[int, int]


def covered(text: str, spans: Iterable[Span]) -> str:
    """The text with every letter and digit of the spans [start, end) masked; as long as before."""
    parts, at = [], 0
    for start, end in sorted(spans):
        parts += [text[at : max(at, start)], blank(text[max(at, start) : end])]
        at = max(at, end)
    parts.append(text[at:])
    return "".join(parts)


def blank(text: str) -> str:
    """Every letter and digit masked."""
    return "".join([MASK if char.isalnum() else char for char in text])
