"""Markdown → blocks and inline tokens that know where they stand in the source. Pure, linear.

Only what shows the structure of an answer is read: paragraphs, headings, lists, quotes, tables,
fenced code, emphasis, code, links (as text and host, never to be followed). HTML stays text. Every
character of the source is in a token, except those that are Markdown's own.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urlsplit

MAX_DEPTH = 8
"""Quotes and lists nested deeper than this are shown as they are written."""


@dataclass(frozen=True, slots=True)
class Open:
    """``tag``: an HTML element of a closed set. ``value``: the number of a list item; ``align``:
    of a table's cell."""

    tag: str
    value: int | None = None
    align: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    tag: str


@dataclass(frozen=True, slots=True)
class Token:
    """``start``/``end``: character offsets in the source, end exclusive; ``shown``: what stands in
    their place, None for the source itself; ``styles``: strong, em, s, code, link, host."""

    start: int
    end: int
    shown: str | None = None
    styles: tuple[str, ...] = ()


Piece = Open | Close | Token


class Line(NamedTuple):
    """Offsets in the source, without the line break."""

    start: int
    end: int


def pieces(text: str) -> list[Piece]:
    """The document as one flat run; tokens rise in the source and never overlap."""
    lines, at = [], 0
    for part in text.split("\n"):
        lines.append(Line(at, at + len(part)))
        at += len(part) + 1
    out: list[Piece] = []
    _Blocks(text, out).read(lines, 0)
    return out


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`\n]*)$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|([0-9]{1,9})[.)])(?:[ \t]+|$)")
_DELIMITER_ROW = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL_MARK = re.compile(r"\\.|`|\|")


