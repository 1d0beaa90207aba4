"""The reader: text → the quantities in it, left to right, each with its place and its readings.

Linear in the length of the text. One pass over the digits, one over the words, one over CJK
numerals where there are any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from service.checks.reading import calendar, language, units, words
from service.checks.reading.calendar import Date
from service.checks.reading.folding import fold, lower
from service.checks.reading.units import Unit


class Kind(IntEnum):
    NUMBER = 0
    DATE = 1
    TIME = 2
    CODE = 3
    """Matched whole: versions, ticket ids, phone numbers, IBANs."""


class Form(IntEnum):
    DIGITS = 0
    CARDINAL = 1
    ORDINAL = 2
    FRACTION = 3
    MULTIPLE = 4
    ROMAN = 5


@dataclass(slots=True)
class Quantity:
    """One quantity. ``start:end`` spans value and unit, ``value_start:value_end`` the value alone.

    ``values``: alternative readings (absolute, scaled by million, k, …). ``sign``: -1, 0 (none
    written), 1. ``step``: worth of the last digit shown. ``parts``: numbers that stand inside it
    (day and year of a date) as (value, start, end).
    """

    start: int
    end: int
    value_start: int
    value_end: int
    kind: Kind = Kind.NUMBER
    values: tuple[float, ...] = ()
    unit: Unit | None = None
    sign: int = 0
    step: float = 1.0
    form: Form = Form.DIGITS
    power: int = 0
    dates: tuple[Date, ...] = ()
    minutes: tuple[int, ...] = ()
    code: str = ""
    parts: tuple[tuple[float, int, int], ...] = ()
    separable: bool = False
    """The parts may also stand for themselves (``23/24``, ``30 120``)."""


@dataclass(slots=True)
class Reading:
    """A text that was read: its folded form (equally long) and its quantities."""

    text: str
    quantities: list[Quantity] = field(default_factory=list)


_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅖": 0.4, "⅗": 0.6, "⅘": 0.8,
           "⅙": 1 / 6, "⅛": 0.125, "⅜": 0.375, "⅝": 0.625, "⅞": 0.875}  # fmt: skip
_NEXT = re.compile("[0-9" + "".join(_VULGAR) + "]")
_SHAPE = re.compile(
    r"(?P<iso>[0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}(?![0-9]))"
    r"|(?P<dmy>[0-9]{1,2}([./-]) ?[0-9]{1,2}\4 ?(?:[12][0-9]{3}|[0-9]{2})(?![0-9]|\4[0-9]))"
    r"|(?P<clock>[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?(?![0-9:]))"
    r"|(?P<grouped>[0-9]{1,3}(?P<sep>[.,' ]|\\,|\{,\})\n?[0-9]{3}(?:(?P=sep)\n?[0-9]{3}){0,6}(?:[.,][0-9]{1,12})?(?![0-9]))"
    r"|(?P<indian>[0-9]{1,2}(?:,[0-9]{2}){1,6},[0-9]{3}(?:\.[0-9]{1,6})?(?![0-9]|,[0-9]))"
    r"|(?P<dotted>[0-9]+(?:\.[0-9]+){2,})"
    r"|(?P<plain>[0-9]+(?:[.,][0-9]+|\{,\}[0-9]+)?)"
)
_PHONE = re.compile(
    r"\+?[0-9]{1,4}(?:[ /-]?\(0?[0-9]{1,5}\))?(?:[ /-][0-9]{2,}){2,6}(?![0-9])|[0-9]{3}[ ).-]{1,2}[0-9]{3,4}-[0-9]{4}(?![0-9])|[0-9]{3}-[0-9]{4}(?![0-9-])"
)
_EXPONENT = re.compile(
    r"[eE]([+-]?[0-9]{1,3})(?![0-9A-Za-z])| ?(?:[×x·*]|\\times) ?10(?:\^\{?([-+]?[0-9]{1,3})\}?|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
)
_CLOCK_STARTS = frozenset("uohapimnvfd,点點時")
"""What may follow the hour: Uhr, o'clock, h, am, pm, in the …, morgens, noon, früh, du …"""
_NO_FRACTION = frozenset(".,%)€-")
_MULTIPLE_STARTS = frozenset("x×-f")
_MONTH_STARTS = frozenset("jfmasondeéJFMASONDEÉ")
_EXPONENT_STARTS = frozenset("eE ×x·*\\")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|er|re|ère|e|ème|eme|º|ª|te[nrs]?|ste[nrs]?)(?![A-Za-zÀ-ÿ0-9])"
)
_DECADE = re.compile(r"(?: ?')?s(?![A-Za-zÀ-ÿ0-9])|er(?: |-)(?:Jahre)")
_MULTIPLE = re.compile(r" ?[x×](?![A-Za-zÀ-ÿ0-9])(?! ?[0-9])|-?(?:fach|fold)(?:e[nrsm]?)?(?![a-z])")
_TAIL = re.compile(r"[A-Za-z0-9_]*(?:[-./:#_][A-Za-z0-9]+){0,12}")
_SLASH = re.compile(r"/([0-9]{1,2})(?![0-9/]|[.,][0-9])")
_MIXED = re.compile(r"[  ]([0-9]{1,2})/([0-9]{1,2})(?![0-9/])|[ \u2044]?([½¼¾⅓⅔⅕⅖⅗⅘⅙⅛⅜⅝⅞])")
_DATE_AFTER = re.compile(
    r"(?:st|nd|rd|th|er|\.|º)?[ \n]?(?:(?:day )?of |de )?([A-Za-zéûäÀ-ÿ]{3,11})\.?(?: ?,? ?(?:de |del )?([12][0-9]{3})(?![0-9]))?"
)
_YEAR_AFTER = re.compile(r"(?:st|nd|rd|th)?(?: ?, ?| )(?:de |del )?([12][0-9]{3})(?![0-9])")
_CJK_DATE = re.compile(
    r"([0-9]{4})年([0-9]{1,2})月(?:([0-9]{1,2})[日号])?|([0-9]{1,2})月([0-9]{1,2})[日号]"
)
_HALF_MORE = re.compile(r" (?:et demie?|y media|and a half)(?![a-z])")
_USAGE = re.compile(
    r"(?<![0-9.,])[0-9]{1,3}(?:[.,' ][0-9]{3})*([.,])[0-9]{1,2}(?![0-9]|[.,][0-9]| ?Uhr|\. )"
)
_GROUP_USAGE = re.compile(r"[0-9]([.,])[0-9]{3}(?:\1[0-9]{3}|([.,])[0-9]{1,2}(?![0-9]))")
_CURRENCIES = "€$£¥₹₩"
_CJK = "\u2e80"

