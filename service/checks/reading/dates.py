"""Dates and times of day that begin with digits: 29.07.2026, 29. Juli 2026, 9:45 pm, 21.45 Uhr."""

from __future__ import annotations

import re

from service.checks.reading import calendar
from service.checks.reading.calendar import Date
from service.checks.reading.passage import Passage
from service.checks.reading.quantities import DATE, TIME, Part, Quantity

DATE_AFTER = re.compile(
    r"(?:st|nd|rd|th|er|\.|º|°)?[ \n]?(?:(?:day )?of |de )?([A-Za-zÀ-ÿśźń]{3,12})\.?"
    r"(?: ?,? ?(?:de |del )?([12][0-9]{3})(?![0-9]))?"
)
_YEAR_AFTER = re.compile(r"(?:st|nd|rd|th)?(?: ?, ?| )(?:de |del )?([12][0-9]{3})(?![0-9])")
_MONTH_AFTER_YEAR = re.compile(
    r", ([A-Z][a-zäéû]{2,8})\.?(?: ([0-9]{1,2})(?![0-9:.,%])|(?=[.,;'\")\n<|]|\Z))"
)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z])")
_CJK_DATE = re.compile(
    r"([0-9]{4})年([0-9]{1,2})月(?:([0-9]{1,2})[日号])?|([0-9]{1,2})月([0-9]{1,2})[日号]"
)
CJK_CLOCK = re.compile(r"(?:[点點]|時(?!間))(?:([0-9]{1,2})分|(半|[一三]刻))?(?!数|间)")
_CJK_MINUTES = {"半": 30, "一刻": 15, "三刻": 45}
_DAY_AND_MONTH = re.compile(r"(0?[1-9]|[12][0-9]|3[01])\.(0?[1-9]|1[0-2])")
_DATE_GOES_ON = re.compile(r"\.(?: ?[-–,;:)|]| [a-zäöü])")
"""A dot that ends no sentence: with it, ``12.06.`` is a day and a month."""
_DATE_WORDS = frozenset(
    "am vom zum bis ab seit dem den der montag dienstag mittwoch donnerstag freitag samstag sonntag"
    " mo di mi do fr sa so stand".split()
)
_SECTION_WORDS = frozenset(
    "abschnitt abs absatz kapitel kap ziffer ziff nummer nr punkt teil version tabelle abb"
    " abbildung satz regel".split()
)
_STAMP = re.compile(r"[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?")
_CLOCK_STARTS = frozenset("uohapimnvfd,点點時")
"""What may follow the hour: Uhr, o'clock, h, am, pm, in the …, morgens, noon, früh, du …"""
_NO_CLOCK_VALUE = 1e7
"""Keeps ``90:30`` (a duration, a score) apart from ordinary values."""


def numeric(passage: Passage, raw: str, separator: str, start: int, end: int) -> int:
    """``2026-07-29``, ``29.07.26``, ``7/29/2026``; 0 when the figures make no date."""
    first, second, third = (part.strip() for part in raw.split(separator))
    needs_order = separator != "." and len(first) < 4
    order = passage.date_order if needs_order else ""
    dates = calendar.numeric_dates(first, second, third, separator, order)
    if not dates:
        return 0
    parts: tuple[Part, ...]
    if len(first) == 4:
        parts = ((float(first), start, start + 4), (float(third), end - len(third), end))
    else:
        year = float(calendar.full_year(third))
        parts = ((year, end - len(third), end), (float(first), start, start + len(first)))
        if separator != ".":
            at = start + len(first) + 1
            parts = (*parts, (float(second), at, at + len(second)))
    passage.found.append(Quantity(start, end, start, end, DATE, dates=tuple(dates), parts=parts))
    stamp = _STAMP.match(passage.text, end + 1) if passage.text[end : end + 1] == "T" else None
    return end if stamp is None else clock(passage, stamp.group(), *stamp.span())


def year_and_month(passage: Passage, raw: str, start: int, end: int) -> int:
    """``2025-04``, which may also be a season: its parts may stand for themselves."""
    year, month = int(raw[:4]), int(raw[5:])
    parts = ((float(year), start, start + 4), (float(month), start + 5, end))
    passage.add_date((year, month, None), start, end, parts)
    passage.found[-1].separable = True
    return end


def cjk(passage: Passage, start: int) -> int:
    """``2026年7月29日``; 0 when there is none."""
    match = _CJK_DATE.match(passage.text, start)
    if match is None:
        return 0
    year, month, day, month_alone, day_alone = match.groups()
    last = day or day_alone
    date = (int(year) if year else None, int(month or month_alone), int(last) if last else None)
    if not calendar.is_date(*date):
        return 0
    parts = [(float(group), *match.span(i)) for i, group in enumerate(match.groups(), 1) if group]
    return passage.add_date(date, start, match.end(), tuple(parts))


def after_month(passage: Passage, month: int, word: str, value: int, start: int, end: int) -> int:
    """``July 29, 2026``, ``Juli 2026``: the month stands in front; 0 when it is no date."""
    text = passage.text
    first = text.rfind(word, 0, start)
    part = (float(value), start, end)
    if 1 <= value <= 31:
        year = _YEAR_AFTER.match(text, end)
        if year is not None:
            date = (int(year.group(1)), month, value)
            return passage.add_date(
                date, first, year.end(), (part, (float(date[0]), *year.span(1)))
            )
        ordinal = _ORDINAL_AFTER.match(text, end)
        stop = end if ordinal is None else ordinal.end()
        if text[stop : stop + 1] not in (":", "%"):
            return passage.add_date((None, month, value), first, stop, (part,))
    if 1000 <= value <= 2999 and not (passage.found and passage.found[-1].end > first):
        return passage.add_date((value, month, None), first, end, (part,))
    return 0


