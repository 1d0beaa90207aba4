"""Phone numbers: a cheap expression finds the shape of one, libphonenumber's tables decide.

The library's own matcher would take milliseconds for each text; its tables take some 60 µs for each
candidate, and most texts have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import phonenumbers
from phonenumbers import NumberParseException

from service.redaction.context import before
from service.redaction.mask import Span

MOST_ASKED = 300
"""Candidates of one text that are looked up. After so many, whatever has the shape is taken for a
phone number, so that no text makes the work grow."""
_FEWEST, _MOST = 7, 17
"""Digits: E.164 has at most 15, a prefix to dial abroad two more."""
_FEWEST_BARE = 9
"""Digits of a number that nothing announces and that has no country code: 0815-4711 is an article
as often as not."""

_SHAPE = re.compile(
    r"[+(\d](?<![^\W_].)(?<!\d[.,].)(?:(?<=\d)|[+(]? ?\d)"
    r"(?> ?(?:[-/.()] ?){0,2}\d){5,40}+(?![^\W_])(?![.,:]\d)"
)
_NEXT_NUMBER = re.compile(r" (?=[+(0])")
"""Where a row of numbers may be cut."""
_DIALLED = re.compile(
    r"\(?\+ ?\(?[1-9]|\(?0(?!\.\d+$)|(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}$",
    re.ASCII,
)
"""International, with a trunk prefix, or as in North America."""
_LABELLED = re.compile(
    r"(?:\btel(?:efon(?:nummer)?)?|phone|fon|fax|handy|\bmobile?|rufnummer|durchwahl|hotline"
    r"|\banruf\w*|\brufen|\bcall|\bdial|\bcell|whatsapp|\bsms|erreichbar|unter der nummer)"
    r"(?:[-_. ]*(?:nr|no|nummer|number)\b)?"
    r"(?:[\s:.=*_(-]|\b(?:is|ist|lautet|unter|at|us|on|an|me|Sie|uns)\b){0,8}$",
    re.IGNORECASE,
)
"""Words that say that a phone number follows. Then its shape is enough."""
_OTHERWISE_LABELLED = re.compile(
    r"(?:\b(?:nr|no|num|id|art|ref|az|sku|ean|gtin|isbn|issn|pzn|plz|zip|blz|bic|ust-?id|version"
    r"|seite|page|din|iso|ticket|order|invoice|article|item|part|serial|customer|account|case"
    r"|commit|build)|nummer|number|kennung|zeichen|code|schlüssel|\bartikel\w*|\bbestell\w*"
    r"|\bauftrag\w*|\brechnung\w*|\bkunden\w*|\bvertrag\w*|\bkonto\w*|§)[-\s.:#=]{0,4}$",
    re.IGNORECASE,
)
"""Words that say that another number follows."""
_WITHIN_A_NAME = re.compile(r"(?:\w[-_./:+=&?]|#)$")
_DATE_OR_TIME = re.compile(
    r"\(?\d{1,2}[./-] ?\d{1,2}[./-] ?(?:\d{4}|\d\d)\b"
    r"|\d{4}-\d\d-\d\d\b|\d\d\.\d\d ?[-/] ?\d\d\.\d\d\b",
    re.ASCII,
)
_MEASURE_BEFORE = re.compile(r"(?:[€$£¥%]|\b(?:EUR|USD|GBP|CHF|Euro)) ?$", re.IGNORECASE)
_MEASURE_AFTER = re.compile(
    r" ?(?:[€$£¥%‰°]|(?:EUR|USD|GBP|CHF|Euros?|Dollars?|Mio|Mrd|Millionen|million|billion|Prozent"
    r"|percent|Stück|pieces|users|Nutzer|Bytes?|[kMGT]i?B|[km]?m|k?g|Uhr)\b)",
    re.IGNORECASE,
)


def find(text: str, regions: Sequence[str]) -> Iterator[Span]:
    """International numbers of any country (+49 30 …, 0049 30 …), those of ``regions`` (two letters
    each) as people dial them there, and any that a word like *Tel.* announces."""
    asked = _Asked(regions)
    for found in _SHAPE.finditer(text):
        if _is_number(text, *found.span(), asked):
            yield found.span()
            continue
        # Perhaps several in a row, or another number in front.
        cuts = [cut.end() for cut in _NEXT_NUMBER.finditer(text, *found.span())]
        for start, end in zip([found.start(), *cuts], [*cuts, found.end()], strict=True):
            piece = text[start:end].rstrip()
            if cuts and _is_number(text, start, start + len(piece), asked):
                yield start, start + len(piece)


def _is_number(text: str, start: int, end: int, asked: _Asked) -> bool:
    words = text[start:end]
    digits = sum(char.isdigit() for char in words)
    if digits > _MOST or _DATE_OR_TIME.match(words) or _MEASURE_AFTER.match(text, end):
        return False
    ahead = before(text, start)
    if _LABELLED.search(ahead):
        return True
    return (
        digits >= (_FEWEST if "+" in words or words.startswith("00") else _FEWEST_BARE)
        and _DIALLED.match(words) is not None
        and not _MEASURE_BEFORE.search(ahead)
        and ("+" in words or not _is_something_else(ahead))
        and asked.valid(words)
    )


def _is_something_else(ahead: str) -> bool:
    return bool(_WITHIN_A_NAME.search(ahead) or _OTHERWISE_LABELLED.search(ahead))


class _Asked:
    """The library's tables, asked about the candidates of one text."""

    def __init__(self, regions: Sequence[str]) -> None:
        self._regions = regions
        self._times = 0

    def valid(self, words: str) -> bool:
        self._times += 1
        if self._times > MOST_ASKED:
            return True
        # The region matters to a number without the code of its country alone.
        regions = self._regions[:1] if "+" in words else self._regions
        return any(_valid(words, region) for region in regions or ("ZZ",))


def _valid(words: str, region: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(words, region))
    except NumberParseException:
        return False
