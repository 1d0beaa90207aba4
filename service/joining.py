"""Feedback → effects: finds the answer that a user speaks of, reads it again where it is needed,
and hands the store what follows.

The consumer and the embedded service run the same steps; they differ in whether answers can be read
again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from service.checks import where
from service.documents import Documents
from service.drafts import Kept, case_id
from service.events import Rejection
from service.feedback import (
    Entry,
    FeedbackEvent,
    FeedbackOutcome,
    Heard,
    counted_as,
    draft_feedback_case,
    draft_feedback_job,
    heard,
    heard_on_case,
    parse_feedback,
    second_draw,
)
from service.pipeline import Batch, Terms, admitted, look_again, missing_refs, read_items
from service.records import Record
from service.redaction.redactor import redactor_of
from service.sampling import Draw, uniform
from service.store import Changed, Repeated, Store

log = structlog.get_logger(__name__)

ReadAnswer = Callable[[tuple[str, int, int]], Record | None]
"""(source, partition, offset) → the record there, None when it is gone. Raises Outage."""


@dataclass(frozen=True, slots=True)
class Joined:
    """``outcome``: what became of it; ``case`` and ``to`` as
    :meth:`service.store.feedback.Feedback.apply` says; ``answer``: release and hour of the answer,
    where one was found; ``redacted``: (app, kind) → values masked in what was stored."""

    outcome: FeedbackOutcome
    app: str
    thumb: str
    case: str = ""
    to: str = ""
    answer: tuple[str, int] | None = None
    redacted: Mapping[tuple[str, str], int] = field(default_factory=dict)


class FeedbackJoin:
    """``read_answer`` is None where answers cannot be read again. Every method raises
    :class:`Outage` when something is away."""

    def __init__(
        self,
        store: Store,
        documents: Documents,
        terms: Callable[[], Terms],
        read_answer: ReadAnswer | None = None,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._store = store
        self._documents = documents
        self._terms = terms
        self._read_answer = read_answer
        self._clock_ms = clock_ms

    def parse(self, raw: bytes | None) -> FeedbackEvent | Rejection:
        terms = self._terms()
        return admitted(parse_feedback(raw, terms.default_app), terms)

    def take(self, event: FeedbackEvent, read: tuple[str, int], epoch: str) -> Joined:
        """One piece of feedback. ``read``: where it stood (topic id with partition, offset), by
        which a repeat is known. Raises :class:`service.store.Fenced`."""
        policy = self._terms().policy
        comment = redactor_of(policy.of(event.app).redaction).redact(event.comment or "")
        event = event.model_copy(update={"comment": comment.text})
        while True:
            try:
                joined = self._take(event, read, epoch)
                if joined.outcome is FeedbackOutcome.UNMATCHED:
                    return joined
                masked = {(joined.app, kind): n for kind, n in comment.kinds.items()}
                return replace(joined, redacted=masked)
            except Changed:
                continue
            except Repeated:
                return self._joined(FeedbackOutcome.REPEATED, event)

    def _joined(
        self,
        outcome: FeedbackOutcome,
        event: FeedbackEvent,
        became: tuple[str, str] = ("", ""),
        said: Heard | None = None,
    ) -> Joined:
        app, answer = self._terms().policy.label(event.app), None
        if said is not None:
            answer = said.release, said.hour
        return Joined(outcome, app, event.thumb, *became, answer)

    def _take(self, event: FeedbackEvent, read: tuple[str, int], epoch: str) -> Joined:
        store, case = self._store.feedback, case_id(event.app, event.event_id)
        found = store.find(event, self._clock_ms())
        body = store.case_body(case)
        if found is None:
            if body is None:
                return self._joined(FeedbackOutcome.UNMATCHED, event)
            said = heard_on_case(event, read, body)
            became = store.apply(said, None, None, None, epoch)
            return self._joined(FeedbackOutcome.JOINED, event, became, said)
        entry, terms = found[0], self._terms()
        drawn = self._draw(event, entry, terms)
        said, again = heard(event, read, case, entry, drawn), None
        wanted = said.negative and (said.drawn or body is None)
        if wanted:
            again = self._look_again(said, entry, terms)
        draft = job = None
        if again is not None:
            draft = draft_feedback_case(said, again, terms.case_bytes) if body is None else None
            if said.drawn:
                job = draft_feedback_job(again, terms.job_bytes)
        became = store.apply(said, found, draft, job, epoch, payloads=self._store.ledger.has_room())
        gone = wanted and again is None
        outcome = FeedbackOutcome.GONE if gone else FeedbackOutcome.JOINED
        return self._joined(outcome, event, became, said)

    def _draw(self, event: FeedbackEvent, entry: Entry, terms: Terms) -> Draw | None:
        if event.thumb != "down" or not terms.judge:
            return None
        factors = self._store.ledger.look_up((), ()).factors
        u = uniform(terms.secret, event.app, event.event_id)
        return second_draw(entry, u, terms.policy.of(event.app).sampling, factors)

    def _look_again(self, said: Heard, entry: Entry, terms: Terms) -> Kept | None:
        """The answer, through the same code as when it came. None when it is gone."""
        record = self._read_answer(entry.position) if self._read_answer is not None else None
        if record is None:
            return None
        items = read_items([record], terms)
        event = items[0].event
        if isinstance(event, Rejection) or (event.app, event.event_id) != (
            said.identity,
            said.event_id,
        ):
            return None
        batch = Batch(
            source=entry.place.source, partition=entry.partition, topic_id="", segment=0,
            first=entry.offset, next=entry.offset + 1, received=1, gaps=0, lost={}, items=items,
        )  # fmt: skip
        texts = self._documents.get(missing_refs(batch))
        try:
            answer = look_again(batch, texts, terms)
        except Exception as error:  # noqa: BLE001 (as in the pipeline: a fault of ours in one answer)
            log.error("feedback_check_error", event_id=said.event_id, error=where(error))
            return None
        return None if answer is None else counted_as(said, answer)
