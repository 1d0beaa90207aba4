"""Audit tasks: a uniform sample of all live answers that people label blind. From these alone come
the rates that people vouch for; what was flagged is no fair sample of anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Open tasks, those that are due first before the others; ``next_cursor`` is None on the last
    page (opaque otherwise)."""

    tasks: list[Task] = field(default_factory=list)
    next_cursor: str | None = None


BLIND = ("query", "context", "retrieved", "answer", "citations")
_CHUNK = ("ref", "text", "title", "url", "rank", "number", "in_prompt")


def blind(event: Mapping[str, Any]) -> dict[str, Any]:
    """What a labeller may see of an event: question, answer and sources. Tags, scores and the like
    are left out, as an app may write there what it thinks of its own answer."""
    shown = {name: event[name] for name in BLIND if event.get(name) is not None}
    chunks = shown.get("retrieved")
    shown["retrieved"] = [
        {name: chunk[name] for name in _CHUNK if chunk.get(name) is not None}
        for chunk in (chunks if isinstance(chunks, list) else ())
        if isinstance(chunk, Mapping)
    ]
    return shown
