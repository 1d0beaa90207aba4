"""Whether a text is data (JSON, separated values) rather than prose."""

from __future__ import annotations

import re

_ROW = re.compile(r"(?m)^[^\s,;|]{1,40}[,;\t|][^\s]{0,200}[0-9]\r?$")
"""A line of separated values."""
_FEWEST_ROWS = 4


def is_record(text: str) -> bool:
    """Data marks decimals with a point, and nobody reads its measured decimals out in full."""
    if text.lstrip()[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]"):
        return True
    if "\n" not in text:  # a hundred times faster than to count none
        return False
    lines = text.count("\n")
    if lines < _FEWEST_ROWS - 1:
        return False
    rows = len(_ROW.findall(text))
    return rows >= _FEWEST_ROWS and 2 * rows > lines
