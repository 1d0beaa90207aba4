"""A text as it shows: Markdown's and HTML's own characters blanked, entities read. Same length."""

from __future__ import annotations

import html
import re

_MARKS = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|</?[A-Za-z][^<>\n]{0,200}>"
    r"|\]\([^()\s]{0,2048}(?:\s\"[^\"\n]{0,200}\")?\)"  # a link's target
    r"|\\(?=[!-/:-@\[-`{-~])"
    "|[\u00ad\u200b-\u200d\u2060\ufeff]+"
)


def shown(text: str) -> str:
    """The text without tags, link targets, backslashes of escapes and invisible characters.

    Each is replaced by as many spaces, an entity by its character and spaces, so that offsets hold.
    Emphasis and code marks stay: they are no part of any word.
    """
    if text.isascii() and not ("&" in text or "<" in text or "\\" in text or "](" in text):
        return text
    return _MARKS.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    mark = match[0]
    if mark[0] == "&":
        read = html.unescape(mark)
        if read != mark and len(read) <= len(mark):
            # a mark that opens a quotation stays with the word that it opens
            opens = match.string[max(0, match.start() - 1) : match.start()].strip() == ""
            return read.rjust(len(mark)) if opens else read.ljust(len(mark))
        return mark
    return " " * len(mark)
