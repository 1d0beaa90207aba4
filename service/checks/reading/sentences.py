"""The sentences of a text, with their places: prose, list items, table rows, headings, code.

Markdown is read by lines, prose by its full stops. All work is linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from service.checks.reading.calendar import VERBS, month

Span = tuple[int, int]

LONGEST_QUOTATION = 300
"""Characters of a quotation within which a full stop ends no sentence."""
_SHORT_LINE: Final = 50
"""A line of prose below it was broken on purpose; a longer one may have been wrapped."""
_REMEMBERED = 16
"""Texts whose sentences are kept: the checks of one answer ask for the same ones."""


class Kind(Enum):
    PROSE = auto()
    ITEM = auto()
    ROW = auto()
    HEADING = auto()
    """Also the header row of a table."""
    CODE = auto()
    QUOTE = auto()


# by their own names: looked up through its class, a member costs ten times as much (Python 3.11)
PROSE, ITEM, ROW, HEADING, CODE, QUOTE = Kind


# made for every sentence, and asked all the time: a named tuple would cost several times as much
@dataclass(slots=True, init=False)
class Sentence:
    """``start:end`` are character offsets into the text, end exclusive, without the marker of a
    list item or of a quotation. ``block`` numbers paragraphs, lists and tables in order."""

    start: int
    end: int
    kind: Kind
    block: int

    def __init__(self, start: int, end: int, kind: Kind, block: int) -> None:
        self.start = start
        self.end = end
        self.kind = kind
        self.block = block


@lru_cache(_REMEMBERED)
def read(text: str) -> tuple[Sentence, ...]:
    """All sentences in order, without overlaps. Never raises."""
    quoted = any([mark in text for mark in _OPEN_QUOTATION])
    others = [mark for mark in _OTHER_ENDS if mark in text]
    found: list[Sentence] = []
    for block, (kind, start, end) in _Blocks(text).read():
        if kind is ROW or kind is HEADING or kind is CODE:
            words = text[start:end].strip()
            if words:
                start = text.index(words[0], start)
                found.append(Sentence(start, start + len(words), kind, block))
            continue
        for first, last in _split(text, start, end, quoted, others):
            found.append(Sentence(first, last, kind, block))
    return tuple(found)


# ── blocks ────────────────────────────────────────────────────────────────────────────────────

_Segment = tuple[Kind, int, int]

_LINE = re.compile(
    r"[ \t]*+(?:(?P<fence>```|~~~)|(?P<heading>#{1,6}[ \t])|(?P<row>\|)|(?P<quote>>[ \t>]*+)"
    r"|(?P<item>(?:[-*+•·‣–—]|\(?[0-9]{1,3}[.)]|\(?[a-z]\))[ \t]++(?:\[[ xX]\][ \t]++)?))"
)
_RULE = frozenset("-*_= \t")
_BOLD_LINE = re.compile(r"[ \t]*+(?:\*\*[^*\n]{1,120}\*\*|__[^_\n]{1,120}__):?[ \t]*+")
_ORDINAL_LINE = re.compile(r"[0-9]{1,2}\.[ \t]++([^\W\d_]{3,10})")


class _Blocks:
    """Line by line: which lines belong together, and as what. Numbers every block."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._segments: list[tuple[int, _Segment]] = []
        self._block = -1
        self._open: Kind | None = None
        self._fence = ""
        self._gap = False

    def read(self) -> list[tuple[int, _Segment]]:
        text = self._text
        start = 0
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            self._line(start, end)
            start = end + 1
        return self._segments

    def _line(self, start: int, end: int) -> None:
        text = self._text
        match = _LINE.match(text, start, end)
        kind = match.lastgroup if match else None
        if self._fence:
            self._extend(end)
            if kind == "fence" and match is not None and match["fence"] == self._fence:
                self._fence = ""
                self._open = None
            return
        line = text[start:end]
        if not line or line.isspace():
            self._close()
        elif match is not None and kind == "fence":
            self._begin(CODE, start, end)
            self._fence = match["fence"]
        elif match is not None and kind == "heading":
            self._alone(HEADING, match.end(), end)
        elif _is_delimiter(line):
            self._delimiter()
        elif len(line.strip()) >= 3 and _RULE.issuperset(line):
            self._rule(line)
        elif match is not None and kind == "quote":
            self._begin_or_extend(QUOTE, match.end(), end)
        elif match is not None and kind == "item" and not _is_date(text, match.start("item")):
            self._item(match.end(), end)
        elif kind == "row" or (self._open is ROW and "|" in line):
            self._row(start, end)
        else:
            self._plain(line, start, end)

    def _plain(self, line: str, start: int, end: int) -> None:
        if _BOLD_LINE.fullmatch(line):
            self._alone(HEADING, start, end)
        elif self._open in (ITEM, QUOTE) and not self._gap:
            self._extend(end)
        elif self._open is ITEM and line[:2].isspace():
            self._append(ITEM, start, end)
        else:
            self._begin_or_extend(PROSE, start, end)

    def _item(self, start: int, end: int) -> None:
        if self._open is not ITEM:
            self._block += 1
        self._append(ITEM, start, end)

    def _row(self, start: int, end: int) -> None:
        if self._open is not ROW or self._gap:
            self._block += 1
        self._append(ROW, start, end)

    def _delimiter(self) -> None:
        """The row above is the header; without an outer bar it was taken for prose."""
        if self._open not in (ROW, PROSE) or self._gap:
            return
        block, (kind, start, end) = self._segments.pop()
        header = self._text.rfind("\n", start, end) + 1 or start
        if kind is PROSE and header > start:
            self._segments.append((block, (kind, start, header - 1)))
            self._block += 1
        self._append(HEADING, header, end)
        self._open = ROW

    def _rule(self, line: str) -> None:
        """Under one line of prose that is no sentence, dashes make it a heading."""
        if self._open is PROSE and not self._gap and line.strip()[0] in "=-":
            block, (_, start, end) = self._segments[-1]
            above = self._text[start:end]
            if "\n" not in above and above.rstrip()[-1:] not in ".!?:":
                self._segments[-1] = (block, (HEADING, start, end))
        self._open = None

    def _alone(self, kind: Kind, start: int, end: int) -> None:
        self._begin(kind, start, end)
        self._open = None

    def _begin_or_extend(self, kind: Kind, start: int, end: int) -> None:
        if self._open is kind and not self._gap:
            self._extend(end)
        else:
            self._begin(kind, start, end)

    def _begin(self, kind: Kind, start: int, end: int) -> None:
        self._block += 1
        self._append(kind, start, end)

    def _append(self, kind: Kind, start: int, end: int) -> None:
        self._segments.append((self._block, (kind, start, end)))
        self._open, self._gap = kind, False

    def _extend(self, end: int) -> None:
        block, (kind, start, _) = self._segments[-1]
        self._segments[-1] = (block, (kind, start, end))

    def _close(self) -> None:
        """A blank line ends all but a list, which may go on behind it."""
        self._gap = True
        if self._open is not ITEM:
            self._open = None


