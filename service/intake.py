"""Taking answer events in over HTTP: the port, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from service.access.roles import Grant


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


AppOf = Callable[[bytes], str | None]
"""The app of an event, as it will be counted; None for what is none."""


class Intake(Protocol):
    """``asynchronous``: events are acknowledged and checked later (202), not at once (200)."""

    @property
    def asynchronous(self) -> bool: ...

    def submit(self, events: list[bytes]) -> list[Receipt]:
        """One receipt an event, in order. Raises :class:`Overloaded` or ``service.outage.Outage``;
        after either nothing of the request can be taken for granted and sending it again is safe
        (duplicates are recognised by app + event id)."""
        ...


class GrantedIntake:
    """Takes what its sender may send. ``app_of``: of an event; ``granted``: the apps of whoever
    sends now."""

    def __init__(self, intake: Intake, app_of: AppOf, granted: Callable[[], Grant]) -> None:
        self._intake = intake
        self._app_of = app_of
        self._granted = granted

    @property
    def asynchronous(self) -> bool:
        return self._intake.asynchronous

    def submit(self, events: list[bytes]) -> list[Receipt]:
        """See :class:`Intake`. An event for another app is refused in its receipt and counted
        nowhere."""
        grant = self._granted()
        if grant.everything:
            return self._intake.submit(events)
        admitted = [self._admits(grant, event) for event in events]
        taken = [event for event, good in zip(events, admitted, strict=True) if good]
        receipts = iter(self._intake.submit(taken) if taken else ())
        return [next(receipts) if good else _NOT_GRANTED for good in admitted]

    def _admits(self, grant: Grant, event: bytes) -> bool:
        """What is no event is refused as that."""
        app = self._app_of(event)
        return app is None or grant.covers(app)


_NOT_GRANTED = Receipt(
    "rejected",
    reason="app_not_granted",
    field="app",
    message="app: this key may not send for this app",
)
