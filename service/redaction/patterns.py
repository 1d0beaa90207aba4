"""Custom patterns: Python regular expressions, as long as none can take long.

Python's engine tries every way to match, and can be stopped by nothing. So a pattern is refused
unless the number of ways is small whatever the text: it is counted from the pattern alone. Every
repeat needs an upper bound, and alternatives and repeats multiply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from math import prod
from typing import Any

# What re itself reads patterns with. Nothing public tells how a pattern is made.
code: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

MOST_WAYS = 200
"""To match at one place of a text."""
LONGEST_MATCH = 300
"""Characters."""


def check_pattern(pattern: str) -> str:
    """The pattern, if it is safe. Raises ValueError that says what is wrong and how to mend it."""
    try:
        re.compile(pattern)
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    shortest, longest = parsed.getwidth()
    if shortest == 0:
        raise ValueError("it matches where nothing stands: make a part of it required")
    ways = _ways(parsed)
    if longest > LONGEST_MATCH:
        raise ValueError(
            f"it may match more than {LONGEST_MATCH} characters: give each repeat an upper bound, "
            "{1,20} for + and {0,20} for *"
        )
    if ways > MOST_WAYS:
        raise ValueError(
            f"it can match in more than {MOST_WAYS} ways at one place, which makes it slow on some "
            "texts: use fewer or tighter repeats, and no repeat within a repeat"
        )
    return pattern


def _ways(parsed: Iterable[tuple[Any, Any]]) -> int:
    """How many ways a sequence has to match at one place, at most."""
    return prod(_ways_of(operation, given) for operation, given in parsed)


def _ways_of(operation: Any, given: Any) -> int:
    if operation in _REPEATS:
        fewest, most, item = given
        return _repeated(_ways(item), fewest, min(most, LONGEST_MATCH))
    if operation is code.BRANCH:
        return sum(_ways(branch) for branch in given[1])
    if operation is code.SUBPATTERN:
        return _ways(given[-1])
    if operation is code.ATOMIC_GROUP:
        return _ways(given)
    if operation in (code.ASSERT, code.ASSERT_NOT):
        return _ways(given[1])
    if operation is code.GROUPREF_EXISTS:
        return sum(_ways(branch) for branch in given[1:] if branch is not None)
    return 1


_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)


def _repeated(ways: int, fewest: int, most: int) -> int:
    """Of a repeat of something that has ``ways``: the sum over every count, up to the bound."""
    if ways == 1:
        return most - fewest + 1
    total = 0
    for count in range(fewest, most + 1):
        total += ways**count
        if total > MOST_WAYS:
            break
    return total
