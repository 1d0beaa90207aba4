"""CJK numerals (三十, 百分之三十) and Roman ones that number something (Annex VI)."""

from __future__ import annotations

import re

from service.checks.reading import calendar, units, words
from service.checks.reading.dates import CJK_CLOCK, cjk_minute
from service.checks.reading.digits import scaled
from service.checks.reading.passage import Passage
from service.checks.reading.quantities import CARDINAL, MULTIPLE, ROMAN, TIME, Quantity

NUMERALS = frozenset(words.CJK_NUMERALS)
_N = f"[{words.CJK_NUMERALS}]"
_RUN = re.compile(
    rf"(?P<whole>{_N}{{1,3}})分之(?P<share>{_N}{{1,6}})"
    rf"|(?P<month>{_N}{{1,2}})月(?P<day>{_N}{{1,3}})[日号]"
    rf"|(?P<run>{_N}{{1,24}})"
)
_LABELS = (
    "Annex Annexe Anhang Anlage Appendix Kapitel Chapter Chapitre Capítulo Anexo Teil Part Partie "
    "Band Volume Vol. Tome Section Abschnitt Artikel Article Art. Titel Title Phase Level Stufe "
    "Class Klasse Typ Type Buch Book Act War Grade Tier Module Modul Nr. No. Stage Category "
    "Kategorie Zone siglo século secolo"
)
"""Words that a Roman numeral numbers."""
_LABEL_WORDS = frozenset(label.lower() for label in _LABELS.split())
_ROMAN = re.compile(r"[IVXLC]{1,7}(?:(?=[^\w])|\Z|(?:e|ème)(?!\w))")
_OF_CENTURIES = re.compile(
    r"(?i)\.?(?:(?: (?:and|und|et|e|y|i|o|to|bis|al) |[-–])[ivx]{1,6}\.?(?:e|ème)?)?[ -]"
    r"(?:secol[oi]|sec\.|jahrhundert|jh\b|jhd?t?\.|century|centuries|cent\.|siècles?|wiek|eeuw)"
)
"""What makes a Roman numeral in front of it a century's: XII secolo, XIX. und XX. Jahrhundert."""
_NAME = re.compile(r"[A-ZÀ-Þ][^\W\d_]{2,20}")


def read_cjk(passage: Passage) -> None:
    """Add the numbers, shares, dates and times in CJK numerals."""
    if NUMERALS.isdisjoint(passage.others):
        return
    taken = passage.taken()
    pointer = done = 0
    for match in _RUN.finditer(passage.text):
        start = match.start()
        while pointer < len(taken) and taken[pointer][1] <= start:
            pointer += 1
        inside = pointer < len(taken) and taken[pointer][0] <= start
        if passage.is_full:
            return
        if start >= done and not inside:
            done = _number(passage, match)


def _number(passage: Passage, match: re.Match[str]) -> int:
    start, end = match.span()
    if match.group("share"):
        return _share(passage, match)
    if match.group("month"):
        month, day = words.cjk(match.group("month")), words.cjk(match.group("day"))
        if month and day and calendar.is_date(None, int(month), int(day)):
            return passage.add_date((None, int(month), int(day)), start, end, ((day, start, end),))
        return end
    value = words.cjk(match.group("run"))
    if value is None:
        return end
    stop = _hour(passage, value, start, end)
    if stop:
        return stop
    measure = units.read(passage.text, end)
    # a lone numeral is part of many words (一般, 万一); only with a unit does it count something
    form = CARDINAL if measure.unit is not None or end - start > 1 else MULTIPLE
    passage.found.append(
        Quantity(
            start,
            measure.end,
            start,
            end,
            values=(scaled(value, measure.power),),
            unit=measure.unit,
            form=form,
        )
    )
    return measure.end


def _share(passage: Passage, match: re.Match[str]) -> int:
    """``百分之三十`` is 30 %, ``三分之一`` a third."""
    start, end = match.span()
    whole, part = words.cjk(match.group("whole")), words.cjk(match.group("share"))
    if whole and part is not None:
        hundredths = match.group("whole") == "百"
        value = part if hundredths else float(f"{part / whole:.12g}")
        unit = units.BY_NAME["%"] if hundredths else None
        passage.found.append(
            Quantity(start, end, start, end, values=(value,), unit=unit, form=CARDINAL)
        )
    return end


def _hour(passage: Passage, value: float, start: int, end: int) -> int:
    clock = CJK_CLOCK.match(passage.text, end)
    if clock is None or not 1 <= value <= 24:
        return 0
    minute = cjk_minute(clock)
    read = calendar.clock(passage.text, int(value), minute, start, clock.end(), marked=True)
    if read is None:
        return 0
    parts = ((value, start, end),)
    passage.found.append(
        Quantity(start, read.end, start, end, TIME, minutes=read.minutes, parts=parts)
    )
    return read.end


def read_roman(passage: Passage) -> None:
    """Add Roman numerals that number something: behind a label (Annex VI) or, with two letters at
    least, behind a name (Ludwig XIV), as an ordinal (XIXe siècle), or of a century (XII secolo)."""
    text = passage.text
    for match in _ROMAN.finditer(text):
        start = match.start()
        numeral = match.group().rstrip("eèm")
        if start and text[start - 1] not in " \n":
            continue
        before = text[max(0, start - 24) : start].split()
        if not (
            _numbers(before[-1] if before else "", numeral, match.group())
            or _is_century(text, numeral, match.end())
        ):
            continue
        value = words.roman(numeral)
        if value is not None:
            end = start + len(numeral)
            passage.found.append(
                Quantity(start, end, start, end, values=(float(value),), form=ROMAN)
            )


def _is_century(text: str, numeral: str, end: int) -> bool:
    return not numeral.strip("IVX") and _OF_CENTURIES.match(text, end) is not None


def _numbers(before: str, numeral: str, written: str) -> bool:
    if before.lower() in _LABEL_WORDS:
        return True
    if len(numeral) < 2 or numeral.strip("IVX"):
        return False
    return numeral != written or _NAME.fullmatch(before) is not None
