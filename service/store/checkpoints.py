"""Checkpoints: the truth about what has been taken from each partition."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.accounting import PartitionBook
from service.store.connection import Connection, pairs, text

SCHEMA = 1
_COUNTS = ("received", "gaps", "lost", "checked", "recorded", "rejected", "duplicate")


class SchemaError(Exception):
    """The store was written by a newer release than this one."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a partition stands. ``announce``: its start is not yet on record in ``rag.verdicts``;
    ``reset``: an operator moved it, the owner must commit ``next`` before comparing anything."""

    next: int
    first: int
    segment: int
    topic_id: str
    announce: bool
    reset: bool


@dataclass(frozen=True, slots=True)
class SourceStart:
    """What a source looked like when it was first read."""

    topic_id: str
    partitions: int


class Checkpoints:
    """All checkpoints of one store, and the store's own identity (epoch, state, secret)."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def open(self) -> str:
        """Create what a new store needs, check the schema, and return the epoch.

        Raises :class:`SchemaError` for a store of a newer release, :class:`Outage` when away.
        """
        meta = self._c.keys.meta
        with self._c.guard():
            self._c.client.hsetnx(meta, "schema", SCHEMA)
            self._c.client.hsetnx(meta, "epoch", secrets.token_hex(8))
            self._c.client.hsetnx(meta, "secret", secrets.token_hex(16))
            schema, epoch = self._c.client.hmget(meta, "schema", "epoch")
        if int(schema) > SCHEMA:
            raise SchemaError(
                f"the store has schema {int(schema)}, this release reads {SCHEMA}: use a newer one"
            )
        return text(epoch)

    def glance(self, source: str, partitions: Sequence[int]) -> tuple[str, dict[int, int]]:
        """The epoch (empty when the store holds nothing) and each partition's next offset; those
        without a checkpoint are absent. One round trip."""
        pipe = self._c.client.pipeline(transaction=False)
        pipe.hget(self._c.keys.meta, "epoch")
        for partition in partitions:
            pipe.hget(self._c.keys.checkpoint(source, partition), "next")
        with self._c.guard():
            epoch, *offsets = pipe.execute()
        found = zip(partitions, offsets, strict=True)
        return text(epoch or b""), {partition: int(n) for partition, n in found if n is not None}

    def secret(self) -> bytes:
        """The sampling secret that the first process made, for those without a configured one."""
        with self._c.guard():
            return bytes(self._c.client.hget(self._c.keys.meta, "secret"))

    def state(self) -> str:
        """Empty, or what is being done to the store (``rebuilding``)."""
        with self._c.guard():
            return text(self._c.client.hget(self._c.keys.meta, "state") or b"")

    def fence(self, state: str) -> str:
        """A new epoch: whoever still holds the old one is refused from now on."""
        epoch = secrets.token_hex(8)
        with self._c.guard():
            self._c.client.hset(self._c.keys.meta, mapping={"epoch": epoch, "state": state})
        return epoch

    def finish(self) -> None:
        with self._c.guard():
            self._c.client.hset(self._c.keys.meta, "state", "")

    def wipe(self) -> None:
        """Delete all but the store's identity, the documents (they come from elsewhere), leases,
        keys of machines, what was spent with the factors that follow from it, what people said, the
        judge found and feedback did that is not produced yet, and unserved questions: no record
        tells it again."""
        keys = self._c.keys
        kept = (
            keys.meta, keys.documents(""), keys.numbers(""), keys.lease(""), keys.fences,
            keys.budgets, keys.factors, keys.review_outbox, keys.late_outbox, keys.claims,
            keys.api_keys, keys.questions,
        )  # fmt: skip
        with self._c.guard():
            for key in self._c.client.scan_iter(match=keys.prefix + "*", count=1_000):
                if not text(key).startswith(kept):
                    self._c.client.unlink(key)

    def remember_start(self, source: str, topic_id: str, partitions: int) -> None:
        """What :meth:`start` noted, after a rebuild."""
        with self._c.guard():
            self._c.client.hset(
                self._c.keys.source(source),
                mapping={"topic_id": topic_id, "partitions": partitions},
            )

    def remember_late(self, seq: int) -> None:
        """The number of the last late record that was read: others go on from there."""
        with self._c.guard():
            known = int(self._c.client.hget(self._c.keys.meta, "late") or 0)
            self._c.client.hset(self._c.keys.meta, "late", max(known, seq))

    def started(self, source: str) -> SourceStart | None:
        with self._c.guard():
            start = pairs(self._c.client.hgetall(self._c.keys.source(source)))
        if not start:
            return None
        return SourceStart(start["topic_id"], int(float(start["partitions"])))

    def start(self, source: str, topic_id: str, offsets: Mapping[int, int]) -> bool:
        """Set every partition's first checkpoint at once; False when somebody already has."""
        keys = self._c.keys
        args: list[str | int] = [keys.prefix, source, topic_id]
        for partition, offset in sorted(offsets.items()):
            args += [partition, offset]
        return bool(self._c.run("start", [keys.source(source), keys.checkpoints], args))

    def get(self, source: str, partition: int) -> Checkpoint | None:
        with self._c.guard():
            fields = pairs(self._c.client.hgetall(self._c.keys.checkpoint(source, partition)))
        if "next" not in fields:
            return None
        return Checkpoint(
            next=int(fields["next"]),
            first=int(fields["first"]),
            segment=int(fields["segment"]),
            topic_id=fields["topic_id"],
            announce=fields.get("announce") == "1",
            reset=fields.get("reset") == "1",
        )

    def open_segment(
        self,
        source: str,
        partition: int,
        offset: int,
        topic_id: str,
        segment: int | None = None,
        reset: bool = False,
    ) -> None:
        """Close the partition's account, if it has one, and open the next one at ``offset``."""
        keys = self._c.keys
        self._c.run(
            "open_segment",
            [keys.checkpoint(source, partition), keys.segments, keys.checkpoints],
            [
                f"{source}/{partition}",
                offset,
                topic_id,
                "" if segment is None else segment,
                "1" if reset else "",
            ],
        )

    def reset_done(self, source: str, partition: int) -> None:
        with self._c.guard():
            self._c.client.hdel(self._c.keys.checkpoint(source, partition), "reset")

    def books(self) -> list[PartitionBook]:
        """Every account, the closed ones too, in order of source, partition and segment."""
        books = []
        with self._c.guard():
            names = sorted(text(name) for name in self._c.client.smembers(self._c.keys.checkpoints))
            for name in names:
                source, _, partition = name.rpartition("/")
                key = self._c.keys.checkpoint(source, int(partition))
                books.append((name, pairs(self._c.client.hgetall(key))))
            for account in self._c.client.lrange(self._c.keys.segments, 0, -1):
                fields = json.loads(account)
                books.append((fields.pop("name"), fields))
        found = [_book(name, fields) for name, fields in books if "next" in fields]
        return sorted(found, key=lambda book: (book.source, book.partition, book.segment))


def _book(name: str, fields: Mapping[str, str]) -> PartitionBook:
    source, _, partition = name.rpartition("/")
    counts = {
        field: int(value)
        for field, value in fields.items()
        if field in _COUNTS or field.startswith("lost:")
    }
    return PartitionBook(
        source=source,
        partition=int(partition),
        first=int(fields["first"]),
        next=int(fields["next"]),
        segment=int(fields["segment"]),
        counts=counts,
    )
