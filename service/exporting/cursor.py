"""Where an export stopped, as an opaque word."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

import orjson

from service.review.labels import Change

Place = tuple[int, str]
"""When a change was made (ms since 1970), and its subject and number."""


def place_of(change: Change) -> Place:
    return change.at_ms, f"{change.subject}#{change.number}"


@dataclass(frozen=True, slots=True)
class Cursor:
    """``place``: of the last change that was exported; ``held``: ids of earlier answers that were
    held back then, as their audits were open."""

    place: Place = (-1, "")
    held: tuple[str, ...] = ()

    @property
    def at_start(self) -> bool:
        return self == START


START = Cursor()


def encode_cursor(cursor: Cursor) -> str:
    data = orjson.dumps([*cursor.place, cursor.held])
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode_cursor(word: str) -> Cursor:
    """Raises ValueError for what :func:`encode_cursor` never made."""
    try:
        padded = word + "=" * (-len(word) % 4)
        at_ms, name, held = orjson.loads(base64.b64decode(padded, b"-_", validate=True))
    except (binascii.Error, ValueError, TypeError):
        at_ms, name, held = None, "", ()
    known = isinstance(at_ms, int) and isinstance(name, str) and isinstance(held, list)
    if not known or not all(isinstance(answer, str) for answer in held):
        raise ValueError("the cursor is not one that an export printed")
    return Cursor((at_ms, name), tuple(held))