def _is_delimiter(line: str) -> bool:
    return "|" in line and "-" in line and not line.strip("|-: \t\r")


def _is_date(text: str, start: int) -> bool:
    """``3. März`` opens a sentence, not a list."""
    match = _ORDINAL_LINE.match(text, start)
    return match is not None and _is_month(match[1])


def _is_month(word: str) -> bool:
    return month(word) is not None and word.lower() not in VERBS


# ── prose ─────────────────────────────────────────────────────────────────────────────────────

_END = re.compile(r"[.!?…。！？｡\n](?:(?<!\n)[.!?…]*+[\"'”’“»)*_`」』）]*+[⁰¹²³⁴-⁹]*+)?+")
"""Begins with a set of characters, so that the search skips to them, and never gives back."""
_OTHER_ENDS = tuple("!?…。！？｡\n")
"""What it begins with, beside the full stop."""
_AFTER_END = frozenset(".!?…\"'”’“»)*_`」』）]⁰¹²³⁴⁵⁶⁷⁸⁹")
"""What it goes on with behind a full stop."""
_MARKS = re.compile(
    r"(?:[ \t]?(?:\[\^?[0-9]{1,3}[^\[\]\n]{0,20}\]\([^\s()]{1,500}\)"
    r"|\[\[[^\[\]\n]{1,80}\]\](?:\([^\s()]{1,500}\))?"
    r"|\\?\[[^\[\]\n]{1,80}\](?![(\[:])|【[^】\n]{1,80}】|［[^］\n]{1,80}］"
    r"|<(sup|cite|ref|source)\b[^<>\n]{0,200}>(?:[^<>\n]{0,200}</\1>)?))+"
)
"""Citations that follow the full stop belong to the sentence before it."""
_GAP = frozenset(" \t\r\n\u00a0\u202f\u3000[【［<\\")
_MARK_OPENS: Final = "[【［<\\"
_CJK_ENDS: Final = "。！？｡"
_BEFORE_WORD: Final = "(\"'„“‚«*_[/\n\t"
_LONGEST_ABBREVIATION: Final = 10
_LABEL = re.compile(r"[ \t]*+[^\s:]{1,30}+(?: [^\s:]{1,30}+){0,3}: ")
"""How a line of keys and values begins."""
_OPENING: Final = " \t\r\n\"'„“‚‘«‹»(*_`[¿¡"
_OPEN_QUOTATION = tuple('"„“«「『')
_QUOTES = re.compile('["„“”«»「」『』]')
_CLOSED_BY = {"„": "“”", "“": "”", "«": "»", "»": "«", "「": "」", "『": "』", '"': '"'}


