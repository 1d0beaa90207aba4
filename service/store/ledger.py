"""Effects, exactly once: one script call a batch and partition, and the outbox it leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from service.accounting import counters_of, partition_counts, totals_of
from service.drafts import CaseDraft, JobDraft
from service.pipeline import DAY_MS, Batch, Effects, GroupHit, Item, Seen
from service.questions import encode_question
from service.sampling import INITIAL_FACTORS, decode_factors
from service.store.connection import Call, Connection, Denied, text
from service.store.deflate import deflate, inflate
from service.store.keys import ID_BUCKETS
from service.store.makeups import MAKEUPS_PER_APP, encode_makeup
from service.store.places import index_of
from service.verdicts import BatchRecord, encode_batch_head


class Refused(Exception):
    """The script did not act; nothing changed."""


class Fenced(Refused):
    """The store's epoch changed (a rebuild or a reset): read everything again."""


@dataclass(eq=False)
class Moved(Refused):
    """The checkpoint is elsewhere. ``next`` is None when there is none; ``pending`` is the batch id
    in the outbox, if any: equal to ours when our own call got through and its answer was lost."""

    next: int | None
    pending: str | None


@dataclass(eq=False)
class OutboxPending(Refused):
    """Another batch of this partition is still in the outbox: flush it first."""

    batch_id: str


@dataclass(eq=False)
class Duplicates(Refused):
    """Identities that somebody else stored since the look-up: compute the batch again."""

    identities: frozenset[int]


@dataclass(frozen=True, slots=True)
class Applied:
    """What the script decided about the flagged answers of the batch, and about those drawn for the
    judge."""

    cases: int
    suppressed: int
    jobs: int = 0
    refused: int = 0
    grouped: int = 0


class LookUp:
    """What was asked about a batch."""

    def __init__(self, call: Call, apps: Sequence[str], max_backlog: int) -> None:
        self._call = call
        self._apps = apps
        self._max_backlog = max_backlog

    def result(self) -> Seen:
        """Wait for it. Raises :class:`Outage`."""
        known, releases, factors, waiting = self._call.reply()
        return Seen(
            frozenset(int(identity) for identity in known),
            {
                app: {
                    text(name): int(score)
                    for name, score in zip(told[::2], told[1::2], strict=True)
                }
                for app, told in zip(self._apps, releases, strict=True)
            },
            decode_factors(factors) if factors else INITIAL_FACTORS,
            waiting >= self._max_backlog,
        )

    def abandon(self) -> None:
        self._call.abandon()


class Applying:
    """A batch that the store is at work on."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def result(self) -> Applied:
        """Wait for it. Raises what :meth:`Ledger.begin` names."""
        return _read_reply(self._call.reply())

    def abandon(self) -> None:
        """The batch may or may not be applied; the checkpoint tells whoever goes on from it."""
        self._call.abandon()


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided when a batch was first applied. ``became``: offset of a flagged answer →
    ``opened``, ``suppressed`` or ``grouped``; ``refused``: offsets of the jobs that the backlog had
    no room for. Identities of records before ``ids_from_ms``, and places in feedback's index of
    those before ``indexed_from_ms`` (milliseconds since 1970), have left their windows by now."""

    became: Mapping[int, str]
    refused: frozenset[int]
    ids_from_ms: int = 0
    indexed_from_ms: int = 0


@dataclass(frozen=True, slots=True)
class Outbox:
    """One batch's records that are stored but not yet known to be in ``rag.verdicts``. ``cases``:
    its cases and audit tasks."""

    batch_id: str
    batch: bytes
    cases: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Caps:
    """What bounds the store. ``id_window_ms``: how long identities are remembered (at least);
    ``feedback_window_ms``: how long answers can be found for feedback, 0 for never;
    ``max_questions``: that retrieval did not serve, 0 to keep none."""

    cases_per_group_day: int = 50
    max_cases: int = 200_000
    max_groups: int = 100_000
    releases_per_app: int = 20
    id_window_ms: int = 3_600_000
    memory_share: float = 0.8
    max_backlog: int = 2_000
    feedback_window_ms: int = 0
    max_questions: int = 10_000


