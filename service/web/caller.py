"""Who asks: set for each request by :mod:`service.web.admission`, read by whatever answers it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, auto

from service.access.roles import ALL, NOTHING, Grant, Role


class Way(Enum):
    """How somebody came in. Nobody was asked; a machine's key; a trusted proxy's word; not at all
    (probes, static files)."""

    UNASKED = auto()
    KEY = auto()
    PROXY = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Caller:
    """``name``: of a person or a key; empty where nobody was asked. ``key_id``: of a key."""

    way: Way
    role: Role | None
    grant: Grant
    name: str = ""
    key_id: str = ""

    @property
    def named(self) -> bool:
        """Who it is has been shown: what they say of themselves does not count."""
        return bool(self.name)

    @property
    def reviews(self) -> bool:
        return self.role in (Role.REVIEWER, Role.ADMIN)


NOBODY = Caller(Way.NONE, None, NOTHING)
ANYBODY = Caller(Way.UNASKED, Role.ADMIN, ALL)

CALLER: ContextVar[Caller] = ContextVar("caller", default=NOBODY)
"""Of the request that is being answered. What runs outside of one sees nothing."""


def caller() -> Caller:
    return CALLER.get()
