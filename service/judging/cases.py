"""What a judgement with findings brings to the review queue: groups, and a case. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.drafts import CaseDraft, body_of, bounded, case_draft
from service.judging.findings import NAME
from service.judging.results import Judged
from service.pipeline import HOUR_MS, GroupHit, group_id

MAX_CASE_BYTES = 200_000


def group_hits(judged: Judged) -> tuple[GroupHit, ...]:
    """One a reason and cause, as the checks count theirs."""
    answer = judged.answer
    hits: dict[str, GroupHit] = {}
    for finding in judged.findings:
        cause = finding.cause[:200]
        group = group_id(answer.app, NAME, finding.reason, cause)
        if group not in hits:
            hits[group] = GroupHit(
                group,
                answer.app,
                NAME,
                finding.reason,
                cause,
                finding.severity.value,
                finding.surface[:80],
                answer.position[2],
                answer.hour * HOUR_MS,
            )
    return tuple(hits.values())


def draft_judged_case(
    judged: Judged,
    event: Mapping[str, Any] | None,
    max_bytes: int = MAX_CASE_BYTES,
    weight: float = 1.0,
) -> CaseDraft:
    """The case that this judgement opens, unless there is one already. ``event``: as the job has
    it; None makes a draft without a record. The findings themselves stand in the judgement, which
    is kept beside the case."""
    answer, hits = judged.answer, group_hits(judged)
    body = body_of(answer, judged.findings, hits[0].group if hits else "", weight)
    record = b""
    if event is not None and hits:
        body |= {"query": str(event["query"])[:500], "event": event}
        record = bounded(body, max_bytes)
    return case_draft(body, answer.position[2], answer.hour // 24, record)


def marks_of(judged: Judged) -> dict[str, Any]:
    """What a judgement adds to the row of its case in a list."""
    return {
        "checks": sorted({finding.check for finding in judged.findings}),
        "reasons": sorted({finding.reason for finding in judged.findings}),
        "scripted": judged.judgement.scripted,
    }


def with_judgement(body: Mapping[str, Any], judgement: Mapping[str, Any]) -> dict[str, Any]:
    """A case's body with the judge's findings after those of the checks."""
    findings = [*body["findings"], *judgement["findings"]]
    return {
        **body,
        "findings": findings,
        "judgement": judgement,
        "findings_total": body["findings_total"] + len(judgement["findings"]),
        "checks": sorted({*body["checks"], *(finding["check"] for finding in findings)}),
        "reasons": sorted({*body["reasons"], *(finding["reason"] for finding in findings)}),
    }
