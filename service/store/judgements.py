"""Judgements: stored with all their effects in one script, while the job is still there; then
produced from one outbox that all workers share, with what feedback has to tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from service.drafts import CaseDraft, case_draft, indexes_of, with_seen
from service.judging.cases import draft_judged_case, group_hits, marks_of
from service.judging.jobs import Job
from service.judging.judgement import encode_judgement
from service.judging.results import Judged, compact, counters_of, encode_head, totals_of
from service.review.cases import SEVERITY_STEPS
from service.store.connection import Connection, pairs, text
from service.store.deflate import deflate, inflate
from service.store.jobs import GROUP
from service.store.ledger import (
    ROWS_KEPT_DAYS,
    Caps,
    Fenced,
    Refused,
    case_spec,
    group_spec,
    row_key,
    seen_of,
)

MAX_RECORD_BYTES = 700_000
FLUSHED_AT_ONCE = 50


class Gone(Refused):
    """The job is not there any more: another worker was faster, or the store was rebuilt."""


class Judgements:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, caps: Caps) -> None:
        self._c = connection
        self._caps = caps

    def settle(
        self, entry: str, judged: Judged, job: Job, epoch: str, *, payloads: bool = True
    ) -> str:
        """Store a judgement and drop its job. Returns what became of the case: ``opened``,
        ``enriched``, ``suppressed``, ``grouped``, or empty. ``payloads``: False when memory is
        short. Raises :class:`Gone` or :class:`Fenced`."""
        draft = draft_judged_case(judged, job.event, weight=job.weight)
        if draft.record:
            draft = with_seen(draft, seen_of(self._c, {draft.group}).get(draft.group, 0))
        return self._store(judged, draft, epoch, entry, payloads)

    def restore(self, judged: Judged, record: bytes | None, epoch: str) -> None:
        """Apply a judgement once more, with what was decided then. ``record``: of the case that it
        opened, None when there is none (any more)."""
        draft = draft_judged_case(judged, None)
        if record is not None:
            draft = case_draft(orjson.loads(record), draft.offset, draft.day, record)
        self._store(judged, draft, epoch, None, payloads=True)

    def _store(
        self, judged: Judged, draft: CaseDraft, epoch: str, entry: str | None, payloads: bool
    ) -> str:
        keys, answer = self._c.keys, judged.answer
        hits = group_hits(judged)
        decided = None
        if entry is None:
            decided = "opened" if draft.record else without_case(judged.case)
        spec: dict[str, Any] = {
            "prefix": keys.prefix,
            "epoch": epoch,
            "entry": entry or "",
            "group": GROUP,
            "repeated": entry is None,
            "totals": totals_of(judged),
            "counter": {
                "name": f"{answer.app}:{answer.hour}",
                "hour": answer.hour,
                "fields": counters_of(judged),
            },
            "day": str(answer.hour // 24),
            "row_key": row_key(answer.job_id, *answer.position),
            "row": orjson.dumps(compact(judged)).decode(),
            "row_ttl_s": ROWS_KEPT_DAYS * 86_400,
            "flagged": answer.flagged,
            "groups": [group_spec(hit) for hit in hits],
            "marks": orjson.dumps(marks_of(judged)).decode(),
            "case": self._case(draft, [hit.group for hit in hits], decided),
            "weights": SEVERITY_STEPS,
            "payloads": payloads,
            "max_groups": self._caps.max_groups,
            "max_cases": self._caps.max_cases,
            "cases_per_group_day": self._caps.cases_per_group_day,
        }
        shown = {
            **encode_judgement(judged.judgement),
            "findings": [asdict(finding) for finding in judged.findings],
        }
        args = [
            orjson.dumps(spec),
            encode_head(judged, MAX_RECORD_BYTES),
            deflate(orjson.dumps(shown)),
            deflate(draft.record),
        ]
        reply = self._c.run("judge", [keys.jobs, keys.late_outbox, keys.meta], args)
        status = text(reply[0])
        if status == "fenced":
            raise Fenced
        if status == "gone":
            raise Gone
        return text(reply[1])

    def _case(self, draft: CaseDraft, groups: list[str], decided: str | None) -> dict[str, Any]:
        """Of the case to open, or to enrich: then with everything that it is listed under."""
        known = self._indexes(draft.case_id) if groups else None
        spec = case_spec(draft, groups, decided)
        if known is not None:
            own = [index for index in draft.indexes if index[0] != "severity"]
            spec["indexes"] = [list(index) for index in dict.fromkeys([*own, *known])]
        return spec

    def _indexes(self, case: str) -> list[tuple[str, str]] | None:
        """What a case is listed under already, its severity apart; None when there is none."""
        with self._c.guard():
            record = self._c.client.hget(self._c.keys.case(case), "record")
        if record is None:
            return None
        body = orjson.loads(inflate(record))
        return [index for index in indexes_of(body) if index[0] != "severity"]

    def rows(self, day: int) -> list[dict[str, Any]]:
        """What the judge said of the answers of a day (days since 1970), as
        :func:`service.judging.results.compact` makes it; ``key``: the answer's id and position;
        ``pi``: the one to weight by, the larger one where negative feedback was a second draw."""
        with self._c.guard():
            stored = self._c.client.hgetall(self._c.keys.judged(day))
            raised = pairs(self._c.client.hgetall(self._c.keys.raised(day)))
        rows = []
        for key, data in sorted(stored.items()):
            row: dict[str, Any] = orjson.loads(data)
            row["key"] = text(key)
            row["pi"] = max(row["pi"], float(raised.get(row["key"], 0)))
            rows.append(row)
        return rows

    # The outbox of all workers.

    def unflushed(self) -> list[bytes]:
        """The oldest entries of the outbox, as :meth:`flushed` wants them back."""
        with self._c.guard():
            return list(self._c.client.lrange(self._c.keys.late_outbox, 0, FLUSHED_AT_ONCE - 1))

    def waiting(self) -> list[bytes]:
        """The records of the whole outbox, the oldest first: what no topic tells yet."""
        with self._c.guard():
            entries = self._c.client.lrange(self._c.keys.late_outbox, 0, -1)
        return [record_of(entry) for entry in entries]

    def flushed(self, entries: Sequence[bytes]) -> bool:
        """Drop these once they are produced. False when they are not the first ones any more."""
        return bool(self._c.run("trim_outbox", [self._c.keys.late_outbox], list(entries)))


def without_case(became: str) -> str:
    """What a rebuild repeats of an answer that has no case, or whose case has aged out."""
    return "grouped" if became == "grouped" else "suppressed"


def record_of(entry: bytes) -> bytes:
    """What an outbox entry has to produce: cases stand there deflated, judgements do not."""
    return entry if entry.startswith(b"{") else inflate(entry)
