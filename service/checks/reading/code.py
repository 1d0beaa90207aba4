"""Where a text is code: fenced blocks and inline spans of Markdown."""

from __future__ import annotations

import re
from typing import NamedTuple

_CODE = re.compile(
    r"(?P<fence>`{3,12}|~{3,12})(?P<language>[^\n`~]{0,60})\n(?P<block>[\s\S]*?)(?:(?P=fence)|\Z)"
    r"|(?<!`)``(?!`)(?P<double>[^\n]{1,400}?)``(?!`)"
    r"|(?<!`)`(?P<inline>[^`\n]{1,400})`"
)
_MARK = re.compile(r"[`~]")


class Code(NamedTuple):
    """``start:end`` with its marks, ``inner_start:inner_end`` without. ``language``: of a fenced
    block, lower case, "" when it names none; None for an inline span."""

    start: int
    end: int
    inner_start: int
    inner_end: int
    language: str | None


def code_spans(text: str) -> list[Code]:
    """All code of a text, in order. An unclosed fence reaches to the end."""
    if "`" not in text and "~~~" not in text:
        return []
    found = []
    done = 0
    for mark in _MARK.finditer(text):
        if mark.start() < done:
            continue
        match = _CODE.match(text, mark.start())
        if match is None:
            continue
        done = match.end()
        group = match.lastgroup if match.lastgroup in ("inline", "double") else "block"
        language = match["language"]
        if language is not None:
            language = language.strip().split(" ")[0].lower()
        found.append(Code(*match.span(), *match.span(group), language))
    return found
