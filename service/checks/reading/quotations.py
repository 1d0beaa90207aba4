"""Quotations in running text: which marks open them, which close them, where they stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from service.checks.reading.folding import folded

LONGEST = 2_000
"""Characters of a quotation; between marks that are further apart stands no quotation."""

# what opens -> what may close it
_CLOSERS = {
    "„": re.compile(r"[“”„]|\"(?!\w)"),
    "“": re.compile(r"[”“]|(?<=\S)\"(?!\w)"),
    "”": re.compile(r"(?<=\S)”(?!\w)"),
    "«": re.compile("»"),
    "»": re.compile("«"),
    "‹": re.compile("›"),
    "›": re.compile("‹"),
    "「": re.compile("」"),
    "『": re.compile("』"),
    '"': re.compile(r"(?<=\S)\"(?!\w)"),
    "＂": re.compile(r"(?<=\S)＂(?!\w)"),
    "‚": re.compile(r"[‘’](?!\w)"),
    "‘": re.compile(r"’(?!\w)"),
    "'": re.compile(r"(?<=\S)'(?!\w)"),
}
# what may stand before an opening mark, and what follows it; the mark goes first, for speed
_OPENER = re.compile(
    r"[„«‹「『‚“\"＂”»›‘'](?:(?<=[„«‹「『‚“])|(?<=[\"＂”»›])(?<!\w.)(?=\S)"
    r"|(?<=‘)(?<!\w.)(?=\w)|(?<=')(?<!\w.)(?=[^\W\d_]))"
)
_OTHER_OPENERS = frozenset("„«‹「『‚“＂”»›‘")
"""Those that are not ASCII."""
_SINGLE = re.compile(r"'(?<!\w.)(?=[^\W\d_])")
_BREAK = re.compile(r"\n(?=[ \t]*(?:\n|[-*+#|][ |\t#*]|[0-9]{1,3}[.)][ \t]))")


class Quotation(NamedTuple):
    """``start:end`` with its marks, ``inner_start:inner_end`` without."""

    start: int
    end: int
    inner_start: int
    inner_end: int


def may_quote(text: str) -> bool:
    """Whether any mark of ``text`` could open a quotation. Cheap."""
    if not text.isascii() and ('"' in text or not _OTHER_OPENERS.isdisjoint(folded(text)[1])):
        return _OPENER.search(text) is not None
    return '"' in text or ("'" in text and _SINGLE.search(text) is not None)


def quotations(text: str) -> list[Quotation]:
    """Every outermost quotation, in order. None crosses a paragraph, a list item or a heading.

    Linear: what was searched in vain for a closing mark is not searched for it again.
    """
    found: list[Quotation] = []
    breaks: list[int] | None = None
    barren: dict[str, int] = {}
    done = 0
    for opener in _OPENER.finditer(text):
        start = opener.start()
        if start < done:
            continue
        if breaks is None:
            breaks = [match.start() for match in _BREAK.finditer(text)]
        nearest_break = bisect_right(breaks, start)
        limit = min(len(text), start + LONGEST)
        if nearest_break < len(breaks):
            limit = min(limit, breaks[nearest_break])
        char = text[start]
        closer = _CLOSERS[char].search(text, max(start + 1, barren.get(char, 0)), limit)
        if closer is None:
            barren[char] = max(limit, barren.get(char, 0))
            continue
        done = closer.end()
        found.append(Quotation(start, done, start + 1, closer.start()))
    return found
