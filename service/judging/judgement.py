"""The result of judging one answer, and its JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from service.judging.calls import NO_USAGE, Usage


class Status(StrEnum):
    """``undetermined``: the endpoint answered, but not usably; ``failed``: no answer by the
    deadline. Both are counted, and outside of every rate."""

    JUDGED = "judged"
    UNDETERMINED = "undetermined"
    FAILED = "failed"


class Verdict(StrEnum):
    """Of one claim. ``missing``: a sentence that the judge passed over, even when asked again, or a
    claim without support in the sources, of which some were left out."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    NOT_A_CLAIM = "not_a_claim"
    MISSING = "missing"


class Cause(StrEnum):
    """Who owns a bad claim. ``source_wrong``: it is contradicted by a source that another source
    contradicts, so one of them is wrong. ``unknown``: no corpus is loaded that could tell, or it
    finds the evidence in nothing but what was retrieved."""

    GENERATION = "generation"
    RETRIEVAL = "retrieval"
    NOT_IN_CORPUS = "not_in_corpus"
    SOURCE_WRONG = "source_wrong"
    UNKNOWN = "unknown"


class Relevance(StrEnum):
    """How far the answer answers the question, as anchored words."""

    COMPLETE = "complete"
    PARTIAL = "partial_but_useful"
    TANGENTIAL = "tangential"
    OFF_TOPIC = "off_topic"

    @property
    def score(self) -> float:
        return RELEVANCE_SCORES[self]


RELEVANCE_SCORES = {
    Relevance.COMPLETE: 1.0,
    Relevance.PARTIAL: 0.7,
    Relevance.TANGENTIAL: 0.3,
    Relevance.OFF_TOPIC: 0.0,
}


@dataclass(frozen=True, slots=True)
class Quote:
    """What the judge showed as evidence. ``start``/``end``: its place in the text of ``ref``
    (character offsets), None when it does not stand there: then it is no evidence."""

    ref: str
    quote: str
    start: int | None = None
    end: int | None = None

    @property
    def valid(self) -> bool:
        return self.start is not None


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of the answer's sentence [start, end) (character offsets into the answer).

    ``downgraded``: called supported without valid evidence; ``miscited``: supported, but by no
    chunk that its sentence cites; ``cause`` is None for a good claim.
    """

    sentence: int
    start: int
    end: int
    text: str
    verdict: Verdict
    reason: str = ""
    evidence: tuple[Quote, ...] = ()
    downgraded: bool = False
    miscited: bool = False
    cause: Cause | None = None

    @property
    def bad(self) -> bool:
        return self.miscited or self.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)


@dataclass(frozen=True, slots=True)
class Citing:
    """One citation of a judged sentence: does the cited chunk support the sentence?"""

    ref: str
    sentence: int
    supports: bool


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a usable ruling says after verification.

    ``faithfulness``: supported / all claims (missing ones count against it), None without a claim.
    ``useful``: refs of the chunks that were of use; ``context_precision``: their share of all
    chunks that reached the model, None without chunks. ``contradicting``: pairs of refs that
    contradict each other. ``answer_kind``: answer, no_answer, clarify or deny;
    ``abstention_right``: None where undecided, and for an answer that does not abstain.
    ``instructions_in_data``: where the watched text tries to instruct the judge (``answer``,
    ``query``, ``context`` or a ref).
    ``partial``: the model saw sources that the judge did not (left out to fit the endpoint's
    context, or without a text); then ``faithfulness`` is a lower bound, ``context_precision`` None.
    """

    claims: tuple[Claim, ...]
    faithfulness: float | None
    context_sufficient: bool
    useful: tuple[str, ...]
    context_precision: float | None
    contradicting: tuple[tuple[str, str], ...]
    answer_kind: str
    abstention_right: bool | None
    instructions_in_data: tuple[str, ...] = ()
    citings: tuple[Citing, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """Everything that is kept of judging one answer.

    ``reason``: why there is no assessment (a call outcome, ``deadline``, ``payload_lost`` …), empty
    when there is one. ``version``: endpoint model + prompt + schema + parameters. ``attempts``: the
    outcome of each call in turn. ``cost_micros``: millionths of the price table's currency.
    ``latency_ms``: from the first call to the last. ``scripted``: no model ruled, a script did.
    ``flipped``: of an answer that was judged twice, whether a verdict differed; None otherwise.
    """

    status: Status
    version: str
    model: str = ""
    reason: str = ""
    assessment: Assessment | None = None
    relevance: Relevance | None = None
    usage: Usage = NO_USAGE
    cost_micros: int = 0
    calls: int = 0
    latency_ms: int = 0
    attempts: tuple[str, ...] = ()
    scripted: bool = False
    flipped: bool | None = None


def encode_judgement(judgement: Judgement) -> dict[str, Any]:
    """Plain data for JSON; :func:`decode_judgement` reads it back."""
    return asdict(judgement)


def decode_judgement(data: Mapping[str, Any]) -> Judgement:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_judgement` never made."""
    relevance, assessment = data["relevance"], data["assessment"]
    plain = Judgement(**{**data, "assessment": None, "relevance": None})
    return replace(
        plain,
        status=Status(data["status"]),
        relevance=None if relevance is None else Relevance(relevance),
        assessment=None if assessment is None else _assessment(assessment),
        usage=Usage(**data["usage"]),
        attempts=tuple(data["attempts"]),
    )


def _assessment(data: Mapping[str, Any]) -> Assessment:
    return replace(
        Assessment(**data),
        claims=tuple(_claim(claim) for claim in data["claims"]),
        useful=tuple(data["useful"]),
        contradicting=tuple((first, second) for first, second in data["contradicting"]),
        instructions_in_data=tuple(data["instructions_in_data"]),
        citings=tuple(Citing(**citing) for citing in data["citings"]),
    )


def _claim(data: Mapping[str, Any]) -> Claim:
    cause = data["cause"]
    return replace(
        Claim(**data),
        verdict=Verdict(data["verdict"]),
        cause=None if cause is None else Cause(cause),
        evidence=tuple(Quote(**quote) for quote in data["evidence"]),
    )
