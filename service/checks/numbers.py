"""The ``numbers`` check: every number of the answer stands in the retrieved text. Pure.

What is decided, and how, stands in docs/checks/numbers.md. In short: the answer is read once; a
number whose whole surface stands literally in a chunk needs no reading of that chunk; only what
is left over causes chunks to be read, once each, into an index that is kept in a bounded cache.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from service.checks.citations import CitationReading
from service.checks.model import (
    CheckInput,
    CheckResult,
    Evidence,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
    Span,
)
from service.checks.reading import grounding, markup, nearest, rates, releases, units
from service.checks.reading.citing import CitedSources, Mark
from service.checks.reading.derivation import (
    derivation,
    may_be_derived,
    same_sentence,
    sentence_ends,
)
from service.checks.reading.digits import MINUS_WORDS
from service.checks.reading.evidence import Cache
from service.checks.reading.folding import fold
from service.checks.reading.grounding import Indexed, Miss, Place, Source
from service.checks.reading.naming import name_of
from service.checks.reading.quantities import (
    CARDINAL,
    CODE,
    DIGITS,
    FRACTION,
    MULTIPLE,
    NUMBER,
    ORDINAL,
    TIME,
    Quantity,
    Reading,
)
from service.checks.reading.reader import read
from service.checks.reading.short_names import ShortName, Sought, short_name
from service.checks.reading.sources import chunk_names, chunk_texts, lacks_text, other_texts
from service.checks.reading.wording import Wording, shortened

NAME = "numbers"
MAX_ANSWER = 200_000
"""Characters of an answer past which it is not evaluated (``too_large``)."""
MAX_NUMBERS = 5_000
"""Quantities of an answer past which it is not evaluated."""
MAX_TEXT = 4 << 20
"""Characters of all evidence together past which the answer is not evaluated."""
MAX_TEXT_NUMBERS = 50_000
"""Quantities in all evidence together past which the answer is not evaluated."""
CACHE_BYTES = 32 << 20

_CACHE: Final = Cache(CACHE_BYTES)
_DENSE: Final = 20_000
"""Characters up to which nobody needs to count."""
_RUN = re.compile(r"[0-9]+")
_HAN: Final = "\u2e80"

_MOST_COMPARED = 500_000
"""Comparisons with quantities of the texts, in search of the nearest, that one answer may cost;
later findings go without and are called ``absent``."""
_MAX_DERIVED = 40
"""Misses past which no arithmetic is tried."""

SEVERITY: dict[str, Severity] = {
    nearest.ABSENT: Severity.MEDIUM,
    nearest.UNIT_MISMATCH: Severity.HIGH,
    nearest.MAGNITUDE: Severity.HIGH,
    nearest.SIGN: Severity.HIGH,
    nearest.TRANSPOSED: Severity.HIGH,
}


def _by_start(finding: Finding) -> int:
    return finding.start or 0


class _TooManyNumbers(Exception):
    """The evidence holds more numbers than the check reads."""


def check(
    given: CheckInput, owned: Sequence[Span] = (), citations: CitationReading | None = None
) -> CheckResult:
    """Decide every number of the answer. ``owned``: spans of the answer that citations claim.

    ``citations``: what :func:`service.checks.citations.read` found; with it, a number that stands
    only in chunks that its sentence does not cite is told apart (evidence ``elsewhere``).

    Never reads anything but ``given``; work is linear in the sizes, bounded by the limits above.
    """
    event = given.event
    answer = event.answer
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if len(answer) > _DENSE and len(_RUN.findall(answer)) > MAX_NUMBERS:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    claimed = _merged(list(owned))
    reading = _read_beside(answer, claimed)
    if not reading.quantities:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(reading.quantities) > MAX_NUMBERS:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    names: list[Quantity] = []
    asked = _statements(given, reading, claimed, names)
    if not asked and not names:
        return CheckResult(Outcome.NOT_APPLICABLE)
    chunks = chunk_texts(given)
    slips = _slips(given, reading, names, claimed, chunks) if names else []
    if not asked and not slips:
        return CheckResult(Outcome.NOT_APPLICABLE)
    places: dict[int, Place] = {}
    for number, quantity in enumerate(asked):
        place = _literal(answer, quantity, chunks)
        if place is not None:
            places[number] = place
    misses: list[Miss] = []
    indexes: Indexed = []
    if len(places) < len(asked):
        sources = [*chunks, *other_texts(given)]
        if _too_much(sources):
            return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
        try:
            misses = _look_up(reading, asked, sources, places, indexes)
        except _TooManyNumbers:
            return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if (misses or slips) and lacks_text(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT)
    if citations is not None and citations.citations:
        _look_in_cited(given, reading, asked, chunks, citations, places)
    findings = _findings(given, misses, indexes) if misses else ()
    if slips:
        findings = tuple(sorted([*findings, *slips], key=_by_start))
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        findings,
        tuple([_evidence(answer, asked[number], places[number]) for number in sorted(places)]),
        evaluated=len(asked) + len(slips),
        failed=len(findings),
        owned=tuple(
            [(quantity.start, quantity.end) for quantity in asked]
            + [(slip.start or 0, slip.end or 0) for slip in slips]
        ),
    )


def _too_much(sources: list[Source]) -> bool:
    size = sum([len(source.text) for source in sources])
    if size <= _DENSE:
        return False
    return (
        size > MAX_TEXT
        or sum(len(_RUN.findall(source.text)) for source in sources) > MAX_TEXT_NUMBERS
    )


# ── what is a statement ───────────────────────────────────────────────────────────────────────


def _statements(
    given: CheckInput, reading: Reading, claimed: list[Span], names: list[Quantity]
) -> list[Quantity]:
    """The quantities of the answer that have to stand somewhere. ``claimed``: merged. ``names``: is
    filled with the names that are no statements by themselves (IP67)."""
    text = reading.text
    refs = set(given.refs)
    may_be_alone = markup.spares_the_lonely(text, refs)
    spans: list[Span] = []
    starts: list[int] | None = None  # worked out when a number asks for them
    kept: list[Quantity] = []
    label_end = -1
    for quantity in reading.quantities:
        start = quantity.value_start
        in_digits = quantity.kind is NUMBER and quantity.form is DIGITS
        if not (in_digits or _is_statement(text, quantity)):
            if quantity.kind is CODE:
                names.append(quantity)
            continue
        is_alone = quantity.is_alone and in_digits
        if not (is_alone and may_be_alone):
            if starts is None:
                in_code = given.policy.numbers.in_code
                skipped = markup.unchecked(text, refs=refs, in_code=in_code)
                spans = _merged([*skipped, *claimed])
                starts = [span[0] for span in spans]
            at = bisect_right(starts, start) - 1
            if at >= 0 and start < spans[at][1]:
                continue
        if in_digits:
            if (not is_alone and markup.is_labelled(text, start)) or (
                label_end >= 0 and markup.continues_list(text, label_end, start)
            ):
                label_end = quantity.value_end
                continue
            label_end = -1
        if quantity.kind in (NUMBER, CODE) and markup.is_line_marker(text, start):
            continue
        kept.append(quantity)
    return kept


_MOST_NAMES: Final = 20
"""Different short names of one answer that are looked for."""


def _slips(
    given: CheckInput,
    reading: Reading,
    names: list[Quantity],
    claimed: list[Span],
    chunks: list[Source],
) -> list[Finding]:
    """Short names that stand nowhere, where a chunk has one of the same letters: IP67 for IP44.

    Others (B2B, CO2, MP3) are common words as often as not, and nothing is said of them.
    """
    text = reading.text
    slips: list[Finding] = []
    known: dict[str, tuple[Source, Span] | None] = {}
    spans: list[Span] | None = None  # worked out when a slip asks for them
    others: list[str] | None = None
    for quantity in names:
        name = short_name(text, quantity.start)
        if name is None:
            continue
        surface = text[name.start : name.end]
        if surface not in known and len(known) < _MOST_NAMES:
            near = None
            if not any([surface in chunk.text for chunk in chunks]):
                if others is None:
                    if _too_much([*chunks, *other_texts(given)]):
                        return []
                    others = [*given.refs, *(source.text for source in other_texts(given))]
                    others += [source.text for source in chunk_names(given)]
                near = _sibling(Sought(name), chunks, others)
            known[surface] = near
        found = known.get(surface)
        if found is None:
            continue
        if spans is None:
            skipped = markup.unchecked(text, refs=set(given.refs), in_code=False)
            spans = _merged([*skipped, *claimed])
        if not any([start < name.end and name.start < end for start, end in spans]):
            slips.append(_slip(given, name, *found))
    return slips


def _sibling(name: Sought, chunks: list[Source], others: list[str]) -> tuple[Source, Span] | None:
    """The first chunk's name of the same letters; None where the name itself stands anywhere."""
    if any([name.stands_in(text) for text in others]):
        return None
    found: tuple[Source, Span] | None = None
    for chunk in chunks:
        if name.stands_in(chunk.text):
            return None
        span = name.sibling(chunk.text) if found is None else None
        if span is not None:
            found = (chunk, span)
    return found


