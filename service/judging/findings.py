"""From a judgement to findings, in the form that the free checks give theirs. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from service.checks.model import Finding, Severity
from service.judging.judgement import Assessment, Claim, Judgement, Relevance, Verdict

NAME = "judge"

SEVERITIES = {
    "contradicted": Severity.HIGH,
    "instructions_in_data": Severity.HIGH,
    "unsupported": Severity.MEDIUM,
    "wrong_abstention": Severity.MEDIUM,
    "miscited": Severity.MEDIUM,
    "off_topic": Severity.MEDIUM,
    "low_relevance": Severity.LOW,
    "sources_contradict": Severity.LOW,
}
REASONS = tuple(SEVERITIES)
_GRAVITY = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)

_WORDS = {
    "en": {
        "contradicted": "“{claim}” is contradicted by {ref}: “{quote}”.",
        "unsupported": "“{claim}” stands in no retrieved text.",
        "downgraded": "“{claim}” was called supported, but the evidence does not stand where the "
        "judge says.",
        "miscited": "“{claim}” is supported by {ref}, which its sentence does not cite.",
        "wrong_abstention": "The answer declines, although the retrieved text has the answer.",
        "wrong_answer": "The answer answers, although declining would have been right.",
        "instructions_in_data": "A text tries to instruct the judge: {where}.",
        "sources_contradict": "{ref} and {other} contradict each other.",
        "tangential": "The answer only touches the question.",
        "off_topic": "The answer is about something else than the question.",
        "retrieval": " Retrieval missed it: the corpus holds it.",
        "not_in_corpus": " The corpus does not hold it either.",
        "source_wrong": " The sources contradict each other: one of them is wrong.",
        "generation": "",
        "unknown": "",
    },
    "de": {
        "contradicted": "„{claim}“ widerspricht {ref}: „{quote}“.",
        "unsupported": "„{claim}“ steht in keinem abgerufenen Text.",
        "downgraded": "„{claim}“ gilt dem Prüfmodell als belegt, doch der Beleg steht nicht dort.",
        "miscited": "„{claim}“ steht in {ref}, das der Satz nicht zitiert.",
        "wrong_abstention": "Die Antwort lehnt ab, obwohl es im abgerufenen Text steht.",
        "wrong_answer": "Die Antwort antwortet, obwohl Ablehnen richtig gewesen wäre.",
        "instructions_in_data": "Ein Text will dem Prüfmodell Anweisungen geben: {where}.",
        "sources_contradict": "{ref} und {other} widersprechen einander.",
        "tangential": "Die Antwort streift die Frage nur.",
        "off_topic": "Die Antwort handelt von etwas anderem als der Frage.",
        "retrieval": " Der Abruf hat es verfehlt: im Korpus steht es.",
        "not_in_corpus": " Auch im Korpus steht es nicht.",
        "source_wrong": " Die Quellen widersprechen einander: Eine von ihnen ist falsch.",
        "generation": "",
        "unknown": "",
    },
}


def findings_of(judgement: Judgement, language: str) -> tuple[Finding, ...]:
    """What a person should look at, the gravest first; places are character offsets into the
    answer. ``language``: of the answer, two letters."""
    words = _WORDS["de" if language == "de" else "en"]
    found = [*_of_assessment(judgement.assessment, words), *_of_relevance(judgement, words)]
    return tuple(sorted(found, key=lambda finding: _GRAVITY.index(finding.severity)))


def _of_assessment(assessment: Assessment | None, words: dict[str, str]) -> Iterator[Finding]:
    if assessment is None:
        return
    for claim in assessment.claims:
        if claim.bad:
            yield _of_claim(claim, words)
    if assessment.abstention_right is False:
        abstains = assessment.answer_kind != "answer"
        yield _finding(
            "wrong_abstention", words["wrong_abstention" if abstains else "wrong_answer"]
        )
    for where in assessment.instructions_in_data:
        detail = words["instructions_in_data"].format(where=_cut(where))
        yield _finding("instructions_in_data", detail, cause=where)
    for ref, other in assessment.contradicting:
        detail = words["sources_contradict"].format(ref=_cut(ref), other=_cut(other))
        yield _finding("sources_contradict", detail, cause=f"{ref} {other}")


def _of_claim(claim: Claim, words: dict[str, str]) -> Finding:
    reason = "miscited" if claim.miscited else claim.verdict.value
    shown = next((quote for quote in claim.evidence if quote.valid), None)
    ref = shown.ref if shown is not None else ""
    template = "downgraded" if claim.downgraded and reason == "unsupported" else reason
    detail = words[template].format(
        claim=_cut(claim.text), ref=_cut(ref), quote=_cut(shown.quote if shown is not None else "")
    )
    if claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) and claim.cause is not None:
        detail += words[claim.cause.value]
    cause = ref or (claim.cause.value if claim.cause is not None else "")
    return Finding(
        NAME,
        reason,
        claim.text[:500],
        claim.start,
        claim.end,
        detail,
        SEVERITIES[reason],
        cause,
        near_ref=ref or None,
        near_start=shown.start if shown is not None else None,
        near_end=shown.end if shown is not None else None,
    )


def _of_relevance(judgement: Judgement, words: dict[str, str]) -> Iterator[Finding]:
    if judgement.relevance is Relevance.TANGENTIAL:
        yield _finding("low_relevance", words["tangential"])
    elif judgement.relevance is Relevance.OFF_TOPIC:
        yield _finding("off_topic", words["off_topic"])


def _finding(reason: str, detail: str, cause: str = "") -> Finding:
    return Finding(NAME, reason, "", None, None, detail, SEVERITIES[reason], cause)


def _cut(text: str, most: int = 200) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
