"""A judgement beside the answer that it judges: its record, and everything it adds to the books.

Pure. All counts follow from the record, so that ``rebuild`` gets the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from service.accounting import prefix_of
from service.checks.model import Finding, Severity
from service.judging.findings import findings_of
from service.judging.jobs import Answer, Job, answer_in
from service.judging.judgement import (
    Judgement,
    Status,
    decode_judgement,
    encode_judgement,
)
from service.verdicts import VERSION


@dataclass(frozen=True, slots=True)
class Judged:
    """``findings``: as :class:`service.checks.model.Finding`, the gravest first. ``case``: what the
    store did about them (``opened``, ``enriched``, ``suppressed``, or empty) and ``seq``, the
    record's running number: known afterwards."""

    answer: Answer
    judgement: Judgement
    findings: tuple[Finding, ...] = ()
    case: str = ""
    seq: int = 0


def judged_of(job: Job, judgement: Judgement) -> Judged:
    return Judged(job.answer, judgement, findings_of(judgement, job.answer.language))


MAX_FINDINGS = 100
_CUTS = (2_000, 300, 100)
"""Characters that each text of a judgement keeps, while its record is too large."""
_WORDLESS: Mapping[str, Any] = {"text": "", "reason": "", "evidence": ()}
"""Of a claim, where cutting does not do."""


def encode_head(judged: Judged, max_bytes: int) -> bytes:
    """The record up to ``case``: only the store's script knows it, and closes the object. Texts are
    cut where the record would not fit; no claim is left out, so that the counts hold."""
    body = {
        "kind": "judgement",
        "version": VERSION,
        **asdict(judged.answer),
        "judgement": encode_judgement(judged.judgement),
        "findings": [asdict(finding) for finding in judged.findings[:MAX_FINDINGS]],
    }
    record = orjson.dumps(body)
    for length in _CUTS:
        if len(record) <= max_bytes:
            break
        record = orjson.dumps(_shorter(body, length))
    if len(record) > max_bytes:
        record = orjson.dumps(_wordless(_shorter(body, _CUTS[-1])))
    return record[:-1]


def shrink_judgement(record: bytes) -> bytes:
    """A record that the broker found too large, smaller; without the words of its claims where
    cutting them does not help. As long as before where nothing does."""
    short = _shorter(orjson.loads(record), _CUTS[-1])
    smaller = orjson.dumps(short)
    return smaller if len(smaller) < len(record) else orjson.dumps(_wordless(short))


def _wordless(body: dict[str, Any]) -> dict[str, Any]:
    judgement = body["judgement"]
    assessment = judgement["assessment"]
    if assessment is None:
        return body
    claims = [{**claim, **_WORDLESS} for claim in assessment["claims"]]
    return {**body, "judgement": {**judgement, "assessment": {**assessment, "claims": claims}}}


def _shorter(body: dict[str, Any], length: int) -> dict[str, Any]:
    return {**body, **{name: _cut(body[name], length) for name in ("judgement", "findings")}}


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return value[:length]
    if isinstance(value, list | tuple):
        return [_cut(item, length) for item in value]
    if isinstance(value, dict):
        return {name: _cut(item, length) for name, item in value.items()}
    return value


def decode_judged(data: Mapping[str, Any]) -> Judged:
    """A record of ``rag.verdicts`` of kind ``judgement``. Raises KeyError, TypeError or ValueError
    for what is none."""
    return Judged(
        answer_in(data),
        decode_judgement(data["judgement"]),
        tuple(_finding(finding) for finding in data["findings"]),
        data["case"],
        data.get("seq", 0),
    )


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(**{**data, "severity": Severity(data["severity"])})


def totals_of(judged: Judged) -> Counter[str]:
    """What the whole store adds; what becomes of a case is decided by the store itself."""
    status, reason = judged.judgement.status.value, judged.judgement.reason
    totals = Counter({f"judge:{status}": 1})
    if reason:
        totals[f"judge:{status}:{reason}"] = 1
    return totals


def counters_of(judged: Judged) -> Counter[str]:
    """Field → increment in the counters of the answer's app and hour."""
    answer = judged.answer
    prefix = prefix_of(answer.release, answer.ruleset, answer.language, answer.tags)
    return Counter({prefix + measure: number for measure, number in _measures(judged)})


def _measures(judged: Judged) -> Iterator[tuple[str, int]]:
    stratum, judgement = judged.answer.stratum, judged.judgement
    yield f"judge:{judgement.status.value}:{stratum}", 1
    assessment = judgement.assessment
    if judgement.status is not Status.JUDGED or assessment is None:
        return
    for reason in {finding.reason for finding in judged.findings}:
        yield f"judge:{reason}:{stratum}", 1
    yield from (
        (f"judge:claims:{verdict}", number)
        for verdict, number in Counter(claim.verdict.value for claim in assessment.claims).items()
    )
    yield from (
        (f"judge:cause:{cause}", number)
        for cause, number in Counter(
            claim.cause.value for claim in assessment.claims if claim.cause is not None
        ).items()
    )
    sufficiency = "sufficient" if assessment.context_sufficient else "insufficient"
    yield f"judge:{sufficiency}:{stratum}", 1
    if judgement.relevance is not None:
        yield f"judge:relevance:{judgement.relevance.value}", 1


def compact(judged: Judged) -> dict[str, Any]:
    """What the rates are made of: one small object an answer, without any of its words."""
    answer, judgement = judged.answer, judged.judgement
    row: dict[str, Any] = {
        "app": answer.app,
        "release": answer.release,
        "ruleset": answer.ruleset,
        "language": answer.language,
        "hour": answer.hour,
        "stratum": answer.stratum,
        "pi": answer.pi,
        "pi_audit": answer.pi_audit,
        "audited": answer.audited,
        "label": answer.label,
        "version": judgement.version,
        "status": judgement.status.value,
        "reasons": sorted({finding.reason for finding in judged.findings}),
    }
    assessment = judgement.assessment
    if assessment is not None:
        row |= {
            "claims": Counter(claim.verdict.value for claim in assessment.claims),
            "causes": Counter(c.cause.value for c in assessment.claims if c.cause is not None),
            "sufficient": assessment.context_sufficient,
            "partial": assessment.partial,
            "precision": assessment.context_precision,
            "kind": assessment.answer_kind,
            "citings": [len(assessment.citings), sum(c.supports for c in assessment.citings)],
        }
    if judgement.relevance is not None:
        row["relevance"] = judgement.relevance.value
    if judgement.flipped is not None:
        row["flipped"] = judgement.flipped
    return row