class _Blocks:
    def __init__(self, text: str, out: list[Piece]) -> None:
        self._text = text
        self._out = out

    def read(self, lines: Sequence[Line], depth: int) -> None:
        at, paragraph = 0, 0  # lines[paragraph:at] wait for their paragraph to end
        while at < len(lines):
            past = at
            if self._blank(lines[at]):
                self._paragraph(lines[paragraph:at])
                at = paragraph = at + 1
                continue
            if self._opens(lines, at, depth):
                self._paragraph(lines[paragraph:at])
                past = self._block(lines, at, depth)
                paragraph = past
            at = max(past, at + 1)
        self._paragraph(lines[paragraph:])

    def _opens(self, lines: Sequence[Line], at: int, depth: int) -> bool:
        line = lines[at]
        first = self._first(line)
        if first in "`~":
            return self._match(_FENCE, line) is not None
        if first == "#":
            return self._match(_HEADING, line) is not None
        if first in "-*_" and self._match(_RULE, line):
            return True
        if depth < MAX_DEPTH and (first == ">" or first in "-*+•" or first.isdigit()):
            return bool(self._match(_QUOTE, line) or self._match(_ITEM, line))
        return self._is_table(lines, at)

    def _block(self, lines: Sequence[Line], at: int, depth: int) -> int:
        line = lines[at]
        first = self._first(line)
        if first in "`~":
            return self._fence(lines, at)
        if first == "#":
            return self._heading(lines, at)
        if first in "-*_" and self._match(_RULE, line):
            self._out += [Open("hr")]
            return at + 1
        if first == ">":
            return self._quote(lines, at, depth)
        if self._match(_ITEM, line) and depth < MAX_DEPTH:
            return self._list(lines, at, depth)
        return self._table(lines, at)

    def _paragraph(self, lines: Sequence[Line]) -> None:
        if lines:
            self._element("p", lines)

    def _element(self, tag: str, lines: Sequence[Line], align: str = "") -> None:
        self._out.append(Open(tag, align=align))
        self._out += inline(self._text, lines)
        self._out.append(Close(tag))

    def _heading(self, lines: Sequence[Line], at: int) -> int:
        line = lines[at]
        match = self._match(_HEADING, line)
        assert match is not None  # noqa: S101 (for the types: _opens has matched it)
        start, end = match.end(), line.end
        while end > start and self._text[end - 1] in "# \t":
            end -= 1
        # The page has its own first and second level.
        self._element("h3" if len(match[1]) <= 2 else "h4", [Line(start, end)])
        return at + 1

    def _fence(self, lines: Sequence[Line], at: int) -> int:
        opening = self._match(_FENCE, lines[at])
        assert opening is not None  # noqa: S101 (for the types: _opens has matched it)
        end = at + 1
        while end < len(lines) and not self._closes(lines[end], opening[1]):
            end += 1
        self._out.append(Open("pre"))
        for number, line in enumerate(lines[at + 1 : end], start=at + 1):
            past = line.end + (1 if number + 1 < end else 0)
            if past > line.start:
                self._out.append(Token(line.start, past))
        self._out.append(Close("pre"))
        return end + 1

    def _closes(self, line: Line, fence: str) -> bool:
        written = self._text[line.start : line.end].strip(" \t")
        return len(written) >= len(fence) and not written.strip(fence[0])

    def _quote(self, lines: Sequence[Line], at: int, depth: int) -> int:
        inner = []
        while at < len(lines):
            match = self._match(_QUOTE, lines[at])
            if match is not None:
                inner.append(Line(match.end(), lines[at].end))
            elif self._goes_on(lines, at, inner, depth):
                inner.append(lines[at])
            else:
                break
            at += 1
        self._out.append(Open("blockquote"))
        self.read(inner, depth + 1)
        self._out.append(Close("blockquote"))
        return at

    def _list(self, lines: Sequence[Line], at: int, depth: int) -> int:
        ordered = self._item(lines[at])[2] is not None
        tag = "ol" if ordered else "ul"
        self._out.append(Open(tag))
        while at < len(lines):
            match = self._match(_ITEM, lines[at])
            if match is None or (match[2] is not None) != ordered or self._is_rule(lines[at]):
                break
            value = int(match[2]) if match[2] else None
            inner = [Line(match.end(), lines[at].end)]
            at = self._gather(lines, at + 1, _width(match[1]) + 2, inner, depth)
            self._out.append(Open("li", value))
            self.read(inner, depth + 1)
            self._out.append(Close("li"))
        self._out.append(Close(tag))
        return at

    def _gather(
        self, lines: Sequence[Line], at: int, indent: int, inner: list[Line], depth: int
    ) -> int:
        """Append the lines that belong to an item; where the next block starts."""
        while at < len(lines):
            past = at
            while past < len(lines) and self._blank(lines[past]):
                past += 1
            if past == len(lines):
                return past
            line = lines[past]
            if self._indent(line) >= indent:
                inner += lines[at:past]
                inner.append(self._outdented(line, indent))
            elif past == at and self._goes_on(lines, at, inner, depth):
                inner.append(line)
            elif past > at and self._match(_ITEM, line):
                return past  # a blank line between two items
            else:
                return at
            at = past + 1
        return at

    def _goes_on(self, lines: Sequence[Line], at: int, inner: Sequence[Line], depth: int) -> bool:
        """A line of a paragraph that somebody left without its mark."""
        return (
            bool(inner)
            and not self._blank(inner[-1])
            and not self._blank(lines[at])
            and not self._opens(lines, at, depth)
        )

    def _table(self, lines: Sequence[Line], at: int) -> int:
        aligns = [_align(self._text[cell.start : cell.end]) for cell in self._cells(lines[at + 1])]
        self._out += [Open("table"), Open("thead")]
        self._row(lines[at], "th", aligns)
        self._out += [Close("thead"), Open("tbody")]
        at += 2
        while at < len(lines) and "|" in self._text[lines[at].start : lines[at].end]:
            self._row(lines[at], "td", aligns)
            at += 1
        self._out += [Close("tbody"), Close("table")]
        return at

    def _row(self, line: Line, tag: str, aligns: Sequence[str]) -> None:
        self._out.append(Open("tr"))
        for number, cell in enumerate(self._cells(line)):
            self._element(tag, [cell], aligns[number] if number < len(aligns) else "")
        self._out.append(Close("tr"))

    def _cells(self, line: Line) -> list[Line]:
        start, end = self._trimmed(line)
        if start < end and self._text[start] == "|":
            start += 1
        cells, in_code = [], False
        for mark in _CELL_MARK.finditer(self._text, start, end):
            if mark[0] == "`":
                in_code = not in_code and self._text.find("`", mark.end(), end) >= 0
            elif mark[0] == "|" and not in_code:
                cells.append(self._trimmed(Line(start, mark.start())))
                start = mark.end()
        last = self._trimmed(Line(start, end))
        return [*cells, last] if last.start < last.end or not cells else cells

    def _is_table(self, lines: Sequence[Line], at: int) -> bool:
        if at + 1 >= len(lines):
            return False
        below = lines[at + 1]
        return (
            "|" in self._text[lines[at].start : lines[at].end]
            and "-" in self._text[below.start : below.end]
            and self._match(_DELIMITER_ROW, below) is not None
        )

    def _is_rule(self, line: Line) -> bool:
        return self._match(_RULE, line) is not None

    def _item(self, line: Line) -> re.Match[str]:
        match = self._match(_ITEM, line)
        assert match is not None  # noqa: S101 (for the types: _opens has matched it)
        return match

    def _match(self, pattern: re.Pattern[str], line: Line) -> re.Match[str] | None:
        return pattern.match(self._text, line.start, line.end)

    def _first(self, line: Line) -> str:
        return self._text[self._trimmed(line).start]

    def _blank(self, line: Line) -> bool:
        return self._text[line.start : line.end].isspace() or line.start >= line.end

    def _trimmed(self, line: Line) -> Line:
        start, end = line
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return Line(start, end)

    def _indent(self, line: Line) -> int:
        return _width(self._text[line.start : self._trimmed(line).start])

    def _outdented(self, line: Line, indent: int) -> Line:
        start, width = line.start, 0
        while width < indent and self._text[start] in " \t":
            width += 4 if self._text[start] == "\t" else 1
            start += 1
        return Line(start, line.end)


