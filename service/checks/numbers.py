"""The ``numbers`` check: every number of the answer stands in the retrieved text. Pure.

What is decided, and how, stands in docs/checks/numbers.md. In short: the answer is read once; a
number whose whole surface stands literally in a chunk needs no reading of that chunk; only what
is left over causes chunks to be read, once each, into an index that is kept in a bounded cache.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

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
from service.checks.reading import markup, units
from service.checks.reading.evidence import Cache, Index, shown, significant
from service.checks.reading.folding import fold
from service.checks.reading.quantities import Form, Kind, Quantity, Reading, read

NAME = "numbers"
MAX_ANSWER = 200_000
"""Characters of an answer past which it is not evaluated (``too_large``)."""
MAX_NUMBERS = 5_000
"""Quantities of an answer past which it is not evaluated."""
MAX_TEXT = 4 << 20
"""Characters of all evidence together past which the answer is not evaluated."""
MAX_TEXT_NUMBERS = 50_000
"""Runs of digits in all evidence together past which the answer is not evaluated."""
CACHE_BYTES = 48 << 20

_CACHE = Cache(CACHE_BYTES)
_DENSE = 20_000
"""Characters up to which nobody needs to count."""
_RUN = re.compile(r"[0-9]+")
_HAN = "\u2e80"

_SEVERITY = {
    "absent": Severity.MEDIUM,
    "unit_mismatch": Severity.HIGH,
    "magnitude": Severity.HIGH,
    "sign": Severity.HIGH,
    "transposed": Severity.HIGH,
}


class _Source(NamedTuple):
    """One text that may ground a number: a chunk, a context item or the query."""

    kind: str
    ref: str | None
    text: str


class _Place(NamedTuple):
    """Where the evidence for a quantity stands, and what kind of evidence it is."""

    kind: str
    source: _Source
    start: int
    end: int


class _Miss(NamedTuple):
    """A quantity (or the part of it at start:end) that stands nowhere."""

    quantity: Quantity
    start: int
    end: int
    value: float | None


def check(given: CheckInput, owned: Sequence[Span] = ()) -> CheckResult:
    """Decide every number of the answer. ``owned``: spans of the answer that citations claim.

    Never reads anything but ``given``; work is linear in the sizes, bounded by the limits above.
    """
    event = given.event
    answer = event.answer
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if len(answer) > _DENSE and len(_RUN.findall(answer)) > MAX_NUMBERS:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    reading = read(answer, _merged(list(owned)))
    if not reading.quantities:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(reading.quantities) > MAX_NUMBERS:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    asked = _statements(given, reading, owned)
    if not asked:
        return CheckResult(Outcome.NOT_APPLICABLE)
    chunks = [
        _Source("grounded", chunk.ref, text)
        for chunk, text in zip(event.retrieved, given.texts, strict=True)
        if chunk.in_prompt and text
    ]
    places: dict[int, _Place] = {}
    for number, quantity in enumerate(asked):
        place = _literal(answer, quantity, chunks)
        if place is not None:
            places[number] = place
    misses: list[_Miss] = []
    sources = chunks
    if len(places) < len(asked):
        sources = [*chunks, *_other_sources(given)]
        if _too_much(sources):
            return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
        misses = _look_up(reading, asked, sources, places)
    if misses and _lacks_text(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT)
    evidence = tuple(
        _evidence(answer, asked[number], place) for number, place in sorted(places.items())
    )
    findings = tuple(_finding(answer, reading, miss, sources) for miss in misses)
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        findings,
        evidence,
        evaluated=len(asked),
        failed=len(findings),
        owned=tuple((quantity.start, quantity.end) for quantity in asked),
    )


def _too_much(sources: list[_Source]) -> bool:
    size = sum(len(source.text) for source in sources)
    if size <= _DENSE:
        return False
    return (
        size > MAX_TEXT
        or sum(len(_RUN.findall(source.text)) for source in sources) > MAX_TEXT_NUMBERS
    )


def _lacks_text(given: CheckInput) -> bool:
    return any(
        chunk.in_prompt and text is None
        for chunk, text in zip(given.event.retrieved, given.texts, strict=True)
    )


def _other_sources(given: CheckInput) -> Iterator[_Source]:
    for item in given.event.context:
        if item.kind != "assistant":
            yield _Source("from_context", None, item.text)
    yield _Source("from_query", None, given.event.query)


# ── what is a statement ───────────────────────────────────────────────────────────────────────


def _statements(given: CheckInput, reading: Reading, owned: Sequence[Span]) -> list[Quantity]:
    """The quantities of the answer that have to stand somewhere."""
    text = reading.text
    refs = {chunk.ref for chunk in given.event.retrieved}
    skipped = markup.unchecked(text, refs=refs, in_code=given.policy.numbers.in_code)
    spans = _merged([*skipped, *owned])
    starts = [start for start, _ in spans]
    kept = []
    label_end = -1
    for quantity in reading.quantities:
        if not _is_statement(quantity):
            continue
        start = quantity.value_start
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < spans[at][1]:
            continue
        if quantity.kind is Kind.NUMBER and quantity.form is Form.DIGITS:
            if markup.is_labelled(text, start) or (
                label_end >= 0 and markup.continues_list(text, label_end, start)
            ):
                label_end = quantity.value_end
                continue
            label_end = -1
        if quantity.kind in (Kind.NUMBER, Kind.CODE) and markup.is_line_marker(text, start):
            continue
        kept.append(quantity)
    return kept


def _merged(spans: list[Span]) -> list[Span]:
    if not spans:
        return []
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _is_statement(quantity: Quantity) -> bool:
    if quantity.kind is Kind.CODE:
        return _is_identifier(quantity.code)
    if quantity.kind is not Kind.NUMBER:
        return True
    if quantity.form is Form.MULTIPLE:
        return quantity.values[0] > 3
    spoken = quantity.value_end > quantity.value_start and quantity.step == 1.0
    if quantity.form is Form.ORDINAL:
        return not (spoken and quantity.values[0] <= 2)
    if quantity.form is Form.FRACTION:
        return quantity.unit is not None or quantity.separable
    if quantity.form is Form.CARDINAL:
        return quantity.values[0] != 1
    return True


def _is_identifier(code: str) -> bool:
    """Names such as B2B, CO2 or COVID-19 are no statements; T-48213 and 3.2.1 are."""
    digits = sum(char.isdigit() for char in code)
    if code[0].isdigit():
        return code.replace(".", "").isdigit() or digits >= 4
    return digits >= 4 or (digits >= 3 and "-" in code)


# ── literal ───────────────────────────────────────────────────────────────────────────────────

_BLOCKS_BEFORE = frozenset("-−–.,:/+'’±^€$£¥₹₩#_")
_JOINS_AFTER = frozenset(".,:'’/-–−")


def _literal(answer: str, quantity: Quantity, chunks: list[_Source]) -> _Place | None:
    """The first chunk in which the whole surface stands, bounded on both sides."""
    if quantity.form is Form.ORDINAL or quantity.kind is Kind.TIME or quantity.values[1:]:
        return None
    surface = answer[quantity.start : quantity.end]
    for chunk in chunks:
        text = chunk.text
        at = text.find(surface)
        for _ in range(4):
            if at < 0:
                break
            end = at + len(surface)
            if _bounded(text, at, end, quantity):
                return _Place("grounded", chunk, at, end)
            at = text.find(surface, at + 1)
    return None


def _bounded(text: str, start: int, end: int, quantity: Quantity) -> bool:
    before = text[start - 1] if start else " "
    if before in _BLOCKS_BEFORE or (before.isalnum() and before < _HAN):
        return False
    if before.isspace() and start > 1 and text[start - 2].isdigit():
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
    if quantity.kind is not Kind.NUMBER or quantity.unit is not None:
        return True
    if after.isspace() and text[end + 1 : end + 4].isdigit():
        return False
    measure = units.read(fold(text[end : end + 32]), 0)
    return measure.power == 0 and (measure.unit is None or not measure.unit.hard)


# ── by value ──────────────────────────────────────────────────────────────────────────────────


def _look_up(
    reading: Reading, asked: list[Quantity], sources: list[_Source], places: dict[int, _Place]
) -> list[_Miss]:
    """Look for what did not stand literally; fills ``places``, returns what stands nowhere."""
    left = [number for number in range(len(asked)) if number not in places]
    indexes: list[tuple[_Source, Index]] = []
    for source in sources:
        if not left:
            break
        index = _CACHE.index(source.text)
        indexes.append((source, index))
        still = []
        for number in left:
            place = _exact(reading, asked[number], source, index)
            if place is None:
                still.append(number)
            else:
                places[number] = place
        left = still
    misses: list[_Miss] = []
    for number in left:
        place = _loosely(reading, asked[number], indexes)
        if place is not None:
            places[number] = place
            continue
        misses += _missing_parts(asked[number], indexes)
        if not misses or misses[-1].quantity is not asked[number]:
            first = indexes[0][0]
            places[number] = _Place("grounded", first, 0, 0)
    return _underived(reading, asked, misses, places)


def _place(source: _Source, found: Quantity, kind: str | None = None) -> _Place:
    return _Place(
        kind if kind and source.kind == "grounded" else source.kind, source, found.start, found.end
    )


def _exact(reading: Reading, quantity: Quantity, source: _Source, index: Index) -> _Place | None:
    if quantity.kind is Kind.DATE:
        return _date_place(quantity, source, index)
    if quantity.kind is Kind.TIME:
        for minute in quantity.minutes:
            if minute in index.by_minute:
                return _place(source, index.by_minute[minute])
        return None
    if quantity.kind is Kind.CODE:
        return _code_place(quantity, source, index)
    for value in quantity.values:
        for found in index.by_value.get(value, ()):
            if _same(reading, quantity, index, found):
                return _place(source, found)
        if quantity.unit is None and quantity.sign >= 0 and value in index.parts:
            start, end = index.parts[value]
            return _Place(source.kind, source, start, end)
    return None


def comparable(mine: Quantity, theirs: Quantity) -> bool:
    """Equal values say the same: same unit, a unit left out, or one that may stand for the other."""
    if mine.unit is None and theirs.unit is not None:
        return theirs.unit.dimension not in ("share", "points") or mine.form is Form.ORDINAL
    return units.comparable(mine.unit, theirs.unit)


_COUNTED = re.compile(
    r"[  -](?!(?:"
    + "|".join(
        "and or to of in on at for from per by with the is was as than off each out up more less about"
        " und oder bis von pro je im in am an auf für mit das die der ist aus ab mehr weniger netto brutto zzgl inkl"
        " et ou par à de du des le la les en sur pour y o por el los las a al con".split()
    )
    + r")\b)[^\W\d_]{3,}"
)


def _counts_something(text: str, quantity: Quantity) -> bool:
    """Whether a number without a unit counts what the next word names (``14 Plätze``)."""
    return _COUNTED.match(text, quantity.end) is not None


def _same(reading: Reading, mine: Quantity, index: Index, theirs: Quantity) -> bool:
    """Whether two quantities of equal value say the same: units, signs, what they count."""
    if not comparable(mine, theirs):
        return False
    if mine.unit is None and theirs.unit is not None and theirs.unit.hard:
        if _counts_something(reading.text, mine):
            return False
    elif theirs.unit is None and mine.unit is not None and mine.unit.hard and not theirs.power:
        if _counts_something(index.text, theirs):
            return False
    return _signs_agree(reading, mine, index, theirs)


_LOSS = re.compile(
    r"(?i)(?:\b|(?<=[a-zäöü]))(?:loss(?:es)?|lost|lose|minus|moins|menos|negative?\w*|verlust\w*|fehlbetrag|defizit|deficit|déficit|perte\w*|"
    r"pérdida\w*|f[ae]ll(?:en|s|ing)?|drop\w*|declin\w*|decreas\w*|down|below|under|less|reduc\w*|cut|shrank|sank|gesunken|sinkt|"
    r"rückgang|gefallen|unter|abzüglich|weniger|kälte|frost|baiss\w*|recul\w*|dimin\w*|inférieur\w*|cayó|bajó|caída|descen\w*|bajo|"
    r"zero|null|亏损|下降|减少|零下|赤字|減少|マイナス|氷点下)"
)


def _says_loss(text: str, quantity: Quantity) -> bool:
    return (
        _LOSS.search(text, max(0, quantity.start - 80), min(len(text), quantity.end + 30))
        is not None
    )


def _signs_agree(reading: Reading, mine: Quantity, index: Index, theirs: Quantity) -> bool:
    if (mine.sign < 0) == (theirs.sign < 0) or mine.values[0] == 0:
        return True
    if mine.sign < 0:
        return _says_loss(index.text, theirs)
    return _says_loss(reading.text, mine)


def _date_place(quantity: Quantity, source: _Source, index: Index) -> _Place | None:
    for year, month, day in quantity.dates:
        known = (
            index.by_day.get((month, day), ()) if day is not None else index.by_month.get(month, ())
        )
        for (other, _, _), found in known:
            if year is None or year == other:
                return _place(source, found)
            if other is None and (float(year) in index.parts or float(year) in index.by_value):
                return _place(source, found)
    return None


def _code_place(quantity: Quantity, source: _Source, index: Index) -> _Place | None:
    found = index.codes.get(quantity.code)
    if found is not None:
        return _place(source, found)
    if quantity.code.startswith("tel:"):
        for code, other in index.codes.items():
            if code.startswith("tel:") and (code.endswith(quantity.code[-7:])):
                return _place(source, other)
        value = quantity.code[4:]
        if len(value) <= 15 and (same := index.by_value.get(float(value))):
            return _place(source, same[0])
        return None
    at = index.folded_case.find(quantity.code)
    if at < 0:
        return None
    end = at + len(quantity.code)
    before, after = index.folded_case[at - 1 : at], index.folded_case[end : end + 1]
    if before.isalnum() or after.isalnum():
        return None
    return _Place(source.kind, source, at, end)


# ── conversions, rounding, parts ──────────────────────────────────────────────────────────────

_ABOUT = re.compile(
    r"(?i)(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|some|rund|etwa|ungefähr|zirka|an die|gut|environ|"
    r"à peu près|autour de|quelque|unos|unas|alrededor de|aproximadamente|cerca de|≈|~|±|约|約|大约|およそ|ほぼ|nearly half|"
    r"estimated|an estimated|average of)[ (]*(?:the |a |de |den |die )?[€$£]?$"
)
_OVER = re.compile(
    r"(?i)(?:over|more than|above|upwards of|at least|über|mehr als|mindestens|plus de|plus d'|más de|超过|超過|exceeding|exceeds|just over|well over)"
    r"[ (]*(?:the |a |de |den )?[€$£]?$"
)
_ALMOST = re.compile(
    r"(?i)(?:almost|nearly|close to|just under|under|less than|up to|fast|knapp|beinahe|nahezu|presque|près de|casi|近|将近)"
    r"[ (]*(?:the |a |de |den )?[€$£]?$"
)
_IMPERIAL = frozenset(
    {"in", "ft", "yd", "mi", "ft²", "mi²", "acre", "gal", "lb", "oz", "mph", "°F", "pound"}
)


def _loosely(
    reading: Reading, quantity: Quantity, indexes: list[tuple[_Source, Index]]
) -> _Place | None:
    """A conversion of a number that stands there, or a marked and correct rounding."""
    if quantity.kind is not Kind.NUMBER:
        return None
    if quantity.unit is not None:
        for source, index in indexes:
            found = _converted(quantity, index)
            if found is not None and _signs_agree(reading, quantity, index, found):
                return _place(source, found, "derived")
    span = _tolerance(reading.text, quantity)
    if span is not None:
        for source, index in indexes:
            for found in index.between(*span):
                if _same(reading, quantity, index, found):
                    return _place(source, found, "approximate")
    return None


def _converted(quantity: Quantity, index: Index) -> Quantity | None:
    unit = quantity.unit
    assert unit is not None  # noqa: S101 (asked only for quantities with a unit)
    for value in quantity.values:
        found = index.by_base.get(units.base(value, unit))
        if found is not None:
            return found
        for one, other in (("share", "points"), ("points", "share")):
            if unit.dimension == one:
                found = index.by_base.get((other, units.base(value, unit)[1]))
                if (
                    found is not None
                    and found.unit is not None
                    and "bp" in (unit.name, found.unit.name)
                ):
                    return found
    for other_quantity in index.quantities[:400]:
        theirs = other_quantity.unit
        if (
            theirs is None
            or theirs is unit
            or (theirs.name in _IMPERIAL) == (unit.name in _IMPERIAL)
        ):
            continue
        worth = _foreign(other_quantity.values[0], theirs, unit)
        if worth is not None and abs(worth - quantity.values[0]) <= 0.51 * max(
            _shown_step(quantity), abs(worth) * 0.02
        ):
            return other_quantity
    return None


def _foreign(value: float, theirs: units.Unit, mine: units.Unit) -> float | None:
    """``value`` in my unit, between the metric and the imperial systems."""
    if theirs.dimension == mine.dimension:
        return value * theirs.factor / mine.factor
    if theirs.name == "°F" and mine.name in ("°C", "°"):
        return (value - 32) / 1.8
    if theirs.name in ("°C", "°") and mine.name == "°F":
        return value * 1.8 + 32
    return None


def _shown_step(quantity: Quantity) -> float:
    """Worth of the last digit that carries something: 3 for 1,200 is 100."""
    value, step = quantity.values[0], quantity.step or 1.0
    if step < 1.0 or value == 0:
        return step
    while value % (step * 10) == 0:
        step *= 10
    return step


def _tolerance(text: str, quantity: Quantity) -> tuple[float, float] | None:
    before = text[max(0, quantity.start - 30) : quantity.start]
    value, step = quantity.values[0], _shown_step(quantity)
    if _ABOUT.search(before):
        return value - step / 2, value + step / 2
    if _OVER.search(before):
        return value, value + step
    if _ALMOST.search(before):
        return value - step, value
    return None


def _missing_parts(quantity: Quantity, indexes: list[tuple[_Source, Index]]) -> list[_Miss]:
    """The narrowest part that stands nowhere: a year, a day, one end of ``23/24``; or all of it."""
    whole = [_Miss(quantity, quantity.start, quantity.end, None)]
    if quantity.kind is Kind.DATE:
        if _stands_in_series(quantity, indexes):
            return []
        return _missing_date(quantity, indexes) or whole
    if quantity.separable:
        return [
            _Miss(quantity, start, end, value)
            for value, start, end in quantity.parts
            if not any(_bare(value, index) for _, index in indexes)
        ]
    return whole


_SERIES = 12


def _stands_in_series(quantity: Quantity, indexes: list[tuple[_Source, Index]]) -> bool:
    """In a time series every day of a month recurs in many rows: only its parts can be checked."""
    return any(
        len(index.by_day) >= _SERIES and all(value in index.parts for value, _, _ in quantity.parts)
        for _, index in indexes
    )


def _bare(value: float, index: Index) -> bool:
    return value in index.parts or any(
        found.unit is None or not found.unit.hard for found in index.by_value.get(value, ())
    )


def _missing_date(quantity: Quantity, indexes: list[tuple[_Source, Index]]) -> list[_Miss]:
    year_part = next((part for part in quantity.parts if part[0] >= 1000), None)
    if year_part is None:
        return []
    value, start, end = year_part
    days = [date for date in quantity.dates if date[2] is not None or date[1] is not None]
    if any(
        index.by_day.get((month, day))
        for _, month, day in days
        for _, index in indexes
        if day is not None
    ):
        return [_Miss(quantity, start, end, value)]
    if any(_bare(value, index) for _, index in indexes):
        if start - quantity.start < quantity.end - end:
            return [_Miss(quantity, end, quantity.end, None)]
        return [_Miss(quantity, quantity.start, start, None)]
    return []


# ── derived ───────────────────────────────────────────────────────────────────────────────────

_SENTENCE = re.compile(r"[.!?](?=\s+[^\Wa-z\d_]|\s*$)|[。！？\n]")
_MAX_OPERANDS = 8
_MAX_DERIVED = 40


def _underived(
    reading: Reading, asked: list[Quantity], misses: list[_Miss], places: dict[int, _Place]
) -> list[_Miss]:
    """Drop the misses that plain arithmetic on two grounded numbers of their sentence gives."""
    if not misses or len(misses) > _MAX_DERIVED:
        return misses
    ends = [match.start() for match in _SENTENCE.finditer(reading.text)]
    numbers = {id(quantity): number for number, quantity in enumerate(asked)}
    kept = []
    for miss in misses:
        operands = _operands(asked, places, ends, miss.quantity)
        pair = _derivation(miss.quantity, operands) if miss.value is None else None
        if pair is None:
            kept.append(miss)
        else:
            source = places[numbers[id(pair)]]
            places[numbers[id(miss.quantity)]] = source._replace(kind="derived")
    return kept


def _operands(
    asked: list[Quantity], places: dict[int, _Place], ends: list[int], target: Quantity
) -> list[Quantity]:
    sentence = bisect_right(ends, target.start)
    found = [
        asked[number]
        for number in places
        if asked[number].kind is Kind.NUMBER
        and asked[number] is not target
        and bisect_right(ends, asked[number].start) == sentence
    ]
    return found[:_MAX_OPERANDS]


def _derivation(target: Quantity, operands: list[Quantity]) -> Quantity | None:
    """One operand of the pair that gives the target's value; None when no pair does."""
    if target.kind is not Kind.NUMBER or target.values[0] < 10 or target.form is not Form.DIGITS:
        return None
    value, unit = target.values[0], target.unit
    for one, other in combinations(operands, 2):
        a, b = one.values[0], other.values[0]
        if (
            one.unit is unit
            and other.unit is unit
            and unit is not None
            and value in (a + b, abs(a - b))
        ):
            return one
        if (one.unit is unit) != (other.unit is unit) and unit is not None and _close(value, a * b):
            return one
        if (
            unit is not None
            and unit.name == "%"
            and one.unit is other.unit
            and one.unit is not unit
            and a
            and b
        ):
            low, high = sorted((a, b))
            for share in (100 * low / high, 100 * (high - low) / high, 100 * (high - low) / low):
                if abs(share - value) <= target.step / 2:
                    return one
    return None


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


