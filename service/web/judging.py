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

MOST_CLAIMS = 100
MOST_QUOTES = 4
MOST_REFS = 5
LONGEST = 500
"""Characters of a text that are shown; the JSON has all of it."""

SHAPES = {
    Verdict.CONTRADICTED: "✗",
    Verdict.UNSUPPORTED: "∅",
    Verdict.MISSING: "?",
    Verdict.SUPPORTED: "✓",
    Verdict.NOT_A_CLAIM: "–",
}
"""A verdict's shape, the gravest first; its word is ``verdict.*`` among the words."""


def judge_line(state: JudgeState, t: Tongue) -> str:
    """Its state for people, in one line."""
    if state.model is None:
        return t.say("judge.off")
    parts = [t.say("line.scripted")] if state.scripted else []
    parts.append(t.say("judge.asks", model=state.model))
    if state.waiting is not None:
        parts.append(t.say("judge.waiting", n=state.waiting))
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
    stored: Mapping[str, Any] | None, answer: str, sources: Sequence[tuple[str, str]], t: Tongue
) -> JudgeView | None:
    """``stored``: ``judgement`` of a case; ``sources``: (ref, text) of everything that may hold a
    quote. None where the judge said nothing yet."""
    if stored is None:
        return None
    scripted = stored.get("scripted") is True
    try:
        plain = {name: value for name, value in stored.items() if name != "findings"}
        return _view(decode_judgement(plain), answer, sources, t)
    except (AttributeError, KeyError, TypeError, ValueError):
        return JudgeView(scripted, t.say("ruling.unreadable"))


