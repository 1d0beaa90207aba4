"""Taking answer events in over HTTP: the port, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one event of a request.

    ``state``: ``accepted`` (acknowledged by Kafka; the verdict follows), ``checked``, ``recorded``,
    ``duplicate`` or ``rejected`` (then ``reason``, ``field`` and ``message`` say why).
    For feedback: ``accepted``, ``rejected``, ``joined`` or ``unmatched``.
    ``verdict``, for ``checked``: {"checks": {name: outcome}, "findings": [...], "case_id"}.
    """

    state: str
    event_id: str | None = None
    reason: str | None = None
    field: str | None = None
    message: str | None = None
    verdict: dict[str, Any] | None = None


class Overloaded(Exception):
    """Too much at once: the sender should come back after ``retry_after_s`` seconds."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"overloaded; retry after {retry_after_s} s")
        self.retry_after_s = retry_after_s


class Intake(Protocol):
    """``asynchronous``: events are acknowledged and checked later (202), not at once (200)."""

    asynchronous: bool

    def submit(self, events: list[bytes]) -> list[Receipt]:
        """One receipt an event, in order. Raises :class:`Overloaded` or ``service.outage.Outage``;
        after either nothing of the request can be taken for granted and sending it again is safe
        (duplicates are recognised by app + event id)."""
        ...
