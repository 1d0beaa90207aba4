"""What a RAG system is asked, and what comes back: an answer of the contract, or why not. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service import contract
from service.contract import Chunk, Citation, ContextItem, Release, Usage
from service.events import AnswerEvent
from service.events import event_of as as_event
from service.mapping import MappingError, map_response
from service.policy import ResponseMapping


@dataclass(frozen=True, slots=True)
class TargetRequest:
    """One question. ``purpose`` is the marker that the system copies into its event, so that no
    measurement enters a live rate; ``run`` and ``query_id`` tell which one it was; ``event_id``: a
    probe's, for the event to take over. ``retrieved``: chunks that the system is to answer from
    instead of retrieving itself (as in the contract), None where it retrieves; ``context``
    likewise: what else the model saw."""

    query: str
    query_id: str
    run: str = ""
    language: str | None = None
    k: int | None = None
    event_id: str | None = None
    purpose: Literal["probe"] = "probe"
    retrieved: Sequence[Mapping[str, Any]] | None = None
    context: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Any]:
        """What a body's expression reads, and what a callable is given. Null is left out."""
        told: dict[str, Any] = {"query": self.query, "query_id": self.query_id, "run": self.run}
        told |= {"purpose": self.purpose}
        for name in ("event_id", "language", "k"):
            if (value := getattr(self, name)) is not None:
                told[name] = value
        if self.retrieved is not None:
            told["retrieved"] = [dict(chunk) for chunk in self.retrieved]
            told["context"] = [dict(item) for item in self.context]
        return told


class TargetAnswer(BaseModel):
    """What a system answered, in the contract's words; ``retrieved``: None where it did not say."""

    model_config = ConfigDict(
        extra="ignore", strict=True, hide_input_in_errors=True, allow_inf_nan=False
    )

    answer: str
    retrieved: list[Chunk] | None = None
    status: Literal["ok", "truncated", "error"] = "ok"
    context: list[ContextItem] = Field(default_factory=list)
    citations: list[Citation] = Field(default_factory=list)
    release: Release = Field(default_factory=Release)
    usage: Usage | None = None
    latency_ms: dict[str, float] | None = None


class FailureReason(StrEnum):
    """Why there is no answer. A closed set: it stands in run files and labels metrics."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    HTTP_STATUS = "http_status"
    REDIRECT = "redirect"
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    MAPPING = "mapping"
    """The response has another shape than the policy says, or than the contract."""
    RAISED = "raised"
    """The callable raised."""
    STATUS_ERROR = "status_error"
    """The system answered that it could not answer."""
    NOT_ASKED = "not_asked"
    """The target was away before its turn came."""


@dataclass(frozen=True, slots=True)
class TargetFailure:
    """``message``: one line for an operator, with none of the response's words. ``away``: it says
    that nobody is there, or is too busy, not that this one question failed."""

    reason: FailureReason
    message: str
    away: bool = False


class Target(Protocol):
    """Of one event loop; any number of questions at the same time, up to ``concurrency``."""

    name: str
    concurrency: int

    async def ask(self, request: TargetRequest) -> TargetAnswer | TargetFailure:
        """Never raises for anything that the system does."""

    async def close(self) -> None: ...


def read_answer(
    data: Any, response: ResponseMapping | None, request: TargetRequest
) -> TargetAnswer | TargetFailure:
    """The answer in a response's JSON, by the mapping, or by the contract's own names without one.
    The place and the fault stand in a failure, never the response's words."""
    try:
        if response is not None:
            refs = [str(chunk.get("ref", "")) for chunk in request.retrieved or ()]
            data = map_response(response, data, refs)
        found = TargetAnswer.model_validate_json(orjson.dumps(data))
    except MappingError as error:
        return TargetFailure(FailureReason.MAPPING, f"response: {error}")
    except ValidationError as error:
        return TargetFailure(FailureReason.MAPPING, f"response: {_fault(error, response)}")
    except (TypeError, ValueError):
        return TargetFailure(FailureReason.MAPPING, "response: not to be written as JSON")
    if found.status == "error":
        return TargetFailure(FailureReason.STATUS_ERROR, "the system answered with status error")
    return found


def event_of(request: TargetRequest, answer: TargetAnswer, app: str) -> AnswerEvent:
    """The answer as the event that the checks read. Where the system did not say what it retrieved,
    that is what it was given."""
    given = [Chunk.model_validate(dict(chunk)) for chunk in request.retrieved or ()]
    context = [ContextItem.model_validate(dict(item)) for item in request.context]
    told = contract.AnswerEvent(
        event_id=(request.event_id or request.query_id or "question")[:256],
        app=app[:128] or "default",
        purpose="probe",
        query=request.query,
        query_id=request.query_id[:256],
        language=request.language and request.language[:16],
        retrieved=given if answer.retrieved is None else answer.retrieved,
        context=answer.context or context,
        answer=answer.answer,
        citations=answer.citations,
        status=answer.status,
        release=answer.release,
        usage=answer.usage,
        latency_ms=answer.latency_ms,
    )
    return as_event(told)


def _fault(error: ValidationError, response: ResponseMapping | None) -> str:
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "the whole"
    where = (
        "name it so, or say under `response` of the target in the policy file where it stands"
        if response is None
        else "mend its expression under `response` of the target"
    )
    return f"{place[:80]}: {first['msg']}; {where}"
