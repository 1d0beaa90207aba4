"""Check ``overlap``: how much of each sentence stands in one chunk. It measures, never fails."""

from __future__ import annotations

from service.checks import citations
from service.checks.abstention import own_phrases
from service.checks.citations import CitationReading
from service.checks.model import CheckInput, CheckResult, NotEvaluated, Outcome, Span
from service.checks.reading import speech
from service.checks.reading.content_words import VOCABULARIES, gather
from service.checks.reading.sentences import Sentence
from service.checks.reading.sources import is_too_large, lacks_text, prompt_texts
from service.checks.reading.speech_phrases import ASSERTS

NAME = "overlap"
MAX_ANSWER = 200_000
"""Characters of an answer past which it is not evaluated (``too_large``)."""
MAX_SENTENCES = 1_000
"""Sentences past which it is not evaluated: each is compared with each chunk."""
FEWEST_WORDS = 3
"""Content words below which a sentence is not measured."""


def check(given: CheckInput, reading: CitationReading | None = None) -> CheckResult:
    """Measure ``min_sentence_overlap`` and ``mean_overlap`` over the sentences that assert
    something, and ``sentences``, their number.

    ``reading``: the citations, whose words do not count; read anew when absent.
    """
    event = given.event
    answer = event.answer
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    spoken = speech.read(answer, own_phrases(given.policy.abstention))
    asserted = [one for one, act in spoken if act is ASSERTS]
    if not asserted or not event.retrieved:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(asserted) > MAX_SENTENCES or is_too_large(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    if lacks_text(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT)
    vocabularies = [VOCABULARIES.of(text).words for text in prompt_texts(given)]
    if not vocabularies:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if reading is None:
        reading = citations.read(event, given.policy.citations)
    shares = _shares(answer, asserted, _marks(reading), vocabularies)
    if not shares:
        return CheckResult(Outcome.NOT_APPLICABLE)
    return CheckResult(
        Outcome.PASS,
        evaluated=len(shares),
        measures=(
            ("min_sentence_overlap", min(shares)),
            ("mean_overlap", sum(shares) / len(shares)),
            ("sentences", float(len(shares))),
        ),
    )


def _marks(reading: CitationReading) -> list[Span]:
    """Where the citations stand, in order."""
    return sorted(
        (one.start, one.end)
        for one in reading.citations
        if one.start is not None and one.end is not None
    )


def _shares(
    answer: str, asserted: list[Sentence], marks: list[Span], vocabularies: list[dict[str, None]]
) -> list[float]:
    """Per sentence with enough words, its share in the best chunk."""
    shares = []
    text = _without(answer, marks)
    for one in asserted:
        words = list(gather(text[one.start : one.end]))
        if len(words) >= FEWEST_WORDS:
            missed = _fewest_missed(words, vocabularies)
            shares.append((len(words) - missed) / len(words))
    return shares


def _fewest_missed(words: list[str], vocabularies: list[dict[str, None]]) -> int:
    """How many of the words the best vocabulary lacks. One is left where it cannot be better."""
    fewest = len(words)
    for vocabulary in vocabularies:
        missed = 0
        for word in words:
            if word not in vocabulary:
                missed += 1
                if missed == fewest:
                    break
        else:
            fewest = missed
            if fewest == 0:
                break
    return fewest


def _without(text: str, marks: list[Span]) -> str:
    """The text with the citations in it blanked."""
    parts: list[str] = []
    at = 0
    for start, end in marks:
        if end > at:
            start = max(start, at)
            parts += (text[at:start], " " * (end - start))
            at = end
    return "".join((*parts, text[at:])) if parts else text
