"""Check ``retrieval``: what retrieval returned for one answer. It measures and never fails."""

from __future__ import annotations

from service.checks import citations
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, Outcome
from service.checks.reading.cache import some_letters

NAME = "retrieval"


def check(given: CheckInput, reading: CitationReading | None = None) -> CheckResult:
    """Measure ``returned``, ``in_prompt``, ``empty`` (0 or 1), ``evidence`` (1 where the model was
    given anything to answer from: a chunk with a text, or one whose text could not be had, or
    context that is not its own), ``duplicates`` (chunks that repeat an earlier one's ref or text),
    and where they exist ``cited_share`` (of the different refs)
    and ``top_score`` (as it was sent).

    ``reading``: what :func:`service.checks.citations.read` returned for this event; it is read
    anew when absent. One that is too large leaves ``cited_share`` out.
    """
    chunks = given.event.retrieved
    refs = set(given.refs)
    scores = [score for chunk in chunks if (score := chunk.score) is not None]
    measures: list[tuple[str, float]] = [
        ("returned", float(len(chunks))),
        ("in_prompt", float(sum(given.in_prompt))),
        ("empty", 0.0 if chunks else 1.0),
        ("evidence", float(_has_evidence(given))),
        ("duplicates", float(_duplicates(given, refs))),
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


def _has_evidence(given: CheckInput) -> bool:
    for is_shown, text in zip(given.in_prompt, given.texts, strict=True):
        if is_shown and (text is None or text.strip()):
            return True
    return any(item.kind != "assistant" and item.text.strip() for item in given.event.context)


def _duplicates(given: CheckInput, refs: set[str]) -> int:
    """How many chunks repeat an earlier one's ref or text."""
    if len(refs) == len(given.texts):
        glimpses = [some_letters(text) for text in given.texts if text]
        if len(set(glimpses)) == len(glimpses):  # the texts themselves need not be hashed
            return 0
    found = 0
    seen: set[str] = set()
    held: set[str] = set()
    for ref, text in zip(given.refs, given.texts, strict=True):
        found += ref in seen or (bool(text) and text in held)
        seen.add(ref)
        if text:
            held.add(text)
    return found