class Ledger:
    """Reads what is known about a batch, and writes what it changes."""

    def __init__(self, connection: Connection, caps: Caps) -> None:
        self._c = connection
        self._caps = caps
        self._encoded: tuple[Effects, bytes] | None = None

    @property
    def id_memory_ms(self) -> int:
        """For how long an identity is kept, so that it is known for at least its window."""
        return 3 * self._caps.id_window_ms

    def look_up(self, items: Iterable[Item], apps: Iterable[str]) -> Seen:
        """:meth:`begin_look_up`, waited for."""
        return self.begin_look_up(items, apps).result()

    def begin_look_up(self, items: Iterable[Item], apps: Iterable[str]) -> LookUp:
        """Ask for the known identities of these items, the releases of these apps (labels), the
        sampling factors, and whether the judge has room. Read-only."""
        ids = [
            self._place(item.identity_hash, item.record.timestamp_ms)
            for item in items
            if item.identity_hash
        ]
        labels = sorted(set(apps))
        keys = self._c.keys
        # One argument for the identities: the client packs each one in Python.
        args = [keys.prefix, orjson.dumps(ids), *labels]
        call = self._c.begin("look_up", [keys.factors, keys.jobs], args)
        return LookUp(call, labels, self._caps.max_backlog)

    def seen(self, groups: Collection[str]) -> dict[str, int]:
        """Answers that each of these groups has had; those without any are absent."""
        return seen_of(self._c, groups)

    def _place(self, identity: int, timestamp_ms: int) -> tuple[int, str, str]:
        """Time slot, bucket, identity; as text, since a script's numbers are doubles."""
        slot = timestamp_ms // self._caps.id_window_ms
        return slot, str(identity % ID_BUCKETS), str(identity)

    def record(self, effects: Effects) -> bytes:
        """The batch's record up to what only the script knows; encoded once for the same effects,
        which are asked for their size before they are applied."""
        last = self._encoded
        if last is None or last[0] is not effects:
            last = self._encoded = effects, encode_batch_head(batch_record(effects))
        return last[1]

    def apply(
        self,
        effects: Effects,
        epoch: str,
        *,
        payloads: bool = True,
        decided: Decided | None = None,
        outbox: bool = True,
    ) -> Applied:
        """Apply one batch, or raise a :class:`Refused` without any effect: :meth:`begin`, waited
        for."""
        return self.begin(
            effects, epoch, payloads=payloads, decided=decided, outbox=outbox
        ).result()

    def begin(
        self,
        effects: Effects,
        epoch: str,
        *,
        payloads: bool = True,
        decided: Decided | None = None,
        outbox: bool = True,
    ) -> Applying:
        """Send one batch off to be applied.

        ``payloads``: False when memory is short. ``decided``: when a rebuild repeats what was
        decided before (then identities are not compared again, and no job is written).
        Raises :class:`Outage` when the store is away: then the batch may or may not have been
        applied, and applying it again tells.
        """
        keys, batch = self._c.keys, effects.batch
        spec = self._spec(effects, epoch, payloads, decided, outbox)
        args: list[Any] = [orjson.dumps(spec), self.record(effects)]
        args += [
            deflate(draft.record)
            for drafts in (effects.cases, effects.tasks, effects.jobs)
            for draft in drafts
        ]
        call = self._c.begin(
            "apply",
            [
                keys.checkpoint(batch.source, batch.partition),
                keys.outbox(batch.source, batch.partition),
                keys.meta,
                keys.jobs,
            ],
            args,
        )
        self._encoded = None
        return Applying(call)

    def _spec(
        self,
        effects: Effects,
        epoch: str,
        payloads: bool,
        decided: Decided | None,
        outbox: bool,
    ) -> dict[str, Any]:
        batch, caps = effects.batch, self._caps
        lost = {f"lost:{reason}": n for reason, n in batch.lost.items()}
        counts = {
            "received": batch.received,
            "gaps": batch.gaps,
            "lost": sum(batch.lost.values()),
            **lost,
            **partition_counts(effects.rows),
        }
        groups_by_offset: dict[int, list[str]] = {}
        for hit in effects.groups:
            groups_by_offset.setdefault(hit.offset, []).append(hit.group)
        return {
            "prefix": self._c.keys.prefix,
            "epoch": epoch,
            "batch_id": batch.batch_id,
            "first": str(batch.first),
            "next": str(batch.next),
            "segment": str(batch.segment),
            "topic_id": batch.topic_id,
            "partition_counts": {name: n for name, n in counts.items() if n},
            "totals": totals_of(effects.rows),
            "counters": [
                {"name": f"{app}:{hour}", "hour": hour, "fields": fields}
                for (app, hour), fields in counters_of(effects.rows).items()
            ],
            "ids": [
                self._place(identity, timestamp_ms)
                for _, identity, timestamp_ms in effects.identities
                if decided is None or timestamp_ms >= decided.ids_from_ms
            ],
            "feedback": self._index(effects, decided),
            "id_ttl_s": self.id_memory_ms // 1000,
            "releases": [
                [app, release, str(last_seen)]
                for app, releases in effects.releases.items()
                for release, last_seen in releases.items()
            ],
            "releases_per_app": caps.releases_per_app,
            "makeups": [
                [made.app, encode_makeup(made).decode(), str(made.hour)] for made in effects.makeups
            ],
            "makeups_per_app": MAKEUPS_PER_APP,
            "questions": [
                [str(one.occurred_ms), encode_question(one).decode()] for one in effects.questions
            ]
            if caps.max_questions and payloads
            else [],
            "max_questions": caps.max_questions,
            "groups": [group_spec(hit) for hit in effects.groups],
            "max_groups": caps.max_groups,
            "cases": [
                case_spec(
                    case,
                    groups_by_offset[case.offset],
                    None if decided is None else decided.became[case.offset],
                )
                for case in effects.cases
            ],
            "tasks": [
                {"id": task.task_id, "due_ms": str(task.due_ms), "app": task.app}
                for task in effects.tasks
            ],
            "jobs": [_job_spec(job, batch, _is_refused(job, decided)) for job in effects.jobs],
            "row_ttl_s": ROWS_KEPT_DAYS * 86_400,
            "max_backlog": caps.max_backlog,
            "max_cases": caps.max_cases,
            "cases_per_group_day": caps.cases_per_group_day,
            "payloads": payloads,
            "outbox": outbox,
            "repeated": decided is not None,
        }

    def _index(self, effects: Effects, decided: Decided | None) -> dict[str, Any] | None:
        window_ms = self._caps.feedback_window_ms
        if not window_ms:
            return None
        return index_of(effects, window_ms, decided.indexed_from_ms if decided is not None else 0)

    @property
    def feedback_memory_ms(self) -> int:
        """For how long an answer can be found for feedback."""
        return self._caps.feedback_window_ms

    def outbox(self, source: str, partition: int) -> Outbox | None:
        """The partition's unflushed batch, if there is one."""
        with self._c.guard():
            items = self._c.client.lrange(self._c.keys.outbox(source, partition), 0, -1)
        if not items:
            return None
        return Outbox(text(items[0]), items[1], tuple(inflate(case) for case in items[2:]))

    def clear_outbox(self, source: str, partition: int, batch_id: str) -> bool:
        """Drop exactly this batch's records. False when they are not there (another's may be)."""
        outbox = self._c.keys.outbox(source, partition)
        return bool(self._c.run("clear_outbox", [outbox], [batch_id]))

    def has_room(self) -> bool:
        """False once memory use passes the configured share of ``maxmemory`` (if one is set)."""
        used, most = self.memory()
        return not most or used < self._caps.memory_share * most

    def memory(self) -> tuple[int, int]:
        """Bytes in use, and ``maxmemory`` (0: no limit). The embedded store knows neither, nor does
        a Redis that does not let us ask."""
        if self._c.embedded:
            return 0, 0
        try:
            with self._c.guard():
                memory = self._c.client.info("memory")
        except Denied:
            return 0, 0
        return int(memory["used_memory"]), int(memory.get("maxmemory", 0))