def _width(spaces: str) -> int:
    return len(spaces) + 3 * spaces.count("\t")


def _align(dashes: str) -> str:
    if dashes.endswith(":"):
        return "center" if dashes.startswith(":") else "right"
    return ""


_SPECIAL = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    r"|`+"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|<br ?/?>"
    r"|(?:https?://|www\.)[^\s<>\"|]{1,2000}"
    r"|!?\[|\]|\*+|_+|~~"
)
_TARGET = re.compile(
    r"\(<?([^()\s<>]{0,2048}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,2048})?)>?"
    r"(?:[ \t]{1,4}\"[^\"\n]{0,200}\")?\)"
)
_STYLES = {1: ("em",), 2: ("strong",), 3: ("strong", "em")}


Span = tuple[int, int, str | None, tuple[str, ...]]
"""Start, end, shown, styles; offsets within a block."""


def inline(text: str, lines: Sequence[Line]) -> list[Token]:
    """The tokens of one block, whose lines need not be neighbours in the source."""
    if not lines:
        return []
    # The line break belongs to the line before it, as far as there is another one.
    parts = [text[line.start : line.end + 1] for line in lines[:-1]]
    parts.append(text[lines[-1].start : lines[-1].end])
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part)
    block = "".join(parts)
    if _SPECIAL.search(block) is None:
        spans: list[Span] = [
            (at, at + len(part), None, ()) for at, part in zip(starts, parts, strict=True)
        ]
    else:
        spans = _Inline(block).tokens(starts[1:])
    offsets = [line.start for line in lines]
    return [
        Token(offset, offset + end - start, shown, styles)
        for start, end, shown, styles in spans
        if start < end
        for offset in (_source(start, starts, offsets),)
    ]


def _source(place: int, starts: Sequence[int], offsets: Sequence[int]) -> int:
    line = bisect_right(starts, place) - 1
    return offsets[line] + place - starts[line]