def _slip(given: CheckInput, name: ShortName, source: Source, near: Span) -> Finding:
    say = Wording(given.event)
    surface = given.event.answer[name.start : name.end]
    other = source.text[near[0] : near[1]]
    is_swapped = nearest.swapped(surface, other)
    reason = nearest.TRANSPOSED if is_swapped else nearest.ABSENT
    note = "digits swapped" if is_swapped else "another value"
    where = shortened(source.ref or "")
    detail = say("absent", surface=surface)
    detail += say("nearest", words=other, where=where, note=say(note))
    return Finding(
        NAME, reason, surface, name.start, name.end, detail, SEVERITY[reason], surface.casefold(),
        source.ref, *near,
    )  # fmt: skip


def _merged(spans: list[Span]) -> list[Span]:
    if not spans:
        return []
    if _are_apart(spans):
        return spans
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _read_beside(answer: str, claimed: list[Span]) -> Reading:
    """The quantities of the answer, none of which runs into what another check owns: where a link
    is glued to a number (``12.50https://…``), the number ends before it."""
    reading = read(answer, claimed)
    into = _run_into(reading.quantities, claimed) if claimed else []
    if not into:
        return reading
    pieces: list[str] = []
    done = 0
    for start, end in into:
        pieces += (answer[done:start], " " * (end - start))
        done = end
    pieces.append(answer[done:])
    return Reading(reading.text, read("".join(pieces), claimed).quantities)


