"""What a reader finds: a quantity, its place in the text, and all that it may mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from service.checks.reading.calendar import Date
from service.checks.reading.units import Unit

Span = tuple[int, int]
Part = tuple[float, int, int]
"""A number that stands inside a quantity: value, start, end."""


class Kind(IntEnum):
    NUMBER = 0
    DATE = 1
    TIME = 2
    CODE = 3
    """Matched whole: versions, ticket ids, phone numbers, IBANs."""


class Form(IntEnum):
    DIGITS = 0
    CARDINAL = 1
    ORDINAL = 2
    FRACTION = 3
    MULTIPLE = 4
    ROMAN = 5


# by their own names: looked up through its class, a member costs ten times as much (Python 3.11)
NUMBER: Final = Kind.NUMBER
DATE: Final = Kind.DATE
TIME: Final = Kind.TIME
CODE: Final = Kind.CODE
DIGITS: Final = Form.DIGITS
CARDINAL: Final = Form.CARDINAL
ORDINAL: Final = Form.ORDINAL
FRACTION: Final = Form.FRACTION
MULTIPLE: Final = Form.MULTIPLE
ROMAN: Final = Form.ROMAN


@dataclass(slots=True, init=False)
class Quantity:
    """One quantity. ``start:end`` spans value and unit, ``value_start:value_end`` the value alone.

    ``values``: alternative readings (absolute, scaled by million, k, …). ``sign``: -1, 0 (none
    written), 1. ``step``: worth of the last digit shown. ``parts``: numbers that stand inside it
    (day and year of a date) as (value, start, end).
    """

    start: int
    end: int
    value_start: int
    value_end: int
    kind: Kind = NUMBER
    values: tuple[float, ...] = ()
    unit: Unit | None = None
    sign: int = 0
    step: float = 1.0
    form: Form = DIGITS
    power: int = 0
    dates: tuple[Date, ...] = ()
    minutes: tuple[int, ...] = ()
    code: str = ""
    parts: tuple[Part, ...] = ()
    separable: bool = False
    """The parts may also stand for themselves (``23/24``, ``30 120``)."""
    is_alone: bool = field(default=False, compare=False)
    """Up to four digits between spaces, a word or a sign behind them, no label before them."""

    # spelled out: the one that a dataclass makes is left to the interpreter by mypyc
    def __init__(
        self,
        start: int,
        end: int,
        value_start: int,
        value_end: int,
        kind: Kind = NUMBER,
        values: tuple[float, ...] = (),
        unit: Unit | None = None,
        sign: int = 0,
        step: float = 1.0,
        form: Form = DIGITS,
        power: int = 0,
        dates: tuple[Date, ...] = (),
        minutes: tuple[int, ...] = (),
        code: str = "",
        parts: tuple[Part, ...] = (),
        separable: bool = False,
        is_alone: bool = False,
    ) -> None:
        self.start = start
        self.end = end
        self.value_start = value_start
        self.value_end = value_end
        self.kind = kind
        self.values = values
        self.unit = unit
        self.sign = sign
        self.step = step
        self.form = form
        self.power = power
        self.dates = dates
        self.minutes = minutes
        self.code = code
        self.parts = parts
        self.separable = separable
        self.is_alone = is_alone


@dataclass(slots=True, init=False)
class Reading:
    """A text that was read: its folded form (equally long) and its quantities in order."""

    text: str
    quantities: list[Quantity]

    def __init__(
        self,
        text: str,
        quantities: list[Quantity],
    ) -> None:
        self.text = text
        self.quantities = quantities