def _split(text: str, start: int, end: int, quoted: bool, others: list[str]) -> list[Span]:
    """Where the sentences of a paragraph stand. ``others``: the ends of sentences, beside the full
    stop, that the text holds somewhere."""
    found: list[Span] = []
    if start >= end:
        return found
    marks_lead = text[start] in _MARK_OPENS and _MARKS.match(text, start, end) is not None
    stops_alone = not any([text.find(mark, start, end) >= 0 for mark in others])
    first = following = start
    while True:
        at, following = _next_end(text, following, end, stops_alone)
        if at < 0:
            break
        last = following
        if at < first:
            continue
        if text[at] == "\n":
            if not _is_break(text, first, at, end):
                continue
        else:
            after = text[last : last + 2]
            if after[:1] not in _GAP and text[at] not in _CJK_ENDS:
                continue
            if not _is_plain_end(text, first, at, after):
                if after.lstrip(" ")[:1] in _MARK_OPENS and not marks_lead and after.strip():
                    marks = _MARKS.match(text, last, end)
                    if marks is not None:
                        last = marks.end()
                    elif after[0] in _MARK_OPENS:
                        continue
                if not _is_end(text, first, at, last, end):
                    continue
            if quoted and _in_quotation(text, first, last):
                continue
        if first < last and (words := _trimmed(text, first, last)):
            found.append(words)
        first = last
    if first < end and (words := _trimmed(text, first, end)):
        found.append(words)
    return found


def _next_end(text: str, start: int, end: int, stops_alone: bool) -> Span:
    """The next match of :data:`_END`; (-1, -1) where there is none. ``stops_alone``: only a full
    stop can begin one, and nearly all of those are followed by nothing that belongs to them."""
    if stops_alone:
        start = text.find(".", start, end)
        if start < 0:
            return -1, -1
        if start + 1 == end or text[start + 1] not in _AFTER_END:
            return start, start + 1
    match = _END.search(text, start, end)
    return (-1, -1) if match is None else match.span()


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """``start:end`` (not empty) without white space around; None where there is nothing else."""
    if text[start] == " ":
        start += 1
    if start < end and not text[start].isspace() and not text[end - 1].isspace():
        return start, end
    words = text[start:end].strip()
    if not words:
        return None
    start = text.index(words[0], start)
    return start, start + len(words)


def _is_break(text: str, first: int, at: int, end: int) -> bool:
    """Whether a line of prose was ended on purpose: a hard break, or a short line."""
    if text.endswith(("  ", "\\", "<br>", "<br/>", "<br />"), first, at):
        return True
    line = max(first, text.rfind("\n", first, at) + 1)
    if at - line >= _SHORT_LINE:
        return False
    following = text[at + 1 : min(end, at + 9)].lstrip(_OPENING)[:1]
    return following.isupper() or following.isdigit() or bool(_LABEL.match(text, at + 1, end))


def _is_plain_end(text: str, first: int, at: int, after: str) -> bool:
    """Most ends: a full stop behind a bracket, a sign or a word that is no abbreviation, a space, a
    capital. ``after``: what follows the marks; false says nothing."""
    if after[:1] != " " or not after[1:].isupper() or text[at : at + 2] != ". " or at == first:
        return False
    before = text[at - 1]
    if not before.isalnum():
        return before != "."
    word = text[max(first, text.rfind(" ", first, at) + 1) : at]
    return len(word) > 2 and word.isalpha() and word.lower() not in _ALL_ABBREVIATIONS


