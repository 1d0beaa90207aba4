"""Walking an untrusted payload: every value with its path, every wrong type named by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_LARGEST = 2**53
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class PayloadError(ValueError):
    """The payload is not of the documented shape.

    ``path`` names the place (``citations[2].start``) in the API's own field names, ``fault`` what
    is wrong there. Neither repeats a value or a key of the payload.
    """

    def __init__(self, path: str, fault: str) -> None:
        self.path = path or "the payload"
        self.fault = fault
        super().__init__(f"{self.path}: {fault}")


class Node:
    """One value and where it stands. Null counts as absent everywhere."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = path

    @property
    def exists(self) -> bool:
        return self.value is not None

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def field(self, *names: str) -> Node:
        """The first of these fields that is there, else an absent node named by the first."""
        value = self.value
        if value is None:
            return Node(None, self._below(names[0]))
        if not isinstance(value, dict):
            raise PayloadError(self.path, "must be an object")
        for name in names:
            found = value.get(name)
            if found is not None:
                return Node(found, self._below(name))
        return Node(None, self._below(names[0]))

    def items(self) -> Iterator[Node]:
        """The entries of a list; none when it is absent."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            raise PayloadError(self.path, "must be a list")
        for position, value in enumerate(self.value):
            yield Node(value, f"{self.path}[{position}]")

    def text(self) -> str | None:
        value = self.value
        if value is None:
            return None
        if not isinstance(value, str):
            raise PayloadError(self.path, "must be a string")
        if not value.isascii() and _LONE_SURROGATE.search(value):
            raise PayloadError(self.path, "must be valid Unicode")
        return value

    def whole(self) -> int | None:
        """A whole number. ``5.0`` is one: some protobuf exporters know only floats."""
        value = self.value
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
            raise PayloadError(self.path, "must be a whole number")
        if abs(value) > _LARGEST:
            raise PayloadError(self.path, "out of range")
        return int(value)

    def required(self) -> Node:
        if self.value is None:
            raise PayloadError(self.path, "required, but missing")
        return self

    def _below(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
