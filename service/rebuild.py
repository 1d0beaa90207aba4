"""A wiped store, restored from ``rag.verdicts`` and ``rag.reviews``: the same counters, cases,
labels and checkpoints.

The records may come in any order and more than once. Every batch goes through the same script as
when it was first applied, with the decisions that were made then.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any

import orjson

from service.accounting import Kind, Row, prefix_of
from service.drafts import CaseDraft, JobDraft, TaskDraft, case_draft, case_id
from service.feedback import DRAWN, NEGATIVE, Heard, decode_heard
from service.judging.jobs import Answer, answer_of_row
from service.judging.judgement import Judgement, Status
from service.judging.results import Judged, decode_judged
from service.outage import Outage
from service.pipeline import Batch, Effects, group_hits, identity_hash
from service.policy import OTHER
from service.review.labels import Change, without_words
from service.review.records import decode_record
from service.review.state import numbered
from service.sampling import SELECTED
from service.store import Decided, Fenced, Refused, Store
from service.store.deflate import deflate, inflate
from service.verdicts import BatchRecord, decode, encode_case

Place = tuple[str, int, int, str]
"""Of a case: source, partition, offset and case id. A topic that was made anew has the same
positions once more, of other events."""


@dataclass(slots=True)
class Report:
    """What was read and restored. ``orphans``: cases whose batch never closed (their events will
    be read again); ``without_case``: flagged answers whose case record has aged out; ``holes``:
    stretches of offsets inside an account that no batch covers (aged out, or damaged);
    ``jobs_lost``: answers that waited for the judge, whose texts went with the store;
    ``feedback``: pieces of it that changed something; ``changes``: labels, undos and decisions of
    people."""

    records: int = 0
    unknown: int = 0
    batches: int = 0
    repeated: int = 0
    cases: int = 0
    orphans: int = 0
    without_case: int = 0
    holes: int = 0
    tasks: int = 0
    judgements: int = 0
    jobs_lost: int = 0
    feedback: int = 0
    changes: int = 0


class Collected:
    """All records of the topic, compressed, by position."""

    def __init__(self) -> None:
        self.report = Report()
        self._batches: dict[tuple[str, int, int, int, int], bytes] = {}
        self._cases: dict[Place, bytes] = {}
        self._tasks: dict[Place, bytes] = {}
        self._judgements: dict[Place, bytes] = {}
        self._feedback: dict[Place, dict[tuple[str, int], bytes]] = {}
        self._reviews: dict[str, dict[tuple[int, int, str], bytes]] = {}
        self.erasures: dict[tuple[str, int], dict[tuple[str, int], int]] = {}
        self._with_feedback: set[tuple[str, int, int]] = set()
        self.newest_ms = 0
        self.last_seq = 0

    def add(self, value: bytes | None) -> None:
        """One record's value. What is no verdict of ours is counted as unknown."""
        self.report.records += 1
        try:
            known = self._add(value or b"")
        except (AttributeError, KeyError, TypeError, ValueError):
            known = False
        self.report.unknown += not known

    def _add(self, value: bytes) -> bool:
        record = decode(value)
        if isinstance(record, BatchRecord):
            key = (record.source, record.partition, record.segment, record.first, record.next)
            self.report.repeated += key in self._batches
            self._batches[key] = deflate(value)
            timestamps = (row.timestamp_ms for row in record.rows)
            self.newest_ms = max(self.newest_ms, *timestamps, 0)
        elif record is not None and record["kind"] == "feedback":
            heard = decode_heard(record)
            self._with_feedback.add(heard.position)
            of_answer = self._feedback.setdefault((*heard.position, heard.case_id), {})
            of_answer[heard.read] = deflate(value)
            self.last_seq = max(self.last_seq, heard.seq)
        elif record is not None and record["kind"] == "erase":
            below = {(source, number): offset for source, number, offset in record["below"]}
            self.erasures[record["user_hash"], record["at_ms"]] = below
        elif record is not None and record["kind"] == "review":
            change = decode_record(value)
            of_subject = self._reviews.setdefault(change.subject, {})
            of_subject[change.number, change.at_ms, change.reviewer] = deflate(value)
        elif record is not None:
            self.last_seq = max(self.last_seq, record.get("seq", 0))
            kept, name = {
                "case": (self._cases, "case_id"),
                "task": (self._tasks, "case_id"),
                "judgement": (self._judgements, "job_id"),
            }[record["kind"]]
            source, partition, offset = record["position"]
            kept[source, partition, offset, record[name]] = deflate(value)
        return record is not None

    def batches(self) -> Iterable[BatchRecord]:
        """By source, partition and segment, in the order of their offsets."""
        for key in sorted(self._batches):
            record = decode(inflate(self._batches[key]))
            if isinstance(record, BatchRecord):
                yield record

    def take_case(self, place: Place) -> dict[str, Any] | None:
        return _unpacked(self._cases.pop(place, None))

    def take_task(self, place: Place) -> dict[str, Any] | None:
        return _unpacked(self._tasks.pop(place, None))

    def take_judgement(self, place: Place) -> Judged | None:
        data = _unpacked(self._judgements.pop(place, None))
        return None if data is None else decode_judged(data)

    def has_feedback(self, source: str, partition: int, offset: int) -> bool:
        return (source, partition, offset) in self._with_feedback

    def take_feedback(self, place: Place) -> list[Heard]:
        records = self._feedback.pop(place, {}).values()
        return [decode_heard(orjson.loads(inflate(record))) for record in records]

    def histories(self) -> Iterator[list[Change]]:
        """What people said, by subject."""
        for records in self._reviews.values():
            changes = [decode_record(inflate(record)) for record in records.values()]
            yield numbered(changes)

    def cases_left(self) -> int:
        return len(self._cases)


