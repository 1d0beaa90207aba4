"""Events whose verdict is known, and records of them."""

from __future__ import annotations

import json
from typing import Any

from service.events import AnswerEvent, EventLimits, parse_event
from service.pipeline import Batch, Effects, Seen, Terms, process, read_items
from service.policy import AppPolicy, Policy
from service.records import Record

NOW = 1_795_000_000_000
"""Milliseconds since 1970."""

HOUR_MS = 3_600_000
TERMS = Terms(Policy(apps={"support": AppPolicy(), "sales": AppPolicy()}), b"secret")


def event(event_id: str = "a", cites: str = "plans", **more: Any) -> dict[str, Any]:
    """Clean, unless it ``cites`` another chunk than ``plans``: each such name is its own group."""
    body = {
        "event_id": event_id,
        "app": "support",
        "query": "What does a seat cost?",
        "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}],
        "answer": f"A seat costs 45 € [pricing#{cites}].",
        "release": {"id": "r1"},
    }
    return body | more


def raw(event_id: str = "a", cites: str = "plans", **more: Any) -> bytes:
    return json.dumps(event(event_id, cites, **more), ensure_ascii=False).encode()


def as_event(body: dict[str, Any]) -> AnswerEvent:
    """However large."""
    found = parse_event(json.dumps(body).encode(), EventLimits(max_bytes=1 << 30))
    assert isinstance(found, AnswerEvent), found
    return found


def batch_of(
    *values: bytes | None, terms: Terms = TERMS, first: int = 0, at_ms: int = NOW
) -> Batch:
    """Consecutive records of partition 0."""
    records = [Record(0, first + n, at_ms, None, value) for n, value in enumerate(values)]
    return Batch(
        source="answers", partition=0, topic_id="topic-1", segment=0, first=first,
        next=first + len(records), received=len(records), gaps=0, lost={},
        items=read_items(records, terms),
    )  # fmt: skip


def effects_of(
    *values: bytes | None, terms: Terms = TERMS, seen: Seen | None = None, **place: Any
) -> Effects:
    return process(batch_of(*values, terms=terms, **place), {}, seen or Seen(), terms)