class _Inline:
    """One pass over a block; what it finds are spans of hidden, replaced and styled text."""

    def __init__(self, block: str) -> None:
        self._block = block
        self._hidden: dict[int, int] = {}
        self._shown: dict[int, tuple[int, str]] = {}
        self._styled: list[tuple[int, int, str]] = []
        self._brackets: list[tuple[int, int]] = []
        self._runs: dict[str, list[tuple[int, int]]] = {"*": [], "_": [], "~": []}
        self._ticks: dict[int, list[int]] = {}
        self._scan()

    def _scan(self) -> None:
        for match in re.finditer(r"`+", self._block):
            self._ticks.setdefault(len(match[0]), []).append(match.start())
        for places in self._ticks.values():
            places.reverse()
        at = 0
        while (found := _SPECIAL.search(self._block, at)) is not None:
            at = self._take(found[0], found.start(), found.end())

    def _take(self, mark: str, start: int, end: int) -> int:
        """What a mark means; where the scan goes on."""
        if mark[0] == "`":
            return self._code(start, end)
        if mark[0] == "\\":
            self._hidden[start] = start + 1
        elif mark[0] == "&":
            read = html.unescape(mark)
            if read != mark:
                self._shown[start] = (end, read)
        elif mark[0] == "<":
            self._shown[start] = (end, "\n")
        elif mark.endswith("["):
            self._brackets.append((start, end))
        elif mark == "]":
            return self._link(start, end)
        elif mark[0] in "*_~":
            self._emphasis(mark, start, end)
        return end

    def _code(self, start: int, end: int) -> int:
        places = self._ticks[end - start]
        while places and places[-1] < end:
            places.pop()
        if not places:
            return end
        close = places.pop()
        self._hidden[start] = end
        self._hidden[close] = close + end - start
        self._styled.append((end, close, "code"))
        return close + end - start

    def _link(self, start: int, end: int) -> int:
        if not self._brackets:
            return end
        opened, inside = self._brackets.pop()
        target = _TARGET.match(self._block, end)
        if target is None or inside == start:
            return end
        self._hidden[opened] = inside
        self._shown[start] = (target.end(), f" ({host_of(target[1])})")
        self._styled.append((inside, start, "link"))
        self._styled.append((start, target.end(), "host"))
        return target.end()

    def _emphasis(self, mark: str, start: int, end: int) -> None:
        before = self._block[start - 1 : start]
        after = self._block[end : end + 1]
        opens, closes = bool(after.strip()), bool(before.strip())
        if len(mark) > 3 or (
            (len(mark) == 1 or mark[0] == "_") and before.isalnum() and (after.isalnum())
        ):
            return  # 2*3*4 and snake_case are no emphasis
        runs, left = self._runs[mark[0]], len(mark)
        while closes and left and runs and runs[-1][1] - runs[-1][0] <= left:
            opened, inside = runs.pop()
            width = inside - opened
            self._hidden[opened] = inside
            self._hidden[end - left] = end - left + width
            for style in ("s",) if mark[0] == "~" else _STYLES[width]:
                self._styled.append((inside, end - left, style))
            left -= width
        if left and opens:
            runs.append((end - left, end))

    def tokens(self, breaks: Sequence[int]) -> list[Span]:
        """Cut at every change of style and at ``breaks``; hidden spans are left out."""
        opening: dict[int, list[str]] = {}
        closing: dict[int, list[str]] = {}
        for start, end, style in self._styled:
            opening.setdefault(start, []).append(style)
            closing.setdefault(end, []).append(style)
        borders = {0, len(self._block), *breaks, *opening, *closing}
        borders |= {*self._hidden, *self._hidden.values(), *self._shown}
        borders |= {end for end, _ in self._shown.values()}
        active: dict[str, int] = {}
        found: list[Span] = []
        past = 0
        for start, end in pairwise(sorted(borders)):
            for style in closing.get(start, ()):
                active[style] -= 1
            for style in opening.get(start, ()):
                active[style] = active.get(style, 0) + 1
            if start < past:
                continue
            if start in self._hidden:
                past = self._hidden[start]
                continue
            shown = None
            if start in self._shown:
                end, shown = self._shown[start]
                past = end
            found.append((start, end, shown, tuple(s for s in STYLES if active.get(s))))
        return found


STYLES = ("link", "host", "strong", "em", "s", "code")


def host_of(url: str) -> str:
    """Where a link leads, for people: its host, or what it is instead of one. Never a place to
    follow."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return "?"
    if host:
        return host[:253]
    return f"{parts.scheme[:20]}:" if parts.scheme else url[:60]