# ── what is reported ──────────────────────────────────────────────────────────────────────────


def _evidence(answer: str, quantity: Quantity, place: _Place) -> Evidence:
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


class _Near(NamedTuple):
    reason: str
    source: _Source
    found: Quantity
    note: str


def _finding(answer: str, reading: Reading, miss: _Miss, sources: list[_Source]) -> Finding:
    surface = answer[miss.start : miss.end].strip()
    start = miss.start + answer[miss.start : miss.end].find(surface)
    near = _nearest(miss, sources)
    detail = f'"{_line(surface)}" stands in no retrieved text.'
    if near is not None:
        words = _line(near.source.text[near.found.start : near.found.end])
        where = near.source.ref or near.source.kind.replace("from_", "the ")
        detail += f' Nearest: "{words}" in {_line(where)} ({near.note}).'
    reason = near.reason if near is not None else "absent"
    return Finding(
        NAME,
        reason,
        surface,
        start,
        start + len(surface),
        detail,
        _SEVERITY[reason],
        _cause(miss, surface),
    )


def _line(text: str) -> str:
    return " ".join(text.split())[:120]


def _cause(miss: _Miss, surface: str) -> str:
    """The normalised value and unit: the same wrong price, however it is spelled, is one group."""
    quantity = miss.quantity
    if miss.value is not None:
        return f"{miss.value:.15g}"
    if quantity.kind is Kind.NUMBER:
        sign = "-" if quantity.sign < 0 else ""
        unit = f" {quantity.unit.name}" if quantity.unit else ""
        return f"{sign}{quantity.values[0]:.15g}{unit}"
    if quantity.kind is Kind.DATE:
        year, month, day = quantity.dates[0]
        return f"{year or '????'}-{month or 0:02d}-{day or 0:02d}"
    if quantity.kind is Kind.TIME:
        return f"{quantity.minutes[0] // 60:02d}:{quantity.minutes[0] % 60:02d}"
    return (quantity.code or surface)[:200]


