"""Labelled questions: what is asked, which refs its answer needs, and which of them are measured.

A file is JSON lines, as ``groundwatch export relevance`` writes them or as people do.
"""

from __future__ import annotations

import hashlib
import unicodedata
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter
from pydantic_core import PydanticCustomError

from service.contract import Label, Ref
from service.measuring.facts import FactError, read_facts
from service.measuring.lines import BadLine, numbered, read_object

Behaviour = Literal["answer", "clarify", "no_answer", "deny"]

BEHAVIOUR: Final = "behaviour"
NO_MAPPING: Final = "no mapping"
NO_LIST: Final = "no retrieved list"
NO_RELEVANT: Final = "no relevant ref"
NOT_IN_CORPUS: Final = "ref not in corpus"
OTHER_APP: Final = "app"
SPLIT: Final = "split"
REASONS: Final = (SPLIT, OTHER_APP, BEHAVIOUR, NO_MAPPING, NO_RELEVANT, NOT_IN_CORPUS)
"""Why a question is not measured; where several hold, the first counts. ``NO_LIST`` shows only once
there are lists."""

Mapped = Mapping[str, tuple[str, ...]]
"""Evidence id → refs of the chunks that hold it."""


@dataclass(frozen=True, slots=True)
class Question:
    """``relevant``: ref → grade > 0; ``unmapped``: evidence ids for which the mapping names no ref;
    ``behaviour``: what a good answer does; ``facts``: what it has to say, as they stand in the
    file; ``app``: None for any."""

    query_id: str
    query: str
    relevant: Mapping[str, float] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    language: str | None = None
    behaviour: Behaviour = "answer"
    split: str | None = None
    critical: bool = False
    facts: tuple[Mapping[str, Any], ...] = ()
    app: str | None = None
    unmapped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """``file``, ``sha256``: where they come from; ``replaced``: lines that a later one of the same
    question took the place of, as in an export that was gone on with."""

    file: str
    sha256: str
    questions: tuple[Question, ...]
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """``excluded``: reason → questions, in the order of :data:`REASONS`, only those that occur;
    ``stale``: question → the refs that its label names and the corpus does not have."""

    measured: tuple[Question, ...]
    excluded: Mapping[str, tuple[Question, ...]]
    stale: Mapping[str, tuple[str, ...]]

    @property
    def total(self) -> int:
        return len(self.measured) + sum(map(len, self.excluded.values()))

    @property
    def counts(self) -> dict[str, int]:
        return {reason: len(questions) for reason, questions in self.excluded.items()}


def normalised(query: str) -> str:
    """By which questions without an id are told apart: NFKC, case folded, spaces as one."""
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split())


# ---------------------------------------------------------------------------------- reading


def _graded(value: Any) -> Any:
    """A list of refs is grade 1 each; what is neither list nor object is refused in words."""
    if value is None or isinstance(value, dict):
        return value
    if isinstance(value, list) and all(isinstance(ref, str) for ref in value):
        return dict.fromkeys(value, 1.0)
    raise PydanticCustomError("relevant", "must be a list of refs, or an object ref → grade")


Grade = Annotated[float, Field(ge=0, le=1_000_000)]
"""Bounded, so that no sum of gains overflows."""


class _Line(BaseModel):
    """One question. Fields of your own go into ``metadata``, which nothing reads."""

    model_config = ConfigDict(
        extra="forbid", strict=True, hide_input_in_errors=True, allow_inf_nan=False
    )

    query: Annotated[str, Field(min_length=1)]
    query_id: Annotated[Label, Field(min_length=1)] | None = None
    relevant: Annotated[dict[Ref, Grade] | None, BeforeValidator(_graded)] = None
    evidence: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    language: str | None = None
    behaviour: Behaviour | None = None
    split: str | None = None
    critical: bool = False
    facts: list[dict[str, Any]] = Field(default_factory=list)
    app: str | None = None
    labels: int | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


_LINE = TypeAdapter(_Line)


def read_questions(raw: bytes, file: str, mapping: Mapped | None = None) -> QuestionSet:
    """``raw``: the whole file. A later line of the same question (app and ``query_id``, or without
    one the normalised words) replaces an earlier one. Raises :class:`BadLine` for a line that is no
    question, and for one that names evidence where there is no mapping or relevant refs as well."""
    found: dict[tuple[str | None, str], Question] = {}
    lines = 0
    for number, line in numbered(raw.splitlines()):
        told = read_object(_LINE, _Line.model_fields, line, file, number)
        question = _question(told, file, number, mapping)
        lines += 1
        found[question.app, question.query_id] = question
    if not found:
        raise BadLine(
            file, 1, 'no question; a line is {"query_id": …, "query": …, "relevant": […]}'
        )
    sha256 = hashlib.sha256(raw).hexdigest()
    return QuestionSet(file, sha256, tuple(found.values()), lines - len(found))


