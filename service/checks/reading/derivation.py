"""Plain arithmetic on two numbers that the answer states too. Kept narrow: it excuses errors."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import combinations, pairwise

from service.checks.reading.quantities import DIGITS, NUMBER, Quantity
from service.checks.reading.units import Unit

_SENTENCE = re.compile(r"[.!?。！？\n](?:(?<![.!?])|(?=\s+[^\Wa-z\d_]|\s*$))")
_MAX_OPERANDS = 8
_MOST_READINGS = 2
_NEAR = 40
"""Characters between two numbers that are told together: from 2.4 to 1.9 percent."""
_LEAST_SHARED = 2
_SMALLEST = 10
"""Below it, some sum or difference of two numbers is nearly always right by chance."""


def sentence_ends(text: str) -> list[int]:
    return [match.start() for match in _SENTENCE.finditer(text)]


def same_sentence(target: Quantity, others: Iterable[Quantity], ends: list[int]) -> list[Quantity]:
    """The numbers that stand in the target's sentence; at most eight."""
    sentence = bisect_right(ends, target.start)
    found = []
    for other in others:
        if other.kind is NUMBER and other is not target:
            if bisect_right(ends, other.start) == sentence:
                found.append(other)
                if len(found) == _MAX_OPERANDS:
                    break
    return found


def derivation(text: str, target: Quantity, operands: list[Quantity]) -> Quantity | None:
    """One operand of the pair that gives the target's value; None when no pair does.

    Sums, differences, products and quotients need a unit, so that not every count is a sum of two
    others; a sum that is called so needs none. ``text``: in which the target stands.
    """
    if target.kind is not NUMBER or target.form is not DIGITS:
        return None
    if _is_small(target) and target.step >= 1.0:
        return None
    is_total = _is_total(text, target)
    for one, other in combinations(operands, 2):
        if _gives(target, one, other) or (is_total and _adds_up(target, one, other)):
            return one
    return None


_TOTAL_BEFORE = re.compile(
    r"(?i)\b(?:total|totals|sum|summe|insgesamt|zusammen|gesamt|altogether|combined|soit|ensemble)"
    r"[^\w.!?\n]{1,3}(?:(?:of|von|de|is|ist|are|sind|also|rund|about|to) ){0,2}$"
)
_TOTAL_AFTER = re.compile(
    r"(?i)[^.!?\d\n]{0,16}\b"
    r"(?:in total|total|altogether|combined|insgesamt|zusammen|gesamt|in all)\b"
)
_LONGEST_BEFORE = 40


def _is_total(text: str, target: Quantity) -> bool:
    """Whether the words beside a number call it a sum: 36 in total, insgesamt 36, soit 36."""
    before = max(0, target.start - _LONGEST_BEFORE)
    if _TOTAL_BEFORE.search(text, before, target.start) is not None:
        return True
    return _TOTAL_AFTER.match(text, target.end) is not None


def _adds_up(target: Quantity, one: Quantity, other: Quantity) -> bool:
    units = {number.unit.name for number in (target, one, other) if number.unit is not None}
    if len(units) > 1:
        return False
    return any(
        _close(target.values[0], a + b)
        for a in one.values[:_MOST_READINGS]
        for b in other.values[:_MOST_READINGS]
    )


def may_be_derived(text: str, target: Quantity, others: list[Quantity]) -> bool:
    """Whether two of ``others`` could give the target's value, if they stood in one sentence."""
    numbers = [other for other in others if other.kind is NUMBER and other is not target]
    return len(numbers) > _MAX_OPERANDS or derivation(text, target, numbers) is not None


def is_points(unit: Unit | None) -> bool:
    """Percentage points, in which the distance of two percentages is told."""
    return unit is not None and unit.name == "pp"


def in_text(target: Quantity, quantities: list[Quantity]) -> Quantity | None:
    """One of two neighbouring percentages of a text that lie as many points apart as is told."""
    if not is_points(target.unit):
        return None
    # what stands between them, a year perhaps, does not part them
    shares = [quantity for quantity in quantities if quantity.unit is not None]
    for one, other in pairwise(shares):
        if other.start - one.end <= _NEAR and one.values and other.values:
            if _gives(target, one, other):
                return one
    return None


def _gives(target: Quantity, one: Quantity, other: Quantity) -> bool:
    # in "from 80 to 92 million" the first number may be worth millions, too
    return any(
        _gives_value(target, one, a, other, b)
        for a in one.values[:_MOST_READINGS]
        for b in other.values[:_MOST_READINGS]
    )


def _gives_value(target: Quantity, one: Quantity, a: float, other: Quantity, b: float) -> bool:
    value, unit = target.values[0], target.unit
    if unit is None:
        return False
    is_small = _is_small(target)
    if (one.unit is unit and other.unit is None) or (other.unit is unit and one.unit is None):
        if _is_quotient(target, (a, b) if one.unit else (b, a)):
            return True
        return not is_small and _close(value, a * b)
    if is_small:
        return False
    if one.unit is unit and other.unit is unit:
        return _close(value, a + b) or _close(value, abs(a - b))
    if unit.name == "pp" and one.unit is other.unit and one.unit and one.unit.name == "%":
        return _close(value, abs(a - b))
    if unit.name == "%" and one.unit is other.unit and a and b:
        low, high = sorted((a, b))
        shares = (100 * low / high, 100 * (high - low) / high, 100 * (high - low) / low)
        return any(abs(share - value) <= target.step / 2 for share in shares)
    return False


def _is_quotient(target: Quantity, told: tuple[float, float]) -> bool:
    """An amount shared among a count; a small whole number is one of two others by chance."""
    amount, count = told
    value = target.values[0]
    if count < _LEAST_SHARED or not count.is_integer() or (_is_small(target) and value % 1 == 0):
        return False
    return _close(value, amount / count)


def _is_small(target: Quantity) -> bool:
    return target.values[0] < _SMALLEST and not is_points(target.unit)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
