"""What code makes of a ruling: a judge's word counts only as far as its quotes carry it. Pure.

What comes of which verdict and evidence stands in docs/judge/rubric.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

from service.judging import instructions
from service.judging.judgement import Assessment, Cause, Citing, Claim, Quote, Relevance, Verdict
from service.judging.material import Material, Passage, Sentence
from service.judging.quoting import MAX_QUOTE, Folded
from service.judging.rubric import ABSTENTION_WORDS, ANSWER_KINDS, PLACES, VERDICTS

MAX_CLAIMS = 50
"""Claims of one sentence past which a ruling is none: no sentence says so much."""
MOST_CLAIMS = 4_000
"""Claims of one answer, likewise: what is kept of them has to fit into a record."""
MAX_EVIDENCE = 20
"""Quotes of one claim that are looked at."""
MOST_CITINGS = 1_000
"""Citations of one answer whose support is looked at."""
MAX_TEXT = 2_000
"""Characters of a claim or a reason that are kept."""

PASSED_OVER = "passed over"
"""Reason of a claim that is missing because the judge left its sentence out."""
SOURCES_LEFT_OUT = "sources left out"
"""Reason of a claim that is missing because what may support it was not shown to the judge."""


class SchemaFault(Exception):
    """The object is not of the wanted form. Its text is one safe line, without its words."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the judge shows as evidence; nobody looked yet whether it stands there."""

    passage: int
    quote: str


