"""Numbers that are written out: seventy-two, zweieinhalb Jahre, half past two."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from service.checks.reading import calendar, dates, units, words
from service.checks.reading.digits import HALF_MORE, MINUS_WORDS, OF_A, scaled
from service.checks.reading.passage import CJK, Passage
from service.checks.reading.quantities import (
    CARDINAL,
    FRACTION,
    MULTIPLE,
    ORDINAL,
    TIME,
    Form,
    Quantity,
)

LETTERS = re.compile(r"[^\W\d_]+")
_ONE_AND = re.compile(r"(?:one and a|eins und ein|uno y|un et) $")
_SINGLE = re.compile(
    r"(?i)(?<!half )(?<!demi )(?<!quarter of )(?<![^\W\d_])(?:an?|one|eine?[mnrs]?|une?|una) "
    r"([^\W\d_]{2,14})(?P<half> and a half| et demie?| y media)?"
)
_SINGLES = frozenset("a an one ein eine einem einen einer eines un une una".split())
_SINGULAR = frozenset({"a", "one", "ein", "un", "une"})
_VAGUE = frozenset(
    "few several many some couple einige einigen mehrere mehreren paar viele vielen quelques "
    "plusieurs algunos algunas varios varias unos unas".split()
)
_LONGEST_RUN = 16
_FORMS = {words.ORDINAL: ORDINAL, words.FRACTION: FRACTION, words.MULTIPLE: MULTIPLE}

# words that are numbers in one language and something else in another
_ONLY_IN = {
    word: language
    for language, line in {
        "es": "once media medio dos mil tres primer segundo segunda cuarto quinta",
        "fr": "seize tiers quart sept cent cents mille premier premiere demi",
        "de": "elf elfte null mal acht achte achten",
        "en": "quarter double second",
    }.items()
    for word in line.split()
}

_DECIMALS = re.compile(
    r"(?i) (?:point|dot|komma|virgule|coma|punto) ([^\W\d_]+(?: [^\W\d_]+){0,5})"
)
CLOCK_WORDS = frozenset(
    {"halb", "viertel", "dreiviertel", "half", "quarter", "noon", "midnight", "mitternacht"}
)
_CLOCK = re.compile(
    r"(?i)\b(?:(?P<half>halb) (?P<h1>[a-zäöüß]+|[0-9]{1,2})"
    r"|(?P<quarter>viertel|dreiviertel) (?P<dir>nach |vor )?(?P<h2>[a-zäöüß]+|[0-9]{1,2})"
    r"|half past (?P<h3>[a-z]+|[0-9]{1,2})"
    r"|quarter (?P<dir2>past|to) (?P<h4>[a-z]+|[0-9]{1,2})"
    r"|(?P<noon>noon|midnight|mitternacht))\b(?: uhr)?"
)


def read_words(passage: Passage, said: Collection[str]) -> None:
    """Add the numbers written out in German, English, French and Spanish.

    ``said``: the distinct words of the text that say a number.
    """
    text = passage.text
    taken = passage.taken()
    pointer = done = 0
    for match in _number_words(text, said):
        start = match.start()
        if start < done:
            continue
        if passage.is_full:
            return
        while pointer < len(taken) and taken[pointer][1] <= start:
            pointer += 1
        if pointer < len(taken) and taken[pointer][0] <= start:
            continue
        word = match.group().lower()
        only = _ONLY_IN.get(word)
        if only is not None and passage.language not in (only, "und"):
            continue
        if _is_vague(text, start, word):
            continue
        run = _run_of_words(text, match)
        if len(run) == 1:
            joined = _alone(word)
        else:
            links = [text[a.end() : b.start()] for a, b in pairwise(run)]
            joined = words.join([word.group().lower() for word in run], links)
        if joined is not None and _is_glued_one(text, run, joined.taken):
            joined = words.join([word.group().lower() for word in run[: joined.taken - 1]], links)
        if joined is not None:
            done = run[joined.taken - 1].end()
            decimals = _DECIMALS.match(text, done) if joined.kind == words.CARDINAL else None
            if decimals is not None:
                joined, done = _with_decimals(joined, decimals, done)
            known_so_far = len(passage.found)
            _add(passage, joined, start, done)
            if len(passage.found) > known_so_far:
                done = max(done, passage.found[-1].end)


def _is_glued_one(text: str, run: list[re.Match[str]], taken: int) -> bool:
    """Two thousand one-bedroom flats: the one belongs to what follows."""
    last = run[taken - 1]
    return (
        taken > 1
        and text[last.end() : last.end() + 1] == "-"
        and last.group().lower() in words.LAST_ONES
        and text[last.end() + 1 : last.end() + 2].isalpha()
    )


MOST_SOUGHT = 16
"""Distinct words up to which each is sought; for more, one walk over all words is cheaper."""


def _number_words(text: str, said: Collection[str]) -> Iterator[re.Match[str]]:
    """The words of ``text`` that say a number, in order."""
    if len(said) > MOST_SOUGHT:
        return filter(_has_number_word, LETTERS.finditer(text))
    starts: list[int] = []
    for word in said:
        starts += _places(text, word)
    starts.sort()
    return filter(None, [LETTERS.match(text, start) for start in starts])


def _places(text: str, word: str) -> list[int]:
    """Where ``word`` stands between characters that are no letters."""
    places = []
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[end : end + 1].isalpha() and not (at and text[at - 1].isalpha()):
            places.append(at)
        at = text.find(word, end)
    return places


def _with_decimals(
    joined: words.Joined, decimals: re.Match[str], done: int
) -> tuple[words.Joined, int]:
    """``twelve point five``, ``drei Komma eins vier``; ``done``: where the whole part ends."""
    digits = ""
    for match in LETTERS.finditer(decimals[1]):
        found = words.number_word(match.group().lower())
        if found is None or found.unit or found.kind not in (words.CARDINAL, words.ARTICLE):
            break
        if found.value >= 100 or found.value != int(found.value) or len(digits) > 6:
            break
        if len(digits) == 2 and digits[1] == "0" and found.value < 10:
            digits = digits[0]  # twenty five is 25
        digits += str(int(found.value))
        done = decimals.start(1) + match.end()
    if not digits:
        return joined, done
    return joined._replace(value=float(f"{int(joined.value)}.{digits}")), done


def _is_vague(text: str, start: int, word: str) -> bool:
    """``several thousand dollars`` names no number."""
    found = words.number_word(word)
    if found is None or found.kind != words.SCALE:
        return False
    before = text[max(0, start - 16) : start].split()
    return bool(before) and before[-1].lower() in _VAGUE


@lru_cache(maxsize=1_000)
def _alone(word: str) -> words.Joined | None:
    """The number that one word says by itself."""
    return words.join((word,), ())


def _run_of_words(text: str, first: re.Match[str]) -> list[re.Match[str]]:
    """``first`` and the number words and joints that follow it, up to a bound."""
    run = [first]
    end = first.end()
    most = end + 240
    while len(run) < _LONGEST_RUN:
        match = LETTERS.match(text, end + 1, most)
        # a letter right behind the word would be one of it
        if match is None:
            break
        word = match.group().lower()
        if words.number_word(word) is None and word not in words.JOINTS:
            break
        run.append(match)
        end = match.end()
    return run


def _add(passage: Passage, joined: words.Joined, start: int, end: int) -> None:
    text = passage.text
    if start and (text[start - 1].isdigit() or text[start - 1] == "_"):
        return
    form = _FORMS.get(joined.kind, CARDINAL)
    value = float(joined.value)
    if form is not FRACTION and not joined.unit and dates.before_month(passage, value, start, end):
        return
    if form is ORDINAL:
        before = text[max(0, start - 6) : start].split()
        is_part = value >= 3 and bool(before) and before[-1].lower() in _SINGULAR
        part = (float(f"{1 / value:.12g}"),) if is_part else ()
        passage.found.append(Quantity(start, end, start, end, values=(value, *part), form=form))
    elif joined.unit:
        unit = units.BY_NAME[joined.unit]
        passage.found.append(
            Quantity(start, end, start, end, values=(value,), unit=unit, form=form)
        )
    elif form is FRACTION and _is_numbered(passage, start):
        return
    elif not _hour(passage, value, start, end):
        _measured(passage, value, form, start, end)


def _is_numbered(passage: Passage, start: int) -> bool:
    """``the third quarter``: one of four, no fraction."""
    last = passage.found[-1] if passage.found else None
    return last is not None and last.form is ORDINAL and last.end == start - 1


def read_singles(text: str) -> list[Quantity]:
    """One of a unit, said with an article (``an hour and a half``); only evidence, never asked."""
    found: list[Quantity] = []
    tokens = text.lower().split()
    if not any(
        one in _SINGLES and other.strip("*.,;:!?()") in units.UNITS
        for one, other in pairwise(tokens)
    ):
        return found
    for match in _SINGLE.finditer(text):
        measure = units.read(text, match.start(1))
        if measure.unit is not None and measure.end == match.end(1):
            value = 1.5 if match.group("half") else 1.0
            start, end = match.span()
            found.append(Quantity(start, end, start, end, values=(value,), unit=measure.unit))
    return found


def _hour(passage: Passage, value: float, start: int, end: int) -> bool:
    """``fünf Uhr``, ``nine o'clock``: written out, an hour may also be one of the afternoon."""
    if value != int(value) or not 1 <= value <= 24:
        return False
    read = calendar.clock(passage.text, int(value), 0, start, end, marked=False)
    if read is None:
        return False
    minutes = read.minutes
    tail = passage.text[read.end - 3 : read.end].lower()
    if len(minutes) == 1 and value <= 12 and tail in ("uhr", "ock"):
        minutes = (minutes[0], (minutes[0] + 720) % 1440)
    parts = ((value, start, end),)
    passage.found.append(Quantity(start, read.end, start, end, TIME, minutes=minutes, parts=parts))
    return True


