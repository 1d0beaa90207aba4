"""One line of what the doctor says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Advice:
    """``area``: topics, access, redis, clock, policy, sample …; ``said``: what is so;
    ``mend``: what to do about it, empty where it is ok. Of a sample's texts, only names of apps
    stand in it, and whoever prints it makes them harmless."""

    status: Status
    area: str
    said: str
    mend: str = ""


def healthy(advice: Iterable[Advice]) -> bool:
    """Whether nothing failed. A warning works, but somebody should know."""
    return all(line.status != "fail" for line in advice)
