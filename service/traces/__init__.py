"""Traces of batches and of the judge's jobs: what a span says, and that there are none by default.

:mod:`service.traces.otlp` sends them, and is imported only where they are on. A span carries
numbers, names of ours and ids, never a text under watch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

MOST_LINKS = 32
"""Answers of one batch that its span links to."""


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took from ``began_ns`` to ``ended_ns`` (since 1970). ``links``: W3C trace ids
    of the answers that it was about; ``failed``: it did not do what it was for."""

    name: str
    began_ns: int
    ended_ns: int
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    children: Sequence[Span] = ()
    links: Sequence[str] = ()
    failed: bool = False


class Traces(Protocol):
    """``on``: whether anybody wants them. Nothing here ever blocks or raises."""

    @property
    def on(self) -> bool: ...

    def record(self, span: Span) -> str:
        """Have it sent, with its children. Returns its trace id, empty where traces are off."""
        ...

    def close(self) -> None:
        """Send what is left, for a moment; what cannot be sent by then is lost."""
        ...


class NoTraces:
    on = False

    def record(self, span: Span) -> str:
        return ""

    def close(self) -> None:
        return


NO_TRACES = NoTraces()