def _measured(passage: Passage, value: float, form: Form, start: int, end: int) -> None:
    text = passage.text
    link = OF_A.match(text, end) if form is FRACTION else None
    unit_at = end if link is None else link.end()
    measure = units.read(text, unit_at)
    stop = end if measure.end == unit_at else measure.end
    whole = _ONE_AND.search(text, max(0, start - 14), start) if form is FRACTION else None
    if whole is not None:
        value, start = value + 1, whole.start()
    amount = scaled(value, measure.power)
    half = HALF_MORE.match(text, stop) if measure.unit is not None else None
    if half is not None:
        amount, stop = amount + 0.5, half.end()
    before = text[max(0, start - 10) : start].split()
    sign = -1 if before and before[-1].lower() in MINUS_WORDS else 0
    found = Quantity(start, stop, start, end, values=(amount,), unit=measure.unit, form=form)
    found.sign = sign
    if value > 1000 and value % 1000 == 1 and form is CARDINAL and " " in text[start:end]:
        # ganó dos mil una vez: the one may be an article
        found.parts = ((value - 1, start, text.rindex(" ", start, end)),)
    passage.found.append(found)


def read_clock_words(passage: Passage) -> None:
    """Add the times of day that are written out; they replace the numbers inside them."""
    text = passage.text
    for match in _CLOCK.finditer(text):
        minutes = _minutes(match)
        if minutes is None:
            continue
        start, end = match.span()
        inside = [q for q in passage.found if q.start < end and q.end > start]
        if match.group("noon"):
            if not inside:
                passage.found.append(Quantity(start, end, start, end, TIME, minutes=(minutes,)))
            continue
        passage.found = [q for q in passage.found if q not in inside]
        read = calendar.clock(text, minutes // 60, minutes % 60, start, end, marked=True)
        readings: tuple[int, ...] = (minutes % 1440, (minutes + 720) % 1440)
        if read is not None and read.end != end:
            end, readings = read.end, read.minutes[:1]
        passage.found.append(Quantity(start, end, start, end, TIME, minutes=readings))


def _hour_word(word: str | None) -> int | None:
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


def _minutes(match: re.Match[str]) -> int | None:
    """Minutes after midnight that a spoken time names, None when its hour is no hour."""
    if match.group("noon"):
        return 720 if match.group("noon").lower() == "noon" else 0
    hour = _hour_word(
        match.group("h1") or match.group("h2") or match.group("h3") or match.group("h4")
    )
    if hour is None:
        return None
    if match.group("half"):
        return hour * 60 - 30
    if match.group("h3"):
        return hour * 60 + 30
    direction = (match.group("dir") or match.group("dir2") or "").strip().lower()
    if direction in ("vor", "to"):
        return hour * 60 - 15
    if direction in ("nach", "past"):
        return hour * 60 + 15
    return hour * 60 - (15 if match.group("quarter").lower() == "dreiviertel" else 45)


def _has_number_word(match: re.Match[str]) -> bool:
    return has_number_word(match.group())


def has_number_word(word: str) -> bool:
    """Whether a word without spaces says a number (articles do not)."""
    if word[0] >= CJK:
        return False
    found = words.number_word(word.lower())
    return found is not None and found.kind != words.ARTICLE
