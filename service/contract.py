"""The contract as pydantic models: what an event may say, field by field.

Whoever describes the contract or explains a fault reads these: the JSON Schema, the API's document,
rejections. Events on their way through are :class:`service.events.AnswerEvent`, read in a fifth of
the time; both take the same bytes for the same event (docs/decisions/0015-msgspec-events.md).
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SCHEMA_VERSION: Final = 1

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Ref = Annotated[str, StringConstraints(min_length=1, max_length=2048)]
Label = Annotated[str, StringConstraints(max_length=256)]


class _Part(BaseModel):
    """Unknown fields are kept, not checked; an error never shows its input."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
        # Names repeat from event to event, values hardly: looking those up costs, and finds little.
        cache_strings="keys",
    )


class Chunk(_Part):
    """One retrieved chunk, in the order of retrieval."""

    ref: Ref
    text: str | None = Field(None, description="Looked up in the document store when absent.")
    score: float | None = None
    rank: int | None = None
    in_prompt: bool = Field(
        True, description="Only chunks that reached the model ground an answer."
    )
    url: str | None = None
    title: str | None = None
    number: int | None = Field(
        None, description="The number the prompt gave this chunk, if not its position."
    )
    tenant: str | None = None
    acl: list[str] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class ContextItem(_Part):
    """What else the model saw. Kind ``assistant`` is shown but never evidence."""

    name: str
    kind: str = Field("user", description="user | system | tool | assistant | …")
    text: str


class Citation(_Part):
    """Structured. ``start`` and ``end`` are character offsets into ``answer``, end exclusive."""

    ref: Ref
    start: int | None = None
    end: int | None = None
    quote: str | None = None


class User(_Part):
    id_hash: str | None = None
    tenant: str | None = None
    groups: list[str] = Field(default_factory=list)


class Release(_Part):
    """What was deployed. Only ``id`` becomes a label; the rest explains a change."""

    id: Label | None = None
    model: str | None = None
    prompt: str | None = None
    retriever: str | None = None
    retrieval_params: dict[str, Any] | None = None
    embedding_model: str | None = None
    chunking: str | None = None
    index: str | None = None
    corpus: Label | None = None


class Usage(_Part):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class AnswerEvent(_Part):
    """One answer of a RAG system: the query, what was retrieved for it, and what was answered."""

    schema_version: Literal[1] = SCHEMA_VERSION
    event_id: Identifier
    occurred_at: datetime | None = None
    app: Annotated[str, StringConstraints(min_length=1, max_length=128)] = "default"
    purpose: Literal["live", "probe", "shadow"] = "live"
    status: Literal["ok", "truncated", "error"] = "ok"
    language: Annotated[str, StringConstraints(max_length=16)] | None = None
    query: str
    query_id: Label | None = None
    context: list[ContextItem] = Field(default_factory=list)
    retrieved: list[Chunk]
    answer: str
    citations: list[Citation] = Field(default_factory=list)
    user: User | None = None
    session_id: Label | None = None
    trace_id: Label | None = None
    tags: dict[str, str] = Field(default_factory=dict)
    release: Release = Field(default_factory=Release)
    usage: Usage | None = None
    latency_ms: dict[str, float] | None = None


NAMES = frozenset(
    name
    for model in (AnswerEvent, Chunk, ContextItem, Citation, User, Release, Usage)
    for name in model.model_fields
)
"""All that the contract calls a field of any part."""
