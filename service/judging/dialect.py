"""How an endpoint wants to be asked: the request for a call, and what a refusal teaches. Pure.

Servers refuse parameters that they do not know, and models refuse ones that others need. Asking
begins with what most of them understand; a refusal that names a parameter changes the dialect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from service.judging.calls import Call
from service.judging.completions import Fault


class Structured(StrEnum):
    """How the wanted JSON object is asked for, the strictest way first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"


LADDER = tuple(Structured)
MAX_TOKENS = "max_tokens"
MAX_COMPLETION_TOKENS = "max_completion_tokens"
RESPONSE_FORMAT = "response_format"

_REFUSES = re.compile(
    r"unsupported|not supported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted"
    r"|not allowed|extra (?:inputs?|fields?|parameters?)"
)
_ABOUT_SCHEMA = re.compile(r"response_format|json[_ ]schema|structured output|grammar")


@dataclass(frozen=True, slots=True)
class Dialect:
    """``max_tokens_name``: what the bound of the answer's tokens is called. ``max_tokens`` comes
    first: an endpoint that wants ``max_completion_tokens`` says so, while one that knows only
    ``max_tokens`` (Ollama) passes over the other in silence and never stops. ``temperature`` and
    ``seed`` are left out when None."""

    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens_name: str = MAX_TOKENS
    structured: Structured = Structured.JSON_SCHEMA

    def request(self, call: Call, model: str) -> dict[str, Any]:
        """The body of a chat completion."""
        optional = {
            "temperature": self.temperature,
            "seed": self.seed,
            RESPONSE_FORMAT: _response_format(call, self.structured),
        }
        return {
            "model": model,
            "messages": _messages(call, self.structured),
            self.max_tokens_name: call.max_tokens,
            **{name: value for name, value in optional.items() if value is not None},
        }

    def lower(self) -> Dialect | None:
        """One rung down; None on the last one."""
        below = LADDER[LADDER.index(self.structured) + 1 :]
        return replace(self, structured=below[0]) if below else None

    def after(self, fault: Fault) -> Dialect | None:
        """The dialect to try after a status of 400 or 422; None when it teaches nothing."""
        if fault.is_context_too_long or fault.is_content_filter:
            return None
        refuses = bool(_REFUSES.search(fault.message) or "unsupported" in " ".join(fault.codes))
        if refuses and self.max_tokens_name == MAX_TOKENS and _blames(fault, MAX_TOKENS):
            return replace(self, max_tokens_name=MAX_COMPLETION_TOKENS)
        if refuses and self.temperature is not None and _blames(fault, "temperature"):
            return replace(self, temperature=None)
        if refuses and self.seed is not None and _blames(fault, "seed"):
            return replace(self, seed=None)
        if _blames(fault, RESPONSE_FORMAT) or _ABOUT_SCHEMA.search(fault.message):
            return self.lower()
        return None


def _blames(fault: Fault, name: str) -> bool:
    if fault.parameter:
        return fault.parameter.split(".")[0] == name
    return re.search(rf"\b{name}\b", fault.message) is not None


def _response_format(call: Call, structured: Structured) -> Mapping[str, Any] | None:
    if structured is Structured.PROMPT:
        return None
    if structured is Structured.JSON_OBJECT:
        return {"type": "json_object"}
    schema = {"name": call.schema_name, "schema": call.schema, "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _messages(call: Call, structured: Structured) -> list[dict[str, str]]:
    """Where the endpoint does not enforce the schema, the first message tells it."""
    messages = [dict(message) for message in call.messages]
    if structured is not Structured.JSON_SCHEMA:
        schema = json.dumps(call.schema, ensure_ascii=False)
        messages[0]["content"] += (
            "\n\nAnswer with exactly one JSON object, without any other words, that is valid by "
            f"this JSON Schema:\n{schema}"
        )
    return messages