def _unpacked(record: bytes | None) -> dict[str, Any] | None:
    return None if record is None else orjson.loads(inflate(record))


def rebuild(
    store: Store, values: Iterable[bytes | None], on_progress: Callable[[Report], None]
) -> Report:
    """Fence the consumers, wipe the store, and restore it.

    Interrupted, it leaves the store marked as ``rebuilding``: the consumers stay halted, and
    running it again starts over. Raises :class:`Outage` when the store is away, and when somebody
    else took the store over meanwhile.
    """
    epoch = store.checkpoints.fence("rebuilding")
    try:
        return _rebuild(store, epoch, values, on_progress)
    except Refused:
        raise Outage(
            "another rebuild or a reset changed the store meanwhile: wait for it, look at "
            "`groundwatch books`, and run this again if need be"
        ) from None


def _rebuild(
    store: Store, epoch: str, values: Iterable[bytes | None], on_progress: Callable[[Report], None]
) -> Report:
    collected = Collected()
    # First what only the store has. It may reach the topic while that is being read.
    unproduced = chain(store.judgements.waiting(), store.reviews.unflushed(-1))
    for value in chain(unproduced, values):
        collected.add(value)
        if collected.report.records % 1_000 == 0:
            on_progress(collected.report)
    store.checkpoints.wipe()
    restorer = _Restorer(store, epoch, collected)
    for record in collected.batches():
        restorer.restore(record)
        on_progress(collected.report)
    restorer.later()
    restorer.erase()
    restorer.reviews()
    restorer.close()
    collected.report.orphans = collected.cases_left()
    if store.checkpoints.glance("", ())[0] != epoch:
        raise Fenced
    store.checkpoints.finish()
    on_progress(collected.report)
    return collected.report


