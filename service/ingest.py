"""Records → stored effects: the pipeline between the document store and the ledger.

The consumer and the embedded service run the same steps; they differ in where records come from
and where dead letters and verdicts go.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from typing import TypeVar

import structlog

from service.documents import Documents
from service.events import Rejection
from service.metrics import Metrics
from service.pipeline import (
    Batch,
    Effects,
    Item,
    Terms,
    missing_refs,
    process,
    read_items,
    unsupported_numbers,
    with_counts,
    with_hints,
)
from service.records import Record
from service.stages import Stages
from service.store import Applied, Applying, Duplicates, LookUp, Store
from service.traces import NO_TRACES, Traces

log = structlog.get_logger(__name__)

T = TypeVar("T")
Job = Generator[None, None, T]
"""Work that yields wherever it would have to wait, and finally returns a T."""

COLLECT_AFTER = 600_000
"""New objects after which the cyclic collector looks at them. A batch makes tens of thousands, of
which those of four partitions live at a time, none of them cyclic; by default the collector walks
them (and the cached texts) again and again, which cost a quarter of the CPU. What cyclic garbage
others leave behind stays bounded all the same."""


class Ingest:
    """``terms`` is asked once a batch, so that a changed policy file takes effect."""

    def __init__(
        self,
        store: Store,
        documents: Documents,
        terms: Callable[[], Terms],
        metrics: Metrics,
        traces: Traces = NO_TRACES,
    ) -> None:
        # Of the whole process: once a pipeline runs in it, batches are what it does.
        gc.set_threshold(COLLECT_AFTER)
        self._store = store
        self._documents = documents
        self._terms = terms
        self._metrics = metrics
        self._traces = traces

    def stages(self) -> Stages:
        """For one batch, from here on."""
        return Stages(self._metrics, self._traces)

    def read(self, records: Iterable[Record], stages: Stages) -> tuple[Item, ...]:
        """Parse records into the items of a batch. Needs no store."""
        with stages.time("parse"):
            return read_items(records, self._terms())

    def prepare(
        self, batch: Batch, stages: Stages, conflicts: frozenset[int] = frozenset()
    ) -> Effects:
        """:meth:`preparing`, waited for."""
        return finished(self.preparing(batch, stages, conflicts))

    def preparing(
        self, batch: Batch, stages: Stages, conflicts: frozenset[int] = frozenset()
    ) -> Job[Effects]:
        """Look up what is known and check every answer. Raises :class:`Outage`; writes nothing.

        ``conflicts``: identities that a refused write reported as stored in the meantime.
        """
        terms = self._terms()
        timer = stages.timer("lookup")
        with timer.part():
            looking = self._store.ledger.begin_look_up(batch.items, _apps(batch, terms))
        yield from _meanwhile(looking)
        with timer.last():
            seen = looking.result()
            texts = self._documents.get(missing_refs(batch))
        if conflicts:
            seen = replace(seen, identities=seen.identities | conflicts)
        with stages.time("check"):
            effects = process(batch, texts, seen, terms, stages.lap)
        wanted = unsupported_numbers(effects)
        refs = self._documents.holding(wanted) if wanted else {}
        if refs:
            effects = with_hints(effects, refs, terms)
        return with_counts(effects, self._store.ledger.seen({c.group for c in effects.cases}))

    def apply(self, effects: Effects, epoch: str, stages: Stages) -> tuple[Effects, Applied]:
        """:meth:`applying`, waited for."""
        return finished(self.applying(effects, epoch, stages))

    def applying(
        self, effects: Effects, epoch: str, stages: Stages
    ) -> Job[tuple[Effects, Applied]]:
        """Store the effects; recompute them as often as another partition was faster with an id.

        Raises :class:`service.store.Refused` (but for duplicates) and :class:`Outage`.
        """
        conflicts: frozenset[int] = frozenset()
        payloads = self._store.ledger.has_room()
        while True:
            timer = stages.timer("store")
            with timer.part():
                applying = self._store.ledger.begin(effects, epoch, payloads=payloads)
            yield from _meanwhile(applying)
            try:
                with timer.last():
                    return effects, applying.result()
            except Duplicates as refusal:
                self._metrics.observe_conflict()
                conflicts |= refusal.identities
                effects = yield from self.preparing(effects.batch, stages, conflicts)

    def record_bytes(self, effects: Effects) -> int:
        """About how large the batch's record in ``rag.verdicts`` becomes."""
        return len(self._store.ledger.record(effects)) + 16 * len(effects.cases)

    def observe(self, effects: Effects, applied: Applied) -> None:
        """Count what was stored. Called once a batch, after the script succeeded."""
        metrics, batch = self._metrics, effects.batch
        events = [item.event for item in batch.items]
        metrics.observe_rows(effects.rows, events, received=batch.received)
        metrics.observe_cases(
            case=applied.cases, suppressed=applied.suppressed, auto_grouped=applied.grouped
        )
        metrics.observe_refused(applied.refused)
        metrics.observe_redactions(effects.redacted)
        if batch.gaps:
            metrics.observe_gaps(batch.gaps)
        if lost := sum(batch.lost.values()):
            metrics.observe_lost(lost)
        for letter in effects.dead_letters:
            metrics.observe_dead_letter(letter.reason)
        for error in effects.errors:
            metrics.observe_check_error(error.check)
            told = {"trace_id": error.trace_id} if error.trace_id else {}
            log.error(
                "check_error",
                check=error.check,
                event_id=error.event_id,
                error=error.error,
                **told,
            )


def finished(job: Job[T]) -> T:
    """What the job returns, waited for."""
    while True:
        try:
            next(job)
        except StopIteration as end:
            result: T = end.value
            return result


def _meanwhile(asked: LookUp | Applying) -> Job[None]:
    """The store is at work: whoever runs the job may see to other partitions."""
    try:
        yield
    except GeneratorExit:
        asked.abandon()
        raise


def _apps(batch: Batch, terms: Terms) -> set[str]:
    return {
        terms.policy.label(item.event.app)
        for item in batch.items
        if not isinstance(item.event, Rejection)
    }


def halve(batch: Batch) -> tuple[Batch, Batch]:
    """Two batches that together are this one; it has at least two items."""
    return split(batch, len(batch.items) // 2)


def split(batch: Batch, count: int) -> tuple[Batch, Batch]:
    """The batch's first ``count`` items, and the rest of it; 0 < ``count`` < number of items.

    Offsets skipped before the border are the first part's: gaps first, then each loss in turn, so
    that the terms of both parts add up to the whole.
    """
    border = batch.items[count].record.offset
    skipped = border - batch.first - count
    gaps = min(batch.gaps, skipped)
    skipped -= gaps
    lost: dict[str, int] = {}
    for reason, number in batch.lost.items():
        lost[reason] = min(number, skipped)
        skipped -= lost[reason]
    head = replace(
        batch, next=border, received=count, gaps=gaps, lost=lost, items=batch.items[:count]
    )
    tail = replace(
        batch,
        first=border,
        received=batch.received - count,
        gaps=batch.gaps - gaps,
        lost={reason: number - lost[reason] for reason, number in batch.lost.items()},
        items=batch.items[count:],
    )
    return head, tail
