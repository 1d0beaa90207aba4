"""One-token things that are matched whole: versions, ticket ids, phone numbers, IBANs."""

from __future__ import annotations

import re

from service.checks.reading.passage import CJK, Passage
from service.checks.reading.quantities import CODE, Part, Quantity
from service.checks.reading.units import BY_NAME

_TAIL = re.compile(r"[A-Za-z0-9_]*(?:[-./:#_][A-Za-z0-9]+){0,12}")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_PHONE = re.compile(
    r"\+?[0-9]{1,5}\)?(?:[ /-]?\(0?[0-9]{0,5}\)[0-9]{0,5})?(?: ?[ /–-] ?[0-9]{2,}){1,6}(?![0-9])"
    r"|(?<=\+)(?:[0-9]{8,15}|[0-9]{1,3} ?\(0\) ?[0-9]{6,13})(?![0-9])"
    r"|[0-9]{3}[ ).-]{1,2}[0-9]{3,4}-[0-9]{4}(?![0-9])"
    r"|[0-9]{3}-[0-9]{4}(?![0-9-])"
)
_TOLL_FREE = re.compile(
    r"1(?: [2-9][0-9]{2} | ?\([2-9][0-9]{2}\) ?|\.[2-9][0-9]{2}\.)[0-9]{3}[ .-][0-9]{4}(?![0-9])"
)
_YEARS_OR_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[12][0-9]{3}-[12][0-9]{3}")
_ZEROS = re.compile(r"(?:\.0)+$")
_DURATION = re.compile(
    r"P(?=[0-9T])(?P<days>(?:[0-9]{1,3}[YMWD]){0,4})(?:T(?P<hours>(?:[0-9]{1,6}[HMS]){1,3}))?"
    r"(?![A-Za-z0-9_])"
)
_ELEMENT = re.compile(r"([0-9]+)([YMWDHS])")
_DAY_UNITS = {"Y": "a", "M": "mo", "W": "wk", "D": "d"}
_HOUR_UNITS = {"H": "h", "M": "min", "S": "s"}
_LONGEST_PREFIX = 40
PHONE = "tel:"


def add(passage: Passage, start: int, end: int, name: str, parts: tuple[Part, ...] = ()) -> int:
    """Record the name at ``start:end``; a version's trailing zeros do not count."""
    code = name.casefold()
    if code[:1].isdigit():
        code = _ZEROS.sub("", code)
    passage.found.append(Quantity(start, end, start, end, CODE, code=code, parts=parts))
    return end


def prefix_start(text: str, start: int, done: int) -> int:
    """Where the letters, digits and dashes that stand right before ``start`` begin."""
    left, floor = start, max(done, start - _LONGEST_PREFIX)
    while left > floor:
        char = text[left - 1]
        if char >= CJK or not (char.isalnum() or char in "_-"):
            break
        left -= 1
    return left


def tail_end(text: str, start: int) -> int:
    """Where the letters, digits and inner marks that begin at ``start`` end."""
    tail = _TAIL.match(text, start)
    return start + 1 if tail is None else max(tail.end(), start + 1)


def glued(passage: Passage, left: int, start: int) -> int:
    """A name whose digits begin at ``start`` and whose letters begin at ``left``."""
    text = passage.text
    prefix = text[left:start]
    if len(prefix) == 2 and prefix.isupper():
        iban = _IBAN.match(text, left)
        if iban is not None:
            return add(passage, left, iban.end(), iban.group().replace(" ", ""))
    if prefix in ("P", "PT"):
        stop = _duration(passage, left)
        if stop:
            return stop
    end = tail_end(text, start)
    if prefix in ("v", "V"):
        return add(passage, left, end, text[start:end])
    return add(passage, left, end, text[left:end])


def _duration(passage: Passage, left: int) -> int:
    """``P90D``, ``PT1H30M``: one quantity for each element; 0 when it is another name."""
    match = _DURATION.match(passage.text, left)
    if match is None:
        return 0
    first = left
    for group, names in (("days", _DAY_UNITS), ("hours", _HOUR_UNITS)):
        begin, end = match.span(group)
        for element in _ELEMENT.finditer(passage.text, max(begin, 0), max(end, 0)):
            unit = BY_NAME[names[element[2]]]
            values = (float(element[1]),)
            passage.found.append(
                Quantity(first, element.end(), *element.span(1), values=values, unit=unit)
            )
            first = element.end()
    return match.end()


def dashed(passage: Passage, start: int, done: int) -> int:
    """``T-48213`` is one name; in ``mid-1990s`` the dash is a hyphen (0: not a name)."""
    text = passage.text
    left = prefix_start(text, start - 1, done)
    end = tail_end(text, start)
    if not text[left].isupper() and not _is_lower_case_name(
        text[left : start - 1], text[start:end]
    ):
        return 0
    return add(passage, left, end, text[left:end])


def _is_lower_case_name(prefix: str, digits: str) -> bool:
    """``inv-4711`` is a name; ``pre-2000``, ``mid-1990s`` and ``top-100`` are not."""
    if not 2 <= len(prefix) <= 5 or prefix in _HYPHENATED or not digits.isdigit():
        return False
    return len(digits) >= 3 and not (len(digits) == 4 and digits[0] in "12")


def phone(passage: Passage, start: int, before: str) -> int:
    """A phone number at ``start``, kept as its digits; 0 when there is none."""
    text = passage.text
    if text[start] == "1" and text[start + 1 : start + 2] in _TOLL_MARKS:
        whole = _TOLL_FREE.match(text, start)
        if whole is not None:
            return _add_phone(passage, start, start, whole.end())
    international = before == "+" or text[start] == "0"
    if not (
        international
        or text[start + 3 : start + 4] in _PHONE_MARKS
        or text[start + 1 : start + 2] == "-"
    ):
        return 0
    match = _PHONE.match(text, start)
    if match is None:
        return 0
    raw = match.group().replace("(0)", "")
    digits = "".join(char for char in raw if char.isdigit())
    if not 7 <= len(digits) <= 16 or (len(digits) == 7 and text[start + 3] != "-"):
        return 0
    if not international and ("-" not in raw or _YEARS_OR_DATE.fullmatch(raw)):
        return 0
    if before != "+" and _YEARS_OR_DATE.fullmatch(raw):
        return 0
    first = start - 1 if before in "+(" else start
    return _add_phone(passage, first, start, match.end())


def _add_phone(passage: Passage, first: int, start: int, end: int) -> int:
    raw = passage.text[start:end].replace("(0)", "")
    digits = "".join([char for char in raw if char.isdigit()])
    passage.found.append(Quantity(first, end, start, end, CODE, code=PHONE + digits))
    return end


_HYPHENATED = frozenset(
    "top mid pre post sub non anti over under ages plus up to bis ab von der die und and".split()
)
_TOLL_MARKS = frozenset({" ", ".", "("})
_PHONE_MARKS = frozenset({")", "-", "."})
