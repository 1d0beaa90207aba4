"""A text as it shows: without format characters, in which instructions and marks can hide. Pure."""

from __future__ import annotations

import re

FORMAT = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""As a set of a regular expression: the Unicode category Cf, variation selectors, fillers that
show nothing, and the whole plane of tags and selectors."""

_FORMAT = re.compile(f"[{FORMAT}]+")


def visible(text: str) -> str:
    """The text without format characters. Linear."""
    return text if text.isascii() else _FORMAT.sub("", text)
