"""Where a page of a list ended, as an opaque word that clients hand back."""

from __future__ import annotations

import base64
import binascii
import json
import math


def encode_cursor(position: tuple[str, float]) -> str:
    """``position``: id and score of the last item of the page."""
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> tuple[str, float] | None:
    """None without one; ValueError for one that :func:`encode_cursor` never made."""
    if not cursor:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        member, score = json.loads(base64.urlsafe_b64decode(padded))
        position = str(member), float(score)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError):
        position = "", math.nan
    if not math.isfinite(position[1]):
        raise ValueError("the cursor is not one of ours")
    return position
