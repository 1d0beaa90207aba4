"""A text's quantities, indexed so that each number of an answer is looked up, not searched for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from service.checks.reading import columns, headings, rates, records, units
from service.checks.reading.cache import ReadingCache
from service.checks.reading.calendar import Date
from service.checks.reading.content_words import VOCABULARIES
from service.checks.reading.quantities import NUMBER, ORDINAL, TIME, Quantity
from service.checks.reading.reader import read, read_known
from service.checks.reading.spoken import read_singles
from service.checks.reading.worked_out import WorkedOut

_NUMBERED = re.compile(r"[a-z_]{3,24}([1-9][0-9]?)")


class Index:
    """One text that may ground numbers. Built once; every look-up is O(1) or O(log n)."""

    def __init__(self, text: str) -> None:
        known = VOCABULARIES.known(text)
        reading = read(text) if known is None else read_known(text, known.hint, known.plain)
        self.text = reading.text
        self.quantities = reading.quantities
        self.by_value: dict[float, Quantity] = {}
        self._repeated: dict[float, list[Quantity]] = {}
        self.parts: dict[float, tuple[int, int]] = {}
        self.by_day: dict[tuple[int | None, int | None], list[tuple[Date, Quantity]]] = {}
        self.by_month: dict[int | None, list[tuple[Date, Quantity]]] = {}
        self.by_minute: dict[int, Quantity] = {}
        self.codes: dict[str, Quantity] = {}
        self._by_base: dict[str, dict[float, Quantity]] = {}
        self._per: dict[int, rates.Per | None] = {}
        self._bases: dict[str, list[float]] = {}
        self._is_record: bool | None = None
        add_value = self.by_value.setdefault
        for quantity in self.quantities:
            for value in quantity.values:
                first = add_value(value, quantity)
                if first is not quantity:
                    self._repeated.setdefault(value, [first]).append(quantity)
            if quantity.kind is not NUMBER or quantity.parts:
                self._add(quantity)

    def equal(self, value: float) -> Sequence[Quantity]:
        """The quantities of this value in order. A list for each would keep the collector busy."""
        first = self.by_value.get(value)
        return () if first is None else self._repeated.get(value) or (first,)

    def _add(self, quantity: Quantity) -> None:
        if quantity.kind is not TIME:
            for value, start, end in quantity.parts:
                self.parts.setdefault(value, (start, end))
        for date in quantity.dates:
            self.by_day.setdefault((date[1], date[2]), []).append((date, quantity))
            self.by_month.setdefault(date[1], []).append((date, quantity))
        for minute in quantity.minutes:
            self.by_minute.setdefault(minute, quantity)
        if quantity.code:
            self.codes.setdefault(quantity.code, quantity)

    @cached_property
    def numbered(self) -> dict[float, Quantity]:
        """Number → a name that it ends: ``period3`` is the third period."""
        found: dict[float, Quantity] = {}
        for quantity in self.quantities:
            match = _NUMBERED.fullmatch(quantity.code) if quantity.code else None
            if match is not None:
                found.setdefault(float(match.group(1)), quantity)
        return found

    def by_base(self, dimension: str) -> dict[float, Quantity]:
        """Quantities of one dimension by their value in its base."""
        known = self._by_base.get(dimension)
        if known is not None:
            return known
        found: dict[float, Quantity] = {}
        has_letter = units.has_letter(dimension)
        may_tell = len(self._told) > 0
        for quantity in self.quantities:
            unit = quantity.unit
            if unit is None and has_letter:
                unit = units.letter(self.text, quantity.end)
            if unit is None and may_tell:
                told = self.told_unit(quantity)
                if told is not None and told[0].dimension == dimension:
                    for value in quantity.values:
                        amount = units.base(value * 10.0 ** told[1], told[0])[1]
                        found.setdefault(amount, quantity)
            if unit is not None and unit.dimension == dimension:
                for value in quantity.values:
                    found.setdefault(units.base(value, unit)[1], quantity)
        if dimension in _ADDED:
            for total in totals(self.text, self.quantities):
                if total.dimension == dimension:
                    found.setdefault(total.base, total.one)
        self._by_base[dimension] = found
        return found

    def per(self, quantity: Quantity) -> rates.Per | None:
        """For what a quantity is told."""
        end = quantity.end
        if not rates.may_follow(self.text, end):
            return None
        if end not in self._per:
            self._per[end] = rates.behind(self.text, end)
        return self._per[end]

    @cached_property
    def by_rate(self) -> dict[rates.RateKey, dict[float, Quantity]]:
        """Quantities that are told for a unit of something else, by their worth in base units."""
        found: dict[rates.RateKey, dict[float, Quantity]] = {}
        for quantity in self.quantities:
            worth = rates.worth(self.text, quantity)
            if worth is not None:
                known = found.setdefault(worth[0], {})
                for amount in worth[1]:
                    known.setdefault(amount, quantity)
        return found

    def of_base_between(self, dimension: str, low: float, high: float) -> list[Quantity]:
        """Quantities of one dimension whose value in its base is in [low, high]; at most 50."""
        found = self.by_base(dimension)
        bases = self._bases.get(dimension)
        if bases is None:
            bases = self._bases[dimension] = sorted(found)
        left = bisect_left(bases, low)
        right = bisect_right(bases, high)
        return [found[base] for base in bases[left : min(right, left + 50)]]

    @property
    def is_record(self) -> bool:
        # asked of every text about every miss: a cached_property costs more than most answers
        known = self._is_record
        if known is None:
            known = self._is_record = records.is_record(self.text)
        return known

    @cached_property
    def scales(self) -> headings.Told:
        """What its headings tell."""
        return headings.scales(self.text)

    @cached_property
    def _told(self) -> dict[int, columns.ToldUnit]:
        """By the place of a number without a unit of its own: what a heading or a key tells."""
        found: dict[int, columns.ToldUnit] = {}
        text = self.text
        tables = columns.tables(text)
        if not tables and "_" not in text:
            return found
        for quantity in self.quantities:
            if quantity.unit is None and quantity.kind is NUMBER:
                told = columns.unit_of(text, tables, quantity)
                if told is not None:
                    found[quantity.start] = told
        return found

    def told_unit(self, quantity: Quantity) -> columns.ToldUnit | None:
        """The unit that a heading or a key tells for a number that has none of its own."""
        return self._told.get(quantity.start)

    @cached_property
    def worked_out(self) -> WorkedOut:
        """What two of its neighbours give."""
        return WorkedOut(self.text, self.quantities)

    @cached_property
    def fractions(self) -> list[Quantity]:
        """Halves, thirds and the like without a unit; at most 100."""
        found = [q for q in self.quantities if q.unit is None and q.values and 0 < q.values[-1] < 1]
        return found[:100]

    @cached_property
    def ratios(self) -> list[Total]:
        """What it tells as one in five and the like."""
        return list(islice(ratios(self.text, self.quantities), _MOST_RATIOS))

    @cached_property
    def singles(self) -> dict[tuple[str, float], Quantity]:
        """One of a unit, said with an article: an hour, ein Jahr, una hora y media."""
        return {
            units.base(quantity.values[0], quantity.unit): quantity
            for quantity in read_singles(self.text)
            if quantity.unit is not None
        }

    @cached_property
    def lowered(self) -> str:
        """As long as the text, but for a Turkish İ: ß stays, where folding makes it ss."""
        return self.text.lower()

    @cached_property
    def _sorted(self) -> list[tuple[float, int]]:
        return sorted((v, i) for i, q in enumerate(self.quantities) for v in q.values)

    def between(self, low: float, high: float) -> list[Quantity]:
        """Quantities with a reading in [low, high]; at most 50."""
        left = bisect_left(self._sorted, (low, -1))
        right = bisect_right(self._sorted, (high, len(self.quantities)))
        return [self.quantities[i] for _, i in self._sorted[left : min(right, left + 50)]]


_ADDED = frozenset({"time", "months"})
"""Dimensions whose quantities are told in two units: an hour and 35 minutes."""
_PLUS = re.compile(r"(?:,|, | |T|,? (?:and|und|et|y) )?")
_LONGEST_PLUS = 6


class Total(NamedTuple):
    """Two neighbours that are told together, and their sum in the base of their dimension."""

    one: Quantity
    other: Quantity
    dimension: str
    base: float


def totals(text: str, quantities: Sequence[Quantity]) -> Iterator[Total]:
    """What two neighbours make together: an hour and 35 minutes are 95 minutes."""
    for one, other in pairwise(quantities):
        larger, smaller = one.unit, other.unit
        if larger is None or smaller is None or larger.dimension not in _ADDED:
            continue
        if larger.dimension != smaller.dimension or larger.factor <= smaller.factor:
            continue
        if not 0 <= other.start - one.end <= _LONGEST_PLUS:
            continue
        if _PLUS.fullmatch(text, one.end, other.start) is not None:
            total = one.values[0] * larger.factor + other.values[0] * smaller.factor
            yield Total(one, other, larger.dimension, units.rounded(total))


_ONE_IN = re.compile(
    r"(?i)(?<![^\W_])(?:one|1|eine?[rsm]?|une?|uno|una) (?:in|out of|in every|von|sur|de cada) $"
)
_EACH = re.compile(r"(?i)(?<![^\W_])(?:every|jede[rsmn]?) $")
_LONGEST_ONE_IN = 16
_OUT_OF = frozenset({"out of", "in every", "of every", "von", "sur", "de cada"})
_LONGEST_OUT_OF = 10
_MOST_RATIOS = 100


def ratios(text: str, quantities: Sequence[Quantity]) -> Iterator[Total]:
    """Shares in percent that are told as a ratio: one in five, jeder Fünfte, 3 out of 4."""
    one: Quantity | None = None
    for other in quantities:
        whole = other.values[0] if other.kind is NUMBER and other.unit is None else 0.0
        if whole >= 2:
            before = text[max(0, other.start - _LONGEST_ONE_IN) : other.start]
            said = (_EACH if other.form is ORDINAL else _ONE_IN).search(before)
            if said is not None:
                begin = other.start - len(said.group())
                first = one if one is not None and one.start >= begin else other
                yield Total(first, other, "share", units.rounded(100 / whole))
            elif one is not None and 0 < other.start - one.end <= _LONGEST_OUT_OF:
                part = one.values[0] if one.kind is NUMBER and one.unit is None else 0.0
                if 0 < part < whole and text[one.end : other.start].strip() in _OUT_OF:
                    yield Total(one, other, "share", units.rounded(100 * part / whole))
        one = other


class Cache:
    """Indexes of the texts seen last, bounded by an estimate of their bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._indexes = ReadingCache(max_bytes, Index, _bytes)

    def index(self, text: str) -> Index:
        return self._indexes.of(text)


def _bytes(text: str, index: Index) -> int:
    return 4 * len(text) + 900 * len(index.quantities) + 2000