def _run_into(quantities: list[Quantity], claimed: list[Span]) -> list[Span]:
    """The claimed spans that a quantity overlaps. Both are in order."""
    found: list[Span] = []
    number = 0
    for quantity in quantities:
        while number < len(claimed) and claimed[number][1] <= quantity.start:
            number += 1
        if number == len(claimed):
            break
        span = claimed[number]
        if span[0] < quantity.end and (not found or found[-1] != span):
            found.append(span)
    return found


def _are_apart(spans: list[Span]) -> bool:
    """In order, as those of citations are as a rule."""
    last = -1
    for start, end in spans:
        if start <= last or end < start:
            return False
        last = end
    return True


def _is_statement(text: str, quantity: Quantity) -> bool:
    """The first half and one of them are no quantities to check."""
    if quantity.kind is CODE:
        return _is_identifier(quantity.code) or _is_told_apart(text, quantity)
    if quantity.kind is not NUMBER:
        return True
    start = quantity.value_start
    if quantity.form is MULTIPLE:
        return quantity.values[0] > 3
    if quantity.form is ORDINAL:
        return text[start].isdigit() or quantity.values[0] > 2
    if quantity.form is FRACTION:
        return (
            quantity.unit is not None
            or quantity.separable
            or " " in text[start : quantity.value_end]
        )
    if quantity.form is CARDINAL:
        return quantity.values[0] != 1 and not _is_one_of_a_year(text, quantity)
    return True


_HALF_YEARS: Final = ("halbjahr", "vierteljahr")
_LONGEST_HALF_YEAR: Final = len("vierteljahres")
_OF_A_YEAR = re.compile(
    r"(?i)(?:[0-9]\.|erste[sn]|zweite[sn]|dritte[sn]|vierte[sn]|letzte[sn]|vorige[sn]|nächste[sn]"
    r"|kommende[sn]|laufende[sn]|vergangene[sn]|jede[sn]|dieses) $"
)


def _is_one_of_a_year(text: str, quantity: Quantity) -> bool:
    """``im ersten Halbjahr``: which one, not how long."""
    start = quantity.start
    if text[start] not in "HhVv" or quantity.end - start > _LONGEST_HALF_YEAR:
        return False
    if not text[start : quantity.end].lower().startswith(_HALF_YEARS):
        return False
    return _OF_A_YEAR.search(text, max(0, start - 13), start) is not None


