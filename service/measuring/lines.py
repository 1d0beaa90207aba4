"""A line of one of our own files → a closed model, or an error that says where and what."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


class BadLine(ValueError):
    """``file, line n: field: what is wrong``. Repeats the name of an unknown field, no value."""

    def __init__(self, file: str, number: int, message: str) -> None:
        super().__init__(f"{file}, line {number}: {message}")
        self.file = file
        self.number = number


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """From 1 on, as an editor counts; lines of nothing but space are passed over, and so is the
    byte order mark that some editors begin a file with."""
    for number, line in enumerate(lines, 1):
        told = line.removeprefix(BOM_UTF8) if number == 1 else line
        if told.strip():
            yield number, told


def read_object(
    kind: TypeAdapter[T], known: Iterable[str], raw: bytes, file: str, number: int
) -> T:
    """``known``: the names of the fields. Raises :class:`BadLine`."""
    try:
        return kind.validate_json(raw)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        raise BadLine(file, number, _told(faults[0], list(known))) from None


def _told(fault: Any, known: list[str]) -> str:
    kind, place = fault["type"], _place(fault["loc"])
    if kind == "json_invalid":
        where = str(fault["ctx"]["error"]).replace("line 1 column", "column")
        return f"not valid JSON ({where}); each line is one whole object"
    if kind in ("dataclass_type", "model_type") and not place:
        return "must be an object"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return _unknown(str(fault["loc"][-1]), known)
    return f"{place}: {fault['msg']}"


def _place(loc: tuple[int | str, ...]) -> str:
    name = ""
    for part in loc:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def _unknown(name: str, known: list[str]) -> str:
    """A field's name is shown as Python writes it: it may hold anything."""
    close = get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
    return f"unknown field {name[:60]!a}; {hint}"
