"""Audit tasks: a uniform sample of all live answers that people label blind. From these alone come
the rates that people vouch for; what was flagged is no fair sample of anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """One answer to be labelled, without any finding or verdict. ``event``: the answer event as a
    dict, chunk texts filled in where they could be had; ``status``: open, done, expired or erased;
    ``due_ms``: when an open one expires as missing, milliseconds since 1970."""

    task_id: str
    app: str
    event_id: str
    release: str
    language: str
    occurred_ms: int
    query: str
    event: dict[str, Any]
    status: str
    due_ms: int
    reduced: bool = False
