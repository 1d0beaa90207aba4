"""What releases are made of, as their answers tell it: model, prompt, index and the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from service.events import Release

PARTS = (
    "model", "prompt", "retriever", "retrieval_params", "embedding_model", "chunking", "index",
    "corpus",
)  # fmt: skip
LONGEST = 120
"""Characters of a part that are kept."""
MOST = 20
"""Makeups of one batch kept. A part that differs from answer to answer explains nothing."""


class Makeup(NamedTuple):
    """``hour``: of the first answer that told it, hours since 1970; ``parts``: in the order of
    :data:`PARTS`, empty where they were not told. ``app`` and ``release``: the bounded labels."""

    app: str
    release: str
    hour: int
    parts: tuple[str, ...]

    def told(self) -> dict[str, str]:
        return {name: part for name, part in zip(PARTS, self.parts, strict=True) if part}


class Makeups:
    """Those of one batch, each with its first hour."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self._last: dict[tuple[str, str], tuple[Release, tuple[str, ...]]] = {}

    def note(self, app: str, label: str, release: Release, hour: int) -> None:
        """``label``: the bounded one of the release."""
        parts = self._parts(app, label, release)
        if any(parts):
            key = app, label, parts
            self._first[key] = min(hour, self._first.get(key, hour))

    def _parts(self, app: str, label: str, release: Release) -> tuple[str, ...]:
        # Nearly every answer's release is made as the one before it was, and told so anew.
        known = self._last.get((app, label))
        if known is not None and known[0] == release:
            return known[1]
        parts = tuple(_parts(release))
        self._last[app, label] = release, parts
        return parts

    def all(self) -> tuple[Makeup, ...]:
        """The earliest first."""
        found = (Makeup(app, label, hour, parts)
                 for (app, label, parts), hour in self._first.items())  # fmt: skip
        return tuple(sorted(found, key=lambda made: made[2:] + made[:2])[:MOST])


def _parts(release: Release) -> Iterator[str]:
    for name in PARTS:
        told = getattr(release, name)
        text = "" if told is None else told if isinstance(told, str) else _json(told)
        # Half a surrogate pair can be in an event, and in no record of ours.
        yield text[:LONGEST].encode("utf-8", "replace").decode()


def _json(told: object) -> str:
    try:
        return orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # a number of more than 64 bits, or half a surrogate pair
        return ascii(told)
