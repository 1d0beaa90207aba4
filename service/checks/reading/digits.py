"""Everything that is written with digits: one pass over a passage, from digit to digit."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from service.checks.reading import calendar, dates, markup, names, separators, units
from service.checks.reading.passage import CJK, MOST_FOUND, Passage
from service.checks.reading.quantities import (
    DIGITS,
    FRACTION,
    NUMBER,
    ORDINAL,
    Form,
    Part,
    Quantity,
    Span,
)
from service.checks.reading.releases import VERSION_WORDS
from service.checks.reading.units import Unit

_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅖": 0.4, "⅗": 0.6,
           "⅘": 0.8, "⅙": 1 / 6, "⅛": 0.125, "⅜": 0.375, "⅝": 0.625, "⅞": 0.875}  # fmt: skip
VULGAR: Final = frozenset(_VULGAR)
_FIRST: Final = VULGAR.union("0123456789")
_RARE: Final = frozenset(char for char in _VULGAR if char > "\xff")
_MARK: Final = "1"


def _marking(characters: str) -> bytes:
    return bytes(ord(_MARK) if chr(code) in characters else 0 for code in range(256))


_DIGITS_MARKED: Final = _marking("0123456789½¼¾")
_UNKNOWN_MARKED: Final = _marking("0123456789½¼¾?")
"""``?`` stands for a character beyond Latin-1, among them the rarer fractions."""
_SHAPE = re.compile(
    r"(?P<iso>[0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}(?![0-9]))"
    r"|(?P<dmy>[0-9]{1,2}([./-]) ?[0-9]{1,2}\4 ?(?:[12][0-9]{3}|[0-9]{2})(?![0-9]|\4[0-9]))"
    r"|(?P<month>[12][0-9]{3}-(?:0[1-9]|1[0-2])(?![0-9-]))"
    r"|(?P<clock>[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?(?![0-9:]|[.,' ]000))"
    r"|(?P<grouped>[0-9]{1,3}(?:(?P<sep>[.,' ]|\\,|\{,\})\n?[0-9]{3}(?:(?P=sep)\n?[0-9]{3}){0,6})"
    r"(?:[.,][0-9]{1,12})?(?![0-9]))"
    r"|(?P<indian>[0-9]{1,2}(?:,[0-9]{2}){1,6},[0-9]{3}(?:\.[0-9]{1,6})?(?![0-9]|,[0-9]))"
    r"|(?P<dotted>[0-9]+(?:\.[0-9]+){2,})"
    r"|(?P<plain>[0-9]+(?:[.,][0-9]+|\{,\}[0-9]+)?)"
)
_EXPONENT = re.compile(
    r"[eE]([+-]?[0-9]{1,3})(?![0-9A-Za-z])"
    r"| ?(?:[×x·*]|\\times) ?10(?:\^\{?([-+]?[0-9]{1,3})\}?|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
)
_RAISED_TEN = re.compile(r"\^\{?([-+]?[0-9]{1,2})(?![0-9])\}?|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|er|re|ère|e|ème|eme|º|ª|te[nrs]?|ste[nrs]?)(?![A-Za-zÀ-ÿ0-9])"
)
_DECADE = re.compile(r"(?: ?')?s(?![A-Za-zÀ-ÿ0-9])|er(?: |-)(?:Jahre)|ern(?![A-Za-zÀ-ÿ0-9])")
_DECADE_WORDS = frozenset("the early mid late their his her my our your of".split())
"""Before ``30s``: without one of them, it may be seconds."""
_MULTIPLE = re.compile(r" ?[x×](?![A-Za-zÀ-ÿ0-9])(?! ?[0-9])|-?(?:fach|fold)(?:e[nrsm]?)?(?![a-z])")
_SLASH = re.compile(r"/([0-9]{1,2})(?![0-9/]|[.,][0-9])")
_MINUTES = re.compile(r" ?m ?[0-9]{1,2} ?s(?![A-Za-zÀ-ÿ])|(?<=h[0-9]{2})m|(?<=h [0-9]{2})m")
_MIXED = re.compile(r" ([0-9]{1,2})/([0-9]{1,2})(?![0-9/])|[ \u2044]?([½¼¾⅓⅔⅕⅖⅗⅘⅙⅛⅜⅝⅞])")
HALF_MORE = re.compile(r" (?:et demie?|y media|and a half)(?![a-z])")
OF_A: Final = re.compile(r" (?:of )?(?:an?|the) | d'")
"""Between a fraction and its unit: three quarters of an hour."""

# what the next character must be for the slower patterns to have a chance
_BEFORE_EXPONENT = frozenset("eE ×x·*\\")
_BEFORE_MULTIPLE = frozenset("x×-f")
_BEFORE_HALF: Final = frozenset((" e", " y", " a"))
_NO_FRACTION = frozenset(".,%)€-")

_COUNTED_BEFORE = re.compile(r"[0-9][\u2e80-\uffef]{1,4}\Z")
"""Before a dash: 10,000円〜20,000円 is a range."""
_CURRENCIES = "€$£¥₹₩"
_OPENS = "(['\"{„“"
_POINTED = frozenset({"USD", "GBP", "JPY", "INR", "CNY", "KRW", "CAD", "AUD"})
"""Money whose countries mark decimals with a point: $5,310 is no five dollars."""
_SIGN_AFTER = frozenset(" (\n[|:*\"'„“>=,;$€£~≈")
"""What may stand before a minus; after anything else the dash joins."""
MINUS_WORDS = frozenset({"minus", "moins", "menos", "negative", "negativ", "负", "マイナス"})
_WEEK_WORDS = frozenset({"kw", "week", "woche", "kalenderwoche", "semaine", "semana"})
_LONGEST_NUMBER = 40
_LARGEST_POWER = 300
_NOWHERE: Final = (sys.maxsize, sys.maxsize)


def read_digits(passage: Passage, skip: Sequence[Span] = ()) -> None:
    """Add every quantity that is written with digits. ``skip``: disjoint spans to pass over."""
    pos = 0
    spans = [*skip, _NOWHERE]
    number = 0
    span_start, span_end = spans[0]
    text, found = passage.text, passage.found
    marks = _marks(passage)
    while (start := marks.find(_MARK, pos)) >= 0:
        if start >= span_start:
            while start >= span_end:
                number += 1
                span_start, span_end = spans[number]
            if start >= span_start:
                pos = span_end
                continue
        plain = _plain_number(text, start)
        if plain is not None:
            found.append(plain)
            pos = plain.end
        elif text[start] in _FIRST:
            pos = _at(passage, start, pos)
        else:
            pos = start + 1
            continue
        if len(found) >= MOST_FOUND:
            return


def _marks(passage: Passage) -> str:
    """A mark where a number may begin: a search for one character is many times faster than one for
    a set of them."""
    is_rare = passage.others != "" and not _RARE.isdisjoint(passage.others)
    latin = passage.text.encode("latin-1", "replace")
    marked = latin.translate(_UNKNOWN_MARKED if is_rare else _DIGITS_MARKED)
    return marked.decode("latin-1")


def _at(passage: Passage, start: int, done: int) -> int:
    """Read what begins with the digit at ``start``; where it ends."""
    text = passage.text
    before = text[start - 1] if start else " "
    if before.isalpha() and before < CJK and not _is_escape(text, start, before):
        return _after_letters(passage, start, done)
    if text[start] in _VULGAR:
        return _vulgar(passage, start)
    if before == "_":
        return names.glued(passage, names.prefix_start(text, start, done), start)
    if before == "-" and start > 1 and text[start - 2].isalpha() and text[start - 2] < CJK:
        end = names.dashed(passage, start, done)
        if end:
            return end
        before = " "
    if not passage.is_ascii and "月" in text[start : start + 8]:
        end = dates.cjk(passage, start)
        if end:
            return end
    shape = _SHAPE.match(text, start)
    if shape is None:
        return start + 1
    name = shape.lastgroup or "plain"
    if name == "plain":
        end = names.phone(passage, start, before)
        if not end and text[shape.end() : shape.end() + 1] == "." and "." in shape.group():
            end = dates.german_day(passage, shape.group(), start, shape.end())
        return end or _number(passage, start, shape.group(), shape.end(), name, before)
    return _shaped(passage, start, shape, "grouped" if name == "sep" else name, before)


_LOOK_CLOSER: Final = Unit("", "", 0.0)
"""Stands for whatever a word says that is no plain unit."""
_SLOW_FOLLOWERS = frozenset(
    "uhr noon mittags morgens vormittags nachmittags abends nachts früh day tag percentage".split()
)


def _follower(word: str) -> Unit | None:
    """The unit that a word behind a plain number names, if any."""
    low = word.lower()
    if low in _SLOW_FOLLOWERS or calendar.month_after_day(word) or units.begins_more(low):
        return _LOOK_CLOSER
    spelled = units.spelled(word)
    if len(word) == 2 and (spelled is None or units.is_abbreviation(word)):
        return _LOOK_CLOSER
    if spelled is None:
        return None
    unit, power, cut = spelled
    return _LOOK_CLOSER if unit is None or power or cut else unit


# Plain dictionaries, begun anew when they are full: an lru_cache costs five times as much.
_MOST_KNOWN: Final = 20_000
_WORD_BEHIND = re.compile(r"([A-Za-zäöüß]{2,24}|[%€])(?=[ .,;:!?)\n]|\Z)")
_LONGEST_BEHIND: Final = 25
"""Characters of the longest word behind a number, with the one that ends it."""
_VALUES: Final[dict[str, tuple[float, ...]]] = {}
"""One object for the same number in many texts."""


@dataclass(slots=True, init=False)
class _Behind:
    """What stands behind a plain number: a word of ``size`` characters, 0 where a closer look is
    needed; its unit, if it is one."""

    size: int
    unit: Unit | None

    def __init__(self, size: int, unit: Unit | None) -> None:
        self.size = size
        self.unit = unit


_BEHIND: Final[dict[str, _Behind]] = {}


def _values(digits: str) -> tuple[float, ...] | None:
    """The only reading of up to four digits; None where they are something else."""
    known = _VALUES.get(digits)
    if known is None and digits.isascii() and digits.isdigit():
        known = _VALUES[digits] = (float(digits),)  # 11,110 are all there are
    return known


def _behind(piece: str) -> _Behind:
    """``piece``: what follows up to the next space, or the beginning of it."""
    known = _BEHIND.get(piece)
    if known is None:
        match = _WORD_BEHIND.match(piece)
        unit = _LOOK_CLOSER if match is None else _follower(match[1])
        known = _Behind(0 if match is None or unit is _LOOK_CLOSER else len(match[1]), unit)
        if len(_BEHIND) >= _MOST_KNOWN:
            _BEHIND.clear()
        _BEHIND[piece] = known
    return known


def _plain_number(text: str, start: int) -> Quantity | None:
    """The commonest number by far, ``within 72 hours``, without all that it is not: up to four
    digits between spaces, a word or a sign behind them. None when a closer look is needed."""
    if not start or text[start - 1] != " ":
        return None
    value_end = text.find(" ", start, start + 5)
    if value_end < 0:
        return None
    values = _values(text[start:value_end])
    if values is None:
        return None
    at = value_end + 1
    space = text.find(" ", at, at + _LONGEST_BEHIND)
    behind = _behind(text[at : at + _LONGEST_BEHIND if space < 0 else space])
    if not behind.size:
        return None
    floor = start - 24 if start > 24 else 0
    space = text.rfind(" ", floor, start - 1)
    before = _before(text[floor if space < 0 else space + 1 : start - 1])
    if before == _CLOSER:
        return None
    unit, end = behind.unit, value_end
    if unit is not None:
        end = at + behind.size
        if text[end : end + 2] in _BEFORE_HALF and HALF_MORE.match(text, end) is not None:
            return None
    return Quantity(start, end, start, value_end, NUMBER, values, unit, is_alone=before != _LABEL)


def _shaped(passage: Passage, start: int, shape: re.Match[str], name: str, before: str) -> int:
    raw, end = shape.group(), shape.end()
    if name in ("iso", "dmy"):
        separator = shape.group(2) or shape.group(4)
        stop = dates.numeric(passage, raw, separator, start, end)
        if stop:
            return stop
        if separator == ".":
            return names.add(passage, start, end, raw)
        stop = names.phone(passage, start, before)
        if stop:
            return stop
        first = raw.split(separator, 1)[0]
        return _number(passage, start, first, start + len(first), "plain", before)
    if name == "month":
        return dates.year_and_month(passage, raw, start, end)
    if name == "clock":
        return dates.clock(passage, raw, start, end)
    if name == "dotted":
        return names.add(passage, start, end, raw)
    stop = names.phone(passage, start, before) if name == "grouped" else 0
    return stop or _number(passage, start, raw, end, name, before)


def _is_escape(text: str, start: int, before: str) -> bool:
    r"""``\n50`` in a JSON dump: the letter belongs to the escape, not to the number."""
    return before in "ntr" and start > 1 and text[start - 2] == "\\"


def _after_letters(passage: Passage, start: int, done: int) -> int:
    """Letters stand right before the digits: a currency, a week, a quarter, or a name."""
    text = passage.text
    left = names.prefix_start(text, start, done)
    prefix = text[left:start].lstrip("-")
    left = start - len(prefix)
    shape = _SHAPE.match(text, start)
    if shape is not None:
        name = "grouped" if shape.lastgroup == "sep" else shape.lastgroup or "plain"
        money = units.prefix_unit(prefix) if prefix.isupper() else None
        if money is not None and name in ("grouped", "plain", "indian"):
            return _number(passage, start, shape.group(), shape.end(), name, " ", money, left)
        low = prefix.lower()
        counted = low in ("kw", "x", "×", "fy", "cy", "gj") or (
            low in ("q", "h") and len(shape.group()) == 1
        )
        if counted and name == "plain" and not text[shape.end() : shape.end() + 1].isalpha():
            return _number(passage, start, shape.group(), shape.end(), "plain", " ")
    return names.glued(passage, left, start)


def _vulgar(passage: Passage, start: int) -> int:
    value = _VULGAR[passage.text[start]]
    measure = _of_a_unit(passage.text, start + 1) or units.read(passage.text, start + 1)
    passage.found.append(
        Quantity(
            start,
            measure.end,
            start,
            start + 1,
            values=(scaled(value, measure.power),),
            unit=measure.unit,
            form=FRACTION,
            step=0.0,
        )
    )
    return measure.end


def _of_a_unit(text: str, end: int) -> units.Measure | None:
    """The unit that a fraction is of: ¾ of an hour."""
    link = OF_A.match(text, end)
    measure = None if link is None else units.read(text, link.end())
    return None if measure is None or measure.unit is None else measure


@dataclass(slots=True, init=False)
class _Draft:
    """A number while it is read. ``end`` moves on as more of it is recognised."""

    first: int
    start: int
    raw: str
    end: int
    sign: int = 0
    last: str = ""
    unit: Unit | None = None
    power: int = 0
    decimals: int = 0
    values: tuple[float, ...] = ()
    parts: tuple[Part, ...] = ()
    separable: bool = False
    form: Form = DIGITS

    # spelled out: the one that a dataclass makes is left to the interpreter by mypyc
    def __init__(
        self,
        first: int,
        start: int,
        raw: str,
        end: int,
        sign: int = 0,
        last: str = "",
        unit: Unit | None = None,
        power: int = 0,
        decimals: int = 0,
        values: tuple[float, ...] = (),
        parts: tuple[Part, ...] = (),
        separable: bool = False,
        form: Form = DIGITS,
    ) -> None:
        self.first = first
        self.start = start
        self.raw = raw
        self.end = end
        self.sign = sign
        self.last = last
        self.unit = unit
        self.power = power
        self.decimals = decimals
        self.values = values
        self.parts = parts
        self.separable = separable
        self.form = form


class _Preceding(NamedTuple):
    """What the word before a number says about it."""

    minus: bool
    money: tuple[Unit, int] | None
    month: int | None
    is_version: bool
    is_week: bool


@lru_cache(maxsize=20_000)
def _preceding(word: str) -> _Preceding | None:
    """None for nearly all words."""
    if len(word) > 16:
        return None
    low = word.lower()
    money = units.prefix_unit(word.lstrip(_OPENS).rstrip(":")) if len(word) <= 6 else None
    month = None if word in calendar.VERBS else calendar.month(word)
    found = _Preceding(low in MINUS_WORDS, money, month, low in VERSION_WORDS, low in _WEEK_WORDS)
    return found if any(found) else None


_CLOSER: Final = 0
_LABEL: Final = 1
_PLAIN: Final = 2
_BEFORE: Final[dict[str, int]] = {}


def _before(word: str) -> int:
    """Plain where it is one whole word and what follows it is but a number, a label where that is
    a running one; else a closer look is needed."""
    known = _BEFORE.get(word)
    if known is None:
        known = _CLOSER
        if word.split() == [word] and not word[-1].isdigit() and _preceding(word) is None:
            known = _LABEL if markup.is_label(word) else _PLAIN
        if len(_BEFORE) >= _MOST_KNOWN:
            _BEFORE.clear()
        _BEFORE[word] = known
    return known


_NOTHING = _Preceding(minus=False, money=None, month=None, is_version=False, is_week=False)


def _number(
    passage: Passage,
    start: int,
    raw: str,
    end: int,
    name: str,
    before: str,
    money: tuple[Unit, int] | None = None,
    first: int | None = None,
) -> int:
    """Read the number ``raw`` at ``start:end`` with all that belongs to it; where it ends.

    ``money``/``first``: a currency that is glued to the digits, and where it begins.
    """
    text = passage.text
    if name == "plain" and "," in raw and "{" not in raw and _in_list(text, start, end):
        raw = raw.partition(",")[0]
        end = start + len(raw)
    if len(raw) > _LONGEST_NUMBER:
        return names.add(passage, start, end, raw)
    draft = _Draft(start if first is None else first, start, raw.replace("\\,", " "), end)
    said = _look_back(text, draft, before)
    whole = raw.isdigit()
    if whole and len(raw) <= 4:
        value = int(raw)
        stop = (
            dates.after_month(passage, said.month, draft.last, value, start, end)
            if said.month
            else 0
        )
        stop = stop or dates.before_month(passage, value, start, end)
        if not stop and len(raw) == 4 and text[end : end + 2] == ", ":
            stop = dates.after_year(passage, value, start, end)
        if stop:
            return stop
    if money is None:
        money = said.money or _symbol_before(text, draft, before)
    if money is not None:
        draft.unit, draft.power = money
    formula = before == "$" and money is None
    _evaluate(passage, draft, name, whole, leading=draft.first < start and before in ".,")
    stop = _ending(passage, draft, whole)
    return stop or _measured(passage, draft, said, formula, money is not None)


def _look_back(text: str, draft: _Draft, before: str) -> _Preceding:
    """Sign, leading decimal mark and the word before; moves ``draft.first`` over a sign."""
    start = draft.start
    if before in " \n":
        window = text[max(0, start - 24) : start].split()
        if not window or start < 2:
            return _NOTHING
        draft.last = window[-1]
        said = _preceding(draft.last)
        if said is None:
            return _NOTHING
        if said.minus:
            draft.sign = -1
        if said.money is not None:
            draft.first = min(draft.first, text.rfind(draft.last.lstrip(_OPENS), 0, start))
        return said
    ahead = text[start - 2] if start > 1 else " "
    if before in ".,":
        if not ahead.isalnum() and draft.raw.isdigit():
            draft.first -= 1
    elif before in "-–":
        if (ahead in _SIGN_AFTER or ahead >= CJK) and not (
            _number_before(text, start - 1)
            or (ahead >= CJK and _COUNTED_BEFORE.search(text, max(0, start - 7), start - 1))
        ):
            draft.sign, draft.first = -1, start - 1
        elif before == "-" and ahead in _CURRENCIES:
            draft.sign = -1
    elif before == "+":
        draft.sign, draft.first = 1, start - 1
    return _NOTHING


def _symbol_before(text: str, draft: _Draft, before: str) -> tuple[Unit, int] | None:
    """``$45``, ``US$45``, ``€-5``: a currency sign right before the number or its minus."""
    start = draft.start
    if before in _CURRENCIES:
        at = start - 1
        if before == "$" and _closes_formula(text, start):
            return None
    elif before in "-–(" and start > 1 and text[start - 2] in _CURRENCIES:
        at = start - 2
        if before == "(" and draft.end < len(text) and text[draft.end] == ")":
            draft.sign = -1
    else:
        return None
    left = at
    while left > 0 and at - left < 3 and text[left - 1].isascii() and text[left - 1].isupper():
        left -= 1
    money = units.prefix_unit(text[left : at + 1])
    if money is None:
        left, money = at, units.prefix_unit(text[at])
    if left > 0 and text[left - 1] in "-–" and (left == 1 or text[left - 2] in _SIGN_AFTER):
        draft.sign, left = -1, left - 1
    draft.first = min(draft.first, left)
    return money


def _evaluate(passage: Passage, draft: _Draft, name: str, whole: bool, *, leading: bool) -> None:
    """The values of the digits, with exponent, fraction or groups."""
    text, raw, end = passage.text, draft.raw, draft.end
    if leading:
        draft.values, draft.decimals = (float("0." + raw),), len(raw)
    elif whole:
        draft.values = (float(raw),)
    elif name == "plain":
        draft.values, draft.decimals = separators.plain(raw)
    elif name == "indian":
        draft.values, draft.decimals = separators.indian(raw)
    else:
        mark = passage.decimal_mark if separators.is_undecided(raw) else ""
        if not mark and draft.unit is not None and draft.unit.name in _POINTED and "," in raw:
            mark = "."
        draft.values, draft.decimals = separators.grouped(raw, mark)
        spaced = " " in text[draft.start : end] and not draft.decimals
        if spaced and not raw.split(" ")[1].startswith("0"):
            draft.parts, draft.separable = _groups(raw, draft.start), True
    after = text[end : end + 1]
    if raw == "10" and (raised_ten := _RAISED_TEN.match(text, end)) is not None:
        caret, raised = raised_ten.groups()
        draft.values, draft.power = (1.0,), draft.power + int(caret or raised.translate(_RAISED))
        draft.end = raised_ten.end()
        return
    if after in _BEFORE_EXPONENT:
        exponent = _EXPONENT.match(text, end)
        if exponent is not None:
            letter, caret, raised = exponent.groups()
            power = int(letter or caret or raised.translate(_RAISED))
            if abs(power) <= _LARGEST_POWER:
                draft.power += power
                draft.end = exponent.end()
                return
    if whole and len(raw) <= 4:
        _add_fraction(text, draft, after)


def _add_fraction(text: str, draft: _Draft, after: str) -> None:
    if after == "/":
        slash = _SLASH.match(text, draft.end)
        if slash is not None:
            low = int(slash.group(1))
            year = int(draft.raw)
            if year >= 1000 and len(slash.group(1)) == 2 and (year + 1) % 100 == low:
                low = year + 1  # 2011/12: the second year without its century
            draft.parts = (
                (float(draft.raw), draft.start, draft.end),
                (float(low), slash.start(1), slash.end()),
            )
            draft.values = (year / low if low else -1.0,)
            draft.separable, draft.form, draft.end = True, FRACTION, slash.end()
    elif len(draft.raw) <= 3 and after not in _NO_FRACTION:
        mixed = _MIXED.match(text, draft.end)
        if mixed is not None:
            above, below, vulgar = mixed.groups()
            part = _VULGAR[vulgar] if vulgar else int(above) / max(1, int(below))
            draft.values = (draft.values[0] + part,)
            draft.decimals, draft.end = 3, mixed.end()


def _groups(raw: str, start: int) -> tuple[Part, ...]:
    """``30 120`` may be two numbers."""
    parts, at = [], start
    for piece in raw.replace("\n", "").split(" "):
        digits = re.split(r"[.,]", piece)[0]
        parts.append((float(digits), at, at + len(digits)))
        at += len(piece) + 1
    return tuple(parts)


def _ending(passage: Passage, draft: _Draft, whole: bool) -> int:
    """An ordinal, a decade or a multiple: ``3rd``, ``1990s``, ``10x``; 0 when it is none."""
    text, end = passage.text, draft.end
    after = text[end : end + 1]
    if not whole and after not in _BEFORE_MULTIPLE and after != " ":
        return 0
    values, unit, form, step = draft.values, None, draft.form, 1.0
    match = None
    if whole and after not in " .,":
        match = _ORDINAL.match(text, end)
        form = ORDINAL if match is not None else form
    if match is None and whole and draft.raw[-1] == "0":
        match = _DECADE.match(text, end)
        if match is not None:
            century = 0.0 if len(draft.raw) == 4 else 1900.0
            values, step = (values[0], values[0] + century), 10.0
            if century and match.group() == "s" and draft.last.lower() not in _DECADE_WORDS:
                unit = units.BY_NAME["s"]
    if match is None and text[end : end + 2].lstrip()[:1] in _BEFORE_MULTIPLE:
        match = _MULTIPLE.match(text, end)
        unit = units.BY_NAME["x"]
    if match is None:
        return 0
    passage.found.append(
        Quantity(
            draft.first,
            match.end(),
            draft.start,
            end,
            values=values,
            unit=unit,
            form=form,
            step=step,
        )
    )
    return match.end()


def _measured(
    passage: Passage, draft: _Draft, said: _Preceding, formula: bool, is_money: bool
) -> int:
    """The number with the scale and the unit that follow it."""
    text, end = passage.text, draft.end
    measure = units.read(text, end, is_money)
    if measure.end == end and text[end : end + 2] == ") " and text[draft.start - 1] == "(":
        # accounts put a loss in parentheses: (3.2) million, $(3.2) million
        scaled_by = units.read(text, end + 1, is_money)
        if scaled_by.power:
            measure = scaled_by
    if draft.form is FRACTION and measure.unit is None:
        measure = _of_a_unit(text, end) or measure
    after = text[end : end + 1]
    if formula and after == "$":
        measure = units.Measure(end, None, 0)
    if measure.end == end and after and after in "apAPhH":
        stop = dates.hour(passage, draft.raw, draft.first, draft.start, end)
        if stop:
            return stop
    if (
        measure.end == end
        and after.isalpha()
        and after < CJK
        and end == draft.start + len(draft.raw)
        and not (after == "x" and text[end + 1 : end + 2].isdigit() and draft.raw != "0")
    ):
        stop = names.tail_end(text, draft.start)
        part = (draft.values[0], draft.start, end)
        return names.add(passage, draft.start, stop, text[draft.start : stop], (part,))
    if measure.unit is None or measure.unit.name == "h":
        stop = dates.hour(passage, draft.raw, draft.first, draft.start, end)
        if stop:
            return stop
        if said.is_version and measure.unit is None:
            return names.add(passage, draft.start, end, draft.raw)
    if is_money and text[end : measure.end] == " an":
        measure = units.Measure(end, None, 0)  # $5 an hour: no French year
    unit = draft.unit if measure.unit is None else measure.unit
    if measure.unit is not None and measure.unit.name == "m" and _MINUTES.match(text, end):
        unit = units.BY_NAME["min"]
    if after == "年" and len(draft.raw) == 4:
        unit = None
    power = draft.power + measure.power
    values = tuple(scaled(value, power) + measure.extra for value in draft.values)
    stop = measure.end
    if measure.unit is not None and text[stop : stop + 1] == " ":
        half = HALF_MORE.match(text, stop)
        if half is not None:
            values, stop = tuple(value + 0.5 for value in values), half.end()
    if unit is not None and draft.form is DIGITS:
        # with a unit behind it, 30 120 is one number
        draft.parts, draft.separable = (), False
    if said.is_week:
        draft.first = text.rfind(draft.last, 0, draft.start)
    passage.found.append(
        Quantity(
            draft.first,
            stop,
            draft.start,
            end,
            NUMBER,
            values,
            unit,
            draft.sign,
            10.0
            ** min((measure.extra_power if measure.extra else power - draft.decimals), _MOST_POWER),
            draft.form,
            power,
            parts=draft.parts,
            separable=draft.separable,
        )
    )
    return stop


_MOST_POWER: Final = 308
"""Of ten, that a float holds."""


def scaled(value: float, power: int) -> float:
    """``value`` times ten to the ``power``, rounded as the decimal literal would be."""
    if not power:
        return value
    digits = repr(value)
    return value * 10.0 ** min(power, _MOST_POWER) if "e" in digits else float(f"{digits}e{power}")


def _in_list(text: str, start: int, end: int) -> bool:
    """``1,1,1``: commas without spaces that separate instead of marking decimals."""
    after = text[end : end + 1] in (",", ".") and text[end + 1 : end + 2].isdigit()
    return after or (start > 1 and text[start - 1] == "," and text[start - 2].isdigit())


def _number_before(text: str, dash: int) -> bool:
    """``5 -3``: a digit right before the dash makes it a range."""
    at = dash - 1
    while at >= 0 and at > dash - 3 and text[at] == " ":
        at -= 1
    return at >= 0 and text[at].isdigit()


def _closes_formula(text: str, start: int) -> bool:
    r"""``$12\,500$``: the dollar signs mark a formula."""
    close = text.find("$", start, start + 40)
    if close < 0:
        return False
    inner = text[start:close]
    if "\n" in inner or (" " in inner and "\\" not in inner):
        return False
    return inner[-1] in "%0123456789}" and not text[close + 1 : close + 2].isdigit()
