"""The judge's part of a page, computed: its state in one line, and a judgement claim by claim.

What a judge said is a model's words about a stranger's text, and a judgement in the store may be of
another release: all of it is untrusted, and cut before it is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from service.judging.judgement import (
    Assessment,
    Cause,
    Claim,
    Judgement,
    Quote,
    Status,
    Verdict,
    decode_judgement,
)
from service.web.marking import Mark, span
from service.web.ports import JudgeState
from service.web.texts import Tongue

SCRIPTED = "scripted: no model ruled"
MOST_CLAIMS = 100
MOST_QUOTES = 4
MOST_REFS = 5
LONGEST = 500
"""Characters of a text that are shown; the JSON has all of it."""

SHAPES = {
    Verdict.CONTRADICTED: ("✗", "contradicted"),
    Verdict.UNSUPPORTED: ("∅", "unsupported"),
    Verdict.MISSING: ("?", "not ruled on"),
    Verdict.SUPPORTED: ("✓", "supported"),
    Verdict.NOT_A_CLAIM: ("–", "no claim"),
}
"""A verdict as shape and word, the gravest first."""

CAUSES = {
    Cause.GENERATION: "cause: generation; the retrieved text was enough to get it right",
    Cause.RETRIEVAL: "cause: retrieval; the corpus holds it, what was retrieved does not",
    Cause.NOT_IN_CORPUS: "cause: not in the corpus; no retrieval could have found it",
    Cause.UNKNOWN: "cause: unknown; no corpus is loaded that could tell",
}

TROUBLES = {
    "refused": "the model refused to rule",
    "truncated": "the ruling was cut off at its length limit",
    "content_filter": "the endpoint's content filter withheld the ruling",
    "invalid_json": "the reply was no valid JSON",
    "schema": "the reply had another form than was asked for",
    "empty": "the reply held no words",
    "rate_limited": "the endpoint allowed no more calls",
    "quota": "the endpoint's quota is used up",
    "server_error": "the endpoint had a fault",
    "transport": "the connection to the endpoint broke",
    "timeout": "the endpoint did not answer in time",
    "context_too_long": "the answer and its sources are too long for the model",
    "unauthorized": "the endpoint refused the key",
    "not_found": "the endpoint does not know the model",
    "bad_request": "the endpoint did not accept the request",
    "not_a_completion": "something else than a model answered at the endpoint",
    "deadline": "the time for it ran out",
    "no_sentences": "the answer holds no sentence to rule on",
    "too_many_sentences": "the answer holds more sentences than are ruled on",
    "delimiter_collision": "a text imitates the delimiter that keeps it apart from our words",
    "payload_lost": "the answer was no longer in the store",
}
"""Why there is no ruling, for a reviewer."""


def judge_line(state: JudgeState, t: Tongue) -> str:
    """Its state for people, in one line."""
    if state.model is None:
        return t.say("judge.off")
    parts = [t.say("line.scripted")] if state.scripted else []
    parts += [t.say("judge.asks", model=state.model), t.say("judge.waiting", n=state.waiting)]
    budget = state.budget
    if budget is not None:
        factors = sorted({round(factor, 2) for factor in budget.factors.judge.values()}) or [1.0]
        ends = dict.fromkeys((factors[0], factors[-1]))
        told = f" {t.say('judge.to')} ".join(f"{factor:g}" for factor in ends)
        parts.append(t.say("judge.factor", factor=told))
        if budget.factors.exhausted:
            parts.append(t.say("judge.exhausted"))
        else:
            parts.append(_left(budget.tokens_left, budget.money_micros_left, t))
    return " · ".join(parts)


def _left(tokens: int | None, micros: int | None, t: Tongue) -> str:
    left = [] if tokens is None else [t.say("judge.tokens", n=tokens)]
    left += [] if micros is None else [t.say("judge.money", amount=t.decimal(micros / 1e6, 2))]
    if not left:
        return t.say("judge.unlimited")
    return t.say("judge.left", left=f" {t.say('judge.and')} ".join(left))


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """``number``: of the mark where it stands in a source, None when it stands in none; then
    ``lack`` says why."""

    ref: str
    quote: str
    number: int | None
    lack: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    number: int
    grade: str
    shape: str
    word: str
    text: str
    reason: str
    notes: tuple[str, ...]
    quotes: tuple[QuoteRow, ...]


@dataclass(frozen=True, slots=True)
class SentenceRows:
    """A sentence of the answer and its claims. ``in_answer``: its place in the answer is known."""

    number: int
    in_answer: bool
    claims: tuple[ClaimRow, ...]


@dataclass(frozen=True, slots=True)
class JudgeView:
    """``sentence_marks`` go into the answer, ``quote_marks`` into the sources, by their index."""

    scripted: bool
    line: str
    notes: tuple[str, ...] = ()
    sentences: tuple[SentenceRows, ...] = ()
    left_out: int = 0
    about: tuple[tuple[str, str], ...] = ()
    sentence_marks: tuple[Mark, ...] = ()
    quote_marks: Mapping[int, Sequence[Mark]] = field(default_factory=dict)


def judge_view(
    stored: Mapping[str, Any] | None, answer: str, sources: Sequence[tuple[str, str]]
) -> JudgeView | None:
    """``stored``: ``judgement`` of a case; ``sources``: (ref, text) of everything that may hold a
    quote. None where the judge said nothing yet."""
    if stored is None:
        return None
    scripted = stored.get("scripted") is True
    try:
        plain = {name: value for name, value in stored.items() if name != "findings"}
        return _view(decode_judgement(plain), answer, sources)
    except (AttributeError, KeyError, TypeError, ValueError):
        return JudgeView(scripted, "said something that this release cannot read; see the JSON")


def _view(judgement: Judgement, answer: str, sources: Sequence[tuple[str, str]]) -> JudgeView:
    assessment, about = judgement.assessment, tuple(_about(judgement))
    if judgement.status is not Status.JUDGED or assessment is None:
        return JudgeView(judgement.scripted, _trouble(judgement), about=about)
    shown = assessment.claims[:MOST_CLAIMS]
    places = _places(shown, answer)
    quotes = _Quotes(sources)
    sentences = []
    number = 0
    for sentence, claims in groupby(shown, key=lambda claim: claim.sentence):
        rows = []
        for claim in claims:
            number += 1
            rows.append(_claim_row(number, claim, quotes))
        sentences.append(SentenceRows(sentence, sentence in places, tuple(rows)))
    return JudgeView(
        judgement.scripted,
        _line(judgement, assessment),
        tuple(_notes(judgement, assessment)),
        tuple(sentences),
        len(assessment.claims) - len(shown),
        about,
        tuple(Mark("sentence", sentence, *place) for sentence, place in places.items()),
        quotes.marks,
    )


def _places(claims: Sequence[Claim], answer: str) -> dict[int, tuple[int, int]]:
    """Sentence → its place in the answer; what overlaps an earlier one, or comes twice, has
    none."""
    places: dict[int, tuple[int, int]] = {}
    end = 0
    for claim in sorted(claims, key=lambda claim: (claim.start, claim.sentence)):
        place = span(claim.start, claim.end, answer)
        if place is not None and claim.sentence not in places and place[0] >= end:
            places[claim.sentence] = place
            end = place[1]
    return places


class _Quotes:
    """Numbers the places in the sources where quotes stand; the same place has one number."""

    def __init__(self, sources: Sequence[tuple[str, str]]) -> None:
        self._sources = sources
        self._numbers: dict[tuple[int, int, int], int] = {}
        self.marks: dict[int, list[Mark]] = {}

    def row(self, quote: Quote) -> QuoteRow:
        number = self._number(quote) if quote.valid else None
        lack = ""
        if not quote.ref:
            lack = "the judge named no chunk that exists"
        elif not quote.valid:
            lack = "quote not found in the chunk"
        elif number is None:
            lack = "stood in the chunk; its text was not kept"
        return QuoteRow(_cut(quote.ref), _cut(quote.quote), number, lack)

    def _number(self, quote: Quote) -> int | None:
        for index, (ref, text) in enumerate(self._sources):
            place = span(quote.start, quote.end, text)
            if ref == quote.ref and place is not None:
                known = (index, *place)
                if known not in self._numbers:
                    self._numbers[known] = len(self._numbers) + 1
                    mark = Mark("quote", self._numbers[known], *place)
                    self.marks.setdefault(index, []).append(mark)
                return self._numbers[known]
        return None


def _claim_row(number: int, claim: Claim, quotes: _Quotes) -> ClaimRow:
    shape, word = SHAPES[claim.verdict]
    if claim.miscited:
        shape, word = "↷", "supported, miscited"
    grade = "bad" if claim.bad else "ok" if claim.verdict is Verdict.SUPPORTED else "quiet"
    return ClaimRow(
        number,
        "unknown" if claim.verdict is Verdict.MISSING else grade,
        shape,
        word,
        _cut(claim.text),
        _cut(claim.reason),
        tuple(_claim_notes(claim)),
        tuple(quotes.row(quote) for quote in claim.evidence[:MOST_QUOTES]),
    )


def _claim_notes(claim: Claim) -> Iterator[str]:
    if claim.downgraded:
        yield "the judge called it supported; its evidence does not stand where it says"
    if claim.miscited:
        yield "supported, but by no chunk that its sentence cites"
    if claim.cause is not None:
        yield CAUSES[claim.cause]
    more = len(claim.evidence) - MOST_QUOTES
    if more > 0:
        yield f"{more} more quotes in the JSON"


def _line(judgement: Judgement, assessment: Assessment) -> str:
    numbers = Counter(claim.verdict for claim in assessment.claims)
    parts: list[str] = []
    for verdict, (_, word) in SHAPES.items():
        if not (number := numbers[verdict]) or verdict is Verdict.NOT_A_CLAIM:
            continue
        noun = "" if parts else f" claim{'s' if number != 1 else ''}"
        refs = _refs(assessment, verdict) if verdict is Verdict.CONTRADICTED else ""
        parts.append(f"{number}{noun} {word}{refs}")
    miscited = sum(claim.miscited for claim in assessment.claims)
    parts += [f"{miscited} of them miscited"] if miscited else []
    parts += [] if parts else ["no claim to rule on"]
    parts.append(f"context {_sufficiency(assessment)}")
    if judgement.relevance is not None:
        parts.append(f"relevance {_words(judgement.relevance.value)}")
    return " · ".join(parts)


def _refs(assessment: Assessment, verdict: Verdict) -> str:
    refs = dict.fromkeys(
        quote.ref
        for claim in assessment.claims
        for quote in claim.evidence
        if claim.verdict is verdict and quote.valid
    )
    return f" ({', '.join(_cut(ref, 80) for ref in list(refs)[:MOST_REFS])})" if refs else ""


def _sufficiency(assessment: Assessment) -> str:
    return "sufficient" if assessment.context_sufficient else "insufficient"


def _notes(judgement: Judgement, assessment: Assessment) -> Iterator[str]:
    """Faithfulness never without sufficiency: one alone blames the model for what retrieval did."""
    numbers = Counter(claim.verdict for claim in assessment.claims)
    claims = len(assessment.claims) - numbers[Verdict.NOT_A_CLAIM]
    if assessment.faithfulness is not None:
        yield (
            f"faithfulness {assessment.faithfulness:.2f} ({numbers[Verdict.SUPPORTED]} of {claims} "
            f"claims), with {_sufficiency(assessment)} context"
        )
    if assessment.context_precision is not None:
        useful = ", ".join(_cut(ref, 80) for ref in assessment.useful[:MOST_REFS])
        yield f"{assessment.context_precision:.0%} of the chunks were of use" + (
            f": {useful}" if useful else ""
        )
    if assessment.answer_kind != "answer":
        yield f"kind of answer: {_words(assessment.answer_kind)}"
    if assessment.abstention_right is not None:
        right = "right" if assessment.abstention_right else "wrong"
        yield f"whether to answer was decided {right}ly"
    for first, second in assessment.contradicting[:MOST_REFS]:
        yield f"{_cut(first, 80)} and {_cut(second, 80)} contradict each other"
    for where in assessment.instructions_in_data[:MOST_REFS]:
        yield f"a text tries to instruct the judge: {_cut(where, 80)}"
    if assessment.partial:
        yield "sources were left out to fit the model; what they hold, the judge did not see"
    if judgement.flipped is not None:
        yield f"judged twice: {'a' if judgement.flipped else 'no'} verdict differed"


def _trouble(judgement: Judgement) -> str:
    words = {
        Status.UNDETERMINED: "undetermined, it answered, but not usably",
        Status.FAILED: "failed, no answer came",
    }
    other = _words(_cut(judgement.reason, 60)) or "no reason was kept"
    why = TROUBLES.get(judgement.reason, other)
    return f"{words.get(judgement.status, 'no ruling')}: {why}; counted, outside of every rate"


def _about(judgement: Judgement) -> Iterator[tuple[str, str]]:
    usage = judgement.usage
    yield "judge", judgement.status.value + (f", {SCRIPTED}" if judgement.scripted else "")
    yield "judge model", _cut(judgement.model, 200)
    yield "judge version", _cut(judgement.version, 300)
    yield (
        "judge tokens",
        f"{usage.prompt_tokens:,} in, {usage.completion_tokens:,} out"
        + (" (estimated)" if usage.estimated else ""),
    )
    cost = f"{judgement.cost_micros / 1e6:,.6f} in the price table's currency"
    yield "judge cost", cost if judgement.cost_micros else "nothing, or no prices are set"
    yield "judge calls", f"{judgement.calls} in {judgement.latency_ms / 1000:.1f} s"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
