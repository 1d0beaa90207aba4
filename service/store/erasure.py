"""Erasing what one user's answers left behind: cases, audits, judge jobs, judgements, words in
labels, unserved questions, outboxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from service.judging.jobs import decode_job
from service.review.labels import without_words
from service.review.records import decode_record, encode_record
from service.store.checkpoints import Checkpoints
from service.store.connection import Connection, text
from service.store.deflate import DeflateError, inflate
from service.store.jobs import GROUP
from service.store.ledger import row_key
from service.store.questions import Questions
from service.verdicts import encode_erasure

Below = Mapping[tuple[str, int], int]
"""(source, partition) → the first offset that an erasure leaves alone."""
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Erased:
    """``labels``: changes of a history that lost their words; ``unproduced``: records that had not
    reached the topic yet; ``answers``: case ids of those that had a case or an audit."""

    cases: int = 0
    tasks: int = 0
    jobs: int = 0
    judgements: int = 0
    labels: int = 0
    unproduced: int = 0
    answers: frozenset[str] = field(default=frozenset(), compare=False)


class Erasure:
    """It covers what was taken up to now; what the same user asks later is kept again. Counters,
    rows without text and what people called an answer stay; their notes on it do not. Every method
    raises :class:`Outage`. ``on_progress``: told how many records were looked at."""

    def __init__(
        self, connection: Connection, on_progress: Callable[[int], object] = lambda looked: None
    ) -> None:
        self._c = connection
        self._on_progress = on_progress
        self._looked = 0

    def erase(self, user_hash: str, now_ms: int) -> Erased:
        """Put it on record first, for a rebuild to obey; broken off, it can be run again."""
        books = Checkpoints(self._c).books()
        below = {(book.source, book.partition): book.next for book in books}
        with self._c.guard():
            self._c.client.rpush(self._c.keys.late_outbox, encode_erasure(user_hash, below, now_ms))
        return self.apply(user_hash, below)

    def apply(self, user_hash: str, below: Below) -> Erased:
        """Without a record: a rebuild repeats it."""
        cases = tasks = judgements = labels = 0
        judged = self._judged()
        answers = self._answers(user_hash, below)
        for case_id, positions in answers.items():
            # Before, so that an erasure that is broken off finds the rest; and after, when nobody
            # can add a label any more.
            labels += self._forget_words(case_id)
            found = self._c.run(
                "erase", [self._c.keys.case(case_id)], [self._c.keys.prefix, case_id]
            )
            cases, tasks = cases + int(found[0]), tasks + int(found[1])
            judgements += self._forget_judgements(judged, case_id, positions)
            labels += self._forget_words(case_id)
        jobs = self._erase_jobs(user_hash, below)
        unproduced = self._erase_unproduced(user_hash, below)
        Questions(self._c).erase(user_hash, below)
        return Erased(cases, tasks, jobs, judgements, labels, unproduced, frozenset(answers))

    def _forget_judgements(
        self, judged: list[bytes], case_id: str, positions: set[tuple[str, int, int]]
    ) -> int:
        pipe = self._c.client.pipeline(transaction=False)
        for key in judged:
            pipe.hdel(key, *(row_key(case_id, *position) for position in positions))
        with self._c.guard():
            return sum(pipe.execute())

    def _forget_words(self, case_id: str) -> int:
        found = 0
        for subject in (f"case:{case_id}", f"task:{case_id}"):
            history = self._c.keys.history(subject)
            with self._c.guard():
                records = self._c.client.lrange(history, 0, -1)
            forgotten = [
                part
                for record in records
                if (change := decode_record(record)) != (bare := without_words(change))
                for part in (record, encode_record(bare))
            ]
            if forgotten:
                keys = [history, self._c.keys.review_outbox]
                found += int(self._c.run("forget_words", keys, forgotten))
        return found

    def _judged(self) -> list[bytes]:
        with self._c.guard():
            return list(self._c.client.scan_iter(match=self._c.keys.prefix + "judged:*"))

    def _answers(self, user_hash: str, below: Below) -> dict[str, set[tuple[str, int, int]]]:
        found: dict[str, set[tuple[str, int, int]]] = {}
        for pattern in (self._c.keys.case("*"), self._c.keys.task("*")):
            for record in self._records(pattern):
                body = orjson.loads(inflate(record))
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
                page = pipe.execute()
            self._saw(len(page))
            yield from (record for record in page if record is not None)

    def _saw(self, number: int) -> None:
        self._looked += number
        self._on_progress(self._looked)

    def _erase_jobs(self, user_hash: str, below: Below) -> int:
        keys, erased, after = self._c.keys, 0, "-"
        while True:
            with self._c.guard():
                page = self._c.client.xrange(keys.jobs, after, "+", count=_PAGE)
            self._saw(len(page))
            for entry, fields in page:
                job = decode_job(inflate(fields[b"job"]))
                if _is_of(job.event, job.answer.position, user_hash, below):
                    erased += int(
                        self._c.run("erase_job", [keys.jobs, keys.totals], [GROUP, entry])
                    )
            if len(page) < _PAGE:
                return erased
            after = "(" + text(page[-1][0])

    def _erase_unproduced(self, user_hash: str, below: Below) -> int:
        """Cases and audits on their way to the topic. What is produced from them at this moment
        stands there before the record of the erasure."""
        erased = 0
        with self._c.guard():
            outboxes = list(self._c.client.scan_iter(match=self._c.keys.prefix + "outbox:*"))
            for outbox in outboxes:
                for entry in self._c.client.lrange(outbox, 0, -1):
                    body = _case_of(entry)
                    if body and _is_of(body["event"], body["position"], user_hash, below):
                        erased += self._c.client.lrem(outbox, 1, entry)
        return erased


def _case_of(entry: bytes) -> dict[str, Any] | None:
    """Cases and tasks stand in outboxes deflated, nothing else does."""
    try:
        found: dict[str, Any] = orjson.loads(inflate(entry))
    except DeflateError:
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
