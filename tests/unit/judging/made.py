"""Jobs, and what a judge may say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from service.judging.jobs import Answer, Job, JobCitation

PLANS = "Pro: 45 € a seat and month, billed yearly. An extra seat is 54 €."
TERMS = "A refund is paid within ten working days. Yearly plans are refunded in part."
CHUNKS = {"pricing#plans": PLANS, "terms#refunds": TERMS}


def job(
    answer: str,
    chunks: Mapping[str, str | None] | Sequence[tuple[str, str | None]] = CHUNKS,
    *,
    query: str = "What does a seat cost?",
    context: Sequence[Mapping[str, str]] = (),
    language: str = "en",
    label: str = "answer",
) -> Job:
    """Every ``[ref]`` in the answer that names a chunk is a citation of it."""
    pairs = list(chunks.items()) if isinstance(chunks, Mapping) else list(chunks)
    refs = {ref for ref, _ in pairs}
    marks = re.finditer(r"\[([^\[\]]+)\]", answer)
    return Job(
        Answer(
            job_id="job", app="support", identity="support", event_id="a", release="r1",
            ruleset="1", language=language, hour=1, occurred_ms=3_600_000, position=("t", 0, 0),
            stratum="rest", u=0.1, pi=1.0, pi_audit=0.1, factors=1, audited=False, flagged=False,
            label=label,
        ),
        event={
            "query": query, "answer": answer, "context": list(context),
            "retrieved": [{"ref": ref, "text": text} for ref, text in pairs],
        },
        citations=tuple(
            JobCitation(mark.start(), mark.end(), (mark[1],)) for mark in marks if mark[1] in refs
        ),
    )  # fmt: skip


def claim(
    verdict: str = "SUPPORTED",
    *quotes: tuple[int, str],
    text: str = "A claim.",
    reason: str = "So.",
) -> dict[str, Any]:
    evidence = [{"passage": passage, "quote": quote} for passage, quote in quotes]
    return {"claim": text, "evidence": evidence, "reason": reason, "verdict": verdict}


def reply(sentences: Mapping[int, Sequence[Mapping[str, Any]]], **more: Any) -> dict[str, Any]:
    """A ruling in the form of the schema."""
    return {
        "sentences": [
            {"sentence": number, "claims": list(claims)} for number, claims in sentences.items()
        ],
        "context_sufficient": True,
        "useful_passages": [],
        "contradicting_passages": [],
        "answer_kind": "answer",
        "abstention_right": "not_an_abstention",
        "instructions_in_data": [],
    } | more
