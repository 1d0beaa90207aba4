"""Cases of the answer step: questions with their chunks, exported or written by hand. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from service.checks import CHECKS
from service.events import AnswerEvent, Rejection, as_told, parse_event
from service.judging.findings import NAME as JUDGE
from service.measuring.facts import Fact, FactError, read_facts
from service.measuring.lines import BadLine, numbered, read_object
from service.measuring.questions import Behaviour

LACKS_NEEDED: Final = "chunks lack a needed ref"
NEEDED_UNKNOWN: Final = "nobody said what is needed"
KNOWN_CHECKS: Final = (*CHECKS, JUDGE)
"""Of whose findings people can say that they are right."""


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """``event``: the question with the chunks that the answer is to come from; its answer is the
    one of then, if any; ``told``: its JSON object, which may hold more. ``needed``: refs;
    ``left_out``: why it is in no rate, empty where it is. ``checks``: those that people found right
    to complain of the former answer."""

    case_id: str
    event: AnswerEvent
    told: Mapping[str, Any]
    behaviour: Behaviour = "answer"
    needed: tuple[str, ...] = ()
    left_out: str = ""
    checks: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    tags: tuple[str, ...] = ()
    critical: bool = False


@dataclass(frozen=True, slots=True)
class CaseSet:
    """``replaced``: lines in place of which a later one of the same case holds."""

    file: str
    sha256: str
    cases: tuple[AnswerCase, ...]
    replaced: int = 0

    @property
    def measured(self) -> tuple[AnswerCase, ...]:
        return tuple(case for case in self.cases if not case.left_out)

    @property
    def excluded(self) -> dict[str, int]:
        reasons = [case.left_out for case in self.cases if case.left_out]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}


class _Expect(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    behaviour: Behaviour | None = None
    needed: list[str] | None = None


class _Line(BaseModel):
    """As ``groundwatch export cases`` writes it; ``facts``, ``tags``, ``critical`` and ``metadata``
    are added by hand. What was ``recorded`` of the former answer decides nothing here."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    id: Annotated[str, Field(min_length=1)]
    event: dict[str, Any]
    format: Literal[1] = 1
    checks: list[str] = Field(default_factory=list)
    expect: _Expect = Field(default_factory=_Expect)
    recorded: dict[str, Any] = Field(default_factory=dict)
    disputed: list[str] = Field(default_factory=list)
    labels: int | None = None
    facts: list[dict[str, Any]] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    critical: bool = False
    metadata: dict[str, Any] = Field(default_factory=dict)


_LINE = TypeAdapter(_Line)


def read_cases(raw: bytes, file: str) -> CaseSet:
    """``raw``: the whole file; a later line of the same id holds. Raises
    :class:`~service.measuring.lines.BadLine`, which names file and line."""
    found: dict[str, AnswerCase] = {}
    lines = 0
    for number, line in numbered(raw.splitlines()):
        told = read_object(_LINE, _Line.model_fields, line, file, number)
        try:
            found[told.id] = _case(told)
        except ValueError as error:
            raise BadLine(file, number, str(error)) from None
        lines += 1
    if not found:
        raise BadLine(
            file, 1, 'no case; a line is {"id": …, "event": {"query": …, "retrieved": …}}'
        )
    return CaseSet(file, hashlib.sha256(raw).hexdigest(), tuple(found.values()), lines - len(found))


def _case(told: _Line) -> AnswerCase:
    raw = json.dumps(
        {"event_id": told.id[:256], "answer": "", **told.event}, ensure_ascii=False
    ).encode()
    event = _event(raw)
    _refuse_unknown(told.checks)
    behaviour = told.expect.behaviour or "answer"
    return AnswerCase(
        case_id=told.id,
        event=event,
        told=as_told(raw, event.app),
        behaviour=behaviour,
        needed=tuple(told.expect.needed or ()),
        left_out=_left_out(told, event, behaviour),
        checks=tuple(told.checks),
        facts=_facts(told.facts),
        tags=tuple(dict.fromkeys(told.tags)),
        critical=told.critical,
    )


def _refuse_unknown(checks: Iterable[str]) -> None:
    """A misspelt check would never fail, and the case would pass."""
    for name in checks:
        if name not in KNOWN_CHECKS:
            close = get_close_matches(name, KNOWN_CHECKS, 1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(KNOWN_CHECKS)}"
            raise ValueError(f"checks: unknown check {name[:60]!a}; {hint}")


def _facts(given: list[dict[str, Any]]) -> tuple[Fact, ...]:
    try:
        return read_facts(given)
    except FactError as error:
        raise ValueError(f"facts: {error}") from None


def _event(raw: bytes) -> AnswerEvent:
    event = parse_event(raw)
    if isinstance(event, Rejection):
        raise ValueError(f"event: {event.message}")
    for number, chunk in enumerate(event.retrieved):
        if chunk.in_prompt and not chunk.text:
            raise ValueError(
                f"event.retrieved[{number}]: has no text; with other chunks it is another test"
            )
    return event


def _left_out(told: _Line, event: AnswerEvent, behaviour: Behaviour) -> str:
    """Who writes a case by hand and leaves ``needed`` out chose the chunks; an export that has null
    there says that nobody knows."""
    needed = told.expect.needed
    if needed is None:
        is_unknown = "needed" in told.expect.model_fields_set and behaviour == "answer"
        return NEEDED_UNKNOWN if is_unknown else ""
    given = {chunk.ref for chunk in event.retrieved if chunk.in_prompt}
    return "" if given.issuperset(needed) else LACKS_NEEDED
