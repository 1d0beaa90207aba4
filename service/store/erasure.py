"""Erasing what one user's answers left behind: cases, audits, judge jobs, judgements, questions,
outboxes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from service.judging.jobs import decode_job
from service.store.checkpoints import Checkpoints
from service.store.connection import Connection, text
from service.store.jobs import GROUP
from service.store.ledger import row_key
from service.store.questions import Questions
from service.verdicts import encode_erasure

Below = Mapping[tuple[str, int], int]
"""(source, partition) → the first offset that an erasure leaves alone."""
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Erased:
    cases: int = 0
    tasks: int = 0
    jobs: int = 0


class Erasure:
    """It covers what was taken up to now; what the same user asks later is kept again. Counters,
    rows without text and people's labels stay. Every method raises :class:`Outage`."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def erase(self, user_hash: str, now_ms: int) -> Erased:
        """Put it on record first, for a rebuild to obey; broken off, it can be run again."""
        books = Checkpoints(self._c).books()
        below = {(book.source, book.partition): book.next for book in books}
        with self._c.guard():
            self._c.client.rpush(self._c.keys.late_outbox, encode_erasure(user_hash, below, now_ms))
        return self.apply(user_hash, below)

    def apply(self, user_hash: str, below: Below) -> Erased:
        """Without a record: a rebuild repeats it."""
        cases = tasks = 0
        judged = self._judged()
        for case_id, positions in self._answers(user_hash, below).items():
            found = self._c.run(
                "erase", [self._c.keys.case(case_id)], [self._c.keys.prefix, case_id]
            )
            cases, tasks = cases + int(found[0]), tasks + int(found[1])
            pipe = self._c.client.pipeline(transaction=False)
            for key in judged:
                pipe.hdel(key, *(row_key(case_id, *position) for position in positions))
            with self._c.guard():
                pipe.execute()
        jobs = self._erase_jobs(user_hash, below)
        self._erase_unproduced(user_hash, below)
        Questions(self._c).erase(user_hash, below)
        return Erased(cases, tasks, jobs)

    def _judged(self) -> list[bytes]:
        with self._c.guard():
            return list(self._c.client.scan_iter(match=self._c.keys.prefix + "judged:*"))

    def _answers(self, user_hash: str, below: Below) -> dict[str, set[tuple[str, int, int]]]:
        found: dict[str, set[tuple[str, int, int]]] = {}
        for pattern in (self._c.keys.case("*"), self._c.keys.task("*")):
            for record in self._records(pattern):
                body = orjson.loads(zlib.decompress(record))
                if _is_of(body["event"], body["position"], user_hash, below):
                    found.setdefault(body["case_id"], set()).add(tuple(body["position"]))
        return found

    def _records(self, pattern: str) -> Iterator[bytes]:
        with self._c.guard():
            keys = list(self._c.client.scan_iter(match=pattern, count=1_000))
        for start in range(0, len(keys), _PAGE):
            pipe = self._c.client.pipeline(transaction=False)
            for key in keys[start : start + _PAGE]:
                pipe.hget(key, "record")
            with self._c.guard():
                yield from (record for record in pipe.execute() if record is not None)

    def _erase_jobs(self, user_hash: str, below: Below) -> int:
        keys, erased, after = self._c.keys, 0, "-"
        while True:
            with self._c.guard():
                page = self._c.client.xrange(keys.jobs, after, "+", count=_PAGE)
            for entry, fields in page:
                job = decode_job(zlib.decompress(fields[b"job"]))
                if _is_of(job.event, job.answer.position, user_hash, below):
                    erased += int(
                        self._c.run("erase_job", [keys.jobs, keys.totals], [GROUP, entry])
                    )
            if len(page) < _PAGE:
                return erased
            after = "(" + text(page[-1][0])

    def _erase_unproduced(self, user_hash: str, below: Below) -> None:
        """Cases and audits on their way to the topic. What is produced from them at this moment
        stands there before the record of the erasure."""
        with self._c.guard():
            outboxes = list(self._c.client.scan_iter(match=self._c.keys.prefix + "outbox:*"))
            for outbox in outboxes:
                for entry in self._c.client.lrange(outbox, 0, -1):
                    body = _case_of(entry)
                    if body and _is_of(body["event"], body["position"], user_hash, below):
                        self._c.client.lrem(outbox, 1, entry)


def _case_of(entry: bytes) -> dict[str, Any] | None:
    """Cases and tasks stand in outboxes deflated, nothing else does."""
    try:
        found: dict[str, Any] = orjson.loads(zlib.decompress(entry))
    except zlib.error:
        return None
    return found


def _is_of(event: Mapping[str, Any], position: Any, user_hash: str, below: Below) -> bool:
    source, partition, offset = position
    user = event.get("user")
    return (
        isinstance(user, Mapping)
        and user.get("id_hash") == user_hash
        and offset < below.get((source, partition), 0)
    )
