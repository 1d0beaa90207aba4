"""What stands in front of a number, on its line."""

from __future__ import annotations

_NEAR = 40
"""Characters: two or three words."""


def before(text: str, at: int) -> str:
    return text[max(0, at - _NEAR, text.rfind("\n", max(0, at - _NEAR), at) + 1) : at]
