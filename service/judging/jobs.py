"""A judge job: all that the judge needs to rule on one answer, and where its result counts. Pure.

Made by the pipeline, kept by the store, read by the judge's workers: a worker needs no policy file
and no document store to judge one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

ASSISTANT = "assistant"
RETRIEVED = "retrieved"


@dataclass(frozen=True, slots=True)
class Source:
    """A retrieved chunk, or a piece of context (then ``kind`` is the context's, ``ref`` its
    name)."""

    ref: str
    text: str
    kind: str = RETRIEVED


@dataclass(frozen=True, slots=True)
class JobCitation:
    """A citation in the answer [start, end) that resolved to these refs of retrieved chunks."""

    start: int
    end: int
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """``job_id``: the case id of the answer (one job an answer). ``app`` and ``release`` are the
    bounded labels, ``identity`` the app's name as it was sent; ``hour``: hours since 1970;
    ``position``: (source, partition, offset). ``factors``: version of the sampling factors;
    ``flagged``: by the free checks; ``label``: the class that ``abstention`` gave the answer;
    ``hint``: ``negative_feedback``, if that is why it was drawn; ``weight``: the app's,
    among cases. ``event``: the answer event as a case record keeps it, chunk texts filled in where
    they could be had."""

    job_id: str
    app: str
    identity: str
    event_id: str
    release: str
    ruleset: str
    language: str
    hour: int
    occurred_ms: int
    position: tuple[str, int, int]
    stratum: str
    u: float
    pi: float
    pi_audit: float
    factors: int
    audited: bool
    flagged: bool
    label: str
    event: Mapping[str, Any]
    citations: tuple[JobCitation, ...] = ()
    hint: str = ""
    weight: float = 1.0

    @property
    def query(self) -> str:
        return str(self.event["query"])

    @property
    def answer(self) -> str:
        return str(self.event["answer"])

    @property
    def corpus(self) -> str:
        return str((self.event.get("release") or {}).get("corpus") or "")

    @property
    def sources(self) -> tuple[Source, ...]:
        """What may support a claim: retrieved chunks that reached the model, in their order, then
        the context but for the system's own earlier answers. Chunks without a text are absent."""
        chunks = (
            Source(chunk["ref"], chunk["text"])
            for chunk in self.event["retrieved"]
            if chunk.get("in_prompt", True) and chunk.get("text")
        )
        context = (
            Source(item["name"], item["text"], item.get("kind") or "other")
            for item in self.event.get("context") or ()
            if item.get("kind") != ASSISTANT
        )
        return (*chunks, *context)

    @property
    def said_before(self) -> tuple[str, ...]:
        """The system's own earlier answers: to be understood by, never evidence."""
        context = self.event.get("context") or ()
        return tuple(item["text"] for item in context if item.get("kind") == ASSISTANT)

    @property
    def texts_missing(self) -> int:
        """Chunks that reached the model and whose text could not be had."""
        retrieved = self.event["retrieved"]
        return sum(1 for c in retrieved if c.get("in_prompt", True) and not c.get("text"))


def encode_job(job: Job) -> bytes:
    return orjson.dumps(asdict(job))


def decode_job(data: bytes) -> Job:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_job` never made."""
    plain = Job(**orjson.loads(data))
    source, partition, offset = plain.position
    return replace(
        plain,
        position=(source, partition, offset),
        citations=tuple(
            JobCitation(cited["start"], cited["end"], tuple(cited["refs"]))
            for cited in map(_fields, plain.citations)
        ),
    )


def _fields(item: Any) -> dict[str, Any]:
    return dict(item)
