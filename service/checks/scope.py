"""Check ``scope``: did the answer take its number from the right plan, version, role or place?

It measures and never fails. A mismatch is counted only where the chunk holds a number of the same
kind for what was asked about, and the answer's number stands elsewhere in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Final

from service.checks import numbers
from service.checks.model import CheckInput, CheckResult, Evidence, Outcome, Span
from service.checks.reading import sentences
from service.checks.reading.calendar import month
from service.checks.reading.content_words import VOCABULARIES, content_words
from service.checks.reading.folding import lower
from service.checks.reading.language import detect
from service.checks.reading.pieces import Pieces
from service.checks.reading.sentences import Kind, Sentence
from service.events import AnswerEvent

NAME = "scope"
MAX_NAMES = 8
"""Names of one event that are looked for."""
MAX_TEXT = 20_000
"""Characters of a chunk past which it is not looked at: a chunk is a passage, not a book."""
MAX_NUMBERS = 20
"""Numbers of one answer that are looked at."""


@dataclass(eq=False, slots=True, init=False)
class _Name:
    """Something that was asked about. ``kind``: plan | version | role | place | name. ``forms``: as
    it was written, small, with a capital, all capitals (sparing the texts their lower case)."""

    kind: str
    words: str
    forms: tuple[str, ...]
    stems: frozenset[str]

    # spelled out: the one that a dataclass makes is left to the interpreter by mypyc
    def __init__(
        self, kind: str, words: str, forms: tuple[str, ...], stems: frozenset[str]
    ) -> None:
        self.kind = kind
        self.words = words
        self.forms = forms
        self.stems = stems

    def is_in(self, text: str, start: int = 0, end: int | None = None) -> bool:
        return bool(_places(self, text, start, len(text) if end is None else end, 1))


_MOST_PLACES: Final = 20


def _places(name: _Name, text: str, start: int, end: int, most: int) -> list[int]:
    """Where it stands as a whole word in a text: the first ``most``, of 20 of each form."""
    found: list[int] = []
    length = len(name.words)
    for form in name.forms:
        at = text.find(form, start, end)
        tried = 0
        while at >= 0 and tried < _MOST_PLACES:
            v = 1 if name.kind == "version" and text[at - 1 : at] in ("v", "V") else 0
            if _is_apart(text, at - v, at + length):
                found.append(at)
                if len(found) == most:
                    return found
            at = text.find(form, at + length, end)
            tried += 1
    return found


def _is_apart(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 2]
    if before.isalnum() or before in ("_", ".") or after[:1].isalnum() or after[:1] == "_":
        return False
    return not (after[:1] == "." and after[1:].isdigit())


def check(given: CheckInput, evidence: Sequence[Evidence] | None = None) -> CheckResult:
    """Measure ``mismatches``; evidence names each: ``other_scope``, the number and where it stands,
    then ``named_scope``, the words that were asked about and where they stand beside a number.

    ``evidence``: what the ``numbers`` check found for this answer; found anew when absent.
    ``not_applicable`` where nothing is named, or no number of the answer stands in a chunk.
    """
    event = given.event
    names = _names(event)
    if not names:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if evidence is None:
        evidence = numbers.check(given).evidence
    placed = [one for one in evidence if one.ref is not None and one.chunk_start is not None]
    if not placed:
        return CheckResult(Outcome.NOT_APPLICABLE)
    answer = event.answer
    chunks = _Chunks(given, names)
    found: list[Evidence] = []
    for one in placed[:MAX_NUMBERS]:
        here = chunks.of(one.ref)
        if here is not None and here.named and (one.chunk_end or 0) <= len(here.text):
            found += _mismatch(answer, one, here, names, chunks)
    return CheckResult(
        Outcome.PASS,
        evidence=tuple(found),
        evaluated=min(len(placed), MAX_NUMBERS),
        measures=(("mismatches", float(len(found) // 2)),),
    )


# ── what was asked about ──────────────────────────────────────────────────────────────────────

_PLAN_WORDS = frozenset(
    "plan plans tier edition tarif tarifs paket package abo subscription lizenz licence license "
    "account konto modell forfait offre paquete suscripción".split()
)
_VERSION_WORDS = frozenset("version versión release v".split())
_ROLE_WORDS = frozenset("as als comme como".split())
_PLACE_WORDS = frozenset("in from aus nach at bei en à".split())
_NAME_WORDS = frozenset("for on für auf mit with pour para beim im".split())
_CONTEXT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("plan", ("plan", "tier", "edition", "tarif", "package", "paket", "abo", "subscription",
              "lizenz", "licen", "product", "produkt")),
    ("version", ("version", "release")),
    ("role", ("role", "rolle")),
    ("place", ("region", "country", "land", "location", "standort", "site", "city", "stadt",
               "place")),
)  # fmt: skip
"""Parts of the names of context items, and what such an item says."""
_LONGEST_NAME = 40
_LONGEST_QUERY = 2_000
_EDGES: Final = ".,;:!?\"'„“”‚‘’«»()[]{}*_¿¡"
_EDGES_OF_ITEM: Final = _EDGES + " "
_NO_NAMES = frozenset(
    (
        "a an and the this that which what any each every your our their my no of or with per new "
        "soon well many much long far it is does do are can i we you how when where why to "
        "der die das den dem des ein eine einem einen einer eines welcher welchem welchen welches "
        "welche ihr ihrem ihren mein meinem meinen unser unserem diesem diesen jedem jeden kein "
        "le la les un une ce cet cette quel quelle mon votre notre de du el los las una este esta "
        "qué cuál mi su monat jahr tag woche stunde year month week day hour euro in im"
    ).split()
)


def _names(event: AnswerEvent) -> list[_Name]:
    found: dict[str, _Name] = {}
    for item in event.context:
        kind = _context_kind(item.name) if item.kind != "assistant" else None
        if kind is not None:
            _add(found, kind, _ENDS.split(item.text[:200], maxsplit=1)[0].strip(_EDGES_OF_ITEM))
    query = event.query[:_LONGEST_QUERY]
    if _names_nothing(query):
        return list(found.values())
    tokens = [token.strip(_EDGES) for token in query.split()]
    english: bool | None = None  # in English, any capital inside a sentence makes a name
    before = ""
    for number, token in enumerate(tokens):
        word = token.lower()
        if word in _PLAN_WORDS:
            _add(found, "plan", tokens[number - 1] if number else "")
        elif "-" in token and word.rpartition("-")[2] in _PLAN_WORDS:
            _add(found, "plan", token.rpartition("-")[0])
        elif token[:1].isdigit():
            if before in _VERSION_WORDS:
                _add(found, "version", token)
        elif token[:1] in "vV" and token[1:2].isdigit():
            _add(found, "version", token[1:])
        elif before in _ROLE_WORDS or (
            before in ("a", "an") and number > 1 and tokens[number - 2].lower() in _ROLE_WORDS
        ):
            _add(found, "role", token)
        elif token[:1].isupper() and number:
            kind = _kind_after(before)
            if kind is None:
                english = detect(event.query) == "en" if english is None else english
                kind = "name" if english else None
            if kind is not None:
                _add(found, kind, token)
        before = word
    return list(found.values())


def _names_nothing(query: str) -> bool:
    """Surely, by its words and capitals as a whole."""
    pieces = query.lower().split()
    if _CALLING.told(pieces):
        return False
    if len(pieces) < 2:
        return True
    rest = query.split(None, 1)[1]
    return rest == rest.lower() or detect(query) != "en"


def _calls(piece: str) -> bool | None:
    if _CALLS.isdisjoint(_LETTERS.findall(piece)) and _VERSION.search(piece) is None:
        return None
    return True


_ENDS = re.compile(r"[,;.(\n]")
_CALLS = _PLAN_WORDS | _VERSION_WORDS | _ROLE_WORDS | _PLACE_WORDS | _NAME_WORDS
"""Words beside which something is named."""
_LETTERS = re.compile(r"[^\W_]+")
_VERSION = re.compile(r"v\d")
_CALLING: Final = Pieces(_calls)


@lru_cache(256)
def _context_kind(name: str) -> str | None:
    name = name.lower()
    return next((kind for kind, parts in _CONTEXT if any(part in name for part in parts)), None)


def _kind_after(before: str) -> str | None:
    """What a capital word behind ``before`` is."""
    if before in _PLAN_WORDS:
        return "plan"
    if before in _PLACE_WORDS:
        return "place"
    return "name" if before in _NAME_WORDS else None


def _add(found: dict[str, _Name], kind: str, words: str) -> None:
    if len(found) >= MAX_NAMES or not words or len(words) > _LONGEST_NAME:
        return
    name = _name(kind, words)
    if name is not None:
        found.setdefault(words.lower(), name)


@lru_cache(1_000)
def _name(kind: str, words: str) -> _Name | None:
    if words.lower() in _NO_NAMES or month(words) is not None:
        return None
    return _Name(kind, words, _forms(words), content_words(words))


def _forms(words: str) -> tuple[str, ...]:
    forms = (words, lower(words), words[:1].upper() + words[1:], words.upper())
    return tuple(dict.fromkeys(form for form in forms if len(form) == len(words)))


# ── where things stand in a chunk ─────────────────────────────────────────────────────────────

_MOST_OF_NAME: Final = 4 * _MOST_PLACES
"""All places of all four forms."""
_DIGIT: Final = re.compile(r"[0-9]")
_NUMBER: Final = re.compile(r"[0-9][0-9.,' ]*")
_TOKEN = re.compile(r"[\w+]+")
_CAPITALIZED: Final = re.compile(r"[A-ZÄÖÜÉ](?<![\w-].)[\w+]+")
"""Begins with a set of characters, so that the search skips to them."""


class _Chunk:
    """One chunk. ``named``: those of the names that it holds, with their places. Its content words
    are known already, as a rule; its sentences and rows are read when they are asked for."""

    def __init__(self, text: str, names: list[_Name]) -> None:
        self.text = text
        vocabulary = VOCABULARIES.of(text).words
        self.named: dict[_Name, list[int]] = {}
        for name in names:
            if name.stems <= vocabulary.keys() or name.kind == "version":
                places = _places(name, text, 0, len(text), _MOST_OF_NAME)
                if places:
                    self.named[name] = places

    def is_near(self, name: _Name, left: int, right: int) -> bool:
        """Whether one of its names stands in a part of it."""
        places = self.named[name]
        if len(places) >= _MOST_PLACES:  # perhaps not all of them
            return name.is_in(self.text, left, right)
        last = right - len(name.words)
        for place in places:
            if left <= place <= last:
                return True
        return False

    @cached_property
    def statements(self) -> tuple[Sentence, ...]:
        return sentences.read(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [one.start for one in self.statements]

    def about(self, place: int) -> Span:
        """The line or sentence that a place is in, by line ends and full stops alone."""
        text = self.text
        left, right = max(0, place - _WINDOW), min(len(text), place + _WINDOW)
        stop, line = text.rfind(". ", left, place), text.rfind("\n", left, place)
        left = max(left, max(stop, line) + 1)
        stop, line = text.find(". ", place, right), text.find("\n", place, right)
        if 0 <= line and (line < stop or stop < 0):
            return left, line
        return left, stop if stop >= 0 else right

    def at(self, place: int) -> int | None:
        """The number of the statement that a place is in."""
        number = bisect_right(self._starts, place) - 1
        return number if number >= 0 and place < self.statements[number].end else None

    def near(self, number: int) -> Span:
        """The statement, with the sentence before it where that one holds no number itself: a plan
        is named in one sentence and its price told in the next."""
        one = self.statements[number]
        if number and one.kind is Kind.PROSE:
            before = self.statements[number - 1]
            if before.block == one.block:
                if not _DIGIT.search(self.text, before.start, before.end):
                    return before.start, one.end
        return one.start, one.end

    def header(self, number: int) -> Sentence | None:
        """The header row of the table that a row is part of."""
        one = self.statements[number]
        if one.kind is not Kind.ROW:
            return None
        first = number
        while first and self.statements[first - 1].block == one.block:
            first -= 1
        header = self.statements[first]
        return header if header.kind is Kind.HEADING else None

    def column(self, number: int, place: int) -> int:
        """The number of the cell that a place in a row is in."""
        return self.text.count("|", self.statements[number].start, place)

    def cell(self, row: Sentence, column: int) -> str:
        cells = self.text[row.start : row.end].split("|")
        return cells[column] if column < len(cells) else ""


class _Chunks:
    """The chunks of the prompt that are passages, each made when it is asked for."""

    def __init__(self, given: CheckInput, names: list[_Name]) -> None:
        self._texts = given.texts
        self._names = names
        self._refs = given.refs
        self._in_prompt = given.in_prompt
        self._made: dict[int, _Chunk] = {}

    def of(self, ref: str | None) -> _Chunk | None:
        """The first with that ref."""
        for number, known in enumerate(self._refs):
            if known == ref and (made := self._at(number)) is not None:
                return made
        return None

    def __iter__(self) -> Iterator[_Chunk]:
        return filter(None, map(self._at, range(len(self._texts))))

    def _at(self, number: int) -> _Chunk | None:
        made = self._made.get(number)
        if made is None:
            text = self._texts[number]
            if not text or len(text) > MAX_TEXT or not self._in_prompt[number]:
                return None
            made = self._made[number] = _Chunk(text, self._names)
        return made


def _mismatch(
    answer: str, number: Evidence, here: _Chunk, names: list[_Name], chunks: _Chunks
) -> Iterable[Evidence]:
    start, end = number.chunk_start or 0, number.chunk_end or 0
    left, right = here.about(start)
    apart = [name for name in here.named if not here.is_near(name, left, right)]
    if not apart:
        return ()
    surface = here.text[start:end]
    unit = _unit(here, surface, end)
    said = _Said(answer, number.start or 0)
    hopeful = [name for name in apart if _may_have_rival(here, name, unit, said, (left, right))]
    if not hopeful:
        return ()
    own = here.at(start)
    if own is None:
        return ()
    standing = {name.kind for name in names if _stands_by(here, own, start, name)}
    for name in hopeful:
        # what stands by another one that was asked about was asked about too
        if name.kind in standing or _stands_by(here, own, start, name):
            continue
        if any(_beside(chunk, name, surface) for chunk in chunks):
            continue
        rival = _rival(here, own, start, unit, name)
        if rival is not None and not _says_so(said, number, unit, here, own, rival[0]):
            return _told(number, name, rival[1])
    return ()


_ENDINGS: Final = ("en", "e", "n", "s")
"""What ``3 Monaten`` and ``3 months`` have and ``1 Monat`` and ``1 month`` have not."""
_COUNTED: Final = re.compile(r"[ -]([^\W\d_]{3,})")
_WINDOW: Final = 300


def _unit(here: _Chunk, surface: str, end: int) -> str:
    """The unit in the surface, or else the next word, which says what is counted."""
    unit = _NUMBER.sub("", surface).strip()
    counted = None if unit else _COUNTED.match(here.text, end)
    return _singular(counted[1] if counted else unit)


def _singular(word: str) -> str:
    """Without an ending behind three letters and more."""
    for ending in _ENDINGS:
        if word.endswith(ending) and word[: -len(ending)][-3:].isalpha():
            if len(word) >= len(ending) + 3:
                return word[: -len(ending)]
    return word


def _may_have_rival(here: _Chunk, name: _Name, unit: str, said: _Said, own: Span) -> bool:
    """Roughly, before any sentence is read: whether a number with the unit stands by the name, and
    the answer does not say whose number it is (``own``: about the number)."""
    text = here.text
    for at in here.named[name]:
        left, right = here.about(at)
        if text.find("|", left, right) >= 0:
            return True
        if text.find(unit, left, right) >= 0 and _DIGIT.search(text, left, right):
            theirs = set(_CAPITALIZED.findall(text, own[0], own[1]))
            if theirs:
                theirs.difference_update(_CAPITALIZED.findall(text, left, right))
            if not said.any_of(_without(theirs, unit)):
                return True
    return False


def _without(words: set[str], unit: str) -> set[str]:
    """In German, what is counted has a capital too, and says nothing about whose it is."""
    if not unit:
        return words
    return {word for word in words if not word.startswith(unit)}


class _Said:
    """The answer's sentence at a place, read when one of its words is asked for."""

    def __init__(self, answer: str, place: int) -> None:
        self._answer = answer
        self._place = place

    @cached_property
    def _words(self) -> set[str]:
        read = sentences.read(self._answer)
        at = bisect_right(read, self._place, key=attrgetter("start")) - 1
        if at < 0:
            return set()
        return set(_TOKEN.findall(self._answer, read[at].start, read[at].end))

    def any_of(self, words: set[str]) -> bool:
        return bool(words) and not words.isdisjoint(self._words)


