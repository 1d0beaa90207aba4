"""Check ``abstention``: does the answer answer, and did it have something to answer from?"""

from __future__ import annotations

from service.checks.model import (
    CheckInput,
    CheckResult,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
)
from service.checks.reading import speech
from service.checks.reading.content_words import VOCABULARIES, content_words, share
from service.checks.reading.sources import (
    chunk_texts,
    in_german,
    is_too_large,
    lacks_text,
    one_line,
    where,
)
from service.checks.reading.speech import Spoken
from service.checks.reading.speech_phrases import Act, Phrase
from service.policy import AbstentionPolicy

NAME = "abstention"
MAX_ANSWER = 200_000
"""Characters of an answer past which it is not evaluated (``too_large``)."""
FEWEST_QUERY_WORDS = 3
"""Content words of a query below which its overlap with a chunk says nothing."""

ANSWER, NO_ANSWER, CLARIFY, DENY = "answer", "no_answer", "clarify", "deny"
LABELS = (ANSWER, NO_ANSWER, CLARIFY, DENY)

ANSWERED_WITHOUT_EVIDENCE = "answered_without_evidence"
REFUSED_DESPITE_EVIDENCE = "refused_despite_evidence"

SEVERITY: dict[str, Severity] = {
    ANSWERED_WITHOUT_EVIDENCE: Severity.HIGH,
    REFUSED_DESPITE_EVIDENCE: Severity.LOW,
}
"""Every reason of this check, and how bad it is."""

_LONGEST_SURFACE = 500


def check(given: CheckInput) -> CheckResult:
    """Label the answer ``answer``, ``no_answer``, ``clarify`` or ``deny`` (``result.label``).

    One sentence that asserts something makes it an answer, whatever else it leaves open. The label
    is set also where the rest is ``not_evaluated`` for a missing text.
    """
    answer = given.event.answer
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    spoken = speech.read(answer, own_phrases(given.policy.abstention))
    label = classify(spoken)
    if label == ANSWER:
        return _answered(given, spoken)
    if label == NO_ANSWER:
        return _refused(given, spoken)
    return CheckResult(Outcome.PASS, evaluated=1, label=label)


def own_phrases(policy: AbstentionPolicy) -> tuple[Phrase, ...]:
    """The phrases that this app's policy adds."""
    if not (policy.no_answer or policy.clarify or policy.deny):
        return ()
    return (
        *speech.own_phrases(Act.NO_ANSWER, policy.no_answer),
        *speech.own_phrases(Act.ASKS, policy.clarify),
        *speech.own_phrases(Act.DENIES, policy.deny),
    )


def classify(spoken: tuple[Spoken, ...]) -> str:
    """The label of an answer, given what its sentences do; an empty one is ``no_answer``."""
    if not spoken:
        return NO_ANSWER
    acts = [act for _, act in spoken]
    if Act.ASSERTS in acts:
        return ANSWER
    if Act.DENIES in acts:
        return DENY
    if Act.NO_ANSWER in acts:
        return NO_ANSWER
    if Act.ABOUT_SOURCES in acts:
        return ANSWER
    return CLARIFY if Act.ASKS in acts else ANSWER


def _answered(given: CheckInput, spoken: tuple[Spoken, ...]) -> CheckResult:
    """Nothing retrieved, nothing from a tool, and still something asserted."""
    event = given.event
    asserted = None
    if True not in given.in_prompt:
        asserted = next((one for one, act in spoken if act is Act.ASSERTS), None)
    if asserted is None or any(item.kind == "tool" for item in event.context):
        return CheckResult(Outcome.PASS, evaluated=1, label=ANSWER)
    end = min(asserted.end, asserted.start + _LONGEST_SURFACE)
    returned = len(event.retrieved)
    if in_german(given):
        why = "Kein gefundener Text stand im Prompt" if returned else "Es wurde nichts gefunden"
        detail = f"{why}, und doch behauptet die Antwort etwas."
    else:
        why = "No retrieved chunk was in the prompt" if returned else "Nothing was retrieved"
        detail = f"{why}, and still the answer asserts something."
    return _failed(
        ANSWER,
        Finding(
            NAME,
            ANSWERED_WITHOUT_EVIDENCE,
            event.answer[asserted.start : end],
            asserted.start,
            end,
            detail,
            SEVERITY[ANSWERED_WITHOUT_EVIDENCE],
            "none_in_prompt" if returned else "nothing_retrieved",
        ),
    )


def _refused(given: CheckInput, spoken: tuple[Spoken, ...]) -> CheckResult:
    """It knows nothing, though one chunk holds most of what was asked about."""
    if is_too_large(given):
        return CheckResult(
            Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE, label=NO_ANSWER
        )
    asked = content_words(given.event.query)
    best, source = 0.0, None
    if len(asked) >= FEWEST_QUERY_WORDS:
        for chunk in chunk_texts(given):
            found = share(asked, VOCABULARIES.of(chunk.text).words)
            if found > best:
                best, source = found, chunk
    if source is None or best < given.policy.abstention.refused_overlap:
        if lacks_text(given):
            return CheckResult(
                Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT, label=NO_ANSWER
            )
        return CheckResult(Outcome.PASS, evaluated=1, label=NO_ANSWER)
    refusal = next((one for one, act in spoken if act is Act.NO_ANSWER), None)
    start, end = (refusal.start, refusal.end) if refusal else (None, None)
    if start is not None and end is not None:
        end = min(end, start + _LONGEST_SURFACE)
    percent = f"{100 * best:.0f} %"
    if in_german(given):
        detail = f"{where(source)} enthält {percent} der Wörter, nach denen gefragt wurde."
    else:
        detail = f"{where(source)} holds {percent} of the words that were asked about."
    return _failed(
        NO_ANSWER,
        Finding(
            NAME,
            REFUSED_DESPITE_EVIDENCE,
            given.event.answer[start:end] if refusal else "",
            start,
            end,
            detail,
            SEVERITY[REFUSED_DESPITE_EVIDENCE],
            one_line(source.ref or "", 200),
        ),
    )


def _failed(label: str, finding: Finding) -> CheckResult:
    return CheckResult(Outcome.FAIL, (finding,), evaluated=1, failed=1, label=label)
