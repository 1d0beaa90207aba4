"""Dates and times as they are written. A date is (year, month, day), None where it is silent."""

from __future__ import annotations

import re
from typing import NamedTuple

from service.checks.reading.folding import plain

Date = tuple[int | None, int | None, int | None]

_MONTHS: dict[str, int] = {}
for _line in (
    "january february march april may june july august september october november december",
    "januar februar maerz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad"
    " grudzien",
    "stycznia lutego _ kwietnia _ czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jaenner febr mrz apr mai juni juli aug sept okt nov dez",
):
    _MONTHS |= {word: month for month, word in enumerate(_line.split(), start=1)}


_AFTER_DAY = {"marca": 3, "maja": 5}
"""Polish genitives that are something else elsewhere, except behind a day, and small."""
VERBS = frozenset({"may", "march", "mar"})
"""Spelled small, these are not months."""


def month(word: str) -> int | None:
    """The month that a word names, capitals and accents folded."""
    if not 3 <= len(word) <= 12:
        return None
    low = word.lower().rstrip(".")
    return _MONTHS.get(low) or _MONTHS.get(plain(low))


def month_after_day(word: str) -> int | None:
    """The month that a word behind a day names."""
    return month(word) or _AFTER_DAY.get(word)


def _beginnings() -> frozenset[str]:
    pairs = {name[:2] for name in (*_MONTHS, *_AFTER_DAY)} | {"dé", "fé", "mä", "jä", "of", "de"}
    return frozenset(
        spelled for pair in pairs for spelled in (pair, pair.capitalize(), pair.upper())
    )


BEGINNINGS = _beginnings()
"""Two letters with which what stands behind a day may begin: a month, of, de."""


def is_date(year: int | None, month_: int | None, day: int | None) -> bool:
    return (
        (year is None or 1000 <= year <= 2999)
        and (month_ is None or 1 <= month_ <= 12)
        and (day is None or 1 <= day <= 31)
    )


def full_year(digits: str) -> int:
    """``26`` is 2026, ``87`` is 1987."""
    year = int(digits)
    if len(digits) != 2:
        return year
    return year + (2000 if year < 70 else 1900)


def numeric_dates(first: str, second: str, third: str, separator: str, order: str) -> list[Date]:
    """The readings of ``a.b.c``. Dots mean day first; slashes and dashes follow ``order``.

    ``order``: "dmy", "mdy" or "" (unknown: both readings, where both are dates).
    """
    if len(first) == 4:
        candidates = [(int(first), int(second), int(third))]
    else:
        year, a, b = full_year(third), int(first), int(second)
        day_first, month_first = (year, b, a), (year, a, b)
        if separator == "." or order == "dmy":
            candidates = [day_first] if is_date(*day_first) else [month_first]
        elif order == "mdy":
            candidates = [month_first] if is_date(*month_first) else [day_first]
        else:
            candidates = [day_first, month_first]
    return [date for date in dict.fromkeys(candidates) if is_date(*date)]


_DAY = r"dd?|tt?|jj?|day|tag|jour|d[ií]a|giorno|dag"
_MONTH = r"mm?|month|monat|mois|m[eê]s|mese|maand"
_YEAR = r"y{1,4}|j{1,4}|a{1,4}|year|jahr|ann[ée]e|a[nñ]o|anno|jaar"
_ORDER = re.compile(
    rf"(?i)\b(?:(?P<dmy>(?:{_DAY})(?P<mark> ?[/.-] ?)(?:{_MONTH}))"
    rf"|(?:{_MONTH})(?P<other> ?[/.-] ?)(?:{_DAY}))(?(mark)(?P=mark)|(?P=other))(?:{_YEAR})\b"
)
"""An order that a text states: DD/MM/YYYY, (Tag/Monat/Jahr)."""
_SLASHED = re.compile(r"(?<![0-9/])([0-9]{1,2})/([0-9]{1,2})/(?:[0-9]{4}|[0-9]{2})(?![0-9/])")


def order_of(text: str, language: str) -> str:
    """Which of day and month a text writes first: it says so, shows so, or its language does."""
    said = {found.group("dmy") is not None for found in _ORDER.finditer(text)}
    if len(said) == 1:
        return "dmy" if said.pop() else "mdy"
    for found in _SLASHED.finditer(text):
        if int(found.group(1)) > 12:
            return "dmy"
        if int(found.group(2)) > 12:
            return "mdy"
    return "dmy" if language in ("de", "fr", "es") else ""


_MERIDIEM = re.compile(r" ?([ap])(?:\. ?m\.|\.? ?m\b)", re.IGNORECASE)
_MORNING = r"in the morning|morgens|früh|vormittags|du matin|de la mañana|am morgen|am vormittag"
_LATER = (
    r"in the afternoon|in the evening|at night|p\.m|nachmittags|abends|am nachmittag|am abend|"
    r"de l'après-midi|du soir|de la tarde|de la noche|noon|mittags"
)
_DAYTIME = re.compile(
    rf"(?i)(?: uhr| o'clock)?,? ?(?:({_MORNING})|({_LATER}))(?![a-z])",
)
_CLOCK_WORD = re.compile(
    r"(?i)(?: ?uhr(?: ?([0-5][0-9])(?![0-9]))?| o'clock"
    r"| ?h ?([0-5][0-9])(?![0-9]| ?m)|(?<=:[0-9][0-9]) ?h\b)"
)
_BEFORE_CJK = re.compile(r"(上午|早上|凌晨|午前|下午|晚上|中午|午後|夜)$")
_MORNING_CJK = frozenset({"上午", "早上", "凌晨", "午前"})


class Clock(NamedTuple):
    """The readings of a time, in minutes after midnight, and where it ends in the text."""

    minutes: tuple[int, ...]
    end: int


def clock(text: str, hour: int, minute: int, start: int, end: int, *, marked: bool) -> Clock | None:
    """A time of day at ``start:end``. ``marked``: it looks like one by itself (``9:45``)."""
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    word = _CLOCK_WORD.match(text, end)
    german = False
    if word is not None:
        more = word.group(1) or word.group(2)
        if more and minute == 0:
            minute = int(more)
        end, marked, german = word.end(), True, True
    day = _DAYTIME.match(text, end) if hour <= 12 else None
    if day is not None:
        late = day.group(2) is not None
        if not (late and hour == 12):
            hour = hour % 12 + (12 if late else 0)
        return Clock((hour * 60 + minute,), day.end())
    half = _MERIDIEM.match(text, end) if hour <= 12 and not german else None
    if half is not None:
        hour = hour % 12 + (12 if half.group(1) in "pP" else 0)
        return Clock((hour * 60 + minute,), half.end())
    before = _BEFORE_CJK.search(text[max(0, start - 2) : start]) if hour <= 12 else None
    if before is not None:
        late = before.group(1) not in _MORNING_CJK
        if not (late and hour == 12):
            hour = hour % 12 + (12 if late else 0)
        return Clock((hour * 60 + minute,), end)
    if not marked:
        return None
    plain_minutes = hour % 24 * 60 + minute
    if german or hour > 12 or hour == 0 or text[start : start + 1] == "0":
        return Clock((plain_minutes,), end)
    return Clock((plain_minutes, (plain_minutes + 720) % 1440), end)