class _Restorer:
    def __init__(self, store: Store, epoch: str, collected: Collected) -> None:
        self._store = store
        self._epoch = epoch
        self._collected = collected
        # Older identities have left the window, and a year of them would not fit into memory.
        newest_ms = min(collected.newest_ms, time.time_ns() // 1_000_000)
        self._ids_from_ms = newest_ms - store.ledger.id_memory_ms
        self._indexed_from_ms = newest_ms - store.ledger.feedback_memory_ms
        self._at: dict[tuple[str, int], tuple[int, int]] = {}
        self._drawn: list[Answer] = []
        self._heard: list[tuple[Heard, int]] = []
        self._topics: dict[str, str] = {}
        self._erased: frozenset[str] = frozenset()

    def restore(self, record: BatchRecord) -> None:
        place = (record.source, record.partition)
        at = self._at.get(place)
        if at is not None and at[0] == record.segment:
            record = _after(record, at[1])
            if record.next <= at[1] and record.first != record.next:
                return
        if at is None or at != (record.segment, record.first):
            # The first of its account, or one whose predecessors have aged out of the topic.
            self._collected.report.holes += at is not None and at[0] == record.segment
            self._store.checkpoints.open_segment(
                record.source, record.partition, record.first, record.topic_id, record.segment
            )
        self._apply(record)
        self._at[place] = (record.segment, record.next)
        self._topics[record.source] = record.topic_id

    def _apply(self, record: BatchRecord) -> None:
        drafts = {row.offset: self._draft(record, row) for row in record.rows if row.flagged}
        report = self._collected.report
        report.batches += 1
        report.without_case += sum(
            1
            for offset, draft in drafts.items()
            if not draft.record and offset not in record.suppressed | record.grouped
        )
        drawn = [
            answer_of_row(row, identity_of(row), record.source, record.partition)
            for row in record.rows
            if row.selection == SELECTED
        ]
        effects = replace(
            effects_of(
                record,
                tuple(drafts.values()),
                min(self._ids_from_ms, self._indexed_from_ms),
            ),
            tasks=tuple(self._tasks(record)),
            jobs=tuple(map(_job_draft, drawn)),
        )
        became = {
            offset: "opened" if draft.record
            else "grouped" if offset in record.grouped else "suppressed"
            for offset, draft in drafts.items()
        }  # fmt: skip
        applied = self._store.ledger.apply(
            effects,
            self._epoch,
            decided=Decided(became, record.refused, self._ids_from_ms, self._indexed_from_ms),
            outbox=False,
        )
        report.cases += applied.cases
        report.tasks += len(effects.tasks)
        self._drawn += [answer for answer in drawn if answer.position[2] not in record.refused]
        for row in record.rows:
            if self._collected.has_feedback(record.source, record.partition, row.offset):
                self._take_feedback(record, row)

    def _take_feedback(self, record: BatchRecord, row: Row) -> None:
        identity = identity_of(row)
        place = (record.source, record.partition, row.offset, identity)
        for heard in self._collected.take_feedback(place):
            self._heard.append((heard, row.timestamp_ms))
            if heard.to == DRAWN:
                answer = answer_of_row(row, identity, record.source, record.partition)
                self._drawn.append(
                    replace(
                        answer, pi=heard.pi, pi_audit=heard.pi_audit, factors=heard.factors,
                        flagged=True, hint=NEGATIVE,
                    )
                )  # fmt: skip

    def _tasks(self, record: BatchRecord) -> Iterator[TaskDraft]:
        for row in record.rows:
            if row.kind is Kind.CHECKED and row.audited:
                identity = identity_of(row)
                task = self._collected.take_task(
                    (record.source, record.partition, row.offset, identity)
                )
                if task is not None:
                    yield TaskDraft(
                        identity, row.offset, task["due_ms"], encode_case(task), row.app
                    )

    def _draft(self, record: BatchRecord, row: Row) -> CaseDraft:
        identity, day = identity_of(row), row.hour // 24
        place = (record.source, record.partition, row.offset, identity)
        # One that had none at first may have got a case later: that one stays where it is.
        without = row.offset in record.suppressed | record.grouped
        case = None if without else self._collected.take_case(place)
        if case is None:
            return CaseDraft(identity, row.offset, group_hits(row)[0].group, 0.0, "", day, (), b"")
        return case_draft(case, row.offset, day, encode_case(case))

    def later(self) -> None:
        """After all batches: what was judged and what users said, in the order in which it happened
        (a case that the one opened was met by the other); last, of what was drawn and has no
        judgement, that its payload is gone."""
        steps: list[tuple[float, Callable[[], None]]] = [
            (heard.seq, partial(self._restore_feedback, heard, timestamp_ms))
            for heard, timestamp_ms in self._heard
        ]
        for answer in self._drawn:
            judged = self._collected.take_judgement((*answer.position, answer.job_id))
            seq = math.inf if judged is None else judged.seq
            steps.append((seq, partial(self._restore_judgement, answer, judged)))
        for _, step in sorted(steps, key=itemgetter(0)):
            step()
        self._store.checkpoints.remember_late(self._collected.last_seq)

    def erase(self) -> None:
        """What was erased is so again, whatever the topic still holds of it."""
        for (user_hash, _), below in self._collected.erasures.items():
            self._erased |= self._store.erasure.apply(user_hash, below).answers

    def reviews(self) -> None:
        """Last: what people said is said of cases, tasks and groups that are there again."""
        for history in self._collected.histories():
            if history[-1].subject.partition(":")[2] in self._erased:
                history = [without_words(change) for change in history]
            self._store.reviews.restore(history, self._epoch)
            self._collected.report.changes += len(history)

    def _restore_judgement(self, answer: Answer, judged: Judged | None) -> None:
        place = (*answer.position, answer.job_id)
        if judged is None:
            lost = Judgement(Status.FAILED, version="", reason="payload_lost")
            judged = Judged(answer, lost)
            self._collected.report.jobs_lost += 1
        else:
            self._collected.report.judgements += 1
        case = self._collected.take_case(place) if judged.case == "opened" else None
        record = None if case is None else encode_case(case)
        self._store.judgements.restore(judged, record, self._epoch)
        self._collected.report.cases += record is not None

    def _restore_feedback(self, heard: Heard, timestamp_ms: int) -> None:
        place, draft = (*heard.position, heard.case_id), None
        if heard.case == "opened" and (case := self._collected.take_case(place)) is not None:
            draft = case_draft(case, heard.position[2], heard.hour // 24, encode_case(case))
        self._store.feedback.restore(heard, draft, timestamp_ms, self._epoch)
        self._collected.report.feedback += 1
        self._collected.report.cases += draft is not None

    def close(self) -> None:
        partitions: dict[str, set[int]] = {}
        for source, partition in self._at:
            partitions.setdefault(source, set()).add(partition)
        for source, known in partitions.items():
            self._store.checkpoints.remember_start(source, self._topics[source], len(known))


def _after(record: BatchRecord, offset: int) -> BatchRecord:
    """The part of a batch from ``offset`` on: after a crash a batch can stand in the topic twice,
    cut differently."""
    if record.first >= offset:
        return record
    rows = tuple(row for row in record.rows if row.offset >= offset)
    missing = record.next - offset - len(rows)
    lost: dict[str, int] = {}
    gaps = min(record.gaps, missing)
    missing -= gaps
    for reason, number in record.lost.items():
        lost[reason] = min(number, missing)
        missing -= lost[reason]
    return replace(record, first=offset, rows=rows, received=len(rows), gaps=gaps, lost=lost)


def identity_of(row: Row) -> str:
    return case_id(row.identity, row.event_id)


def _job_draft(answer: Answer) -> JobDraft:
    """Only to repeat whether the backlog refused it: no job is written."""
    prefix = prefix_of(answer.release, answer.ruleset, answer.language, answer.tags)
    place = (answer.app, answer.hour, prefix)
    return JobDraft(answer.job_id, answer.position[2], answer.audited, answer.stratum, place, b"")


def effects_of(record: BatchRecord, cases: tuple[CaseDraft, ...], horizon_ms: int) -> Effects:
    """The effects that a batch had, from its rows. Identities older than ``horizon_ms``
    (milliseconds since 1970) are left out."""
    batch = Batch(
        source=record.source,
        partition=record.partition,
        topic_id=record.topic_id,
        segment=record.segment,
        first=record.first,
        next=record.next,
        received=record.received,
        gaps=record.gaps,
        lost=record.lost,
        items=(),
    )
    return Effects(
        batch=batch,
        rows=record.rows,
        cases=cases,
        tasks=(),
        jobs=(),
        groups=tuple(hit for row in record.rows for hit in group_hits(row)),
        dead_letters=(),
        identities=tuple(
            (row.offset, identity_hash(row.identity, row.event_id), row.timestamp_ms)
            for row in record.rows
            if row.kind in (Kind.CHECKED, Kind.RECORDED) and row.timestamp_ms >= horizon_ms
        ),
        releases=_releases(record.rows),
        makeups=record.makeups,
        errors=(),
        results={},
    )


def _releases(rows: Iterable[Row]) -> Mapping[str, Mapping[str, int]]:
    releases: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.release not in ("", OTHER) and row.kind in (Kind.CHECKED, Kind.RECORDED):
            seen = releases.setdefault(row.app, {})
            seen[row.release] = max(seen.get(row.release, 0), row.hour * 3_600_000)
    return releases