def _stands_by(here: _Chunk, own: int, start: int, name: _Name) -> bool:
    if name.is_in(here.text, *here.near(own)):
        return True
    header = here.header(own)
    return header is not None and name.is_in(here.cell(header, here.column(own, start)))


def _beside(here: _Chunk, name: _Name, surface: str) -> bool:
    """Whether the same number also stands in a statement that names it."""
    if not name.is_in(here.text):
        return False
    place = here.text.find(surface)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return False
        number = here.at(place)
        if number is not None and _stands_by(here, number, place, name):
            return True
        place = here.text.find(surface, place + 1)
    return False


def _rival(here: _Chunk, own: int, start: int, unit: str, name: _Name) -> tuple[int, Span] | None:
    """A statement with the name and another number of the same kind; the place of the name."""
    header = here.header(own)
    for at in here.named[name]:
        number, span = here.at(at), (at, at + len(name.words))
        if number is None:
            continue
        one = here.statements[number]
        if one == header:
            column = here.column(number, at)
            if column != here.column(own, start) and _DIGIT.search(
                here.cell(here.statements[own], column)
            ):
                return number, span
        elif number != own and one.kind is not Kind.HEADING:
            words = here.text[one.start : one.end]
            for form in name.forms:
                words = words.replace(form, "")
            if _DIGIT.search(words) and (one.kind is Kind.ROW or unit in words):
                return number, span
    return None


def _says_so(said: _Said, number: Evidence, unit: str, here: _Chunk, own: int, rival: int) -> bool:
    """Whether the answer names what its number belongs to: Starter, by contrast, costs 39 €."""
    header = here.header(own)
    other = here.statements[rival]
    if header is not None and other == header:
        cell = here.cell(header, here.column(own, number.chunk_start or 0))
        theirs = set(_CAPITALIZED.findall(cell))
    else:
        theirs = set(_CAPITALIZED.findall(here.text, *here.near(own)))
        theirs -= set(_CAPITALIZED.findall(here.text, other.start, other.end))
    return said.any_of(_without(theirs, unit))


def _told(number: Evidence, name: _Name, span: Span) -> tuple[Evidence, Evidence]:
    start, end = span
    return (
        Evidence(
            NAME, "other_scope", number.surface, number.start, number.end,
            number.ref, number.chunk_start, number.chunk_end,
        ),
        Evidence(NAME, "named_scope", name.words, None, None, number.ref, start, end),
    )  # fmt: skip