_MINUS_WORDS = frozenset({"minus", "moins", "menos", "negative", "negativ", "负", "マイナス"})
_WEEK = frozenset({"kw", "week", "woche", "kalenderwoche", "semaine", "semana"})
_VERSION_WORDS = frozenset({"version", "versión", "release", "v", "ver."})
_TIGHT_MONTHS = frozenset({"may", "march", "mar", "dec", "jan", "sept", "mars", "juni", "mai"})
_ENGLISH_VERBS = frozenset({"may", "march", "mar"})

# words that are numbers in one language and something else in another
_ONLY_IN = {
    "once": "es", "media": "es", "medio": "es", "dos": "es", "mil": "es", "tres": "es", "seize": "fr", "tiers": "fr",
    "quart": "fr", "sept": "fr", "cent": "fr", "cents": "fr", "mille": "fr", "elf": "de", "null": "de", "mal": "de",
    "acht": "de", "achte": "de", "achten": "de", "primer": "es", "premier": "fr", "premiere": "fr", "elfte": "de",
    "segundo": "es", "segunda": "es", "cuarto": "es", "quinta": "es", "quarter": "en", "double": "en", "million": "",
    "demi": "fr", "second": "en",
}  # fmt: skip


class _Reader:
    def __init__(self, original: str) -> None:
        self.text = fold(original)
        self.found: list[Quantity] = []
        self._language: str | None = None
        self._order: str | None = None
        self._decimal: str | None = None

    @property
    def language(self) -> str:
        if self._language is None:
            self._language = language.detect(self.text)
        return self._language

    @property
    def order(self) -> str:
        if self._order is None:
            self._order = calendar.order_of(self.text, self.language)
        return self._order

    @property
    def decimal(self) -> str:
        """The decimal mark of this text by its own usage, then by its language; "" if unknown."""
        if self._decimal is None:
            used = {match.group(1) for match in _USAGE.finditer(self.text)}
            for match in _GROUP_USAGE.finditer(self.text):
                used.add(match.group(2) or ("," if match.group(1) == "." else "."))
            if len(used) == 1:
                self._decimal = used.pop()
            elif used:
                self._decimal = ""
            else:
                self._decimal = {
                    "de": ",",
                    "es": ",",
                    "fr": ",",
                    "en": ".",
                    "zh": ".",
                    "ja": ".",
                }.get(self.language, "")
        return self._decimal

    def read(self, skip: Sequence[tuple[int, int]] = ()) -> Reading:
        self._digits(skip)
        traits = 0
        for token in set(self.text.split()):
            traits |= _traits(token)
        if traits & _NUMBER_WORD:
            self._words()
        if traits & _CLOCK_WORD:
            self._clock_words()
        if traits & _ROMAN_NUMERAL:
            self._roman()
        if not self.text.isascii() and _HAN_NUMERAL.search(self.text):
            self._cjk()
        self.found.sort(key=lambda quantity: quantity.start)
        self._share_units()
        return Reading(self.text, self.found)

    # ── digits ────────────────────────────────────────────────────────────────────────────────

    def _digits(self, skip: Sequence[tuple[int, int]]) -> None:
        text, pos = self.text, 0
        search = _NEXT.search
        spans = iter(skip)
        span_start, span_end = next(spans, _NOWHERE)
        while (hit := search(text, pos)) is not None:
            start = hit.start()
            while start >= span_end:
                span_start, span_end = next(spans, _NOWHERE)
            pos = self._at(start, pos) if start < span_start else span_end

    def _at(self, start: int, done: int) -> int:
        """Read what begins with the digit at ``start``; the end of it."""
        text = self.text
        before = text[start - 1] if start else " "
        if text[start] in _VULGAR:
            return self._vulgar(start)
        if before in "ntr" and start > 1 and text[start - 2] == "\\":
            before = " "  # an escaped line break in JSON
        if (before.isalpha() and before < _CJK) or before == "_":
            return self._glued(start, done)
        if before == "-" and start > 1 and text[start - 2].isalpha() and text[start - 2] < _CJK:
            end = self._dashed(start, done)
            if end:
                return end
            before = " "
        cjk = _CJK_DATE.match(text, start) if "月" in text[start : start + 8] else None
        if cjk is not None:
            return self._cjk_date(cjk)
        shape = _SHAPE.match(text, start)
        assert shape is not None  # noqa: S101 (a digit always begins a plain number)
        name = shape.lastgroup or "plain"
        if name == "sep":
            name = "grouped"
        if (
            before == "+"
            or (text[start] == "0" and name == "plain")
            or name == "plain"
            or name == "grouped"
        ):
            phone = self._phone(start, before)
            if phone:
                return phone
        if name == "iso" or name == "dmy":
            end = self._numeric_date(shape, name)
            if end:
                return end
            if name == "dmy" and shape.group(4) == ".":
                return self._code(start, shape.end(), shape.group("dmy"))
            shape = _PLAIN.match(text, start) or shape
            name = "plain"
        if name == "clock":
            return self._clock(shape)
        if name == "dotted":
            return self._code(start, shape.end(), shape.group())
        return self._number(start, shape.group(), shape.end(), name, before)

    def _code(self, start: int, end: int, code: str) -> int:
        self.found.append(
            Quantity(start, end, start, end, Kind.CODE, code=_trim_version(code.casefold()))
        )
        return end

    def _glued(self, start: int, done: int) -> int:
        """Letters stand right before the digits: a currency, a week, a version, or a name."""
        text = self.text
        left = start
        while (
            left > done
            and left > start - 40
            and (text[left - 1].isalnum() or text[left - 1] in "_-")
            and text[left - 1] < _CJK
        ):
            left -= 1
        prefix = text[left:start].lstrip("-")
        left = start - len(prefix)
        low = prefix.lower()
        shape = _SHAPE.match(text, start)
        if shape is not None:
            money = units.prefix_unit(prefix)
            if money is not None and prefix.isupper():
                name = "grouped" if shape.lastgroup == "sep" else shape.lastgroup or "plain"
                if name in ("grouped", "plain", "indian"):
                    return self._number(start, shape.group(), shape.end(), name, " ", money, left)
            numbered = low in ("kw", "x") or (low in ("q", "h") and len(shape.group()) == 1)
            if (
                numbered
                and shape.lastgroup == "plain"
                and not text[shape.end() : shape.end() + 1].isalpha()
            ):
                return self._number(start, shape.group(), shape.end(), "plain", " ")
            if low == "v":
                tail = _TAIL.match(text, start)
                end = tail.end() if tail else shape.end()
                return self._code(left, end, text[start:end].rstrip("."))
        tail = _TAIL.match(text, start)
        end = tail.end() if tail is not None else start + 1
        if len(prefix) == 2 and prefix.isupper():
            iban = _IBAN.match(text, left)
            if iban is not None:
                return self._code(left, iban.end(), iban.group().replace(" ", ""))
        return self._code(left, max(end, start + 1), text[left:end])

    def _dashed(self, start: int, done: int) -> int:
        """``T-48213`` is one name; in ``mid-1990s`` the dash is a hyphen (0: not a name)."""
        text = self.text
        left = start - 1
        while (
            left > done
            and left > start - 40
            and (text[left - 1].isalnum() or text[left - 1] in "_-")
            and text[left - 1] < _CJK
        ):
            left -= 1
        if not text[left].isupper():
            return 0
        tail = _TAIL.match(text, start)
        end = tail.end() if tail is not None else start + 1
        return self._code(left, end, text[left:end])

    def _phone(self, start: int, before: str) -> int:
        text = self.text
        if not (
            before == "+"
            or text[start] == "0"
            or text[start + 3 : start + 4] in (")", "-", ".")
            or text[start + 1 : start + 2] == "-"
        ):
            return 0
        match = _PHONE.match(text, start)
        if match is None:
            return 0
        digits = "".join(char for char in match.group() if char.isdigit())
        if len(digits) < 7 or (len(digits) == 7 and text[start + 3] != "-") or len(digits) > 16:
            return 0
        if before != "+" and text[start] != "0" and "-" not in match.group():
            return 0
        if before != "+" and re.fullmatch(
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[12][0-9]{3}-[12][0-9]{3}", match.group()
        ):
            return 0
        first = start - 1 if before in "+(" else start
        self.found.append(
            Quantity(first, match.end(), start, match.end(), Kind.CODE, code="tel:" + digits)
        )
        return match.end()

    def _numeric_date(self, shape: re.Match[str], name: str) -> int:
        raw = shape.group(name)
        separator = shape.group(2) if name == "iso" else shape.group(4)
        first, second, third = (part.strip() for part in raw.split(separator))
        needs_order = separator != "." and len(first) < 4
        dates = calendar.numeric_dates(
            first, second, third, separator, self.order if needs_order else ""
        )
        if not dates:
            return 0
        start, end = shape.start(), shape.end()
        if len(first) == 4:
            parts = ((float(first), start, start + 4), (float(third), end - len(third), end))
        else:
            year = calendar.full_year(third)
            parts = (
                (float(year), end - len(third), end),
                (float(first), start, start + len(first)),
            )
            if separator != ".":
                at = start + len(first) + 1
                parts = (*parts, (float(second), at, at + len(second)))
        self.found.append(
            Quantity(start, end, start, end, Kind.DATE, dates=tuple(dates), parts=parts)
        )
        if self.text[end : end + 1] == "T" and self.text[end + 1 : end + 2].isdigit():
            stamp = _CLOCK.match(self.text, end + 1)
            if stamp is not None:
                return self._clock(stamp)
        return end

    def _clock(self, shape: re.Match[str]) -> int:
        start, end = shape.start(), shape.end()
        pieces = shape.group().split(":")
        hour, minute = int(pieces[0]), int(pieces[1])
        parts = (
            (float(hour), start, start + len(pieces[0])),
            (float(minute), start + len(pieces[0]) + 1, end),
        )
        read = calendar.clock(self.text, hour, minute, start, end, marked=True)
        if read is None:
            self.found.append(
                Quantity(
                    start,
                    end,
                    start,
                    end,
                    parts=parts,
                    values=(float(hour * 60 + minute) + 1e7,),
                    separable=True,
                )
            )
            return end
        self.found.append(
            Quantity(start, read.end, start, end, Kind.TIME, minutes=read.minutes, parts=parts)
        )
        return read.end

    def _cjk_date(self, match: re.Match[str]) -> int:
        start, end = match.span()
        year, month, day, month2, day2 = match.groups()
        date: Date = (
            int(year) if year else None,
            int(month or month2),
            int(day or day2) if day or day2 else None,
        )
        parts = [
            (float(group), *match.span(i)) for i, group in enumerate(match.groups(), 1) if group
        ]
        self.found.append(
            Quantity(start, end, start, end, Kind.DATE, dates=(date,), parts=tuple(parts))
        )
        return end

    def _vulgar(self, start: int) -> int:
        value = _VULGAR[self.text[start]]
        measure = units.read(self.text, start + 1)
        self.found.append(
            Quantity(
                start,
                measure.end,
                start,
                start + 1,
                values=(_scaled(value, measure.power),),
                unit=measure.unit,
                form=Form.FRACTION,
                step=0.0,
            )
        )
        return max(measure.end, start + 1)

    def _number(
        self,
        start: int,
        raw: str,
        end: int,
        name: str,
        before: str,
        money: tuple[Unit, int] | None = None,
        first: int | None = None,
    ) -> int:
        text = self.text
        if name == "plain" and "," in raw and "{" not in raw and _in_list(text, start, end):
            raw = raw.partition(",")[0]
            end = start + len(raw)
        raw = raw.replace("\\,", " ")
        if len(raw) > 40:
            return self._code(start, end, raw)
        first = start if first is None else first
        sign = 0
        leading = before in ".," and not (start > 1 and (text[start - 2].isalnum()))
        last = ""
        if leading and raw.isdigit():
            first -= 1
        elif before in "-–+±":
            ahead = text[start - 2] if start > 1 else " "
            if (
                before in "-–"
                and (ahead in " (\n[|:*\"'„“>=,;$€£~≈" or ahead > _CJK)
                and not _number_before(text, start - 1)
            ):
                sign, first = -1, start - 1
            elif before == "-" and ahead in _CURRENCIES:
                sign = -1
            elif before == "+":
                sign, first = 1, start - 1
        elif before in " \n" and start > 1:
            window = text[max(0, start - 24) : start].split()
            last = window[-1] if window else ""
            if last.lower() in _MINUS_WORDS:
                sign = -1
        if money is None:
            money, first = self._money_before(start, first, before, last)
        formula = before == "$" and money is None
        fraction = None
        plain_digits = raw.isdigit()
        if plain_digits and len(raw) <= 4:
            date_end = self._worded_date(start, raw, end, last)
            if date_end:
                return date_end
            if len(raw) <= 3 and text[end : end + 1] not in _NO_FRACTION:
                fraction = _MIXED.match(text, end)
        exponent = _EXPONENT.match(text, end) if text[end : end + 1] in _EXPONENT_STARTS else None
        value_end = end
        power = money[1] if money else 0
        if exponent is not None:
            power += int(
                exponent.group(1) or exponent.group(2) or exponent.group(3).translate(_RAISED)
            )
            value_end = end = exponent.end()
            if abs(power) > 300:
                return end
        values, decimals = self._values("0." + raw if leading and raw.isdigit() else raw, name)
        parts: tuple[tuple[float, int, int], ...] = ()
        separable = False
        form = Form.DIGITS
        unit: Unit | None = money[0] if money else None
        if fraction is not None:
            part = (
                _VULGAR[fraction.group(3)]
                if fraction.group(3)
                else int(fraction.group(1)) / max(1, int(fraction.group(2)))
            )
            values, decimals, value_end = (values[0] + part,), 3, fraction.end()
            end = value_end
        elif raw.isdigit() and exponent is None and text[end : end + 1] == "/" and len(raw) <= 4:
            slash = _SLASH.match(text, end)
            if slash is not None:
                low = int(slash.group(1))
                parts = ((float(raw), start, end), (float(low), slash.start(1), slash.end()))
                values, separable, value_end, form = (
                    (int(raw) / low if low else -1.0,),
                    True,
                    slash.end(),
                    Form.FRACTION,
                )
                end = value_end
        elif name == "grouped" and " " in raw and not raw.split(" ")[1].startswith("0"):
            at, collected = start, []
            for piece in re.split(r" \n?", raw):
                digits = re.split(r"[.,]", piece)[0]
                collected.append((float(digits), at, at + len(digits)))
                at += len(piece) + 1
            parts, separable = tuple(collected), True
        if text[end : end + 1].isalpha() and text[end] < _CJK:
            ordinal = _ORDINAL.match(text, end)
            if ordinal is not None and raw.isdigit():
                self.found.append(
                    Quantity(
                        first, ordinal.end(), start, value_end, values=values, form=Form.ORDINAL
                    )
                )
                return ordinal.end()
        if plain_digits and raw[-1] == "0" and (decade := _DECADE.match(text, end)) is not None:
            value = values[0] if len(raw) == 4 else values[0] + 1900
            found = Quantity(
                first, decade.end(), start, value_end, values=(values[0], value), step=10.0
            )
            self.found.append(found)
            return decade.end()
        multiple = (
            _MULTIPLE.match(text, end)
            if text[end : end + 2].lstrip()[:1] in _MULTIPLE_STARTS
            else None
        )
        if multiple is not None:
            self.found.append(
                Quantity(
                    first,
                    multiple.end(),
                    start,
                    value_end,
                    values=values,
                    unit=units.BY_NAME["x"],
                    form=form,
                )
            )
            return multiple.end()
        measure = units.read(text, end, money is not None)
        if text[end : end + 1] == "$" and formula:
            measure = units.Measure(end, None, 0)
        if (
            measure.end == end
            and text[end : end + 1].isalpha()
            and text[end] < _CJK
            and exponent is None
        ):
            tail = _TAIL.match(text, start)
            stop = tail.end() if tail else end
            self._code(start, stop, text[start:stop])
            self.found[-1].parts = ((values[0], start, end),)
            return stop
        power += measure.power
        clock_end = self._as_clock(first, start, raw, end, values, measure.unit)
        if clock_end:
            return clock_end
        if measure.unit is not None:
            unit = measure.unit
        if unit is units.BY_NAME["a"] and text[end : end + 1] == "年" and len(raw) == 4:
            unit = None
        scaled = tuple(_scaled(value, power) + measure.extra for value in values)
        stop = measure.end
        if measure.unit is not None and (more := _HALF_MORE.match(text, stop)) is not None:
            scaled, stop = tuple(value + 0.5 for value in scaled), more.end()
        if last.lower() in _VERSION_WORDS and measure.unit is None:
            return self._code(start, end, raw)
        if last.lower() in _WEEK:
            first = text.rfind(last, 0, start)
        self.found.append(
            Quantity(
                first,
                stop,
                start,
                value_end,
                Kind.NUMBER,
                scaled,
                unit,
                sign,
                10.0 ** (power - decimals),
                form,
                power,
                parts=parts,
                separable=separable,
            )
        )
        return max(stop, end)

    def _money_before(
        self, start: int, first: int, before: str, last: str
    ) -> tuple[tuple[Unit, int] | None, int]:
        text = self.text
        if before in _CURRENCIES:
            at = start - 1
            if before == "$" and _closes_formula(text, start):
                return None, first
        elif before in "-–" and start > 1 and text[start - 2] in _CURRENCIES:
            at = start - 2
        elif last:
            money = units.prefix_unit(last.lstrip("(").rstrip(":")) if len(last) <= 6 else None
            if money is None:
                return None, first
            at = text.rfind(last.lstrip("("), 0, start)
            return money, min(first, at)
        else:
            return None, first
        symbol_start = at
        while (
            symbol_start > 0
            and at - symbol_start < 3
            and text[symbol_start - 1].isascii()
            and text[symbol_start - 1].isupper()
        ):
            symbol_start -= 1
        money = units.prefix_unit(text[symbol_start : at + 1]) or units.prefix_unit(text[at])
        return money, min(first, symbol_start)

    def _values(self, raw: str, name: str) -> tuple[tuple[float, ...], int]:
        """The readings of the digits as written, and how many decimals are shown."""
        if name == "plain" and raw.isdigit():
            return (float(raw),), 0
        if raw.startswith("0.") and name == "plain" and raw.count(".") == 1 and "," not in raw:
            return (float(raw),), len(raw) - 2
        if name == "indian":
            digits, _, decimals = raw.replace(",", "").partition(".")
            return (float(f"{digits}.{decimals or 0}"),), len(decimals)
        if name == "plain":
            whole, _, decimals = raw.replace("{,}", ".").replace(",", ".").partition(".")
            return (float(f"{whole}.{decimals}"),), len(decimals)
        separator = "," if "{,}" in raw else next(char for char in raw if not char.isdigit())
        groups = re.split(r"[.,' \n\\{}]+", raw)
        closing = re.search(r"[.,]([0-9]+)$", raw)
        if closing is not None and closing.group()[0] != separator:
            whole = "".join(groups[:-1])
            return (float(f"{whole}.{groups[-1]}"),), len(groups[-1])
        if closing is not None and separator in ".," and len(groups[-1]) != 3:
            whole = "".join(groups[:-1])
            return (float(f"{whole}.{groups[-1]}"),), len(groups[-1])
        grouped = float("".join(groups))
        if len(groups) > 2 or separator not in ".," or "{,}" in raw:
            return (grouped,), 0
        split = float(f"{groups[0]}.{groups[1]}")
        if groups[0] == "0" or (len(groups[0]) > 1 and groups[0].startswith("0")):
            return (split,), len(groups[1])
        decimal = self.decimal
        if decimal == separator:
            return (split,), 3
        return ((grouped,), 0) if decimal else ((grouped, split), 0)

    def _worded_date(self, start: int, raw: str, end: int, last: str) -> int:
        """``29. Juli 2026``, ``July 29, 2026``, ``Juli 2026``; 0 when it is none of them."""
        text, value = self.text, int(raw)
        named = (
            calendar.month(last)
            if (last and not last.islower()) or last in ("de",)
            else calendar.month(last)
            if last and last not in _ENGLISH_VERBS
            else None
        )
        if named and 1 <= value <= 31:
            first = text.rfind(last, 0, start)
            year = _YEAR_AFTER.match(text, end)
            if year is not None:
                return self._date(
                    (int(year.group(1)), named, value),
                    first,
                    year.end(),
                    ((float(value), start, end), (float(year.group(1)), *year.span(1))),
                )
            stop = ordinal.end() if (ordinal := _ORDINAL.match(text, end)) else end
            if not (text[stop : stop + 1] in ":%" and text[stop : stop + 1]):
                return self._date((None, named, value), first, stop, ((float(value), start, end),))
        if named and 1000 <= value <= 2999:
            first = text.rfind(last, 0, start)
            if not (self.found and self.found[-1].end > first):
                return self._date((value, named, None), first, end, ((float(value), start, end),))
        if 1 <= value <= 31:
            after = _DATE_AFTER.match(text, end)
            if after is not None and after.group(1)[0] in _MONTH_STARTS:
                name = after.group(1)
                month = calendar.month(name)
                if month and name not in _ENGLISH_VERBS:
                    parts: tuple[tuple[float, int, int], ...] = ((float(value), start, end),)
                    year_ = after.group(2)
                    if year_:
                        return self._date(
                            (int(year_), month, value),
                            start,
                            after.end(),
                            (*parts, (float(year_), *after.span(2))),
                        )
                    return self._date((None, month, value), start, after.end(1), parts)
        return 0

    def _date(
        self, date: Date, start: int, end: int, parts: tuple[tuple[float, int, int], ...]
    ) -> int:
        self.found.append(Quantity(start, end, start, end, Kind.DATE, dates=(date,), parts=parts))
        return end

    def _as_clock(
        self,
        first: int,
        start: int,
        raw: str,
        end: int,
        values: tuple[float, ...],
        unit: Unit | None,
    ) -> int:
        """``12 Uhr``, ``21.45 Uhr``, ``9 pm``, ``下午3点``; 0 when it is no time of day."""
        text = self.text
        if len(raw) > 5 or text[end : end + 2].lstrip()[:1].lower() not in _CLOCK_STARTS:
            return 0
        hour_text, _, minute_text = raw.replace(",", ".").partition(".")
        if len(hour_text) > 2 or (minute_text and len(minute_text) != 2):
            return 0
        hour, minute = int(hour_text), int(minute_text or 0)
        cjk = _CJK_CLOCK.match(text, end)
        if cjk is not None and not minute_text:
            minute = 30 if cjk.group(1) == "半" else int(cjk.group(1) or 0)
            read = calendar.clock(text, hour, minute, start, cjk.end(), marked=True)
        else:
            read = calendar.clock(text, hour, minute, start, end, marked=False)
            if read is None or (unit is not None and unit.name != "h"):
                return 0
        if read is None:
            return 0
        parts = ((float(hour), start, start + len(hour_text)),)
        self.found.append(
            Quantity(first, read.end, start, end, Kind.TIME, minutes=read.minutes, parts=parts)
        )
        return read.end

    # ── words ─────────────────────────────────────────────────────────────────────────────────

    def _words(self) -> None:
        low = lower(self.text)
        taken = sorted((quantity.start, quantity.end) for quantity in self.found)
        pointer = done = 0
        known = words.number_word
        for match in _LETTERS.finditer(low):
            found = known(match.group())
            if found is None or found.kind == words.ARTICLE:
                continue
            start = match.start()
            if start < done:
                continue
            while pointer < len(taken) and taken[pointer][1] <= start:
                pointer += 1
            if (pointer < len(taken) and taken[pointer][0] <= start) or not self._spoken(
                match.group()
            ):
                continue
            run = _run_of_words(low, match)
            links = [
                low[one.end() : other.start()] for one, other in zip(run, run[1:], strict=False)
            ]
            joined = words.join([word.group() for word in run], links)
            if joined is not None:
                done = run[joined.taken - 1].end()
                self._add_word(joined, start, done)

    def _spoken(self, word: str) -> bool:
        only = _ONLY_IN.get(word)
        return not only or self.language in (only, "und")

    def _add_word(self, joined: words.Joined, start: int, end: int) -> None:
        text = self.text
        if start and (text[start - 1].isdigit() or text[start - 1] == "_"):
            return
        form = {
            words.ORDINAL: Form.ORDINAL,
            words.FRACTION: Form.FRACTION,
            words.MULTIPLE: Form.MULTIPLE,
        }.get(joined.kind, Form.CARDINAL)
        values: tuple[float, ...] = (float(joined.value),)
        unit = units.BY_NAME.get(joined.unit)
        if form is Form.ORDINAL:
            if joined.value >= 3:
                values = (*values, float(f"{1 / joined.value:.12g}"))
            date_end = self._ordinal_date(joined.value, start, end)
            if date_end:
                return
            self.found.append(Quantity(start, end, start, end, values=values, form=form))
            return
        if unit is not None:
            self.found.append(Quantity(start, end, start, end, values=values, unit=unit, form=form))
            return
        value = joined.value
        if value == int(value) and 1 <= value <= 24:
            read = calendar.clock(text, int(value), 0, start, end, marked=False)
            if read is not None:
                minutes = read.minutes
                if (
                    len(minutes) == 1
                    and value <= 12
                    and text[read.end - 3 : read.end].lower() in ("uhr", "ock")
                ):
                    minutes = (minutes[0], (minutes[0] + 720) % 1440)
                self.found.append(
                    Quantity(
                        start,
                        read.end,
                        start,
                        end,
                        Kind.TIME,
                        minutes=minutes,
                        parts=((value, start, end),),
                    )
                )
                return
        if value == int(value) and 1 <= value <= 31:
            after = _DATE_AFTER.match(text, end)
            if (
                after is not None
                and (month := calendar.month(after.group(1)))
                and after.group(1) not in _ENGLISH_VERBS
            ):
                self._date(
                    (int(after.group(2)) if after.group(2) else None, month, int(value)),
                    start,
                    after.end(),
                    ((value, start, end),),
                )
                return
        link = _OF_A.match(text, end) if form is Form.FRACTION else None
        measure = units.read(text, link.end() if link else end)
        stop = max(measure.end, end)
        if link is not None and measure.end == link.end():
            stop = end
        scaled = tuple(_scaled(value, measure.power) for value in values)
        if measure.unit is not None and (more := _HALF_MORE.match(text, stop)) is not None:
            scaled, stop = tuple(value + 0.5 for value in scaled), more.end()
        before = text[max(0, start - 10) : start].split()
        sign = -1 if before and before[-1].lower() in _MINUS_WORDS else 0
        self.found.append(
            Quantity(
                start, stop, start, end, values=scaled, unit=measure.unit, form=form, sign=sign
            )
        )

    def _ordinal_date(self, value: float, start: int, end: int) -> int:
        after = _DATE_AFTER.match(self.text, end)
        if after is None or not 1 <= value <= 31:
            return 0
        month = calendar.month(after.group(1))
        if not month or after.group(1) in _ENGLISH_VERBS:
            return 0
        return self._date(
            (int(after.group(2)) if after.group(2) else None, month, int(value)),
            start,
            after.end(),
            ((value, start, end),),
        )

    def _clock_words(self) -> None:
        text = self.text
        for match in _SPOKEN_CLOCK.finditer(text):
            minutes = _spoken_minutes(match)
            if minutes is None:
                continue
            span = match.span()
            if match.group("noon"):
                if not any(q.start < span[1] and q.end > span[0] for q in self.found):
                    self.found.append(Quantity(*span, *span, Kind.TIME, minutes=(minutes,)))
                continue
            self.found = [q for q in self.found if q.end <= span[0] or q.start >= span[1]]
            end = span[1]
            day = calendar.clock(text, minutes // 60, minutes % 60, span[0], end, marked=True)
            readings = day.minutes if day else (minutes,)
            if day is not None and day.end == end:
                readings = (minutes % 1440, (minutes + 720) % 1440)
            self.found.append(
                Quantity(span[0], day.end if day else end, *span, Kind.TIME, minutes=readings)
            )

    # ── CJK and Roman numerals ────────────────────────────────────────────────────────────────

    def _cjk(self) -> None:
        text = self.text
        taken = sorted((q.start, q.end) for q in self.found)
        pointer = done = 0
        for match in _CJK_RUN.finditer(text):
            start, end = match.span()
            while pointer < len(taken) and taken[pointer][1] <= start:
                pointer += 1
            if start < done or (pointer < len(taken) and taken[pointer][0] <= start):
                continue
            done = self._cjk_number(match, start, end)

    def _cjk_number(self, match: re.Match[str], start: int, end: int) -> int:
        text = self.text
        if match.group("share"):
            whole, part = words.cjk(match.group("whole")), words.cjk(match.group("share"))
            if not whole or part is None:
                return end
            is_share = match.group("whole") == "百"
            unit = units.BY_NAME["%"] if is_share else None
            values = (part if is_share else float(f"{part / whole:.12g}"),)
            self.found.append(
                Quantity(start, end, start, end, values=values, unit=unit, form=Form.CARDINAL)
            )
            return end
        if match.group("month"):
            month, day = words.cjk(match.group("month")), words.cjk(match.group("day"))
            if month and day and calendar.is_date(None, int(month), int(day)):
                self._date((None, int(month), int(day)), start, end, ((day, start, end),))
            return end
        run = match.group("run")
        value = words.cjk(run)
        if value is None:
            return end
        cjk = _CJK_CLOCK.match(text, end)
        if cjk is not None and 1 <= value <= 24:
            minute = 30 if cjk.group(1) == "半" else int(cjk.group(1) or 0)
            read = calendar.clock(text, int(value), minute, start, cjk.end(), marked=True)
            if read is not None:
                self.found.append(
                    Quantity(
                        start,
                        read.end,
                        start,
                        end,
                        Kind.TIME,
                        minutes=read.minutes,
                        parts=((value, start, end),),
                    )
                )
                return read.end
        measure = units.read(text, end)
        form = Form.CARDINAL if measure.unit is not None or len(run) > 1 else Form.MULTIPLE
        stop = max(measure.end, end)
        self.found.append(
            Quantity(
                start,
                stop,
                start,
                end,
                values=(_scaled(value, measure.power),),
                unit=measure.unit,
                form=form,
            )
        )
        return stop

    def _roman(self) -> None:
        for match in _ROMAN.finditer(self.text):
            value = words.roman(match.group(1))
            if value is not None:
                start, end = match.span(1)
                self.found.append(
                    Quantity(start, end, start, end, values=(float(value),), form=Form.ROMAN)
                )

    # ── ranges ────────────────────────────────────────────────────────────────────────────────

    def _share_units(self) -> None:
        """In ``3–5 Werktage`` and ``$5-10`` one unit holds for both ends."""
        for one, other in zip(self.found, self.found[1:], strict=False):
            if Kind.NUMBER in (one.kind, other.kind) and (other.kind or one.kind) in (
                Kind.DATE,
                Kind.TIME,
            ):
                self._share_day(one, other)
                continue
            if (
                one.kind is not Kind.NUMBER
                or other.kind is not Kind.NUMBER
                or (one.unit and other.unit)
            ):
                continue
            gap = self.text[one.end : other.start]
            if len(gap) > 7 or not _RANGE.fullmatch(gap):
                continue
            if (
                one.unit is None
                and other.unit is not None
                and one.form in (Form.DIGITS, Form.CARDINAL)
            ):
                one.unit = other.unit
                if other.power and not one.power and other.values[0] >= 1000:
                    one.values = (
                        *one.values,
                        *(_scaled(value, other.power) for value in one.values),
                    )
            elif (
                other.unit is None
                and one.unit is not None
                and one.unit.hard
                and "–" in gap + "–"
                and gap.strip() in "-–/"
            ):
                other.unit = one.unit

    def _share_day(self, one: Quantity, other: Quantity) -> None:
        """``2–5 May``, ``June 27–29`` and ``9–17 Uhr``: both ends are days, or hours."""
        number, whole = (one, other) if one.kind is Kind.NUMBER else (other, one)
        if (
            number.unit is not None
            or number.form not in (Form.DIGITS, Form.ORDINAL)
            or number.sign
            or number.parts
        ):
            return
        gap = self.text[one.end : other.start]
        if (
            len(gap) > 7
            or not _RANGE.fullmatch(gap)
            or (number is other and gap.strip() not in ("-", "–"))
        ):
            return
        value = number.values[0]
        if value != int(value) or value > 31:
            return
        if (
            whole.kind is Kind.DATE
            and value >= 1
            and len(whole.dates) == 1
            and whole.dates[0][2] is not None
        ):
            year, month, _ = whole.dates[0]
            number.kind, number.dates = Kind.DATE, ((year, month, int(value)),)
            number.parts = ((value, number.value_start, number.value_end),)
        elif whole.kind is Kind.TIME and value <= 24 and number is one:
            late = whole.minutes[0] >= 720 and value < 12
            minute = int(value) * 60
            number.kind, number.minutes = Kind.TIME, (minute, minute + 720) if late else (minute,)
            number.parts = ((value, number.value_start, number.value_end),)


_PLAIN = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_LETTERS = re.compile(r"[^\W\d_]+")
_OF_A = re.compile(r" (?:of )?(?:an?|the) ")
_CJK_CLOCK = re.compile(r"(?:[点點]|時(?!間))(?:([0-9]{1,2})分|(半))?(?!数|间)")
_N = f"[{words.CJK_NUMERALS}]"
_CJK_RUN = re.compile(
    rf"(?P<whole>{_N}{{1,3}})分之(?P<share>{_N}{{1,6}})|(?P<month>{_N}{{1,2}})月(?P<day>{_N}{{1,3}})[日号]|(?P<run>{_N}{{1,24}})"
)
_ROMAN = re.compile(
    r"(?:Anne(?:x|xe)|Anhang|Anlage|Appendix|Kapitel|Chapter|Chapitre|Capítulo|Anexo|Teil|Part|Partie|Band|Vol(?:ume|\.)|"
    r"Tome|Section|Abschnitt|Art(?:ikel|icle|\.)|Titel|Title|Phase|Level|Stufe|Class|Klasse|Type?|Buch|Book|Act|War|"
    r"Grade|Tier|Module?|Modul|Nr\.|No\.|Stage|Category|Kategorie|Zone) ([IVXLC]{1,7})\b"
)
_RANGE = re.compile(
    r" ?(?:-|–|/|to|bis|à|a|and|und|et|y|or|oder|ou|o|through|auf|~|至|到|から|,) ?"
)
_SPOKEN_CLOCK = re.compile(
    r"(?i)\b(?:(?P<half>halb) (?P<h1>[a-zäöüß]+|[0-9]{1,2})|(?P<quarter>viertel|dreiviertel) (?P<dir>nach |vor )?(?P<h2>[a-zäöüß]+|[0-9]{1,2})"
    r"|half past (?P<h3>[a-z]+|[0-9]{1,2})|quarter (?P<dir2>past|to) (?P<h4>[a-z]+|[0-9]{1,2})|(?P<noon>noon|midnight|mitternacht))\b(?: uhr)?"
)


_HAN_NUMERAL = re.compile(_N)
_NOWHERE = (sys.maxsize, sys.maxsize)
_LONGEST_RUN = 12

_NUMBER_WORD, _CLOCK_WORD, _ROMAN_NUMERAL = 1, 2, 4
_CLOCK_WORDS = frozenset(
    {"halb", "viertel", "dreiviertel", "half", "quarter", "noon", "midnight", "mitternacht"}
)
_TRAITS: dict[str, int] = {}
_TRAITS_LIMIT = 50_000


def _traits(token: str) -> int:
    """What a token between spaces may hold, so that most texts need no second look. Remembered."""
    known = _TRAITS.get(token)
    if known is not None:
        return known
    traits = 0
    for word in _LETTERS.findall(token):
        if word[0] >= _CJK:
            continue
        low = word.lower()
        found = words.number_word(low)
        if found is not None and found.kind != words.ARTICLE:
            traits |= _NUMBER_WORD
        if low in _CLOCK_WORDS:
            traits |= _CLOCK_WORD
        if word.isupper() and not word.strip("IVXLC"):
            traits |= _ROMAN_NUMERAL
    if len(token) <= 40:
        if len(_TRAITS) >= _TRAITS_LIMIT:
            _TRAITS.clear()
        _TRAITS[token] = traits
    return traits


def _run_of_words(low: str, first: re.Match[str]) -> list[re.Match[str]]:
    """``first`` and the number words and joints that follow it, up to a bound."""
    run = [first]
    for match in _LETTERS.finditer(low, first.end(), first.end() + 240):
        word = match.group()
        if match.start() - run[-1].end() != 1 or len(run) >= _LONGEST_RUN:
            break
        if words.number_word(word) is None and word not in words.JOINTS:
            break
        run.append(match)
    return run


def _hour(word: str | None) -> int | None:
    if not word:
        return None
    if word.isdigit():
        return int(word) if int(word) <= 24 else None
    if word.lower() in ("eins", "one"):
        return 1
    found = words.number_word(word.lower())
    if found is None or found.kind != words.CARDINAL or found.unit or not 1 <= found.value <= 24:
        return None
    return int(found.value)


def _spoken_minutes(match: re.Match[str]) -> int | None:
    if match.group("noon"):
        return 720 if match.group("noon").lower() == "noon" else 0
    if match.group("half"):
        hour = _hour(match.group("h1"))
        return None if hour is None else hour * 60 - 30
    if match.group("h3"):
        hour = _hour(match.group("h3"))
        return None if hour is None else hour * 60 + 30
    hour = _hour(match.group("h2") or match.group("h4"))
    if hour is None:
        return None
    direction = (match.group("dir") or match.group("dir2") or "").strip().lower()
    if direction in ("vor", "to"):
        return hour * 60 - 15
    if direction in ("nach", "past"):
        return hour * 60 + 15
    return hour * 60 - (15 if match.group("quarter").lower() == "dreiviertel" else 45)


def _scaled(value: float, power: int) -> float:
    return (
        value
        if not power
        else float(f"{value!r}e{power}")
        if "e" not in repr(value)
        else value * 10.0**power
    )


def _trim_version(code: str) -> str:
    return re.sub(r"(?:\.0)+$", "", code) if code[:1].isdigit() else code


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
    """``$12\\,500$``: the dollar signs mark a formula."""
    close = text.find("$", start, start + 40)
    if close < 0:
        return False
    inner = text[start:close]
    return (
        "\n" not in inner
        and (text[close - 1] in "%0123456789}")
        and not text[close + 1 : close + 2].isdigit()
        and (" " not in inner or "\\" in inner)
    )


def read(text: str, skip: Sequence[tuple[int, int]] = ()) -> Reading:
    """Every quantity of ``text`` in order. Never raises; linear time.

    ``skip``: disjoint spans in order whose digits are passed over.
    """
    return _Reader(text).read(skip)
