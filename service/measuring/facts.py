"""Expected facts: what an answer has to say, or must not say, for it to be correct. Pure.

A fact is found by a pattern or by its value, sentence by sentence. What stands under a negation is
neither said nor denied as far as code can tell: it is ``undetermined``, until a judge rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

from service.checks.reading import sentences
from service.checks.reading.evidence import Index
from service.checks.reading.grounding import Place, Source, exact_place, loose_place
from service.checks.reading.quantities import CODE, Quantity, Reading
from service.checks.reading.reader import read
from service.checks.reading.spans import Span

LONGEST_ANSWER = 200_000
"""Characters of an answer that are read; past them every fact is ``undetermined``."""
LONGEST_FACT = 1_000
MOST_FACTS = 50


class FactError(ValueError):
    """An expected fact that cannot be used. The message says why and how to write it."""


class Met(StrEnum):
    """Whether the answer does what a fact asks of it."""

    MET = "met"
    NOT_MET = "not_met"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class Fact:
    """One expected fact: at most one of ``pattern`` (a regular expression) and ``value`` (one
    number with its unit, date or time). Without either, only a judge can rule on ``text``.
    ``absent``: the answer must not say it."""

    pattern: str = ""
    value: str = ""
    text: str = ""
    absent: bool = False

    @property
    def words(self) -> str:
        """The fact as a judge and a report are to read it."""
        return self.text or self.value or self.pattern


# ── reading ───────────────────────────────────────────────────────────────────────────────────

_FIELDS = frozenset({"pattern", "value", "text", "absent"})
_HOW = (
    'write {"value": "72 hours"}, {"pattern": "only (the )?owners?"} or {"text": "Only owners can '
    'do it"}, each with "absent": true for what an answer must not say'
)


def read_facts(given: Any) -> tuple[Fact, ...]:
    """The facts in plain JSON data, a list of objects; () for None. Raises :class:`FactError`."""
    if given is None:
        return ()
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise FactError(f"facts must be a list: {_HOW}")
    if len(given) > MOST_FACTS:
        raise FactError(f"{len(given)} facts; the limit is {MOST_FACTS}")
    return tuple(_numbered(number, one) for number, one in enumerate(given, start=1))


def _numbered(number: int, given: Any) -> Fact:
    try:
        return _fact(given)
    except FactError as error:
        raise FactError(f"fact {number}: {error}") from None


def _fact(given: Any) -> Fact:
    if isinstance(given, Fact):
        return given
    if not isinstance(given, Mapping):
        raise FactError(f"must be an object: {_HOW}")
    if unknown := sorted(set(given) - _FIELDS):
        raise FactError(f"no such field: {', '.join(map(str, unknown))}; {_HOW}")
    words = {name: _words(name, given) for name in ("pattern", "value", "text")}
    absent = given.get("absent", False)
    if not isinstance(absent, bool):
        raise FactError("absent must be true or false")
    if words["pattern"] and words["value"]:
        raise FactError("give a pattern or a value, not both")
    if not any(words.values()):
        raise FactError(f"says nothing: {_HOW}")
    fact = Fact(**words, absent=absent)
    if fact.pattern:
        _compiled(fact.pattern)
    if fact.value:
        _quantity(fact.value)
    return fact


def _words(name: str, given: Mapping[str, Any]) -> str:
    words = given.get(name)
    if words is None:
        return ""
    if not isinstance(words, str):
        raise FactError(f"{name} must be a string")
    if len(words) > LONGEST_FACT:
        raise FactError(f"{name} has {len(words)} characters; the limit is {LONGEST_FACT}")
    return words.strip()


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> SchemaValidator:
    """Searches anywhere, ignoring case. The engine is Rust's, which pydantic brings: linear in the
    text whatever the pattern, at the price of look-around and back references."""
    try:
        return SchemaValidator(
            core_schema.str_schema(pattern=f"(?i){pattern}", regex_engine="rust-regex")
        )
    except SchemaError:
        raise FactError(
            f"pattern {pattern!r} is no regular expression that takes linear time: check its "
            "brackets, and do without look-around ((?=…), (?!…), (?<=…)) and back references (\\1)"
        ) from None


@lru_cache(maxsize=1_000)
def _quantity(value: str) -> tuple[Reading, Quantity]:
    reading = read(value)
    if len(reading.quantities) != 1:
        found = "no number, date or time" if not reading.quantities else "more than one"
        raise FactError(
            f"value {value!r}: {found} was read in it; write one a fact, as in "
            '{"value": "72 hours"}, and use a pattern for words'
        )
    return reading, reading.quantities[0]


# ── ruling ────────────────────────────────────────────────────────────────────────────────────


def rule(facts: Sequence[Fact], answer: str, marks: Sequence[Span] = ()) -> tuple[Met, ...]:
    """One outcome a fact, in order. ``marks``: spans of the answer that are citations (character
    offsets, end exclusive): the 3 of ``[3]`` is no value. Linear in the length of the answer."""
    if not facts:
        return ()
    if len(answer) > LONGEST_ANSWER:
        return tuple(Met.UNDETERMINED for _ in facts)
    said = _Said(_without(answer, marks))
    return tuple(_ruled(fact, said) for fact in facts)


def _without(answer: str, marks: Sequence[Span]) -> str:
    """The answer with blanks for citations, so that all offsets hold."""
    letters = list(answer)
    for start, end in marks:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


class _Said:
    """An answer, its sentences, and the quantities of each, read once for all facts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = [text[one.start : one.end] for one in sentences.read(text)]
        self._indexes: list[Index] | None = None

    @property
    def indexes(self) -> list[Index]:
        if self._indexes is None:
            self._indexes = [Index(sentence) for sentence in self.sentences]
        return self._indexes


