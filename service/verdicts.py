"""The records of ``rag.verdicts``: kinds ``batch``, ``case``, ``task``, ``judgement``, ``feedback``
and ``erase``. Pure.

``batch`` closes a batch: it carries the offsets, what was received, skipped and lost, and one
compact row a record. ``case`` carries one flagged answer, ``task`` one that people audit,
``judgement`` what the judge said of one, ``feedback`` what a user did. These count only once the
``batch`` that covers their position is there. ``erase`` says whose answers are to be forgotten, up
to which position of each partition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from service.accounting import Row, decode_row, encode_rows
from service.makeup import Makeup
from service.storable import encoded

VERSION = 1


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One closed batch. Offsets [first, next) of (source, partition); ``lost``: reason → records.

    ``suppressed``: offsets of flagged answers that were counted in their groups without a case;
    ``grouped``: of those that a decision on their groups took; ``refused``: of answers that were
    drawn for the judge when its backlog was full; ``makeups``: what releases were made of.
    """

    source: str
    partition: int
    topic_id: str
    segment: int
    batch_id: str
    first: int
    next: int
    received: int
    gaps: int
    lost: Mapping[str, int]
    rows: tuple[Row, ...]
    suppressed: frozenset[int] = field(default=frozenset())
    refused: frozenset[int] = field(default=frozenset())
    grouped: frozenset[int] = field(default=frozenset())
    makeups: tuple[Makeup, ...] = ()


def encode_batch_head(batch: BatchRecord) -> bytes:
    """The record up to ``suppressed``, ``grouped`` and ``refused``: only the store's script knows
    these, and closes the object."""
    body = {
        "kind": "batch",
        "version": VERSION,
        "source": batch.source,
        "partition": batch.partition,
        "topic_id": batch.topic_id,
        "segment": batch.segment,
        "batch_id": batch.batch_id,
        "first": batch.first,
        "next": batch.next,
        "received": batch.received,
        "gaps": batch.gaps,
        "lost": dict(batch.lost),
        "rows": encode_rows(batch.rows),
    }
    if batch.makeups:
        body["makeups"] = [list(made) for made in batch.makeups]
    return orjson.dumps(body)[:-1]


def encode_case(case: Mapping[str, Any]) -> bytes:
    return encoded({"kind": "case", "version": VERSION, **case})


def encode_erasure(user_hash: str, below: Mapping[tuple[str, int], int], at_ms: int) -> bytes:
    """``below``: (source, partition) → the first offset that the erasure leaves alone."""
    return orjson.dumps(
        {
            "kind": "erase",
            "version": VERSION,
            "user_hash": user_hash,
            "at_ms": at_ms,
            "below": [[*place, offset] for place, offset in sorted(below.items())],
        }
    )


def decode(value: bytes) -> BatchRecord | dict[str, Any] | None:
    """A batch, another record as a dict (``kind`` says of what), or None for a kind or version that
    this release does not know."""
    data = orjson.loads(value)
    if data.get("version") != VERSION:
        return None
    if data["kind"] in ("case", "task", "judgement", "feedback", "review", "erase"):
        return dict(data)
    if data["kind"] != "batch":
        return None
    return BatchRecord(
        source=data["source"],
        partition=data["partition"],
        topic_id=data["topic_id"],
        segment=data["segment"],
        batch_id=data["batch_id"],
        first=data["first"],
        next=data["next"],
        received=data["received"],
        gaps=data["gaps"],
        lost=data["lost"],
        rows=tuple(decode_row(row) for row in data["rows"]),
        suppressed=frozenset(data["suppressed"]),
        refused=frozenset(data["refused"]),
        grouped=frozenset(data.get("grouped", ())),
        makeups=tuple(
            Makeup(app, release, hour, tuple(parts))
            for app, release, hour, parts in data.get("makeups", ())
        ),
    )