def _is_end(text: str, first: int, at: int, last: int, end: int) -> bool:
    """Whether the mark at ``at`` ends the sentence. ``last`` is where the next one would begin."""
    mark = text[at]
    if mark in _CJK_ENDS:
        return True
    following = text[last : min(end, last + 40)].lstrip(_OPENING)
    if following[:1].islower():
        return False
    if mark != "." or text[at + 1] in ".!?…":
        return True
    return not _is_abbreviated(text, first, at, following)


def _is_abbreviated(text: str, first: int, at: int, following: str) -> bool:
    """Whether the full stop at ``at`` belongs to the word before it."""
    word = text[max(first, at - 24, text.rfind(" ", first, at) + 1) : at]
    word = word.lstrip(_BEFORE_WORD).lower()
    if word not in _ALL_ABBREVIATIONS and len(word) > 2 and word.isalpha():
        return False
    if len(word) > _LONGEST_ABBREVIATION:
        return False
    if word.isdigit():
        return _is_ordinal(word, text[max(first, at - 40) : at].split(), following)
    if word in _MAY_END:
        return not following[:1].isupper()
    if word in _BEFORE_DIGITS:
        return following[:1].isdigit()
    if word in _ABBREVIATIONS:
        return True
    if len(word) == 1:
        return word.isalpha() and word.isascii()
    if "." in word:
        parts = word.split(".")
        return all(part.isalpha() and len(part) <= 3 for part in parts)
    return False


def _is_ordinal(word: str, words: list[str], following: str) -> bool:
    if len(word) > 2:
        return False
    if len(words) > 1 and words[-2].lower().lstrip('(„"*_') in _BEFORE_ORDINAL:
        return True
    after = following.split(None, 1)
    return bool(after) and _is_month(after[0].strip(".,;:*_)"))


def _in_quotation(text: str, start: int, end: int) -> bool:
    """Whether a quotation that began in this sentence is still open, and not for too long."""
    if end - start > 4 * LONGEST_QUOTATION:
        start = end - 4 * LONGEST_QUOTATION
    opened, closers = 0, ""
    for match in _QUOTES.finditer(text, start, end):
        mark = match[0]
        if closers:
            if mark in closers:
                closers = ""
        elif mark in _CLOSED_BY and not (mark == '"' and _is_inch(text, match.start())):
            opened, closers = match.start(), _CLOSED_BY[mark]
    return bool(closers) and end - opened <= LONGEST_QUOTATION


def _is_inch(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isdigit()


_BEFORE_ORDINAL = frozenset(
    "am der die das den dem des im zum zur vom bis ab beim seit jeder jede jedes jeden ein eine "
    "einem einen einer unser unsere ihr ihre ihrem und".split()
)
"""German words after which a number with a full stop is an ordinal: zum 2. Quartal."""
_ABBREVIATIONS = frozenset(
    (
        # German
        "allg anm aufl bd betr bspw bzgl bzw ca dergl dgl dipl ebd eigtl einschl entspr erg evtl "
        "exkl ff folg fr frl geb gem ges gez ggf ggfs grds hg hr hrn hrsg ing inkl insb insbes jh "
        "jr kfm lfd max mio mrd mwst nr od pl prof rd resp rzpt sog spez str tsd umg urspr usf v "
        "vgl vs vlg wg zb ziff zit zzgl zz zt "
        # English
        "al approx appt ave blvd cf ch dept dr ed eds eq esp gov hon incl lt messrs mr mrs ms mt "
        "num para pp pt rev sgt sr st viz vols "
        # French, Spanish
        "av bibl boul env mlle mlles mm mme mmes avda depto dra lic máx mín nro núm pág págs sra "
        "srta srs tlf ud uds "
        # months
        "jan feb febr mär apr jun jul aug sep sept okt oct nov dez dec janv févr avr juil déc"
    ).split()
)
_BEFORE_DIGITS = frozenset(
    "abb abs art bes best cap chap col est ex fig figs gen kap mind no nos op orig p par pos ref "
    "refs rep sec tab tel temp vol".split()
)
"""Abbreviations that are words too (no, art, tab): a digit behind them decides."""
_MAY_END = frozenset(
    "usw etc co corp inc ltd bros u.s u.k a.m p.m u.s.a o.ä u.a u.ä min sek std stk".split()
)
"""Abbreviations that also stand at the end of a sentence: the next capital decides."""
_ALL_ABBREVIATIONS = _ABBREVIATIONS | _BEFORE_DIGITS | _MAY_END
