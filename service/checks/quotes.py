"""Check ``quotes``: what the answer quotes stands word for word in what the model was given. Pure.

What is decided, and what is no quotation, stands in docs/checks/quotes.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from service.checks.citation_forms import Base
from service.checks.citation_targets import Targets, fold
from service.checks.model import (
    CheckInput,
    CheckResult,
    Evidence,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
    Span,
)
from service.checks.reading import sources
from service.checks.reading.code import code_spans
from service.checks.reading.folding import lower
from service.checks.reading.grounding import Source
from service.checks.reading.quotations import Quotation, may_quote, quotations
from service.checks.reading.shown import shown
from service.checks.reading.sources import one_line, where
from service.checks.reading.verbatim import Passage, Wording

NAME = "quotes"
MAX_ANSWER = 200_000
"""Characters of the answer and its structured quotes past which it is ``too_large``."""
MAX_QUOTES = 200
"""Quotations past which the answer is ``too_large``."""
MIN_WORDS = 4
"""Words from which on quotation marks hold a quotation; two CJK characters count as one word."""
RESEMBLES = 0.5
"""Share of its words, in order, from which on a passage is a misquoted one, not another one."""

NOT_VERBATIM = "not_verbatim"
NOT_FOUND = "not_found"
QUOTE_NOT_IN_REF = "quote_not_in_ref"

SEVERITY: dict[str, Severity] = {
    NOT_FOUND: Severity.HIGH,  # words put into a source's mouth
    NOT_VERBATIM: Severity.MEDIUM,
    QUOTE_NOT_IN_REF: Severity.MEDIUM,  # the words are right, their source is not
}
"""Every reason of this check, and how bad it is."""

_GAP = re.compile(
    r"\[ ?(?:…|\.{3,4}|[^\[\]\n]{1,80}) ?\]|\( ?(?:…|\.{3,4}) ?\)|…|\.{3,}"
)  # an ellipsis, or an editor's own words
_ONE_LETTER = re.compile(r"\[([^\W\d_])\](?=[^\W\d_])")
"""``[t]he``: its case was changed to fit the sentence, and case does not count."""
_EDGES = " \t\n\r.,;:!?…*_~`"
_LEAD = 60

_SPOKEN_BY_USER = re.compile(
    r"(?i)(?:"
    r"(?:\A|[.:!?\n*,;-] ?|\b(?:you|to|can|could|simply|just|please|and|then|or) )"
    r"(?:write|type|enter|say|ask|reply|answer|search|e-?mail|send|state|mention|tell)"
    r"(?: (?:us|me|them|him|her|support|for|with|in|something|like|e\.g\.|for example|the|words?"
    r"|text|phrase|message|command|following)){0,4}"
    r"|\b(?:schreiben|sagen|fragen|antworten|tippen|suchen|geben|formulieren|senden) sie"
    r"(?: (?:mit|uns|ihm|ihr|einfach|nach|etwa|zum beispiel|z\. ?b\.|bitte|den|die|das|text|worte"
    r"|satz|dem|support|folgendes)){0,4}"
    r"|(?:\A|[.:!?\n] ?)(?:schreib|sag|frag|antworte|tipp|such)e?(?: (?:uns|einfach|nach)){0,2}"
    r"|\b(?:subject(?: line)?|betreff(?:zeile)?)"
    r"|\b(?:(?:do|did) you mean|mein(?:t?en sie|s?t du))(?: [^.!?\n]{0,50})?"
    r")[:,]?[ *_]*\Z"
)
"""Words that the reader is to say or type: nobody claims that a source holds them."""
_DENIED = re.compile(
    r"(?i)(?:\b(?:not|never|nowhere|neither)\b|n't\b|n’t\b)[^.!?\n]{0,20}"
    r"\b(?:say|state|mention|contain|read|include|promise|find)s?\b[^.!?:\n]{0,24}\Z"
    r"|\b(?:nothing|none|no (?:document|source|passage|text|section|page|clause|rule|sentence))"
    r"\b[^.!?,:;\n]{0,30}\b(?:says|states|mentions|contains|reads) \Z"
    r"|\bsteht\b[^.!?,:;\n]{0,24}\b(?:nicht|nirgends): ?\Z"
    r"|\b(?:steht|heißt|erwähnt|findet|sagt|enthält|enthalten|erwähnen|sagen)\b[^.!?\n]{0,24}"
    r"\b(?:nicht|nirgends|nirgendwo|kein\w{0,2})\b[^.!?:\n]{0,24}\Z"
)
_DENIED_BEHIND = re.compile(
    r"(?i),? ?(?:(?:does|do|did)(?:n't|n’t| not) (?:appear|occur|stand)\b"
    r"|(?:is|are|was|were)(?:n't|n’t| not(?! only)| nowhere) [^.!?,;:\n]{0,16}"
    r"\b(?:stated|mentioned|found|contained|included|written|said|part of)\b"
    r"|(?:appears|stands|is) nowhere\b|(?:cannot|can't|can’t|could not) be found\b"
    r"|(?:steht|findet sich|kommt|taucht|enthält|enthalten)\b[^.!?,;:\n]{0,40}"
    r"\b(?:nicht|nirgends|nirgendwo)\b(?! nur\b)"
    r"|ist\b[^.!?,;:\n]{0,40}\b(?:nicht|nirgends) (?:enthalten|erwähnt|genannt|zu finden|belegt))"
)
"""The answer itself says, before the words or behind them, that they stand nowhere."""
_BEHIND = 80
_VALUE = re.compile(r"(?:[\"'] ?:|[\w\]]=|\w :?=) ?\Z")
"""What stands before the value of an attribute or of a JSON field: data, not speech."""
_NAME_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SMALL_WORDS = frozenset(
    "a an and as at but by de der des die du et for from in la le les of on or the to und v vs von "
    "with y".split()
)


class _Quote(NamedTuple):
    """``surface`` and its place in the answer, None for a structured quote without one; ``said``:
    the words without their marks. ``ref``: what a structured quote is cited from, as cited."""

    surface: str
    start: int | None
    end: int | None
    said: str
    parts: tuple[Wording, ...]
    ref: str | None = None

    @property
    def words(self) -> list[str]:
        return [word for part in self.parts for word in part.words]


class _Place(NamedTuple):
    source: Source
    start: int | None
    end: int | None


class _Given:
    """The sources of one answer; each is split into words at most once, and only when needed."""

    def __init__(self, given: CheckInput) -> None:
        self._given = given
        self.chunks = sources.chunk_texts(given)
        self._wordings: dict[str, Wording] = {}

    @cached_property
    def all(self) -> list[Source]:
        return [*self.chunks, *sources.other_texts(self._given)]

    @cached_property
    def names(self) -> list[Source]:
        return list(sources.chunk_names(self._given))

    @cached_property
    def targets(self) -> Targets:
        return Targets(self._given.event.retrieved, self._given.policy.citations)

    def wording(self, source: Source) -> Wording:
        # by its text: a source that is gone leaves its id to another
        known = self._wordings.get(source.text)
        if known is None:
            known = self._wordings[source.text] = Wording(source.text)
        return known

    def cited(self, ref: str) -> list[Source] | None:
        """The chunks that a structured citation means; None when it resolves to none."""
        resolved = self.targets.ref(ref)
        if resolved is None and ref.isdecimal() and len(ref) <= 6:
            resolved = self.targets.number(int(ref), Base.POLICY)
        if resolved is None:
            return None
        separator = self._given.policy.citations.separator
        names = {fold(ref), fold(resolved)}
        return [
            source
            for source in self.chunks
            if source.ref is not None
            and (fold(source.ref) in names or fold(source.ref).partition(separator)[0] in names)
        ]


def check(given: CheckInput, owned: Sequence[Span] = ()) -> CheckResult:
    """Decide every quotation of the answer, and every quote of a structured citation.

    ``owned``: what citations and links claim; a citation within a quotation is no part of it.
    The result owns the quotations that fail, so that what is wrong within them is found once.
    """
    event = given.event
    answer = event.answer
    structured = any(citation.quote for citation in event.citations)
    if not structured and not may_quote(answer) and "&" not in answer:
        return CheckResult(Outcome.NOT_APPLICABLE)
    size = len(answer) + sum(len(citation.quote or "") for citation in event.citations)
    if size > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    text = shown(answer)
    marks = _outside_code(answer, quotations(text))
    if len(marks) + len(event.citations) > MAX_QUOTES:
        counted = len(marks) + sum(1 for citation in event.citations if citation.quote)
        if counted > MAX_QUOTES:
            return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    quotes = [*_in_text(answer, text, marks, owned), *_structured(given)]
    if not quotes:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if sources.is_too_large(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    return _decide(given, text, quotes)


# ------------------------------------------------------------------------------ what is a quotation


def _outside_code(answer: str, marks: list[Quotation]) -> list[Quotation]:
    code = code_spans(answer) if marks else []
    if not code:
        return marks
    return [mark for mark in marks if not any(span.start <= mark.start < span.end for span in code)]


def _in_text(
    answer: str, text: str, marks: Iterable[Quotation], owned: Sequence[Span]
) -> Iterator[_Quote]:
    for start, end, inner_start, inner_end in marks:
        if inner_end - inner_start < MIN_WORDS:
            continue
        inner = text[inner_start:inner_end]
        if owned:
            if any(left <= start and end <= right for left, right in owned):
                continue
            inner = _without(inner, inner_start, owned)
        parts = _parts(inner)
        if sum(part.weight for part in parts) >= MIN_WORDS:
            start, end = _with_entities(answer, start, end)
            yield _Quote(answer[start:end], start, end, inner.strip(_EDGES), parts)


def _with_entities(answer: str, start: int, end: int) -> Span:
    """``&quot;`` shows as one mark, but is six characters of the answer."""
    if answer[start] == ";":
        start = answer.rfind("&", 0, start)
    if answer[end - 1] == "&":
        end = answer.index(";", end) + 1
    return start, end


def _without(inner: str, offset: int, owned: Sequence[Span]) -> str:
    for left, right in owned:
        left, right = max(left - offset, 0), min(right - offset, len(inner))
        if left < right:
            inner = inner[:left] + " " * (right - left) + inner[right:]
    return inner


def _parts(words: str) -> tuple[Wording, ...]:
    """The stretches between ellipses."""
    if "[" in words:
        words = _ONE_LETTER.sub(r"\1", words)
    found = (Wording(part) for part in _GAP.split(words) if part.strip(_EDGES))
    return tuple(part for part in found if len(part))


def _structured(given: CheckInput) -> Iterator[_Quote]:
    answer = given.event.answer
    for citation in given.event.citations:
        if not citation.quote:
            continue
        parts = _parts(citation.quote)
        if not parts:
            continue
        start, end = citation.start, citation.end
        if start is None or end is None or not 0 <= start < end <= len(answer):
            yield _Quote(citation.quote, None, None, citation.quote, parts, citation.ref)
        else:
            yield _Quote(answer[start:end], start, end, citation.quote, parts, citation.ref)


# --------------------------------------------------------------------------------- where it stands


def _decide(given: CheckInput, text: str, quotes: Sequence[_Quote]) -> CheckResult:
    at = _Given(given)
    evidence: list[Evidence] = []
    findings: list[Finding] = []
    explain = _Explain(given, at)
    evaluated = 0
    seen: set[str] = set()
    for quote in quotes:
        place = _place(at, quote)
        if place is None and quote.ref is None and _is_no_claim(text, quote):
            continue
        cited = at.cited(quote.ref) if quote.ref is not None else None
        if quote.ref is not None and cited is None:
            continue  # the citation itself is dead: a finding of citations
        if place is None and explain.is_left_to_numbers(quote):
            continue
        letters = "".join(part.letters for part in quote.parts)
        if place is None and letters in seen:
            continue
        evaluated += 1
        if place is None:
            seen.add(letters)
            findings.append(explain.missing(quote))
        elif cited is not None and place.source not in cited and cited:
            findings.append(explain.elsewhere(quote, place.source))
        else:
            evidence.append(_evidence(quote, place))
    if not evaluated:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if any(finding.reason != QUOTE_NOT_IN_REF for finding in findings) and sources.lacks_text(
        given
    ):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT)
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        tuple(findings),
        tuple(evidence),
        evaluated=evaluated,
        failed=len(findings),
        owned=tuple(
            (finding.start, finding.end)
            for finding in findings
            if finding.start is not None
            and finding.end is not None
            and finding.reason != QUOTE_NOT_IN_REF
        ),
    )


def _evidence(quote: _Quote, place: _Place) -> Evidence:
    source = place.source
    in_chunk = source.ref is not None
    return Evidence(
        NAME,
        source.kind,
        quote.surface,
        quote.start,
        quote.end,
        source.ref,
        place.start if in_chunk else None,
        place.end if in_chunk else None,
    )


def _place(at: _Given, quote: _Quote) -> _Place | None:
    """The first source that holds the words; where they are cited from goes before the rest."""
    cited = at.cited(quote.ref) if quote.ref is not None else None
    if len(quote.parts) == 1:
        for source in chain(cited or (), at.chunks):
            start = _literally(source.text, quote.said)
            if start >= 0:
                return _Place(source, start, start + len(quote.said))
    for source in chain(cited or (), at.all):
        span = _span(at.wording(source), quote.parts)
        if span is not None:
            return _Place(source, *span)
    for source in at.names:
        if _span(at.wording(source), quote.parts) is not None:
            return _Place(source, None, None)
    return None


def _literally(text: str, said: str) -> int:
    """Where the words stand but for their case, bounded on both sides; -1 when they do not."""
    start = text.find(said)
    if start < 0:
        start = lower(text).find(lower(said))
    if start < 0:
        return -1
    end = start + len(said)
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if (before.isalnum() and said[0].isalnum()) or (after.isalnum() and said[-1].isalnum()):
        return -1
    return start


def _span(wording: Wording, parts: Sequence[Wording]) -> Span | None:
    """Offsets from the first part's begin to the last one's end; all parts in order."""
    first = last = None
    for part in parts:
        found = wording.find(part.letters, last or 0)
        if found is None:
            return None
        first = found[0] if first is None else first
        last = found[1]
    if first is None or last is None:
        return None
    return wording.spans[first][0], wording.spans[last - 1][1]


def _is_no_claim(text: str, quote: _Quote) -> bool:
    """Words for the reader to say, words that the answer denies, and names of works or pages."""
    start = quote.start or 0
    before = text[max(0, start - _LEAD) : start]
    if _SPOKEN_BY_USER.search(before) or _DENIED.search(before) or _VALUE.search(before):
        return True
    if quote.end is not None and _DENIED_BEHIND.match(text, quote.end, quote.end + _BEHIND):
        return True
    return _is_name(quote.said, text[start : quote.end])


def _is_name(said: str, marked: str) -> bool:
    """``The Hunger Games: Mockingjay``: every word but the small ones has a capital."""
    if marked[-2:-1] in (".", "!", ";"):
        return False
    words = [word for word in _NAME_WORD.findall(said) if word.lower() not in _SMALL_WORDS]
    return bool(words) and all(word[0].isupper() for word in words)


# ------------------------------------------------------------------------------------ the findings

_SHORTENED = re.compile(r"(?<=[a-z]) (?=(?:t|s|re|ve|ll)(?: |\Z))")


def _told(words: Sequence[str]) -> str:
    """With the apostrophe that parted ``don't`` into two words."""
    return _SHORTENED.sub("'", " ".join(words))