_TELLS_APART = re.compile(
    r"(?i)(?:§§?|(?:^|[^a-zäöüß])(?:art\.|artikel|fehler(?:code|meldung)?|error(?: code)?)"
    r"|[a-zäöüß](?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse)) ?$"
)
_LONGEST_TELLING: Final = 20


def _is_told_apart(text: str, quantity: Quantity) -> bool:
    """Behind such a word even a short name says which one is meant: § 15a, Fehler E4."""
    start = quantity.start
    if quantity.code[0].isdigit() and not text[quantity.end - 1].islower():
        return False  # 3D, 5G
    return _TELLS_APART.search(text, max(0, start - _LONGEST_TELLING), start) is not None


def _is_identifier(code: str) -> bool:
    """Names such as B2B, CO2 or COVID-19 are no statements; T-48213 and 3.2.1 are."""
    digits = sum(char.isdigit() for char in code)
    if code[0].isdigit():
        return code.replace(".", "").isdigit() or digits >= 4
    return digits >= 4 or (digits >= 3 and "-" in code)


# ── literal ───────────────────────────────────────────────────────────────────────────────────

_BLOCKS_BEFORE: Final = frozenset("-−–.,:/+'’±^€$£¥₹₩#_")
_MINUS: Final = tuple(MINUS_WORDS)
_ENDS_OF_MINUS: Final = frozenset(end for word in _MINUS for end in (word[-1], word[-1].upper()))
_JOINS_AFTER: Final = frozenset(".,:'’/-–−")
_FAR_BEHIND: Final = 60
"""Characters behind a quantity in which is said for what it is told."""
_MOST_TRIED: Final = 4
"""Places in one chunk that are tried for one number."""


def _literal(answer: str, quantity: Quantity, chunks: list[Source]) -> Place | None:
    """The first chunk in which the whole surface stands, bounded on both sides."""
    if quantity.form is ORDINAL or quantity.kind is TIME or len(quantity.values) > 1:
        return None
    surface = answer[quantity.start : quantity.end]
    size = len(surface)
    may_be_rate = rates.may_follow(answer, quantity.end)
    for chunk in chunks:
        text = chunk.text
        at = text.find(surface)
        tried = 0
        while at >= 0 and tried < _MOST_TRIED:
            end = at + size
            if _bounded(text, at, end, quantity, answer) and not (
                may_be_rate and _is_for_another(answer, quantity.end, text, end)
            ):
                return Place("grounded", chunk, at, end)
            at = text.find(surface, at + 1)
            tried += 1
    return None


def _is_for_another(answer: str, own_end: int, text: str, end: int) -> bool:
    """Whether the same quantity is told for something else: $5 per hour, $5 per day."""
    mine, size = rates.behind_to(fold(answer[own_end : own_end + _FAR_BEHIND]), 0)
    if mine is None:
        return False
    if text.startswith(answer[own_end : own_end + size], end):
        after = text[end + size : end + size + 1]
        if not after.isalnum() and after != "-":
            return False  # the same words
    return rates.differ(mine, rates.behind(fold(text[end : end + _FAR_BEHIND]), 0))


def _bounded(text: str, start: int, end: int, quantity: Quantity, answer: str) -> bool:
    before = text[start - 1] if start else " "
    if before in _BLOCKS_BEFORE or (before.isalnum() and before < _HAN):
        return False
    if before.isspace() and start > 1:
        if text[start - 2].isdigit():
            return False
        if not quantity.sign and text[start - 2] in _ENDS_OF_MINUS:
            if text[max(0, start - 9) : start - 1].lower().endswith(_MINUS):
                return False
    after = text[end : end + 1]
    if not after:
        return True
    if after.isalnum() and (after < _HAN or quantity.unit is None):
        return False
    if after in _JOINS_AFTER and text[end + 1 : end + 2].isdigit():
        return False
    if after in "²³/^" or (after == "-" and quantity.unit is None):
        return False
    if quantity.kind is not NUMBER or quantity.end != quantity.value_end:
        return True
    if after.isspace() and text[end + 1 : end + 4].isdigit():
        return False
    measure = units.read(fold(text[end : end + 32]), 0)
    if quantity.unit is not None:
        return measure.power == 0 and measure.unit in (None, quantity.unit)
    if measure.power or measure.unit is None:
        return measure.power == 0
    return not measure.unit.hard and grounding.letter_agrees(answer, quantity, measure.unit)


