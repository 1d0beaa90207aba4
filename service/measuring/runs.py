"""The run file: what one measurement found, question by question. JSON lines, the header first.

Comparing and gates read nothing else, so ``measures`` is flat: a name → a number, null where it was
not measured or not judged. A name that is missing is one that this kind of run does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Final, Literal, Self

import orjson
from pydantic import ConfigDict, TypeAdapter

from service.measuring.lines import BadLine, numbered, read_object
from service.measuring.questions import Behaviour, QuestionSet, Selection

FORMAT: Final = 1
Kind = Literal["retrieval", "answers", "system", "probe"]
_CLOSED = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class QuestionsUsed:
    """``total`` = ``measured`` + Σ ``excluded`` (reason → how many). ``sha256``: of the file."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    file: str
    sha256: str
    total: int
    measured: int
    excluded: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, asked: QuestionSet, selection: Selection) -> Self:
        measured = len(selection.measured)
        return cls(asked.file, asked.sha256, selection.total, measured, selection.counts)


@dataclass(frozen=True, slots=True)
class RunHeader:
    """``run``: its name; ``release``: as in the answer event, {} where it is not known;
    ``started_at``: ISO 8601 in UTC; ``groundwatch``: our version; ``judge``: model and version,
    None where none ruled."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    kind: Kind
    run: str
    app: str
    questions: QuestionsUsed
    started_at: str
    groundwatch: str
    release: Mapping[str, Any] = field(default_factory=dict)
    k: int | None = None
    judge: Mapping[str, Any] | None = None
    format: Literal[1] = FORMAT


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one question. ``relevant``: ref → grade; ``retrieved``: refs, the best first; ``usage``
    and ``latency_ms`` as in the answer event; ``error``: why there is no answer, a short word."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED
    query_id: str
    query: str
    measures: Mapping[str, float | None]
    tags: tuple[str, ...] = ()
    language: str | None = None
    critical: bool = False
    behaviour: Behaviour = "answer"
    relevant: Mapping[str, float] = field(default_factory=dict)
    retrieved: tuple[str, ...] = ()
    diagnosis: str | None = None
    answer: str | None = None
    usage: Mapping[str, float | None] | None = None
    latency_ms: Mapping[str, float] | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    header: RunHeader
    outcomes: tuple[Outcome, ...]

    @property
    def by_id(self) -> dict[str, Outcome]:
        return {outcome.query_id: outcome for outcome in self.outcomes}


_HEADER = TypeAdapter(RunHeader)
_OUTCOME = TypeAdapter(Outcome)
_HEADER_NAMES = [each.name for each in fields(RunHeader)]
_OUTCOME_NAMES = [each.name for each in fields(Outcome)]


def read_run(lines: Iterable[bytes], name: str) -> Run:
    """``name``: of the file, for errors. Raises :class:`BadLine` for a line that is none of a run,
    a question that stands there twice, a file without a header, and one that was cut: a gate would
    pass by what is left."""
    header: RunHeader | None = None
    outcomes: dict[str, Outcome] = {}
    number = 1
    for number, line in numbered(lines):
        if header is None:
            header = _header(line, name, number)
            continue
        outcome = read_object(_OUTCOME, _OUTCOME_NAMES, line, name, number)
        if outcome.query_id in outcomes:
            raise BadLine(name, number, "query_id: an earlier line has the same")
        outcomes[outcome.query_id] = outcome
    if header is None:
        raise BadLine(name, 1, "empty; a run file begins with its header")
    if len(outcomes) != header.questions.measured:
        told = f"its header counts {header.questions.measured} questions, and {len(outcomes)} stand"
        raise BadLine(name, number, f"{told} here: a piece is missing, measure again")
    return Run(header, tuple(outcomes.values()))


def _header(line: bytes, name: str, number: int) -> RunHeader:
    """A file of another version is told as such, not by the fields that it may have."""
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict) or "format" not in told or "kind" not in told:
        raise BadLine(name, number, 'no header of a run file ({"format": 1, "kind": …})')
    if told["format"] != FORMAT:
        raise BadLine(name, number, f"format: this release reads run files of format {FORMAT}")
    return read_object(_HEADER, _HEADER_NAMES, line, name, number)


def write_run(run: Run) -> Iterator[bytes]:
    """The lines of the file, each with its line end."""
    yield header_line(run.header)
    yield from map(outcome_line, run.outcomes)


def header_line(header: RunHeader) -> bytes:
    told = asdict(header)
    return orjson.dumps({"format": told.pop("format"), **told}, option=orjson.OPT_APPEND_NEWLINE)


def outcome_line(outcome: Outcome) -> bytes:
    return orjson.dumps(asdict(outcome), option=orjson.OPT_APPEND_NEWLINE)