@dataclass(frozen=True, slots=True)
class RuledClaim:
    text: str
    evidence: tuple[Shown, ...]
    reason: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the judge said, of the right form and not verified. ``claims``: by sentence number, for
    sentences that exist, none of them empty. ``instructions``: places as
    :class:`~service.judging.judgement.Assessment` names them."""

    claims: Mapping[int, tuple[RuledClaim, ...]]
    context_sufficient: bool
    useful: frozenset[int]
    contradicting: tuple[tuple[Shown, Shown], ...]
    answer_kind: str
    abstention: str
    instructions: tuple[str, ...]


# ── reading ───────────────────────────────────────────────────────────────────────────────────


def read_ruling(data: Mapping[str, Any], material: Material) -> Ruling:
    """The ruling in an object of the judge; what it says of sentences and passages that do not
    exist is left out. Raises :class:`SchemaFault`."""
    claims: dict[int, list[RuledClaim]] = {}
    known = {sentence.number for sentence in material.sentences}
    for entry in _items(data, "sentences"):
        ruled = [claim for claim in map(_claim, _items(entry, "claims")) if claim.text.strip()]
        number = _integer(entry, "sentence")
        if number in known and ruled:
            claims.setdefault(number, []).extend(ruled)
    distinct = {number: _distinct(claims[number]) for number in sorted(claims)}
    if sum(map(len, distinct.values())) > MOST_CLAIMS:
        raise SchemaFault(f"more than {MOST_CLAIMS} claims in an answer")
    return Ruling(
        claims=distinct,
        context_sufficient=_typed(data, "context_sufficient", bool),
        useful=frozenset(_numbers(data, "useful_passages")),
        contradicting=tuple(
            (_shown(_field(pair, "first")), _shown(_field(pair, "second")))
            for pair in _items(data, "contradicting_passages")[:MAX_EVIDENCE]
        ),
        answer_kind=_word(data, "answer_kind", ANSWER_KINDS),
        abstention=_word(data, "abstention_right", ABSTENTION_WORDS),
        instructions=tuple(_places(_items(data, "instructions_in_data"), material)),
    )


def read_relevance(data: Mapping[str, Any]) -> Relevance:
    """Raises :class:`SchemaFault`."""
    return Relevance(_word(data, "relevance", [word.value for word in Relevance]))


def _claim(data: Any) -> RuledClaim:
    return RuledClaim(
        text=_typed(data, "claim", str)[:MAX_TEXT],
        evidence=tuple(_shown(one) for one in _items(data, "evidence")[:MAX_EVIDENCE]),
        reason=_typed(data, "reason", str)[:MAX_TEXT],
        verdict=Verdict[_word(data, "verdict", VERDICTS)],
    )


def _shown(data: Any) -> Shown:
    return Shown(_integer(data, "passage"), _typed(data, "quote", str)[: MAX_QUOTE + 1])


_GRAVITY = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.SUPPORTED, Verdict.NOT_A_CLAIM)


def _distinct(claims: Iterable[RuledClaim]) -> tuple[RuledClaim, ...]:
    """Each claim once, by the gravest of its verdicts: to say it twice changes no share."""
    found: dict[str, RuledClaim] = {}
    for claim in claims:
        key = " ".join(claim.text.lower().split()).rstrip(".")
        former = found.setdefault(key, claim)
        if _GRAVITY.index(claim.verdict) < _GRAVITY.index(former.verdict):
            found[key] = claim
        elif claim.verdict is former.verdict and claim is not former:
            evidence = (former.evidence + claim.evidence)[:MAX_EVIDENCE]
            found[key] = replace(former, evidence=evidence)
    if len(found) > MAX_CLAIMS:
        raise SchemaFault(f"more than {MAX_CLAIMS} claims in a sentence")
    return tuple(found.values())


def _places(entries: Sequence[Any], material: Material) -> Iterator[str]:
    passages = {passage.number: passage for passage in material.passages}
    names = {"question": instructions.QUERY, "said_before": instructions.CONTEXT}
    for entry in entries:
        where, number = _word(entry, "where", PLACES), _integer(entry, "passage")
        if where != "passage":
            yield names.get(where, instructions.ANSWER)
        elif number in passages:
            yield instructions.place_of(passages[number])


def _field(data: Any, name: str) -> Any:
    if not isinstance(data, Mapping):
        raise SchemaFault(f"{name} is sought in something that is no object")
    if name not in data:
        raise SchemaFault(f"{name} is missing")
    return data[name]


def _typed(data: Any, name: str, kind: type[Any]) -> Any:
    value = _field(data, name)
    if not isinstance(value, kind):
        raise SchemaFault(f"{name} is of the wrong type")
    return value


def _items(data: Any, name: str) -> list[Any]:
    return list(_typed(data, name, list))


def _integer(data: Any, name: str) -> int:
    return _number(_field(data, name), name)


def _number(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SchemaFault(f"{name} is no integer")
    return value


def _numbers(data: Any, name: str) -> Iterator[int]:
    return (_number(value, name) for value in _items(data, name))


def _word(data: Any, name: str, allowed: Sequence[str]) -> str:
    """One of the words allowed, however it is spelled."""
    said = "_".join(_typed(data, name, str).replace("-", " ").replace("_", " ").split()).lower()
    for word in allowed:
        if word.lower() == said:
            return word
    raise SchemaFault(f"{name} is none of the words allowed")


# ── the second attempt ────────────────────────────────────────────────────────────────────────


def passed_over(ruling: Ruling, material: Material) -> tuple[int, ...]:
    """The numbers of the sentences that the ruling has no claim of, in order."""
    return tuple(one.number for one in material.sentences if one.number not in ruling.claims)


def merged(first: Ruling, second: Ruling, material: Material) -> Ruling:
    """``first`` with what ``second`` says of the sentences that it passed over, and of nothing
    else: who is asked again cannot take back. What tries to instruct the judge is added."""
    missing = passed_over(first, material)
    more = {number: second.claims[number] for number in missing if number in second.claims}
    if sum(map(len, (*first.claims.values(), *more.values()))) > MOST_CLAIMS:
        more = {}
    return replace(
        first,
        claims=dict(sorted({**first.claims, **more}.items())),
        instructions=(*first.instructions, *second.instructions),
    )


# ── verifying ─────────────────────────────────────────────────────────────────────────────────


def assess(
    ruling: Ruling, material: Material, holds: Callable[[str], str | None] | None
) -> Assessment:
    """Verify a ruling. ``holds``: the ref of a corpus chunk that has a claim's evidence, or None;
    None itself where no corpus is loaded.

    faithfulness = supported / (supported + unsupported + contradicted + missing), after every
    quote was looked up. A miscited claim is grounded, and counts as supported there; it is wrong by
    itself, and is counted apart.
    """
    return _Assessor(ruling, material, holds).assess()


@dataclass(frozen=True, slots=True)
class _Verified:
    """A claim, and the passages that support it: those that its valid quotes were taken from, and
    those cited by its sentence in which one of these quotes stands as well."""

    claim: Claim
    support: frozenset[int]


class _Assessor:
    def __init__(
        self, ruling: Ruling, material: Material, holds: Callable[[str], str | None] | None
    ) -> None:
        self._ruling = ruling
        self._material = material
        self._holds = holds
        self._passages = {passage.number: passage for passage in material.passages}
        self._shown_refs = {passage.ref for passage in material.passages if passage.retrieved}
        self._folded = cache(lambda number: Folded(self._passages[number].text))
        self._contradictions = tuple(dict.fromkeys(self._contradicting()))
        self._disputed = {ref for pair in self._contradictions for ref in pair}

    def assess(self) -> Assessment:
        ruling, material = self._ruling, self._material
        verified = {one.number: self._verified(one) for one in material.sentences}
        claims = tuple(one.claim for of_one in verified.values() for one in of_one)
        useful = self._useful(one for of_one in verified.values() for one in of_one)
        return Assessment(
            claims=claims,
            faithfulness=faithfulness(claim.verdict for claim in claims),
            context_sufficient=ruling.context_sufficient,
            useful=tuple(dict.fromkeys(passage.ref for passage in useful)),
            context_precision=self._precision(useful),
            contradicting=self._contradictions,
            answer_kind=ruling.answer_kind,
            abstention_right=self._abstention_right(),
            instructions_in_data=tuple(
                dict.fromkeys((*ruling.instructions, *instructions.places(material)))
            ),
            citings=tuple(islice(self._all_citings(verified), MOST_CITINGS)),
            partial=material.partial,
        )

    def _verified(self, sentence: Sentence) -> list[_Verified]:
        ruled = self._ruling.claims.get(sentence.number, ())
        if not ruled:
            missing = Claim(
                sentence.number, sentence.start, sentence.end, sentence.text[:MAX_TEXT],
                Verdict.MISSING, PASSED_OVER,
            )  # fmt: skip
            return [_Verified(missing, frozenset())]
        return [self._claim(sentence, one) for one in ruled]

    def _claim(self, sentence: Sentence, ruled: RuledClaim) -> _Verified:
        quotes = {shown: self._quote(shown) for shown in ruled.evidence}
        valid = {shown for shown, quote in quotes.items() if quote.valid}
        verdict = ruled.verdict
        if verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED) and not valid:
            verdict = Verdict.UNSUPPORTED
        support = self._support(sentence, valid) if verdict is Verdict.SUPPORTED else frozenset()
        claim = Claim(
            sentence=sentence.number,
            start=sentence.start,
            end=sentence.end,
            text=ruled.text,
            verdict=verdict,
            reason=ruled.reason,
            evidence=tuple(quotes.values()),
            downgraded=ruled.verdict is Verdict.SUPPORTED and verdict is Verdict.UNSUPPORTED,
            miscited=bool(support) and self._is_miscited(sentence, support),
        )
        if verdict is Verdict.UNSUPPORTED and self._material.partial:
            claim = replace(claim, verdict=Verdict.MISSING, reason=SOURCES_LEFT_OUT)
        return _Verified(replace(claim, cause=self._cause(claim)), support)

    def _quote(self, shown: Shown) -> Quote:
        passage = self._passages.get(shown.passage)
        if passage is None:
            return Quote("", shown.quote[:MAX_QUOTE])
        span = self._folded(shown.passage).find(shown.quote)
        start, end = span if span is not None else (None, None)
        return Quote(passage.ref, shown.quote[:MAX_QUOTE], start, end)

    def _support(self, sentence: Sentence, valid: Iterable[Shown]) -> frozenset[int]:
        support = set()
        for shown in valid:
            support.add(shown.passage)
            for number in sentence.cited or ():
                if number not in support and self._folded(number).find(shown.quote) is not None:
                    support.add(number)
        return frozenset(support)

    def _is_miscited(self, sentence: Sentence, support: frozenset[int]) -> bool:
        """Only where all that the sentence cites was seen, and only of chunks: what the model was
        told besides (the user's plan, today's date) has no ref to be cited by."""
        if not sentence.cited or sentence.unseen or support & sentence.cited:
            return False
        return all(self._passages[number].retrieved for number in support)

    def _cause(self, claim: Claim) -> Cause | None:
        if claim.miscited:
            return Cause.GENERATION
        if claim.verdict is Verdict.CONTRADICTED:
            said_by = {quote.ref for quote in claim.evidence if quote.valid}
            return Cause.SOURCE_WRONG if said_by & self._disputed else Cause.GENERATION
        if claim.verdict is not Verdict.UNSUPPORTED:
            return None
        if self._ruling.context_sufficient:
            return Cause.GENERATION
        if self._holds is None:
            return Cause.UNKNOWN
        ref = self._holds(claim.text)
        if ref is None:
            return Cause.NOT_IN_CORPUS
        return Cause.UNKNOWN if ref in self._shown_refs else Cause.RETRIEVAL

    def _useful(self, verified: Iterable[_Verified]) -> list[Passage]:
        """Chunks that the judge calls useful, and those that a supported claim rests on."""
        numbers = self._ruling.useful.union(*(one.support for one in verified))
        return [
            passage
            for passage in self._material.passages
            if passage.retrieved and passage.number in numbers
        ]

    def _precision(self, useful: Sequence[Passage]) -> float | None:
        chunks = sum(passage.retrieved for passage in self._material.passages)
        return None if self._material.partial or not chunks else len(useful) / chunks

    def _contradicting(self) -> Iterator[tuple[str, str]]:
        for pair in self._ruling.contradicting:
            first, second = sorted(pair, key=lambda shown: shown.passage)
            if first.passage == second.passage:
                continue
            quotes = self._quote(first), self._quote(second)
            if all(quote.valid for quote in quotes):
                yield quotes[0].ref, quotes[1].ref

    def _abstention_right(self) -> bool | None:
        """No_answer and clarify are right if and only if the context was not sufficient. Whether a
        denial was right is a matter of the app's rules, which nobody told the judge: never wrong
        here. Sources that the judge did not see may have been sufficient."""
        kind, sufficient = self._ruling.answer_kind, self._ruling.context_sufficient
        if kind == "answer":
            return None
        if kind == "deny":
            return True if self._ruling.abstention == "right" else None
        if self._material.partial and not sufficient:
            return None
        return not sufficient

    def _all_citings(self, verified: Mapping[int, Sequence[_Verified]]) -> Iterator[Citing]:
        for sentence in self._material.sentences:
            yield from self._citings(sentence, verified[sentence.number])

    def _citings(self, sentence: Sentence, verified: Sequence[_Verified]) -> Iterator[Citing]:
        judged = [
            one
            for one in verified
            if one.claim.verdict not in (Verdict.NOT_A_CLAIM, Verdict.MISSING)
        ]
        if not judged:
            return
        support = frozenset().union(*(one.support for one in judged))
        supporting = {self._passages[number].ref for number in support}
        cited = (self._passages[number].ref for number in sorted(sentence.cited or ()))
        for ref in dict.fromkeys(cited):
            yield Citing(ref, sentence.number, ref in supporting)


def faithfulness(verdicts: Iterable[str]) -> float | None:
    """Share of supported claims among all but those that are none; None without any."""
    counted = [verdict for verdict in verdicts if verdict != Verdict.NOT_A_CLAIM]
    return counted.count(Verdict.SUPPORTED) / len(counted) if counted else None