def _ruled(fact: Fact, said: _Said) -> Met:
    if not (fact.pattern or fact.value):
        return Met.UNDETERMINED
    found = list(_by_value(fact.value, said) if fact.value else _by_pattern(fact.pattern, said))
    if any(found):
        return Met.NOT_MET if fact.absent else Met.MET
    if found:
        return Met.UNDETERMINED
    return Met.MET if fact.absent else Met.NOT_MET


def _by_value(value: str, said: _Said) -> Iterator[bool]:
    """For each sentence that holds the value: whether it asserts it."""
    reading, quantity = _quantity(value)
    for index in said.indexes:
        source = Source("grounded", None, index.text)
        place = exact_place(reading, quantity, source, index)
        if place is None or _is_part(quantity, place, index):
            place = loose_place(reading, quantity, [(source, index)])
            if place is None or place.kind == "approximate":
                continue
        yield not _negated(index.text, place.start, place.end)


def _is_part(quantity: Quantity, place: Place, index: Index) -> bool:
    """The day of a date grounds a bare 30, and does not state it."""
    if quantity.kind is CODE:
        return False
    return all((found.start, found.end) != (place.start, place.end) for found in index.quantities)


def _by_pattern(pattern: str, said: _Said) -> Iterator[bool]:
    """For each sentence that matches, whether it asserts the match; where none does, for the whole
    text (a match may cross sentences)."""
    matches = _compiled(pattern).isinstance_python
    matching = [sentence for sentence in said.sentences if matches(sentence)]
    if not matching and matches(said.text):
        matching = [said.text]
    names_negation = _NEGATION.search(pattern) is not None
    for sentence in matching:
        # The engine says that it matched, not where: a clause that matches alone is the place.
        places = [span for span in _clauses(sentence) if matches(sentence[slice(*span)])]
        yield names_negation or any(
            not _negated(sentence, *span) for span in places or [(0, len(sentence))]
        )


# ── negation ──────────────────────────────────────────────────────────────────────────────────

_NEGATION = re.compile(
    r"\b(?:not|cannot|never|no|none|neither|nor|without|false|wrong|incorrect|untrue|unlike"
    r"|instead of|rather than|except|unless"
    r"|nicht|nie|niemals|kein(?:e[mnrs]?)?|keinerlei|keinesfalls|keineswegs|weder|ohne|falsch"
    r"|unzutreffend|statt|anstatt|anstelle|außer)\b|n['’]t\b",
    re.IGNORECASE,
)
"""A pattern that names one itself (``not refundable``) wants it there."""
_TURN = re.compile(
    r"[;:–—]|,\s+(?:and|und)\b"
    r"|\b(?:but|however|instead(?! of)|rather(?! than)|sondern|aber|jedoch|vielmehr)\b",
    re.IGNORECASE,
)
"""What a negation does not reach beyond: *not 48 but 72 hours*."""
_CLAUSE_END = re.compile(r"[,;:–—](?=\s)|\b(?:but|sondern|aber)\b", re.IGNORECASE)


def _negated(sentence: str, start: int, end: int) -> bool:
    """Whether a negation stands before ``end``, since the last turn before ``start``, or behind it
    within its clause (*72 Stunden gelten nicht*). A question states as little."""
    if sentence.rstrip().endswith("?"):
        return True
    turns = [turn.end() for turn in _TURN.finditer(sentence, 0, start)]
    stop = _CLAUSE_END.search(sentence, end)
    clause = sentence[turns[-1] if turns else 0 : stop.start() if stop else len(sentence)]
    return _NEGATION.search(clause) is not None


def _clauses(sentence: str) -> Iterator[Span]:
    start = 0
    for stop in _CLAUSE_END.finditer(sentence):
        yield start, stop.start()
        start = stop.end()
    yield start, len(sentence)
