"""What was retrieved for which question: from answer events or a file of lists, joined by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from service.contract import Ref
from service.events import AnswerEvent
from service.measuring.lines import BadLine, numbered, read_object
from service.measuring.questions import Question, normalised


@dataclass(frozen=True, slots=True)
class RetrievedList:
    """``refs``: in the order of retrieval, whether or not a chunk reached the prompt; ``app``: None
    for any; ``release``, ``usage``, ``latency_ms``: as in the answer event, where known."""

    query_id: str | None
    query: str | None
    refs: tuple[str, ...]
    app: str | None = None
    release: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, float | None] | None = None
    latency_ms: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """``lists``: by the id of its question; ``repeated``: lists that a later one of the same
    question took the place of; ``unasked``: lists of no question; ``by_words``: lists that were
    joined by their words, as they had no id that is asked for."""

    lists: Mapping[str, RetrievedList]
    repeated: int
    unasked: int
    by_words: int

    @property
    def releases(self) -> tuple[Mapping[str, Any], ...]:
        """What the joined lists tell of their releases, each once."""
        return tuple({repr(each.release): each.release for each in self.lists.values()}.values())


def of_event(event: AnswerEvent) -> RetrievedList:
    return RetrievedList(
        event.query_id,
        event.query,
        tuple(chunk.ref for chunk in event.retrieved),
        event.app,
        told_release(event),
        told_usage(event),
        event.latency_ms,
    )


def told_release(event: AnswerEvent) -> dict[str, Any]:
    """What the contract knows of it, as far as it was told."""
    told: dict[str, Any] = msgspec.to_builtins(event.release)
    return told


def told_usage(event: AnswerEvent) -> dict[str, Any] | None:
    """Every field, null where it was not told; None without any usage."""
    return None if event.usage is None else msgspec.structs.asdict(event.usage)


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    query_id: str | None = None
    query: str | None = None
    retrieved: Annotated[list[Ref], Field(max_length=10_000)]


_LINE = TypeAdapter(_Line)


def read_lists(raw: bytes, file: str) -> Iterator[RetrievedList]:
    """Lines ``{"query_id": …, "retrieved": ["ref", …]}``, or with ``query`` in the place of an id.
    Raises :class:`BadLine`."""
    for number, line in numbered(raw.splitlines()):
        told = read_object(_LINE, _Line.model_fields, line, file, number)
        if not told.query_id and not told.query:
            raise BadLine(file, number, "query_id: give it, or query")
        yield RetrievedList(told.query_id, told.query, tuple(told.retrieved))


def join(questions: Iterable[Question], lists: Iterable[RetrievedList]) -> Joined:
    """By ``query_id``; a list without an id that is asked for, by its normalised words. Of several
    lists of a question the last counts. A list of another app is no list of the question."""
    by_id: dict[str, list[Question]] = {}
    by_words: dict[str, list[Question]] = {}
    for question in questions:
        by_id.setdefault(question.query_id, []).append(question)
        by_words.setdefault(normalised(question.query), []).append(question)
    found: dict[str, RetrievedList] = {}
    count: Counter[str] = Counter()
    for each in lists:
        asked = by_id.get(each.query_id or "")
        told = asked if asked is not None else by_words.get(normalised(each.query or ""), [])
        mine = [q for q in told if each.app is None or q.app in (None, each.app)]
        count["unasked"] += not mine
        count["by_words"] += asked is None and bool(mine)
        count["repeated"] += any(question.query_id in found for question in mine)
        found.update({question.query_id: each for question in mine})
    return Joined(found, count["repeated"], count["unasked"], count["by_words"])
