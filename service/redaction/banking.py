"""IBANs and card numbers. Both carry a check digit: what fails it is another number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from stdnum import iban, luhn, numdb

from service.redaction.mask import Span

_COUNTRIES = numdb.get("iban")

# From its digits on, which are rarer in a text than letters: so it is looked for faster.
_IBAN_CHECK = re.compile(
    r"\d\d(?<=[A-Z]{2}\d\d)(?<![^\W_][A-Z]{2}\d\d)(?=[ -]?[A-Z0-9])", re.IGNORECASE
)
_GROUP = re.compile(r"[ -]?([A-Z0-9]+)", re.IGNORECASE | re.ASCII)
_LONGEST_IBAN = 34


def find_ibans(text: str) -> Iterator[Span]:
    """In one piece or in groups apart by a space or a hyphen, in any case."""
    for check in _IBAN_CHECK.finditer(text):
        start = check.start() - 2
        end = _iban_end(text, start, _iban_length(text[start : start + 2].upper()))
        if end is not None and iban.is_valid(text[start:end], check_country=False):
            yield start, end


@lru_cache(maxsize=1024)
def _iban_length(country: str) -> int:
    """Letters and digits of an IBAN of this country; 0 where there is none. The structure of the
    rest reads 8!n10!n: eight digits, ten digits."""
    [(_, known), *_] = _COUNTRIES.info(country) or [("", {})]
    structure = known.get("bban", "")
    return 4 + sum(map(int, re.findall(r"\d+", structure))) if structure else 0


def _iban_end(text: str, start: int, length: int) -> int | None:
    """Where a group ends with the country's length reached: the next word may follow at once."""
    at = start
    while length > 0 and (group := _GROUP.match(text, at, at + _LONGEST_IBAN + 2)):
        length -= len(group[1])
        at = group.end()
    return at if length == 0 and at > start else None


_CARD_SHAPE = re.compile(
    r"\d(?<![^\W_]\d)(?<!\d[.,]\d)(?=("
    r"\d{3}([ -]?)\d{4}\2\d{4}\2\d{4}(?:\2\d{3})?"  # most
    r"|\d{3}([ -]?)\d{6}\3\d{4,5}"  # American Express, Diners
    r")(?![^\W_])(?![.,]\d))"
)
_CARD_SHORT = re.compile(
    r"\d(?<![^\W_]\d)(?<!\d[.,]\d)(?=(\d{3}([ -])\d{4}\2\d{4}\2\d{4})(?=\2\d))"
)
"""The first digit is taken, the rest is looked at: the next one may begin within it."""
_ISSUERS = re.compile(
    r"4\d{15}(?:\d{3})?"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[68]\d|9\d)\d{11}(?:\d\d)?"  # Diners
    r"|6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12}(?:\d{3})?"  # Discover, UnionPay
    r"|35(?:2[89]|[3-8]\d)\d{12}(?:\d{3})?"  # JCB
    r"|(?:50|5[678]|6[37])\d{14}(?:\d{3})?",  # Maestro
    re.ASCII,
)
"""First digits and lengths by issuer. One number in ten passes Luhn by chance: articles do too."""


def find_cards(text: str) -> Iterator[Span]:
    for shape in (_CARD_SHAPE, _CARD_SHORT):
        for found in shape.finditer(text):
            start, end = found.start(), found.end(1)
            digits = text[start:end].replace(" ", "").replace("-", "")
            if _ISSUERS.fullmatch(digits) and luhn.is_valid(digits):
                yield start, end