def _nearest(miss: _Miss, sources: list[_Source]) -> _Near | None:
    """The closest thing that does stand there, and what is wrong with the answer's number."""
    quantity = miss.quantity
    best: _Near | None = None
    for source in sources:
        near = _near_in(quantity, miss, source, _CACHE.index(source.text))
        if near is not None and (best is None or _RANK[near.note] < _RANK[best.note]):
            best = near
    return best


_RANK = {
    "another sign": 0, "another unit": 1, "digits swapped": 2, "another scale": 3,
    "another year": 4, "another date": 5, "another time": 5, "another value": 6,
}  # fmt: skip


def _near_in(quantity: Quantity, miss: _Miss, source: _Source, index: Index) -> _Near | None:
    if quantity.kind is Kind.DATE:
        return _near_date(quantity, miss, source, index)
    if quantity.kind is Kind.TIME:
        if not index.by_minute:
            return None
        minute = min(index.by_minute, key=lambda other: abs(other - quantity.minutes[0]))
        return _Near("absent", source, index.by_minute[minute], "another time")
    if quantity.kind is Kind.CODE:
        for code, found in list(index.codes.items())[:200]:
            if _swapped(code, quantity.code):
                return _Near("transposed", source, found, "digits swapped")
        return None
    value = quantity.values[0] if miss.value is None else miss.value
    same = index.by_value.get(value)
    if same:
        sign = quantity.sign < 0
        for found in same:
            if comparable(quantity, found) and (found.sign < 0) != sign:
                return _Near("sign", source, found, "another sign")
        return _Near("unit_mismatch", source, same[0], "another unit")
    for found in index.by_multiset.get("".join(sorted(shown(value))), ()):
        if _swapped(shown(found.values[0]), shown(value)):
            return _Near("transposed", source, found, "digits swapped")
    scaled = index.by_digits.get(significant(value)) if value else None
    if (
        scaled is not None
        and units.comparable(quantity.unit, scaled.unit)
        and _power_of_ten(scaled.values[0], value)
    ):
        return _Near("magnitude", source, scaled, "another scale")
    return _near_value(quantity, value, source, index)


def _near_value(quantity: Quantity, value: float, source: _Source, index: Index) -> _Near | None:
    alike = [
        found for found in index.nearest(value) if found.values and found.unit is quantity.unit
    ]
    if not alike:
        return None
    found = min(alike, key=lambda other: abs(other.values[0] - value))
    return _Near("absent", source, found, "another value")


def _near_date(quantity: Quantity, miss: _Miss, source: _Source, index: Index) -> _Near | None:
    _, month, day = quantity.dates[0]
    known = index.by_day.get((month, day))
    if known:
        return _Near("absent", source, known[0][1], "another year")
    if month is not None and day is not None and index.by_day.get((day, month)):
        return _Near("transposed", source, index.by_day[day, month][0][1], "digits swapped")
    dates = next(iter(index.by_day.values()), None)
    return _Near("absent", source, dates[0][1], "another date") if dates else None


def _power_of_ten(one: float, other: float) -> bool:
    return bool(one) and bool(other) and significant(one) == significant(other)


def _swapped(one: str, other: str) -> bool:
    """Two strings that differ by exchanging two digits."""
    if len(one) != len(other) or one == other:
        return False
    apart = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return len(apart) == 2 and one[apart[0]] == other[apart[1]] and one[apart[1]] == other[apart[0]]
