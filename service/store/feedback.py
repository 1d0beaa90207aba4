"""Feedback in the store: the index from an answer's id to its position and what was decided about
it, and the effects of feedback, each once."""

from __future__ import annotations

from typing import Any

import orjson

from service.drafts import CaseDraft, JobDraft, with_seen
from service.feedback import (
    INDEXES,
    Entry,
    FeedbackEvent,
    Heard,
    decode_entry,
    encode_head,
    group_hits,
    place_of,
)
from service.pipeline import identity_hash
from service.store.connection import Connection, text
from service.store.deflate import deflate, inflate
from service.store.judgements import without_case
from service.store.keys import FEEDBACK_BUCKETS
from service.store.ledger import (
    ROWS_KEPT_DAYS,
    Caps,
    Fenced,
    Refused,
    case_spec,
    group_spec,
    seen_of,
)
from service.store.places import slot_ms_of


class Changed(Refused):
    """The answer's entry in the index is another one by now: look again."""


class Repeated(Refused):
    """This piece of feedback has had its effects."""


Found = tuple[Entry, str, str]
"""An entry, as it stands in the store, and the key of its bucket."""


class Feedback:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, caps: Caps) -> None:
        self._c = connection
        self._caps = caps

    def find(self, event: FeedbackEvent, now_ms: int) -> Found | None:
        """The answer that this is about: of several with the same id the one at its position, or
        the last one. None when it came before the window, or never."""
        window_ms = self._caps.feedback_window_ms
        if not window_ms:
            return None
        slot_ms = slot_ms_of(window_ms)
        identity = identity_hash(event.app, event.event_id)
        # A record's clock may run ahead of ours.
        slots = range(now_ms // slot_ms + 1, (now_ms - window_ms) // slot_ms - 1, -1)
        keys = [self._c.keys.feedback(slot, identity % FEEDBACK_BUCKETS) for slot in slots]
        pipe = self._c.client.pipeline(transaction=False)
        for key in keys:
            pipe.hget(key, str(identity))
        with self._c.guard():
            entries = pipe.execute()
            for slot, key, raw in zip(slots, keys, entries, strict=True):
                if raw is None:
                    continue
                entry = text(raw)
                place = self._c.client.hget(self._c.keys.feedback_places(slot), place_of(entry))
                found = None if place is None else decode_entry(entry, place)
                if found is not None and _is_at(found, event):
                    return found, entry, key
        return None

    def next_read(self, source: str) -> int:
        """The offset after the last feedback of this source that had effects."""
        with self._c.guard():
            return int(self._c.client.hget(self._c.keys.feedback_read, source) or 0)

    def case_body(self, case_id: str) -> dict[str, Any] | None:
        """Of the answer's case, as it was drafted; also of one that nobody may see yet."""
        with self._c.guard():
            record = self._c.client.hget(self._c.keys.case(case_id), "record")
        return None if record is None else orjson.loads(inflate(record))

    def apply(
        self,
        heard: Heard,
        found: Found | None,
        case: CaseDraft | None,
        job: JobDraft | None,
        epoch: str,
        *,
        payloads: bool = True,
    ) -> tuple[str, str]:
        """What feedback does, once. ``case``: to open where there is none; ``job``: of an answer
        that the second draw selects. Returns what became of the case (``opened``, ``suppressed``,
        ``grouped``, ``hinted`` or empty) and the answer's new state (or empty). Raises
        :class:`Repeated`, :class:`Changed` or :class:`Fenced`."""
        if case is not None:
            case = with_seen(case, seen_of(self._c, {case.group}).get(case.group, 0))
        spec = self._spec(heard, case, epoch) | {
            "repeated": False,
            "entry": found[1] if found is not None else "",
            "drawn": heard.drawn and job is not None,
            "opens": case is not None,
            "became": "",
            "to": "",
            "payloads": payloads,
        }
        bucket = found[2] if found is not None else self._c.keys.feedback_read
        return self._run(spec, bucket, heard, case, job.record if job is not None else b"")

    def restore(self, heard: Heard, case: CaseDraft | None, timestamp_ms: int, epoch: str) -> None:
        """Once more, with what was decided then. ``case``: the one that it opened, None when its
        record has aged out; ``timestamp_ms``: of the answer's record."""
        opens = heard.case in ("opened", "suppressed", "grouped")
        draft = case or CaseDraft(heard.case_id, heard.position[2], "", 0.0, "low",
                                  heard.hour // 24, (), b"")  # fmt: skip
        spec = self._spec(heard, draft if opens else None, epoch) | {
            "repeated": True,
            "entry": "",
            "drawn": False,
            "opens": opens,
            "became": heard.case,
            "to": heard.to,
            "payloads": True,
        }
        if opens:
            spec["case"]["decided"] = "opened" if case is not None else without_case(heard.case)
        # Where a rebuild has put the answer, if it is within the window.
        slot = timestamp_ms // slot_ms_of(self._caps.feedback_window_ms)
        identity = identity_hash(heard.identity, heard.event_id)
        bucket = self._c.keys.feedback(slot, identity % FEEDBACK_BUCKETS)
        self._run(spec, bucket, heard, draft, b"")

    def _run(
        self, spec: dict[str, Any], bucket: str, heard: Heard, case: CaseDraft | None, job: bytes
    ) -> tuple[str, str]:
        keys = self._c.keys
        reply = self._c.run(
            "feedback",
            [keys.jobs, keys.late_outbox, keys.meta, bucket, keys.feedback_read],
            [
                orjson.dumps(spec),
                encode_head(heard),
                deflate(case.record if case is not None else b""),
                deflate(job),
                heard.comment.encode(),
            ],
        )
        status = text(reply[0])
        if status == "fenced":
            raise Fenced
        if status == "repeated":
            raise Repeated
        if status == "changed":
            raise Changed
        return text(reply[1]), text(reply[2])

    def _spec(self, heard: Heard, case: CaseDraft | None, epoch: str) -> dict[str, Any]:
        hits = group_hits(heard)
        groups = [hit.group for hit in hits]
        return {
            "prefix": self._c.keys.prefix,
            "epoch": epoch,
            "read": list(heard.read),
            "identity": str(identity_hash(heard.identity, heard.event_id)) if heard.state else "",
            "state": heard.state,
            "counter": f"{heard.app}:{heard.hour}",
            "hour": heard.hour,
            "field": heard.counter_prefix,
            "stratum": heard.stratum,
            "day": str(heard.hour // 24),
            "row_key": heard.row_key,
            "row_ttl_s": ROWS_KEPT_DAYS * 86_400,
            "raised": repr(heard.pi) if heard.raised else "",
            "flagged": heard.flagged,
            "thumb": heard.thumb,
            "indexes": [list(index) for index in INDEXES],
            "groups": [group_spec(hit) for hit in hits],
            "case": {"id": heard.case_id} if case is None else case_spec(case, groups, None),
            "max_backlog": self._caps.max_backlog,
            "max_groups": self._caps.max_groups,
            "max_cases": self._caps.max_cases,
            "cases_per_group_day": self._caps.cases_per_group_day,
        }


def _is_at(entry: Entry, event: FeedbackEvent) -> bool:
    at = event.position
    return at is None or (at.partition, at.offset) == (entry.partition, entry.offset)
