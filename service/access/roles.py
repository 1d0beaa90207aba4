"""What somebody may do, and in which apps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

EVERY_APP = "*"


class Role(StrEnum):
    """A sender sends answers and feedback, and reads nothing: what a RAG app holds is lost with it.
    A viewer reads; a reviewer labels and decides too; an admin may do everything."""

    SENDER = "sender"
    VIEWER = "viewer"
    REVIEWER = "reviewer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Grant:
    """The apps of which somebody may see anything; ``apps`` None: all of them."""

    apps: frozenset[str] | None = None

    @classmethod
    def of(cls, apps: Iterable[str]) -> Grant:
        """As it is written down: names, or ``*``."""
        named = frozenset(apps)
        return cls(None if EVERY_APP in named else named)

    @property
    def everything(self) -> bool:
        return self.apps is None

    def covers(self, app: str) -> bool:
        return self.apps is None or app in self.apps

    def written(self) -> list[str]:
        return [EVERY_APP] if self.apps is None else sorted(self.apps)


ALL = Grant()
NOTHING = Grant(frozenset())