# ── by value ──────────────────────────────────────────────────────────────────────────────────


def _look_up(
    reading: Reading,
    asked: list[Quantity],
    sources: list[Source],
    places: dict[int, Place],
    indexes: Indexed,
) -> list[Miss]:
    """Look for what did not stand literally, text by text, and return what stands nowhere.

    Fills ``places``, and ``indexes`` with the texts that had to be read.
    """
    left = [number for number in range(len(asked)) if number not in places]
    if len(left) <= _MOST_LOOKED_AROUND:
        for number in left:
            place = _by_digits(reading, asked[number], sources)
            if place is not None:
                places[number] = place
        left = [number for number in left if number not in places]
    read_so_far = 0
    for source in sources if left else ():
        index = _CACHE.index(source.text)
        indexes.append((source, index))
        read_so_far += len(index.quantities)
        if read_so_far >= MAX_TEXT_NUMBERS:
            raise _TooManyNumbers
        for number in left:
            place = grounding.exact_place(reading, asked[number], source, index)
            if place is not None:
                places[number] = place
        left = [number for number in left if number not in places]
        if not left:
            break
    misses: list[Miss] = []
    together = grounding.told_together(reading, indexes) if left else {}
    for number in left:
        place = together.get(id(asked[number]))
        place = place or grounding.loose_place(reading, asked[number], indexes)
        if place is not None:
            places[number] = place
            continue
        missing = grounding.missing_parts(asked[number], indexes)
        misses += missing
        if not missing:
            places[number] = _parts_place(asked[number], indexes)
    return _underived(reading, asked, misses, places)


_AROUND = 120
"""Characters on either side of a number that no reading of it looks beyond."""
_MOST_LOOKED_AROUND = 8
"""Numbers of one answer that are sought by their digits; for more, reading each text once is
cheaper."""


def _by_digits(reading: Reading, quantity: Quantity, sources: list[Source]) -> Place | None:
    """Where a plain number stands with its unit spelled otherwise (``EUR 45`` for ``45 €``).

    Reads what stands around the same digits: for them, a whole text need not be read.
    """
    digits = reading.text[quantity.value_start : quantity.value_end]
    if quantity.kind is not NUMBER or len(quantity.values) > 1 or not digits.isdigit():
        return None
    for source in sources:
        at = _bare(source.text, digits) if digits in source.text else -1
        if at < 0:
            continue
        left = max(0, at - _AROUND)
        around = source.text[left : at + len(digits) + _AROUND]
        if quantity.unit is not None and "|" in around:
            return None  # a heading further up may say in what the cells are
        found = grounding.exact_place(reading, quantity, source, _CACHE.index(around))
        # at the edges a number may be cut: only the one in the middle is what it seems
        if found is not None and found.start + left <= at < found.end + left:
            return Place(found.kind, found.source, found.start + left, found.end + left)
    return None


def _bare(text: str, digits: str) -> int:
    """Where ``digits`` stand without further digits beside them; -1 when soon nowhere."""
    at = text.find(digits)
    for _ in range(_MOST_TRIED):
        if at < 0:
            break
        end = at + len(digits)
        if not text[end : end + 1].isdigit() and not (at and text[at - 1].isdigit()):
            return at
        at = text.find(digits, end)
    return -1


def _look_in_cited(
    given: CheckInput,
    reading: Reading,
    asked: list[Quantity],
    chunks: list[Source],
    citations: CitationReading,
    places: dict[int, Place],
) -> None:
    """Move the places of numbers into the chunks that their sentences cite, where they stand there
    too; call the others ``elsewhere``."""
    answer = given.event.answer
    separator = given.policy.citations.separator
    marks: list[Mark] = []
    for citation in citations.citations:
        start, end = citation.start, citation.end
        if start is not None and end is not None:
            named: list[str] = []
            for member in citation.members:
                if member.ref:
                    named += (member.ref, member.words)
            marks.append((start, end, frozenset(named)))
    sources = CitedSources(answer, marks)
    for number, place in places.items():
        names = sources.names(asked[number].start)
        if not names or place.kind != "grounded" or _is_cited(place.source, names, separator):
            continue
        cited = [chunk for chunk in chunks if _is_cited(chunk, names, separator)]
        better = _literal(answer, asked[number], cited)
        for chunk in cited if better is None else ():
            index = _CACHE.index(chunk.text)
            better = better or grounding.exact_place(reading, asked[number], chunk, index)
        if cited:
            places[number] = better or Place("elsewhere", place.source, place.start, place.end)