def after_year(passage: Passage, value: int, start: int, end: int) -> int:
    """``2006, February``, ``2014, July 05``: the year stands in front; 0 when it is no date."""
    match = _MONTH_AFTER_YEAR.match(passage.text, end)
    month = calendar.month(match.group(1)) if match is not None else None
    if match is None or not month or not 1000 <= value <= 2999:
        return 0
    day = int(match.group(2)) if match.group(2) else None
    if not calendar.is_date(value, month, day):
        return 0
    parts: tuple[Part, ...] = ((float(value), start, end),)
    if day is not None:
        parts = (*parts, (float(day), *match.span(2)))
    return passage.add_date((value, month, day), start, match.end(), parts)


def before_month(passage: Passage, value: float, start: int, end: int) -> int:
    """``29. Juli 2026``, ``1er juin``, ``3rd of May``: the day at ``start:end``, or 0."""
    if not 1 <= value <= 31:
        return 0
    text = passage.text
    if text[end : end + 1] == " " and text[end + 1 : end + 3] not in calendar.BEGINNINGS:
        return 0  # at once, as nearly always
    after = DATE_AFTER.match(text, end)
    if after is None or after.group(1)[:2] not in calendar.BEGINNINGS:
        return 0
    name, year = after.groups()
    month = calendar.month_after_day(name)
    if not month or name in calendar.VERBS:
        return 0
    day = (float(value), start, end)
    if year is None:
        return passage.add_date((None, month, int(value)), start, after.end(1), (day,))
    date: Date = (int(year), month, int(value))
    return passage.add_date(date, start, after.end(), (day, (float(year), *after.span(2))))


def german_day(passage: Passage, raw: str, start: int, end: int) -> int:
    """``am 12.06.``, ``12.06.–14.06.``: a day and a month with a dot behind each; else 0.

    What ends a sentence (``Der pH-Wert ist 7.4.``) is none, unless the word before says so.
    """
    found = _DAY_AND_MONTH.fullmatch(raw)
    if found is None or passage.language not in ("de", "und"):
        return 0
    text = passage.text
    before = _last_word(text[max(0, start - 14) : start])
    if _DATE_GOES_ON.match(text, end) is not None:
        is_date = before not in _SECTION_WORDS
    else:
        follows_one = text[start - 2 : start] in (".-", ".–") and passage.ends_in_date
        is_date = follows_one or before in _DATE_WORDS
    if not is_date:
        return 0
    day = int(found[1])
    part = (float(day), start, start + len(found[1]))
    stop = passage.add_date((None, int(found[2]), day), start, end, (part,))
    # a section may be told so, too: either reading grounds
    passage.found[-1].values = (float(raw),)
    return stop


def _last_word(text: str) -> str:
    words = text.split()
    return words[-1].strip(".,(").lower() if words else ""


def clock(passage: Passage, raw: str, start: int, end: int) -> int:
    """``21:45``, ``9:45 pm``, ``21:45:00``."""
    pieces = raw.split(":")
    hour, minute = int(pieces[0]), int(pieces[1])
    middle = start + len(pieces[0])
    parts = ((float(hour), start, middle), (float(minute), middle + 1, end))
    read = calendar.clock(passage.text, hour, minute, start, end, marked=True)
    if read is None:
        values = (_NO_CLOCK_VALUE + hour * 60 + minute,)
        found = Quantity(start, end, start, end, values=values, parts=parts, separable=True)
        passage.found.append(found)
        return end
    passage.found.append(
        Quantity(start, read.end, start, end, TIME, minutes=read.minutes, parts=parts)
    )
    return read.end


def cjk_minute(clock: re.Match[str]) -> int:
    """The minute that a match of :data:`CJK_CLOCK` tells."""
    return _CJK_MINUTES.get(clock.group(2) or "") or int(clock.group(1) or 0)


def hour(passage: Passage, raw: str, first: int, start: int, end: int) -> int:
    """``12 Uhr``, ``21.45 Uhr``, ``9 pm``, ``下午3点``; 0 when it is no time of day."""
    text = passage.text
    if len(raw) > 5 or text[end : end + 2].lstrip()[:1].lower() not in _CLOCK_STARTS:
        return 0
    hours, _, minutes = raw.replace(",", ".").partition(".")
    if len(hours) > 2 or len(minutes) not in (0, 2):
        return 0
    cjk_clock = CJK_CLOCK.match(text, end) if not minutes else None
    if cjk_clock is not None:
        minute = cjk_minute(cjk_clock)
        read = calendar.clock(text, int(hours), minute, start, cjk_clock.end(), marked=True)
    else:
        read = calendar.clock(text, int(hours), int(minutes or 0), start, end, marked=False)
    if read is None:
        return 0
    parts = ((float(hours), start, start + len(hours)),)
    passage.found.append(
        Quantity(first, read.end, start, end, TIME, minutes=read.minutes, parts=parts)
    )
    return read.end
