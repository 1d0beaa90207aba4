"""Check ``retrieval``: what retrieval returned for one answer. It measures and never fails."""

from __future__ import annotations

from service.checks import citations
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, Outcome

NAME = "retrieval"


def check(given: CheckInput, reading: CitationReading | None = None) -> CheckResult:
    """Measure ``returned``, ``in_prompt``, ``empty`` (0 or 1), ``duplicates`` (chunks that repeat
    an earlier one's ref or text), and where they exist ``cited_share`` (of the different refs)
    and ``top_score`` (as it was sent).

    ``reading``: what :func:`service.checks.citations.read` returned for this event; it is read
    anew when absent. One that is too large leaves ``cited_share`` out.
    """
    chunks = given.event.retrieved
    refs: set[str] = set()
    texts: set[str] = set()
    duplicates = in_prompt = 0
    scores: list[float] = []
    for chunk, text in zip(chunks, given.texts, strict=True):
        if chunk.ref in refs or (text and text in texts):
            duplicates += 1
        refs.add(chunk.ref)
        if text:
            texts.add(text)
        in_prompt += chunk.in_prompt
        if chunk.score is not None:
            scores.append(chunk.score)
    measures: list[tuple[str, float]] = [
        ("returned", float(len(chunks))),
        ("in_prompt", float(in_prompt)),
        ("empty", 0.0 if chunks else 1.0),
        ("duplicates", float(duplicates)),
    ]
    if refs:
        if reading is None:
            reading = citations.read(given.event, given.policy.citations)
        if not reading.too_large:
            cited = {member.ref for one in reading.citations for member in one.members}
            measures.append(("cited_share", len(refs & cited) / len(refs)))
    if scores:
        measures.append(("top_score", max(scores)))
    return CheckResult(Outcome.PASS, measures=tuple(measures))
