"""Marks of a rounding count wherever they stand right before the number."""

from __future__ import annotations

import pytest

from service.checks.reading import phrases
from service.checks.reading.quantities import NUMBER, Quantity


def tolerance(before: str) -> tuple[float, float] | None:
    at = len(before)
    quantity = Quantity(at, at + 4, at, at + 4, NUMBER, (1500.0,))
    return phrases.tolerance(before + "1500 items", quantity)


@pytest.mark.parametrize(
    "mark",
    [
        *("about", "ca.", "approx.", "close to", "more than", "at least", "an average of", "fast"),
        *("ABOUT", "plus d'", "über", "à peu près", "~", "≈", "(roughly", '"circa', "12 some"),
    ],
)
@pytest.mark.parametrize("article", [" ", " a ", " der ", "a ", " (", " *", " $", " the €"])
def test_a_mark_is_seen_with_and_without_an_article(mark: str, article: str) -> None:
    assert tolerance(f"It holds {mark}{article}") is not None


@pytest.mark.parametrize(
    "before", ["", "It holds ", "That is about it: ", "The canoes cost ", "x a "]
)
def test_without_a_mark_nothing_is_tolerated(before: str) -> None:
    assert tolerance(before) is None
