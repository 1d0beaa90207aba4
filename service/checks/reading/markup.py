"""Where an answer's digits are no statements: list markers, headings, citations, URLs, code names."""

from __future__ import annotations

import re
from collections.abc import Iterable

Span = tuple[int, int]

_LINE_MARKER = re.compile(
    r"(?m)^[ \t>*_#|+-]{0,12}(?:\(?[0-9]{1,3}(?:\.[0-9]{1,2}){0,3}[.)](?=[\s*_]|$)|\(?[a-z]\)(?= )|(?<=#)[ ]?[0-9]{1,3}(?:\.[0-9]{1,2}){0,3}(?=\s)"
    r"|(?<=# )[0-9]{1,3}(?:\.[0-9]{1,2}){0,3}(?=\s))"
)
_INLINE = re.compile(
    r"[0-9]\ufe0f?\u20e3"
    r"|\[\^?[0-9]{1,4}(?: ?[,;–-] ?[0-9]{1,4}){0,20}\]"
    r"|【[^】\n]{1,60}】"
    r"|(?<![\w.])\([0-9]{1,2}\)(?= [^\W\d])"
)
_REFERENCE = re.compile(
    r"(?i)\b(?:step|schritt|étape|etape|paso|passages?|sources?|quellen?|documents?|dokument|docs?|chunks?|contexts?|fuentes?|"
    r"kontext|excerpts?|snippets?|footnote|fußnote|ref\.)[ ]?#?[0-9]{1,3}(?:(?: ?(?:,|and|und|et|y|&|-|–|to|or) ?)(?:and )?[0-9]{1,3}){0,12}(?![0-9%]|[.,][0-9])"
)
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"]{1,2000}")
_MAIL_LEFT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_CODE = re.compile(r"```[\s\S]*?(?:```|\Z)|`[^`\n]{1,400}`")
_INDEX = re.compile(r"(?<=[\w\]])\[[0-9]{1,9}\]")


def unchecked(text: str, *, refs: Iterable[str] = (), in_code: bool = True) -> list[Span]:
    """Spans of folded ``text`` whose numbers are not checked, in order of their starts."""
    spans = [match.span() for match in _LINE_MARKER.finditer(text)]
    spans += [match.span() for match in _INLINE.finditer(text)]
    spans += [match.span() for match in _REFERENCE.finditer(text)]
    if "://" in text or "www." in text:
        spans += [match.span() for match in _URL.finditer(text)]
    if "@" in text:
        spans += _mails(text)
    if "`" in text:
        spans += _code(text, in_code)
    for ref in refs:
        spans += _occurrences(text, ref)
    spans.sort()
    return spans


def _mails(text: str) -> list[Span]:
    spans, at = [], text.find("@")
    while at >= 0:
        left = right = at
        while left > 0 and at - left < 64 and text[left - 1] in _MAIL_LEFT:
            left -= 1
        while right + 1 < len(text) and right - at < 255 and text[right + 1] in _MAIL_LEFT:
            right += 1
        spans.append((left, right + 1))
        at = text.find("@", right + 1)
    return spans


def _code(text: str, in_code: bool) -> list[Span]:
    spans: list[Span] = []
    for match in _CODE.finditer(text):
        if not in_code:
            spans.append(match.span())
        else:
            spans += [index.span() for index in _INDEX.finditer(text, *match.span())]
    return spans


def _occurrences(text: str, ref: str) -> list[Span]:
    """Where a ref of a chunk stands; a ref that looks like a plain word or number is left out."""
    if len(ref) < 3 or ref.isalnum() or not any(char.isdigit() for char in ref):
        return []
    if not any(char.isalpha() for char in ref):
        return []
    spans, at = [], text.find(ref)
    while at >= 0:
        spans.append((at, at + len(ref)))
        at = text.find(ref, at + len(ref))
    return spans
