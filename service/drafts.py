"""From an answer to the drafts of its case, its audit task and its judge job. Pure; the store
decides what is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from hashlib import blake2b
from typing import Any

import orjson

from service.accounting import Row, counter_prefix
from service.checks import numbers
from service.checks.citations import CitationReading
from service.checks.model import CheckResult, Evidence, Finding, reasons_of
from service.judging.jobs import Answer, Job, JobCitation, answer_of_row, encode_job
from service.review.cases import DAY_MS, Priority, priority_terms
from service.verdicts import encode_case

FINDINGS_PER_CASE = 200


@dataclass(frozen=True, slots=True)
class CaseDraft:
    """``record``: the encoded ``case`` record. ``indexes``: (dimension, value) it is listed under;
    ``day``: days since 1970, as its groups count; ``summary``: what a list shows of it, encoded:
    see :func:`summary_of`."""

    case_id: str
    offset: int
    group: str
    priority: float
    severity: str
    day: int
    indexes: tuple[tuple[str, str], ...]
    record: bytes
    occurred_ms: int = 0
    ruleset: str = ""
    summary: bytes = b""


def case_id(app: str, event_id: str) -> str:
    """Equal for equal app + event id, whatever flagged the answer and however often."""
    # With the length: any separator could stand in either name.
    identity = f"{len(app)}:{app}{event_id}".encode("utf-8", "surrogatepass")
    return blake2b(identity, digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """An audit task. ``task_id``: the case id of its answer; ``due_ms``: when it expires, in
    milliseconds since 1970; ``record``: the encoded ``task`` record; ``app``: as it is counted."""

    task_id: str
    offset: int
    due_ms: int
    record: bytes
    app: str


@dataclass(frozen=True, slots=True)
class JobDraft:
    """A judge job. ``place``: (app, hour, prefix of the counters' fields) where it is counted, in
    case a full backlog refuses it; ``record``: empty for one that is refused already."""

    job_id: str
    offset: int
    audited: bool
    stratum: str
    place: tuple[str, int, str]
    record: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """One checked answer as it may be kept, shown and judged: redacted. Only of such are drafts
    made. ``event``: its JSON object, texts filled in; ``citations``: where they are in the answer;
    ``findings``: the gravest first; ``group``: of the gravest, empty without a finding; ``kinds``:
    how many values of each kind are masked."""

    event: Mapping[str, Any]
    citations: tuple[JobCitation, ...]
    row: Row
    findings: Sequence[Finding]
    results: Mapping[str, CheckResult]
    group: str
    source: str
    partition: int
    occurred_ms: int
    weight: float = 1.0
    kinds: Mapping[str, int] = field(default_factory=dict)


AUDIT_DAYS = 3
"""After which an unlabelled task expires as missing and frees the case of the same answer."""


def draft_case(answer: Kept, max_bytes: int) -> CaseDraft:
    """Of an answer with at least one finding. ``max_bytes`` bounds the encoded record."""
    body = case_body(answer)
    return case_draft(body, answer.row.offset, answer.row.hour // 24, bounded(body, max_bytes))


def case_draft(body: Mapping[str, Any], offset: int, day: int, record: bytes) -> CaseDraft:
    return CaseDraft(
        case_id=body["case_id"],
        offset=offset,
        group=body["group"],
        priority=priority_of(body).total,
        severity=body["severity"],
        day=day,
        indexes=indexes_of(body),
        record=record,
        occurred_ms=body["occurred_ms"],
        ruleset=body["ruleset"],
        summary=summary_of(body) if record else b"",
    )


_SUMMARY = (
    "app", "event_id", "release", "language", "occurred_ms", "checks", "reasons", "headline",
    "query", "group",
)  # fmt: skip


def summary_of(body: Mapping[str, Any]) -> bytes:
    """What a list shows of a case, beside what may change: so that no list reads whole answers."""
    return orjson.dumps({name: body[name] for name in _SUMMARY})


def priority_of(body: Mapping[str, Any]) -> Priority:
    """Of a case's body, or of a record that was written without some of its terms."""
    return priority_terms(
        body["severity"], body["occurred_ms"], body.get("weight", 1.0), body.get("seen", 0)
    )


def with_seen(case: CaseDraft, seen: int) -> CaseDraft:
    """The case, in a group that had ``seen`` answers before. Spliced: to decode a record and encode
    it again costs as much as a check."""
    if not seen or not case.record:
        return case
    rarity = priority_terms("low", 0, 1.0, seen).rarity
    record = case.record[:-1] + b',"seen":%d}' % seen
    return replace(case, record=record, priority=case.priority + rarity)


def draft_task(answer: Kept, max_bytes: int) -> TaskDraft:
    """The findings go with it, to be shown once the label is there; never before."""
    due_ms = answer.row.timestamp_ms + AUDIT_DAYS * DAY_MS
    body = {**case_body(answer), "kind": "task", "due_ms": due_ms}
    return TaskDraft(
        body["case_id"], answer.row.offset, due_ms, bounded(body, max_bytes), answer.row.app
    )


def draft_job(answer: Kept, max_bytes: int, hint: str = "") -> JobDraft:
    """``hint``: why it was drawn, if not by chance alone."""
    drawn = answer_of(answer)
    job = Job(
        answer=replace(drawn, flagged=drawn.flagged or bool(hint), hint=hint),
        event=answer.event,
        citations=answer.citations,
        weight=answer.weight,
    )
    return replace(refused_job(answer.row), record=bounded_job(job, max_bytes))


def refused_job(row: Row) -> JobDraft:
    """Of an answer that a full backlog refuses, with all that its refusal is counted by."""
    place = (row.app, row.hour, counter_prefix(row))
    job_id = case_id(row.identity, row.event_id)
    return JobDraft(job_id, row.offset, row.audited, row.stratum, place, b"")


def bounded_job(job: Job, max_bytes: int) -> bytes:
    """The job encoded; while it is too large, texts of the least relevant chunks are left out (and
    count as missing)."""
    record = encode_job(job)
    kept = len(job.event["retrieved"])
    while len(record) > max_bytes and kept:
        kept //= 2
        record = encode_job(replace(job, event=_without_tail(job.event, kept)))
    return record


def _without_tail(event: Mapping[str, Any], kept: int) -> dict[str, Any]:
    retrieved = event["retrieved"]
    rest = [{**chunk, "text": None} for chunk in retrieved[kept:]]
    return {**event, "retrieved": [*retrieved[:kept], *rest]}


def job_citations(
    reading: CitationReading | None, shown: Callable[[str], str] = str
) -> tuple[JobCitation, ...]:
    """Those with a place in the answer, and the refs that they resolve to. ``shown``: a ref as the
    event shows it."""
    if reading is None:
        return ()
    return tuple(
        JobCitation(cited.start, cited.end, refs)
        for cited in reading.citations
        if cited.start is not None and cited.end is not None
        and (refs := tuple(shown(one.ref) for one in cited.members if one.ref is not None))
    )  # fmt: skip


def answer_of(answer: Kept) -> Answer:
    """What identifies and places it, as the judge keeps it too."""
    row = answer.row
    job_id = case_id(row.identity, row.event_id)
    return answer_of_row(row, job_id, answer.source, answer.partition, answer.occurred_ms)


def body_of(
    answer: Answer, findings: Sequence[Finding], group: str, weight: float
) -> dict[str, Any]:
    """What every case says of its answer, whoever opened it. Without findings, a low one."""
    return {
        "case_id": answer.job_id,
        "app": answer.app,
        "event_id": answer.event_id,
        "release": answer.release,
        "release_label": answer.release,
        "ruleset": answer.ruleset,
        "language": answer.language,
        "occurred_ms": answer.occurred_ms,
        "severity": findings[0].severity.value if findings else "low",
        "checks": sorted({finding.check for finding in findings}),
        "reasons": sorted({finding.reason for finding in findings}),
        "headline": findings[0].detail[:500] if findings else "",
        "group": group,
        "weight": weight,
        "outcomes": {},
        "stratum": answer.stratum,
        "u": answer.u,
        "pi": answer.pi,
        "pi_audit": answer.pi_audit,
        "position": list(answer.position),
        "counted_tags": answer.tags,
        "findings_total": len(findings),
        "findings": [],
        "evidence": [],
        "reduced": False,
    }


def case_body(answer: Kept) -> dict[str, Any]:
    """A case of the checks, before it is encoded and reduced."""
    event, results = answer.event, answer.results
    evidence = [item for result in results.values() for item in result.evidence]
    return body_of(answer_of(answer), answer.findings, answer.group, answer.weight) | {
        "release": (event.get("release") or {}).get("id") or "",
        "query": event["query"][:500],
        "outcomes": {name: result.outcome.value for name, result in results.items()},
        "not_evaluated": reasons_of(results),
        "findings": [_plain(finding) for finding in answer.findings[:FINDINGS_PER_CASE]],
        "evidence": [_plain(item) for item in evidence[:FINDINGS_PER_CASE]],
        "event": event,
    }


IN_CORPUS = {
    "de": " Im Korpus steht es in {ref}; das wurde nicht abgerufen.",
    "en": " The corpus has it in {ref}, which was not retrieved.",
}


def with_corpus_hints(case: CaseDraft, refs: Mapping[str, str], max_bytes: int) -> CaseDraft:
    """The case with a hint at retrieval on each unsupported number that the corpus holds.

    ``refs``: normalised number → ref of the chunk that holds it.
    """
    body: dict[str, Any] = orjson.loads(case.record)
    retrieved = {chunk["ref"] for chunk in body["event"]["retrieved"]}
    headline = body["headline"]
    for finding in body["findings"]:
        ref = refs.get(finding["cause"])
        if finding["check"] != numbers.NAME or ref is None or ref in retrieved:
            continue
        hint = IN_CORPUS["de" if body["language"] == "de" else "en"].format(ref=ref[:200])
        if headline == finding["detail"][:500]:
            body["headline"] = (headline + hint)[:500]
        finding["detail"] += hint
        finding["in_corpus"] = ref
    del body["kind"], body["version"]
    return replace(case, record=bounded(body, max_bytes), summary=summary_of(body))


def bounded(body: dict[str, Any], max_bytes: int) -> bytes:
    """The encoded record, reduced until it fits."""
    record = encode_case(body)
    return record if len(record) <= max_bytes else encode_case(reduce_case(body, max_bytes))


def indexes_of(body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Everything a case can be filtered by, its status apart (that one changes)."""
    return (
        ("all", "cases"),
        ("app", body["app"]),
        ("release", body["release_label"]),
        ("severity", body["severity"]),
        ("language", body["language"]),
        *(("check", check) for check in body["checks"]),
        *(("reason", reason) for reason in body["reasons"]),
    )


def reduce_case(body: Mapping[str, Any], max_bytes: int) -> dict[str, Any]:
    """Smaller and smaller until the record fits: offsets into what is left stay right.

    First the texts of chunks without evidence go, then all texts, then evidence, metadata and all
    findings but the first few, then the tails of the answer and of everything else. ``reduced``
    says so. Below some 20 kB a record gets no smaller. A task is labelled blind, so the texts that
    it keeps must not tell where the checks found something: it keeps the first chunks' instead.
    """
    small = dict(body, reduced=True, event=dict(body["event"]))
    first = _drop_last_texts if body.get("kind") == "task" else (_drop_idle_texts,)
    for step in (*first, _drop_texts, _drop_lists, *_CUTS):
        step(small)
        if len(encode_case(small)) <= max_bytes:
            break
    return small


def shrink_case(record: bytes) -> bytes:
    """A record that the broker found too large, at half its size or as small as a case gets."""
    body: dict[str, Any] = orjson.loads(record)
    return encode_case(reduce_case(body, len(record) // 2))


def _drop_idle_texts(body: dict[str, Any]) -> None:
    used = {item["ref"] for item in body["evidence"]}
    _without_texts(body, keep=used)


def _keep_first_texts(body: dict[str, Any], share: float) -> None:
    retrieved = body["event"]["retrieved"]
    kept = int(share * len(retrieved))
    _without_texts(body, keep={chunk["ref"] for chunk in retrieved[:kept]})


_drop_last_texts = tuple(partial(_keep_first_texts, share=share) for share in (0.5, 0.25))


def _drop_texts(body: dict[str, Any]) -> None:
    _without_texts(body, keep=set())


def _without_texts(body: dict[str, Any], keep: set[str]) -> None:
    event = body["event"]
    event["retrieved"] = [
        chunk if chunk["ref"] in keep else {**chunk, "text": None} for chunk in event["retrieved"]
    ]
    event["context"] = []


def _drop_lists(body: dict[str, Any]) -> None:
    body["evidence"] = []
    body["findings"] = body["findings"][:20]
    event = body["event"]
    event["retrieved"] = [{"ref": chunk["ref"][:256]} for chunk in event["retrieved"]]
    known = ("event_id", "app", "query", "answer", "retrieved", "status", "purpose", "occurred_at")
    body["event"] = {name: event[name] for name in known if name in event}


def _cut(body: dict[str, Any], answer: int, words: int, items: int) -> None:
    """At most ``answer`` characters of the answer, ``words`` of every other text, ``items`` of
    every list."""
    event = body["event"]
    event["answer"] = event["answer"][:answer]
    event["query"] = event["query"][:words]
    event["retrieved"] = [
        {"ref": chunk["ref"][:words]} for chunk in event["retrieved"][: 4 * items]
    ]
    body["findings"] = [
        _cut_finding(finding, answer, words) for finding in body["findings"][:items]
    ]
    body["headline"] = body["headline"][:words]
    body["query"] = body["query"][:words]


_CUTS = (
    partial(_cut, answer=8_000, words=500, items=20),
    partial(_cut, answer=2_000, words=200, items=10),
    partial(_cut, answer=400, words=60, items=3),
)
"""A character takes up to six bytes, so that the first step need not do."""


def _cut_finding(finding: dict[str, Any], answer: int, words: int) -> dict[str, Any]:
    cut = {name: finding[name][:words] for name in ("surface", "detail", "cause")}
    if finding["end"] is not None and finding["end"] > answer:
        # Its place is no longer in the answer.
        cut |= {"start": None, "end": None}
    return {**finding, **cut}


_FIELDS = {kind: tuple(one.name for one in fields(kind)) for kind in (Finding, Evidence)}


def _plain(item: Finding | Evidence) -> dict[str, Any]:
    """As ``asdict`` has it, without a copy of each value: none of them is ever changed."""
    return {name: getattr(item, name) for name in _FIELDS[type(item)]}