_EXPLAINED = 10
"""Findings of one answer for which the nearest passage is sought; more are a broken answer."""
_COMPARED = 3
_SHOWN_CHANGES = 2


class _Explain:
    def __init__(self, given: CheckInput, at: _Given) -> None:
        self._at = at
        self._given = given
        self._numbers_checked = "numbers" not in given.policy.disabled_checks
        self._sought = 0
        self._known: dict[int, tuple[Source, Passage] | None] = {}

    @cached_property
    def _german(self) -> bool:
        return sources.in_german(self._given)

    def is_left_to_numbers(self, quote: _Quote) -> bool:
        """Whether the only fault is a number that stands nowhere: ``numbers`` reports that one."""
        if not self._numbers_checked or quote.ref is not None:
            return False
        near = self._nearest(quote)
        if near is None or not near[1].changes or near[1].share < RESEMBLES:
            return False
        return all(self._is_absent_number(sought) for sought, _ in near[1].changes)

    def _is_absent_number(self, words: Sequence[str]) -> bool:
        return bool(words) and all(
            word.isdecimal()
            and not any(self._at.wording(source).has(word) for source in self._at.all)
            for word in words
        )

    def _nearest(self, quote: _Quote) -> tuple[Source, Passage] | None:
        """The source and the passage that come closest; None past the tenth quotation."""
        if id(quote) in self._known:
            return self._known[id(quote)]
        best: tuple[Source, Passage] | None = None
        self._sought += 1
        if self._sought <= _EXPLAINED:
            words = quote.words
            for source in self._candidates(words):
                passage = self._at.wording(source).nearest(words)
                if passage is not None and (best is None or passage.share > best[1].share):
                    best = source, passage
        self._known[id(quote)] = best
        return best

    def _candidates(self, words: Sequence[str]) -> list[Source]:
        """The few sources that share most words: comparing word by word is dear."""
        wanted = set(words)
        shared = {
            number: self._at.wording(source).shared(wanted)
            for number, source in enumerate(self._at.all)
        }
        best = sorted(shared, key=lambda number: (-shared[number], number))[:_COMPARED]
        return [self._at.all[number] for number in best if shared[number]]

    def missing(self, quote: _Quote) -> Finding:
        near = self._nearest(quote)
        words = self._quoted(quote.said)
        if near is None or near[1].share < RESEMBLES:
            detail = (
                f"{words} steht in keinem abgerufenen Text, auch nichts Ähnliches."
                if self._german
                else f"{words} stands in no retrieved text, nor does anything like it."
            )
            return self._finding(quote, NOT_FOUND, detail)
        source, passage = near
        spans = self._at.wording(source).spans
        found = self._quoted(source.text[spans[passage.first][0] : spans[passage.last - 1][1]])
        changes = self._changes(passage)
        detail = (
            f"{words} steht so in keinem abgerufenen Text. "
            f"Am nächsten kommt {where(source)}: {found}{changes}."
            if self._german
            else f"{words} stands in no retrieved text word for word. "
            f"Nearest in {where(source)}: {found}{changes}."
        )
        return self._finding(quote, NOT_VERBATIM, detail)

    def elsewhere(self, quote: _Quote, source: Source) -> Finding:
        words, ref = self._quoted(quote.said), one_line(quote.ref or "")
        detail = (
            f"{words} steht nicht in {ref}, woraus es zitiert wird, sondern in {where(source)}."
            if self._german
            else f"{words} is cited from {ref}, but does not stand there; it stands in "
            f"{where(source)}."
        )
        return self._finding(quote, QUOTE_NOT_IN_REF, detail)

    def _changes(self, passage: Passage) -> str:
        told = []
        for sought, found in passage.changes[:_SHOWN_CHANGES]:
            here, there = self._quoted(_told(sought), 40), self._quoted(_told(found), 40)
            if not found:
                told.append(f"{here} ist ergänzt" if self._german else f"{here} is added")
            elif not sought:
                told.append(f"{there} fehlt" if self._german else f"{there} is left out")
            else:
                told.append(f"{here} {'statt' if self._german else 'instead of'} {there}")
        if len(passage.changes) > _SHOWN_CHANGES:
            told.append("…")
        return f" ({'; '.join(told)})" if told else ""

    def _quoted(self, words: str, longest: int = 120) -> str:
        words = one_line(words, longest)
        return f"„{words}“" if self._german else f'"{words}"'

    def _finding(self, quote: _Quote, reason: str, detail: str) -> Finding:
        cause = " ".join(quote.words)[:200]
        return Finding(
            NAME, reason, quote.surface, quote.start, quote.end, detail, SEVERITY[reason], cause
        )
