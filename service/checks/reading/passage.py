"""A text while it is read: folded, what was found in it so far, and its own habits."""

from __future__ import annotations

from functools import cached_property

from service.checks.reading import calendar, language, records, separators
from service.checks.reading.folding import folded, holds_folded_space
from service.checks.reading.quantities import DATE, Part, Quantity

MOST_FOUND = 50_000
"""Quantities of one text past which a reader stops: more than any text that people read holds."""
CJK = "\u2e80"
"""Characters from here on need no word boundary beside digits."""


class Passage:
    """Readers append to ``found``; habits are worked out only when a reading depends on them.

    ``others``: the characters beyond ASCII, as they were before folding. ``plain``: it is known
    that no piece of the text holds one that matters: they are not gathered, and left out.
    """

    def __init__(self, original: str, plain: bool = False) -> None:
        if plain and not holds_folded_space(original):
            self.text, self.others = original, ""
        else:
            self.text, self.others = folded(original)
        self.is_ascii = self.text.isascii()
        self.found: list[Quantity] = []

    @cached_property
    def language(self) -> str:
        return language.detect(self.text)

    @cached_property
    def date_order(self) -> str:
        """ "dmy", "mdy" or "" when the text does not say."""
        return calendar.order_of(self.text, self.language)

    @cached_property
    def decimal_mark(self) -> str:
        """ "." or ",", by the text's own usage, then by its language; "" when both are possible."""
        if records.is_record(self.text):
            return "."
        return separators.decimal_mark(self.text, self.language)

    @property
    def is_full(self) -> bool:
        return len(self.found) >= MOST_FOUND

    @property
    def ends_in_date(self) -> bool:
        """Whether the last thing found is a date."""
        return bool(self.found) and self.found[-1].kind is DATE

    def add_date(self, date: calendar.Date, start: int, end: int, parts: tuple[Part, ...]) -> int:
        quantity = Quantity(start, end, start, end, DATE, dates=(date,), parts=parts)
        self.found.append(quantity)
        return end

    def taken(self) -> list[tuple[int, int]]:
        """The spans found so far, in order."""
        return sorted([(quantity.start, quantity.end) for quantity in self.found])
