"""Where an answer's digits are no statements: list markers, headings, citations, URLs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from service.checks.reading import units

Span = tuple[int, int]

_NUMBER = r"[0-9]{1,3}(?:\.[0-9]{1,2}){0,3}"
_LINE_MARKER = re.compile(
    rf"[ \t>*_#|+-]{{0,12}}(?:\(?{_NUMBER}[.)](?=[\s*_]|$)|(?<=#) ?{_NUMBER}(?=\s)"
    rf"|(?<=# ){_NUMBER}(?=\s))"
)
_OUTLINE = re.compile(r" {0,8}((?:[0-9]{1,2}\.){1,3})([0-9]{1,2}) ([A-ZÄÖÜ][^\W\d]*)")
_OUTLINE_AROUND = 2_000
"""Characters on either side in which the line with the next number is sought."""
_BRACKETED = re.compile(
    r"\[(?:\^?[0-9]{1,4}(?: ?[,;–-] ?[0-9]{1,4}){0,20}"  # citations, footnotes
    r"|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"  # time stamps of a recording
    r"|[0-9a-fA-F:]{0,36}::[0-9a-fA-F:]{0,36})\]"  # IPv6 addresses
)
_LENTICULAR = re.compile(r"【[^】\n]{1,60}】")
_ENUMERATED = re.compile(r"\([0-9]{1,2}\)(?= [^\W\d])")
_KEYCAP = re.compile(r"[0-9]\ufe0f?\u20e3")
_LABELS = frozenset(
    (
        "step steps schritt schritte étape etape étapes paso pasos passage passages source sources "
        "quelle quellen document documents dokument dokumente doc docs chunk chunks context "
        "contexts fuente fuentes kontext excerpt excerpts snippet snippets footnote footnotes "
        "fußnote ref. refs"
    ).split()
)
"""Words that make the number behind them a place in the prompt or a running number."""
_LIST_LINK = re.compile(r" ?(?:,|and|und|et|y|&|-|–|to|or|oder) ?(?:and )?")
_LETTER_AND_DIGIT = re.compile(r"[^\W\d].{0,300}[0-9]|[0-9].{0,300}[^\W\d]", re.DOTALL)
_URL = re.compile(r"(?:https?://|www\.|tel:\+?(?=[0-9]))[^\s<>\"]{1,2000}")
_MAIL_LEFT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_CODE = re.compile(r"```[\s\S]*?(?:```|\Z)|`[^`\n]{1,400}`")
_INDEX = re.compile(r"(?<=[\w\]])\[[0-9]{1,9}\]")


def unchecked(text: str, *, refs: Iterable[str] = (), in_code: bool = True) -> list[Span]:
    """Spans of folded ``text`` whose numbers are not checked: marks, URLs, refs. Unordered."""
    spans: list[Span] = []
    if "[" in text:
        spans += [match.span() for match in _BRACKETED.finditer(text)]
    if "(" in text:
        spans += [match.span() for match in _ENUMERATED.finditer(text)]
    if not text.isascii():
        spans += [match.span() for match in _LENTICULAR.finditer(text)]
        if "\u20e3" in text:
            spans += [match.span() for match in _KEYCAP.finditer(text)]
    if "://" in text or "www." in text or "tel:" in text:
        spans += [match.span() for match in _URL.finditer(text)]
    if "@" in text:
        spans += _mails(text)
    if "`" in text:
        spans += _code(text, in_code)
    for ref in refs:
        if ref in text:
            spans += _occurrences(text, ref)
    return spans


def spares_the_lonely(text: str, refs: Iterable[str]) -> bool:
    """Whether no span that is not checked can hold a number that stands alone between spaces, a
    word or a sign behind it. All but these end at a space, or hold but numbers and what joins them;
    and a ref that is but a number is none."""
    if "`" in text or ("【" in text and not text.isascii()):
        return False
    for ref in refs:
        if " " in ref:
            return False
    return True


def is_line_marker(text: str, start: int) -> bool:
    """Whether the digits at ``start`` number a line of a list or a heading."""
    line = text.rfind("\n", max(0, start - 14), start) + 1
    if line == 0 and start > 14:
        return False
    marker = _LINE_MARKER.match(text, line)
    if marker is not None and marker.end() > start:
        return True
    return _is_outline(text, line, start)


def _is_outline(text: str, line: int, start: int) -> bool:
    """``2.1 Umfang`` on one line and ``2.2 Fristen`` on another: numbered without a last dot."""
    number = _OUTLINE.match(text, line)
    if number is None or not number.start(1) <= start < number.end(2):
        return False
    if units.spelled(number[3]) is not None:
        return False
    near = "\n" + text[max(0, line - _OUTLINE_AROUND) : line + _OUTLINE_AROUND]
    for other in (int(number[2]) - 1, int(number[2]) + 1):
        head = f"\n{number[1]}{other} "
        at = near.find(head)
        # the same word behind both: values of one thing, 4.5 Sterne and 4.6 Sterne
        if at >= 0 and not near.startswith(number[3], at + len(head)):
            return True
    return False


def is_labelled(text: str, start: int) -> bool:
    """Whether the word before ``start`` makes it a running number: ``Step 3``, ``passage 2``."""
    before = text[max(0, start - 14) : start].split()
    return bool(before) and _names_number(before[-1])


def is_label(word: str) -> bool:
    """:func:`is_labelled` for a number one space behind a word of at most 23 characters."""
    return _names_number(word[-13:])


def _names_number(word: str) -> bool:
    return word.lstrip("(*_[").lower() in _LABELS


def continues_list(text: str, end: int, start: int) -> bool:
    """``passages 1, 2 and 3``: whether only a link stands between two numbers."""
    return start - end <= 9 and _LIST_LINK.fullmatch(text, end, start) is not None


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
    at = text.find(ref)
    if at < 0 or len(ref) < 3 or ref.isalnum() or not _LETTER_AND_DIGIT.search(ref):
        return []
    spans = []
    while at >= 0:
        spans.append((at, at + len(ref)))
        at = text.find(ref, at + len(ref))
    return spans
