"""Digits with separators → values: 1.234,56 = 1,234.56 = 1 234,56 = 1'234.56 = 12,34,567."""

from __future__ import annotations

import re

_DECIMAL = re.compile(
    r"(?<![0-9.,])[0-9]{1,3}(?:[.,' ][0-9]{3}){0,6}([.,])[0-9]{1,2}(?![0-9]|[.,][0-9]| ?Uhr|\. )"
)
_GROUPED = re.compile(r"[0-9]([.,])[0-9]{3}(?:\1[0-9]{3}|([.,])[0-9]{1,2}(?![0-9]))")
_BY_LANGUAGE = {"de": ",", "es": ",", "fr": ",", "en": ".", "zh": ".", "ja": "."}
_SEPARATORS = re.compile(r"[.,' \n\\{}]+")
_LAST = re.compile(r"[.,]([0-9]+)$")

Values = tuple[tuple[float, ...], int]
"""The possible values of one spelling, and how many decimals it shows."""


def decimal_mark(text: str, language: str) -> str:
    """The decimal mark that ``text`` uses, else its language's; "" when its usage is mixed."""
    used = {match.group(1) for match in _DECIMAL.finditer(text)}
    for match in _GROUPED.finditer(text):
        used.add(match.group(2) or ("," if match.group(1) == "." else "."))
    if len(used) == 1:
        return used.pop()
    return "" if used else _BY_LANGUAGE.get(language, "")


def indian(raw: str) -> Values:
    """``12,34,567.8``."""
    digits, _, decimals = raw.replace(",", "").partition(".")
    return (float(f"{digits}.{decimals or 0}"),), len(decimals)


def plain(raw: str) -> Values:
    """Digits with at most one mark, which is the decimal mark."""
    whole, _, decimals = raw.replace("{,}", ".").replace(",", ".").partition(".")
    return (float(f"{whole}.{decimals}"),), len(decimals)


def is_undecided(raw: str) -> bool:
    """``1.234`` and ``1,234``: thousands in one language, decimals in another."""
    return len(raw) <= 7 and raw[-4] in ".," and raw[0] != "0" and "{" not in raw


def grouped(raw: str, mark: str) -> Values:
    """Groups of three, with or without decimals. ``mark``: the decimal mark, for ``1.234``."""
    separator = "," if "{,}" in raw else next(char for char in raw if not char.isdigit())
    groups = _SEPARATORS.split(raw)
    last = _LAST.search(raw)
    if last is not None and (
        last.group()[0] != separator or (separator in ".," and len(groups[-1]) != 3)
    ):
        return (float(f"{''.join(groups[:-1])}.{groups[-1]}"),), len(groups[-1])
    whole = float("".join(groups))
    if len(groups) > 2 or separator not in ".," or "{,}" in raw:
        return (whole,), 0
    split = float(f"{groups[0]}.{groups[1]}")
    if groups[0].startswith("0") or mark == separator:
        return (split,), 3
    return ((whole,), 0) if mark else ((whole, split), 0)
