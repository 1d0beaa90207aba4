"""A source of two partitions over one store, and events whose verdict is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service.checks import CHECKS
from service.documents import Documents
from service.ingest import Ingest
from service.metrics import Metrics
from service.pipeline import Batch, Effects, Seen, Terms, process, read_items
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.records import Record
from service.store import Applied, Caps, Connection, Outbox, Store

SOURCE = "answers"
TOPIC = "topic-1"
NOW = 1_795_000_000_000
"""Milliseconds since 1970; the beginning of an hour (and of a minute) it is not."""

HOUR_MS = 3_600_000
QUIET = AppPolicy(sampling=SamplingPolicy(audit=0))
"""Without audits: they withhold the case of the same answer."""
POLICY = Policy(apps={"support": QUIET, "sales": QUIET})


def event(event_id: str, cites: str = "plans", **more: Any) -> bytes:
    """Clean, unless it ``cites`` another chunk than ``plans``: each such name is its own group."""
    body = {
        "event_id": event_id,
        "app": "support",
        "query": "What does a seat cost?",
        "retrieved": [{"ref": "pricing#plans", "text": "Pro: 45 € a seat."}],
        "answer": f"A seat costs 45 € [pricing#{cites}].",
        "release": {"id": "r1"},
    }
    return json.dumps(body | more, ensure_ascii=False).encode()


def dump(connection: Connection) -> dict[str, Any]:
    """Everything in the store, by key. Hashes, sets and sorted sets compare without order."""
    client, found = connection.client, {}
    for name in sorted(client.keys("*")):
        match client.type(name):
            case b"hash":
                value: Any = client.hgetall(name)
            case b"set":
                value = client.smembers(name)
            case b"zset":
                value = dict(client.zrange(name, 0, -1, withscores=True))
            case b"stream":
                value = client.xrange(name)
            case b"list":
                value = client.lrange(name, 0, -1)
            case _:
                value = client.get(name)
        found[name.decode().split(":", 1)[1]] = value
    return found


class World:
    """``caps`` as in :class:`service.store.Caps`."""

    def __init__(self, connection: Connection, **caps: Any) -> None:
        self.connection = connection
        self.store = Store.over(connection, Caps(**caps), CHECKS)
        self.ledger = self.store.ledger
        self.archive = self.store.archive
        self.checkpoints = self.store.checkpoints
        self.terms = Terms(POLICY, b"secret", id_window_ms=caps.get("id_window_ms", HOUR_MS))
        self.epoch = self.checkpoints.open()
        self.checkpoints.start(SOURCE, TOPIC, {0: 0, 1: 0})

    def batch(
        self,
        events: Sequence[bytes],
        partition: int = 0,
        first: int | None = None,
        at_ms: int = NOW,
        gaps: int = 0,
        lost: Mapping[str, int] | None = None,
    ) -> Batch:
        """Consecutive records from the checkpoint (or ``first``) on; gaps and losses come last."""
        checkpoint = self.checkpoints.get(SOURCE, partition)
        assert checkpoint is not None
        begin = checkpoint.next if first is None else first
        records = [Record(partition, begin + n, at_ms, None, raw) for n, raw in enumerate(events)]
        lost = dict(lost or {})
        return Batch(
            source=SOURCE,
            partition=partition,
            topic_id=checkpoint.topic_id,
            segment=checkpoint.segment,
            first=begin,
            next=begin + len(events) + gaps + sum(lost.values()),
            received=len(events),
            gaps=gaps,
            lost=lost,
            items=read_items(records, self.terms),
        )

    def effects(self, events: Sequence[bytes], **place: Any) -> Effects:
        """Of a batch as :meth:`batch` makes it, with what the store knows about it."""
        batch = self.batch(events, **place)
        return process(batch, {}, self.seen(batch), self.terms)

    def seen(self, batch: Batch) -> Seen:
        return self.ledger.look_up(batch.items, ("support", "sales", "other"))

    def take(self, events: Sequence[bytes], **place: Any) -> Applied:
        """Apply a batch; its outbox is flushed into nothing."""
        applied, _ = self.take_records(events, **place)
        return applied

    def ingest(self, events: Sequence[bytes], **place: Any) -> Applied:
        """As :meth:`take`, by the way that the service goes: with what its groups have had."""
        metrics = Metrics()
        ingest = Ingest(self.store, Documents(self.connection), lambda: self.terms, metrics)
        batch = self.batch(events, **place)
        stages = ingest.stages()
        _, applied = ingest.apply(ingest.prepare(batch, stages), self.epoch, stages)
        self.ledger.clear_outbox(SOURCE, batch.partition, batch.batch_id)
        return applied

    def take_records(self, events: Sequence[bytes], **place: Any) -> tuple[Applied, Outbox]:
        effects = self.effects(events, **place)
        applied = self.ledger.apply(effects, self.epoch)
        outbox = self.ledger.outbox(SOURCE, effects.batch.partition)
        assert outbox is not None
        self.ledger.clear_outbox(SOURCE, effects.batch.partition, outbox.batch_id)
        return applied, outbox

    def dump(self) -> dict[str, Any]:
        return dump(self.connection)

    def group(self, cites: str) -> dict[str, str]:
        """The group of the answers that cite ``pricing#<cites>``."""
        for key, fields in self.dump().items():
            if key.startswith("g:") and f"pricing#{cites}".encode() in fields.get(b"cause", b""):
                return {name.decode(): value.decode() for name, value in fields.items()}
        raise AssertionError(f"no group of {cites}")


MakeWorld = Callable[..., World]