def _view(
    judgement: Judgement, answer: str, sources: Sequence[tuple[str, str]], t: Tongue
) -> JudgeView:
    assessment, about = judgement.assessment, tuple(_about(judgement, t))
    if judgement.status is not Status.JUDGED or assessment is None:
        return JudgeView(judgement.scripted, _trouble(judgement, t), about=about)
    shown = assessment.claims[:MOST_CLAIMS]
    places = _places(shown, answer)
    quotes = _Quotes(sources, t)
    sentences = []
    number = 0
    for sentence, claims in groupby(shown, key=lambda claim: claim.sentence):
        rows = []
        for claim in claims:
            number += 1
            rows.append(_claim_row(number, claim, quotes, t))
        sentences.append(SentenceRows(sentence, sentence in places, tuple(rows)))
    return JudgeView(
        judgement.scripted,
        _line(judgement, assessment, t),
        tuple(_notes(judgement, assessment, t)),
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

    def __init__(self, sources: Sequence[tuple[str, str]], t: Tongue) -> None:
        self._sources = sources
        self._t = t
        self._numbers: dict[tuple[int, int, int], int] = {}
        self.marks: dict[int, list[Mark]] = {}

    def row(self, quote: Quote) -> QuoteRow:
        number = self._number(quote) if quote.valid else None
        lack = ""
        if not quote.ref:
            lack = self._t.say("quote.no_chunk")
        elif not quote.valid:
            lack = self._t.say("quote.not_found")
        elif number is None:
            lack = self._t.say("quote.not_kept")
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


def _claim_row(number: int, claim: Claim, quotes: _Quotes, t: Tongue) -> ClaimRow:
    shape, word = SHAPES[claim.verdict], t.word("verdict", claim.verdict.value)
    if claim.miscited:
        shape, word = "↷", t.say("verdict.miscited")
    grade = "bad" if claim.bad else "ok" if claim.verdict is Verdict.SUPPORTED else "quiet"
    return ClaimRow(
        number,
        "unknown" if claim.verdict is Verdict.MISSING else grade,
        shape,
        word,
        _cut(claim.text),
        _cut(claim.reason),
        tuple(_claim_notes(claim, t)),
        tuple(quotes.row(quote) for quote in claim.evidence[:MOST_QUOTES]),
    )


def _claim_notes(claim: Claim, t: Tongue) -> Iterator[str]:
    if claim.downgraded:
        yield t.say("claim.downgraded")
    if claim.miscited:
        yield t.say("claim.miscited")
    if claim.cause is not None:
        yield t.word("claim.cause", claim.cause.value)
    more = len(claim.evidence) - MOST_QUOTES
    if more > 0:
        yield t.say("claim.more_quotes", n=more)


def _line(judgement: Judgement, assessment: Assessment, t: Tongue) -> str:
    numbers = Counter(claim.verdict for claim in assessment.claims)
    parts: list[str] = []
    for verdict in SHAPES:
        if not (number := numbers[verdict]) or verdict is Verdict.NOT_A_CLAIM:
            continue
        word = t.word("verdict", verdict.value)
        refs = _refs(assessment, verdict) if verdict is Verdict.CONTRADICTED else ""
        parts.append(
            f"{t.count(number)} {word}{refs}"
            if parts
            else t.say("ruling.first", n=number, verdict=word, refs=refs)
        )
    miscited = sum(claim.miscited for claim in assessment.claims)
    parts += [t.say("ruling.miscited", n=miscited)] if miscited else []
    parts += [] if parts else [t.say("ruling.none")]
    parts.append(t.say("ruling.context", sufficiency=_sufficiency(assessment, t)))
    if judgement.relevance is not None:
        relevance = t.word("relevance", judgement.relevance.value)
        parts.append(t.say("ruling.relevance", relevance=relevance))
    return " · ".join(parts)


def _refs(assessment: Assessment, verdict: Verdict) -> str:
    refs = dict.fromkeys(
        quote.ref
        for claim in assessment.claims
        for quote in claim.evidence
        if claim.verdict is verdict and quote.valid
    )
    return f" ({', '.join(_cut(ref, 80) for ref in list(refs)[:MOST_REFS])})" if refs else ""


def _sufficiency(assessment: Assessment, t: Tongue) -> str:
    return t.word("sufficiency", "sufficient" if assessment.context_sufficient else "insufficient")


def _notes(judgement: Judgement, assessment: Assessment, t: Tongue) -> Iterator[str]:
    """Faithfulness never without sufficiency: one alone blames the model for what retrieval did."""
    numbers = Counter(claim.verdict for claim in assessment.claims)
    claims = len(assessment.claims) - numbers[Verdict.NOT_A_CLAIM]
    if assessment.faithfulness is not None:
        yield t.say(
            "ruling.faithfulness",
            score=t.decimal(assessment.faithfulness, 2),
            good=numbers[Verdict.SUPPORTED],
            claims=claims,
            sufficiency=_sufficiency(assessment, t),
        )
    if assessment.context_precision is not None:
        useful = ", ".join(_cut(ref, 80) for ref in assessment.useful[:MOST_REFS])
        share = t.percent(assessment.context_precision, 0)
        yield t.say("ruling.useful", share=share, refs=f": {useful}" if useful else "")
    if assessment.answer_kind != "answer":
        yield t.say("ruling.answer_kind", kind=t.word("answer_kind", assessment.answer_kind))
    if assessment.abstention_right is not None:
        yield t.say("ruling.rightly") if assessment.abstention_right else t.say("ruling.wrongly")
    for first, second in assessment.contradicting[:MOST_REFS]:
        yield t.say("ruling.contradict", first=_cut(first, 80), second=_cut(second, 80))
    for where in assessment.instructions_in_data[:MOST_REFS]:
        yield t.say("ruling.instructs", where=_cut(where, 80))
    if assessment.partial:
        yield t.say("ruling.partial")
    if judgement.flipped is not None:
        yield t.say("ruling.flipped") if judgement.flipped else t.say("ruling.steady")


def _trouble(judgement: Judgement, t: Tongue) -> str:
    states = {
        Status.UNDETERMINED: t.say("ruling.undetermined"),
        Status.FAILED: t.say("ruling.failed"),
    }
    return t.say(
        "ruling.trouble",
        state=states.get(judgement.status, t.say("ruling.no_ruling")),
        why=t.word("trouble", _cut(judgement.reason, 60)) or t.say("ruling.no_reason"),
    )


def _about(judgement: Judgement, t: Tongue) -> Iterator[tuple[str, str]]:
    usage = judgement.usage
    status = t.word("judge_status", judgement.status.value)
    scripted = f", {t.say('line.scripted')}" if judgement.scripted else ""
    yield t.say("judge.about"), status + scripted
    yield t.say("judge.about_model"), _cut(judgement.model, 200)
    yield t.say("judge.about_version"), _cut(judgement.version, 300)
    used = t.say("judge.used", sent=usage.prompt_tokens, got=usage.completion_tokens)
    estimated = f" {t.say('judge.estimated')}" if usage.estimated else ""
    yield t.say("judge.about_tokens"), used + estimated
    cost = t.say("judge.cost", amount=t.decimal(judgement.cost_micros / 1e6, 6))
    yield t.say("judge.about_cost"), cost if judgement.cost_micros else t.say("judge.no_cost")
    seconds = t.decimal(judgement.latency_ms / 1000)
    yield t.say("judge.about_calls"), t.say("judge.calls", n=judgement.calls, time=seconds)


def _cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
