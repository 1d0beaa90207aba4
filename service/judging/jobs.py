"""A judge job: all that the judge needs to rule on one answer, and where its result counts. Pure.

Made by the pipeline, kept by the store, read by the judge's workers: a worker needs no policy file
and no document store to judge one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from service.accounting import Row
from service.storable import encoded

ASSISTANT = "assistant"
RETRIEVED = "retrieved"
OTHER = "other"
HOUR_MS = 3_600_000


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
class Answer:
    """Which answer is judged, where it is counted, and how it was drawn: what outlives the job.

    ``job_id``: the case id of the answer (one job an answer). ``app`` and ``release`` are the
    bounded labels, ``identity`` the app's name as it was sent; ``hour``: hours since 1970;
    ``position``: (source, partition, offset). ``factors``: version of the sampling factors;
    ``flagged``: by the free checks; ``label``: the class that ``abstention`` gave the answer;
    ``hint``: ``negative_feedback``, if that is why it was drawn; ``tags``: those that it is
    counted by."""

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
    hint: str = ""
    tags: str = ""


def answer_of_row(
    row: Row, job_id: str, source: str, partition: int, occurred_ms: int | None = None
) -> Answer:
    """What a row in ``rag.verdicts`` knows of an answer that was drawn: when it occurred, to the
    hour, where nobody knows better."""
    return Answer(
        job_id=job_id,
        app=row.app,
        identity=row.identity,
        event_id=row.event_id,
        release=row.release,
        ruleset=row.ruleset,
        language=row.language,
        hour=row.hour,
        occurred_ms=row.hour * HOUR_MS if occurred_ms is None else occurred_ms,
        position=(source, partition, row.offset),
        stratum=row.stratum,
        u=row.u,
        pi=row.pi,
        pi_audit=row.pi_audit,
        factors=row.factors,
        audited=row.audited,
        flagged=row.flagged,
        label=row.label,
        tags=row.tags,
    )


def answer_in(data: Mapping[str, Any]) -> Answer:
    """From JSON that has an answer's fields, and perhaps others. Raises KeyError, TypeError or
    ValueError for what has them not."""
    source, partition, offset = data["position"]
    values = {name: data[name] for name in Answer.__dataclass_fields__ if name != "tags"}
    values |= {"position": (source, partition, offset), "tags": data.get("tags", "")}
    return Answer(**values)


@dataclass(frozen=True, slots=True)
class Job:
    """``event``: the answer event as a case record keeps it, chunk texts filled in where they could
    be had; ``weight``: the app's, among cases."""

    answer: Answer
    event: Mapping[str, Any]
    citations: tuple[JobCitation, ...] = ()
    weight: float = 1.0

    @property
    def query(self) -> str:
        return str(self.event["query"])

    @property
    def answer_text(self) -> str:
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
            Source(item["name"], item["text"], _context_kind(item))
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


def _context_kind(item: Mapping[str, Any]) -> str:
    """As the event says; a piece of context that calls itself retrieved is no chunk: nobody can
    cite it, and it is none of those whose share is useful."""
    kind = str(item.get("kind") or OTHER)
    return OTHER if kind == RETRIEVED else kind


def encode_job(job: Job) -> bytes:
    return encoded(asdict(job))


def decode_job(data: bytes) -> Job:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_job` never made."""
    plain = orjson.loads(data)
    return Job(
        answer_in(plain["answer"]),
        plain["event"],
        tuple(
            JobCitation(cited["start"], cited["end"], tuple(cited["refs"]))
            for cited in plain["citations"]
        ),
        plain["weight"],
    )