def _question(told: _Line, file: str, number: int, mapping: Mapped | None) -> Question:
    if not normalised(told.query):
        raise BadLine(file, number, "query: says nothing")
    if told.evidence and told.relevant:
        raise BadLine(file, number, "evidence: give it or relevant, not both")
    if told.evidence and mapping is None:
        raise BadLine(file, number, "evidence: needs a mapping from evidence ids to refs")
    refs = [(each, (mapping or {}).get(each, ())) for each in told.evidence]
    try:
        read_facts(told.facts)
    except FactError as error:
        raise BadLine(file, number, f"facts: {error}") from None
    relevant = told.relevant or {ref: 1.0 for _, mapped in refs for ref in mapped}
    return Question(
        query_id=told.query_id or _id_of(told.query),
        query=told.query,
        relevant={ref: grade for ref, grade in relevant.items() if grade > 0},
        tags=tuple(dict.fromkeys(told.tags)),
        language=told.language,
        behaviour=told.behaviour or "answer",
        split=told.split,
        critical=told.critical,
        facts=tuple(told.facts),
        app=told.app,
        unmapped=tuple(each for each, mapped in refs if not mapped),
    )


def _id_of(query: str) -> str:
    """The same in every file and run, so that runs can be compared question by question."""
    return "query:" + hashlib.sha256(normalised(query).encode()).hexdigest()[:16]


class _MappingLine(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    evidence: Annotated[str, Field(min_length=1)]
    refs: list[Ref]


_MAPPING_LINE = TypeAdapter(_MappingLine)


def read_mapping(raw: bytes, file: str) -> dict[str, tuple[str, ...]]:
    """One object ``{"evidence id": ["ref", …]}``, or lines ``{"evidence": …, "refs": […]}``; refs
    of the same evidence add up. Raises :class:`BadLine`."""
    raw = raw.removeprefix(BOM_UTF8)
    whole = _whole_mapping(raw, file)
    if whole is not None:
        return whole
    found: dict[str, tuple[str, ...]] = {}
    for number, line in numbered(raw.splitlines()):
        told = read_object(_MAPPING_LINE, _MappingLine.model_fields, line, file, number)
        found[told.evidence] = tuple(dict.fromkeys((*found.get(told.evidence, ()), *told.refs)))
    return found


def _whole_mapping(raw: bytes, file: str) -> dict[str, tuple[str, ...]] | None:
    """None where the file is no single object of refs by evidence id."""
    try:
        told = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if raw.strip() and not raw.splitlines()[0].rstrip().endswith(b"}"):
            raise BadLine(file, error.lineno, f"not valid JSON at column {error.colno}") from None
        return None
    if not isinstance(told, dict) or "evidence" in told:
        return None
    refs = {key: [ref] if isinstance(ref, str) else ref for key, ref in told.items()}
    for key, each in refs.items():
        if not isinstance(each, list) or not all(map(_is_text, each)):
            raise BadLine(file, 1, f"evidence {key[:60]!a}: wanted a list of refs")
    return {key: tuple(dict.fromkeys(each)) for key, each in refs.items()}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


# --------------------------------------------------------------------------------- selecting


def select(
    questions: Iterable[Question],
    *,
    split: str | None = None,
    app: str | None = None,
    corpus: Collection[str] | None = None,
    answerable: bool = True,
) -> Selection:
    """Which are measured. ``corpus``: every ref that exists, None where that is not known (then no
    label is stale). ``answerable``: only those that a good answer answers, as retrieval has nothing
    to find for the others; False: the others too, whose labels need no refs.

    Raises ValueError where two of the same ``query_id`` would be measured, as they are of two apps.
    """
    measured: list[Question] = []
    excluded: dict[str, list[Question]] = {reason: [] for reason in REASONS}
    stale: dict[str, tuple[str, ...]] = {}
    for question in questions:
        if corpus is not None and (gone := _gone(question, corpus)):
            stale[question.query_id] = gone
        reason = _reason(question, split, app, corpus, answerable)
        (measured if reason is None else excluded[reason]).append(question)
    _refuse_twins(measured)
    told = {reason: tuple(each) for reason, each in excluded.items() if each}
    return Selection(tuple(measured), told, stale)


def _reason(
    question: Question,
    split: str | None,
    app: str | None,
    corpus: Collection[str] | None,
    answerable: bool,
) -> str | None:
    if split is not None and question.split != split:
        return SPLIT
    if app is not None and question.app not in (None, app):
        return OTHER_APP
    if question.behaviour != "answer":
        return BEHAVIOUR if answerable else None
    if question.unmapped:
        return NO_MAPPING
    if not question.relevant:
        return NO_RELEVANT
    if corpus is not None and _gone(question, corpus):
        return NOT_IN_CORPUS
    return None


def _gone(question: Question, corpus: Collection[str]) -> tuple[str, ...]:
    return tuple(ref for ref in question.relevant if ref not in corpus)


def _refuse_twins(questions: Iterable[Question]) -> None:
    twins = [name for name, n in Counter(q.query_id for q in questions).items() if n > 1]
    if twins:
        raise ValueError(
            f"{len(twins)} query ids stand in the questions of several apps: choose one app (--app)"
        )