def _is_cited(chunk: Source, names: frozenset[str], separator: str) -> bool:
    ref = chunk.ref or ""
    return ref in names or ref.partition(separator)[0] in names


def _parts_place(quantity: Quantity, indexes: Indexed) -> Place:
    """Where the first part of a quantity stands whose parts stand for themselves."""
    value = quantity.parts[0][0]
    for source, index in indexes:
        if value in index.parts:
            start, end = index.parts[value]
            return Place(source.kind, source, start, end)
        for found in index.equal(value):
            return Place(source.kind, source, found.start, found.end)
    source = indexes[0][0]
    return Place(source.kind, source, 0, 0)


def _underived(
    reading: Reading, asked: list[Quantity], misses: list[Miss], places: dict[int, Place]
) -> list[Miss]:
    """Drop the misses that plain arithmetic on two grounded numbers of their sentence gives."""
    if not misses or len(misses) > _MAX_DERIVED:
        return misses
    ends: list[int] | None = None  # worked out when a miss asks for them
    numbers = {id(quantity): number for number, quantity in enumerate(asked)}
    grounded = [asked[number] for number in sorted(places)]
    kept = []
    for miss in misses:
        pair = None
        if miss.value is None and may_be_derived(reading.text, miss.quantity, grounded):
            ends = sentence_ends(reading.text) if ends is None else ends
            operands = same_sentence(miss.quantity, grounded, ends)
            pair = derivation(reading.text, miss.quantity, operands)
        if pair is None:
            kept.append(miss)
        else:
            place = places[numbers[id(pair)]]
            derived = Place("derived", place.source, place.start, place.end)
            places[numbers[id(miss.quantity)]] = derived
    return kept


# ── what is reported ──────────────────────────────────────────────────────────────────────────


def _evidence(answer: str, quantity: Quantity, place: Place) -> Evidence:
    in_chunk = place.source.ref is not None
    return Evidence(
        NAME,
        place.kind,
        answer[quantity.start : quantity.end],
        quantity.start,
        quantity.end,
        place.source.ref,
        place.start if in_chunk else None,
        place.end if in_chunk else None,
    )


def _findings(given: CheckInput, misses: list[Miss], indexes: Indexed) -> tuple[Finding, ...]:
    say = Wording(given.event)
    quantities = sum(len(index.quantities) for _, index in indexes)
    explained = _MOST_COMPARED // max(1, quantities)
    return tuple(
        _finding(given.event.answer, miss, indexes if place < explained else [], say)
        for place, miss in enumerate(misses)
    )


def _finding(answer: str, miss: Miss, indexes: Indexed, say: Wording) -> Finding:
    part = answer[miss.start : miss.end]
    surface = part.strip(" ,\n")
    start = miss.start + part.find(surface)
    end = start + len(surface)
    near = nearest.nearest(miss, indexes, releases.release_name(answer, miss.quantity))
    reason = nearest.ABSENT if near is None else near.reason
    detail = say("absent", surface=shortened(surface))
    cause = _cause(miss, surface)
    severity = SEVERITY[reason]
    if near is None:
        return Finding(NAME, reason, surface, start, end, detail, severity, cause)
    source, found = near.source, near.found
    where = say(source.kind) if source.ref is None else shortened(source.ref)
    words = shortened(source.text[found.start : found.end])
    detail += say("nearest", words=words, where=where, note=say(near.note))
    if source.ref is None:
        return Finding(NAME, reason, surface, start, end, detail, severity, cause)
    return Finding(
        NAME, reason, surface, start, end, detail, severity, cause,
        source.ref, found.start, found.end,
    )  # fmt: skip


def _cause(miss: Miss, surface: str) -> str:
    """The normalised value and unit: the same wrong price, however it is spelled, is one group."""
    if miss.value is not None:
        return f"{miss.value:.15g}"
    return name_of(miss.quantity, surface)
