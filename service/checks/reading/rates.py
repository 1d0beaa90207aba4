"""What a quantity is told for: ``$5 per hour``, ``5 mg/ml``, ``20 € im Monat``."""

from __future__ import annotations

import re
from typing import Final

from service.checks.reading import units
from service.checks.reading.quantities import Quantity
from service.checks.reading.units import Unit

Per = dict[str, Unit | None]
"""Kind of denominator → its unit; None where it is a person or a seat."""
RateKey = tuple[str, str]
"""Dimensions of what is told and of what it is told for."""

_KINDS: Final = {"time": "time", "months": "time", "mass": "mass", "volume": "volume",
                 "length": "length", "area": "area"}  # fmt: skip
_MATTER: Final = frozenset({"mass", "volume", "length", "area"})
_WHO: Final = frozenset(
    "user users seat seats person persons member head employee guest child adult account device "
    "nutzer nutzerin benutzer person platz kopf mitglied mitarbeiter gast kind gerät "
    "utilisateur personne siège usuario persona".split()
)
_YEAR: Final = frozenset({"annum", "p.a."})
_WORD = r"(?P<word>[^\W\d_]+(?:[²³]|[23](?![0-9]))?)(?![\w²³-])"
_PER = re.compile(
    r"(?: ?/ ?| (?:per|pro|je|par|por|each|every) |(?P<weak> (?:a|an|al|am|im|la|die|une?) ))"
    + _WORD
)
_MORE = re.compile(rf" (?:and|und|et|y) (?:(?:per|pro|je|par|por|im|am|a) )?{_WORD}")
_DATED = re.compile(r" [0-9A-ZÄÖÜ]")
"""Behind ``im Jahr`` or ``im Monat``: which one, so it is no denominator."""
_LONGEST: Final = 60
_MOST: Final = 3
_OPENINGS: Final = frozenset(
    f"{word} "[:3] for word in "per pro je par por each every al am an im la die un une".split()
)
"""How what stands behind a space begins, if it is a denominator."""
_AND: Final = (" and ", " und ", " et ", " y ")


def may_follow(text: str, end: int) -> bool:
    """Whether a denominator may stand at ``end``; quick, for nearly every number has none."""
    char = text[end : end + 1]
    if char == "/":
        return True
    if char != " " and char != "\xa0" and char != "\u202f":
        return False
    opening = text[end + 1 : end + 4]
    return opening in _OPENINGS or opening[:2] == "a " or opening[:1] == "/"


def behind(text: str, end: int) -> Per | None:
    """The denominators that stand behind a quantity that ends at ``end`` in folded text; None
    where there is none, or one that is not known."""
    return behind_to(text, end)[0]


def behind_to(text: str, end: int) -> tuple[Per | None, int]:
    """:func:`behind`, and where the last of them ends."""
    found: Per = {}
    limit = min(len(text), end + _LONGEST)
    for _ in range(_MOST):
        is_more = bool(found) and not may_follow(text, end)
        if is_more and not text.startswith(_AND, end):
            break
        match = _PER.match(text, end, limit)
        if match is None and found:
            match = _MORE.match(text, end, limit)
            if match is not None and not _is_known(match["word"]):
                break
        if match is None:
            break
        word = match["word"]
        unit = _unit(word)
        kind = "who" if unit is None else _KINDS[unit.dimension]
        if unit is None and word.lower() not in _WHO:
            return None, end
        if match.re is _PER and match["weak"] is not None:
            if kind != "time" or len(word) < 2 or _DATED.match(text, match.end()):
                break
        if kind in found:
            break
        found[kind] = unit
        end = match.end()
    return found or None, end


def _is_known(word: str) -> bool:
    return word.lower() in _WHO or _unit(word) is not None


def _unit(word: str) -> Unit | None:
    low = word.lower()
    unit = units.UNITS.get(word) or units.UNITS.get(low)
    if unit is None:
        return units.BY_NAME["a"] if low in _YEAR else None
    return unit if unit.dimension in _KINDS else None


def differ(mine: Per | None, theirs: Per | None) -> bool:
    """Whether two quantities of equal worth are told for different things.

    One that is told for nothing, or for a person, may be told for anything.
    """
    if mine is None or theirs is None:
        return False
    for kind, unit in mine.items():
        other = theirs.get(kind)
        if unit is not None and other is not None:
            if unit.dimension != other.dimension or unit.factor != other.factor:
                return True
    one, two = _MATTER.intersection(mine), _MATTER.intersection(theirs)
    return bool(one) and bool(two) and one.isdisjoint(two)


def worth(text: str, quantity: Quantity) -> tuple[RateKey, list[float]] | None:
    """A quantity with a single denominator in base units, by which 70 mg/dl are 0.7 g/l."""
    unit = quantity.unit
    if unit is None or not quantity.values:
        return None
    over: float
    if unit.dimension == "speed":
        key, over = ("length", "time"), 1.0
    elif unit.dimension == "rate":
        key, over = ("data", "time"), 8.0
    else:
        if not may_follow(text, quantity.end):
            return None
        per = behind(text, quantity.end)
        if per is None or len(per) > 1:
            return None
        below = next(iter(per.values()))
        if below is None:
            return None
        key, over = (unit.dimension, below.dimension), below.factor
    return key, [units.rounded(value * unit.factor / over) for value in quantity.values]