def batch_record(effects: Effects) -> BatchRecord:
    batch: Batch = effects.batch
    return BatchRecord(
        source=batch.source,
        partition=batch.partition,
        topic_id=batch.topic_id,
        segment=batch.segment,
        batch_id=batch.batch_id,
        first=batch.first,
        next=batch.next,
        received=batch.received,
        gaps=batch.gaps,
        lost=batch.lost,
        rows=effects.rows,
        makeups=effects.makeups,
    )


def seen_of(connection: Connection, groups: Collection[str]) -> dict[str, int]:
    pipe = connection.client.pipeline(transaction=False)
    for group in groups:
        pipe.hget(connection.keys.group(group), "count")
    with connection.guard():
        counts = pipe.execute() if groups else []
    return {
        group: int(count) for group, count in zip(groups, counts, strict=True) if count is not None
    }


ROWS_KEPT_DAYS = 90
"""For how long it is remembered what became of single answers."""


def row_key(case_id: str, *position: str | int) -> str:
    """Of an answer, with its position: an id that came again after its window is another one."""
    return "@".join((case_id, *map(str, position)))


def group_spec(hit: GroupHit) -> dict[str, str]:
    return {
        "id": hit.group,
        "app": hit.app,
        "check": hit.check,
        "reason": hit.reason,
        "cause": hit.cause,
        "severity": hit.severity,
        "surface": hit.surface,
        "ms": str(hit.occurred_ms),
        "day": str(hit.occurred_ms // DAY_MS),
    }


def case_spec(case: CaseDraft, groups: list[str], decided: str | None) -> dict[str, Any]:
    """``decided``: what became of the answer when this was done first: ``opened``, ``suppressed``
    or ``grouped``."""
    return {
        "id": case.case_id,
        "offset": str(case.offset),
        "groups": groups,
        "priority": repr(case.priority),
        "severity": case.severity,
        "day": str(case.day),
        "occurred": case.occurred_ms,
        "ruleset": case.ruleset,
        "indexes": [list(index) for index in case.indexes],
        "decided": decided,
        "summary": case.summary.decode(),
    }


def _is_refused(job: JobDraft, decided: Decided | None) -> bool | None:
    """None where the script decides."""
    if decided is not None:
        return job.offset in decided.refused
    return None if job.record else True


def _job_spec(job: JobDraft, batch: Batch, refused: bool | None) -> dict[str, Any]:
    app, hour, field = job.place
    return {
        "row_key": row_key(job.job_id, batch.source, batch.partition, job.offset),
        "day": str(hour // 24),
        "id": job.job_id,
        "offset": str(job.offset),
        "audited": job.audited,
        "stratum": job.stratum,
        "counter": f"{app}:{hour}",
        "field": field,
        "refused": refused,
    }


def _read_reply(reply: list[Any]) -> Applied:
    status = text(reply[0])
    if status == "ok":
        return Applied(*map(int, reply[1:]))
    if status == "fenced":
        raise Fenced
    if status == "moved":
        raise Moved(int(reply[1]) if reply[1] else None, text(reply[2]) or None)
    if status == "pending":
        raise OutboxPending(text(reply[1]))
    raise Duplicates(frozenset(int(identity) for identity in reply[1:]))
