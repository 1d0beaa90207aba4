"""What an endpoint's response says: its words, its tokens, its way to fail. Pure.

Endpoints differ in how they say the same thing; the wordings here are those of OpenAI, Azure, vLLM,
llama.cpp, Ollama and LiteLLM. Whatever the endpoint wrote is only read for these signs: none of its
words ever stands in a ``detail``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

import orjson

from service.judging.calls import NO_USAGE, Call, CallOutcome, Reply, Usage

CHARS_PER_TOKEN = 3
"""Rather too few than too many (English has about 4, German 3.5): an estimate debits a budget."""
LONGEST_WAIT_S = 86_400.0
"""A Retry-After past this is a mistake."""

_MESSAGE_CHARS = 4_000
_MODEL_CHARS = 120
_MOST_PROSE = 200_000
"""Characters that are searched for an object: no event loop shall wait for nonsense."""
_TOO_LONG_CODES = frozenset(
    {"context_length_exceeded", "context_window_exceeded", "exceed_context_size_error"}
)
_TOO_LONG = re.compile(
    r"maximum context (?:length|limit|window)"
    r"|maximum model length"
    r"|context_?length_?exceeded|contextwindowexceeded|context size has been exceeded"
    r"|exceeds? (?:the |its |your )?(?:model'?s? |available |maximum |allowed )*"
    r"context[ _](?:length|size|window|limit)"
    r"|longer than the (?:model'?s )?context"
    r"|(?:prompt|input) is too long"
    r"|exceeds? the maximum number of (?:input )?tokens"
    r"|`inputs` tokens \+ `max_new_tokens` must be"
    r"|input tokens exceed the configured limit"
)
_FILTER_CODES = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
)
_QUOTA_CODES = frozenset({"insufficient_quota", "budget_exceeded", "billing_hard_limit_reached"})
_THOUGHTS_END = "</think>"
_FENCE = re.compile(r"\A```[a-z]*\s*\n(.*)\n\s*```\Z", re.DOTALL | re.IGNORECASE)
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: no text that anybody can encode holds one."""
_BRACE_OR_QUOTE = re.compile(r'[{}"]')
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error body, in lower case. ``codes``: its code, type and inner code; ``parameter``: the
    request parameter that it blames, perhaps empty."""

    codes: frozenset[str] = frozenset()
    parameter: str = ""
    message: str = ""

    @property
    def is_context_too_long(self) -> bool:
        return bool(self.codes & _TOO_LONG_CODES or _TOO_LONG.search(self.message))

    @property
    def is_content_filter(self) -> bool:
        return bool(self.codes & _FILTER_CODES or "contentpolicyviolation" in self.message)

    @property
    def is_quota(self) -> bool:
        return bool(self.codes & _QUOTA_CODES)


def read_fault(body: bytes) -> Fault:
    """The error in a body of any of the known shapes; an empty one where there is none."""
    return _fault_in(_json_of(body))


def read_failure(status: int, body: bytes, call: Call) -> Reply:
    """The reply for a response whose ``status`` is no success."""
    payload = _json_of(body)
    outcome = _outcome_of(status, _fault_in(payload))
    usage = _usage_given(payload, call, "") or NO_USAGE
    return Reply(outcome, usage=usage, detail=f"status {status}")


def read_completion(body: bytes, call: Call) -> Reply:
    """The reply for a response with status 200 to ``call``, whatever it holds."""
    payload = _json_of(body)
    if not isinstance(payload, dict):
        return Reply(CallOutcome.NOT_A_COMPLETION, detail="status 200 without a JSON object")
    choices = payload.get("choices")
    if not isinstance(choices, list) or (not choices and payload.get("error")):
        return _error_with_200(payload, call)
    reply = _read_choice(choices[0]) if choices else _empty("no choice")
    usage = _usage_given(payload, call, reply.content) or estimated(call, reply.content)
    return replace(reply, usage=usage, model=_model_of(payload))


def estimated(call: Call, words: str | None = None) -> Usage:
    """Tokens by characters (:data:`CHARS_PER_TOKEN`), schema included. Without ``words`` the answer
    counts as long as it may be: nobody saw its end."""
    completion = call.max_tokens if words is None else _tokens(len(words))
    return Usage(_tokens(_prompt_chars(call)), completion, estimated=True)


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Seconds to wait by ``Retry-After`` (seconds or an HTTP date) or ``retry-after-ms``.

    None where it is absent or insane: negative, not a number, past :data:`LONGEST_WAIT_S`. The
    ``x-ratelimit-*`` headers are not read: -1 and 0 stand in them where nothing is known.
    """
    waits = (
        _number(headers.get("retry-after-ms", ""), 0.001),
        _number(headers.get("retry-after", ""), 1.0),
        _until(headers.get("retry-after", ""), now_s),
    )
    return next((wait for wait in waits if wait is not None), None)


def object_in(content: str) -> dict[str, Any] | None:
    """The one JSON object that an answer consists of, perhaps after its thoughts (``<think>``), in
    a fence or within prose; None when there is none, or more than one to choose from."""
    text = content.strip().lstrip("\ufeff")
    if (whole := _object_of(text)) is not None:
        return whole
    if not text.startswith("{"):
        _, ends, rest = text.partition(_THOUGHTS_END)
        text = rest.strip() if ends else text
    fenced = _FENCE.match(text)
    if (inner := _object_of(fenced[1] if fenced else text)) is not None:
        return inner
    if len(text) > _MOST_PROSE:
        return None
    objects = (item for item in map(_object_of, _braced(text)) if item is not None)
    found = list(islice(objects, 2))
    return found[0] if len(found) == 1 else None


def _braced(text: str) -> Iterator[str]:
    """Outermost {…} of a text, in one pass: quoted braces do not count."""
    depth, start, at = 0, 0, 0
    while (mark := _BRACE_OR_QUOTE.search(text, at)) is not None:
        at = mark.end()
        if mark[0] == '"':
            # Quotation marks of prose are not JSON's.
            if depth:
                ends = _STRING_END.match(text, at)
                if ends is None:
                    return
                at = ends.end()
        elif mark[0] == "{":
            start = mark.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield text[start:at]


def _json_of(body: bytes | str) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _lenient_json_of(body)


def _lenient_json_of(body: bytes | str) -> Any:
    """What orjson refuses for one word in it: half a surrogate pair, a cut character. The envelope
    of a completion is read all the same: one answer's words say nothing about the endpoint."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    if not text.lstrip().startswith("{"):
        return None
    try:
        whole = json.dumps(json.loads(text), ensure_ascii=False)
        return orjson.loads(_HALF.sub("\ufffd", whole))
    except (ValueError, RecursionError):
        return None


def _object_of(text: str) -> dict[str, Any] | None:
    value = _json_of(text)
    return value if isinstance(value, dict) else None


def _fault_in(payload: Any) -> Fault:
    if isinstance(payload, list) and payload:
        payload = payload[0]
    if not isinstance(payload, dict):
        return Fault()
    error = payload.get("error") or payload.get("detail") or payload
    if not isinstance(error, dict):
        return Fault(message=_text(error))
    inner = error.get("innererror")
    named = [error.get("code"), error.get("type")]
    if isinstance(inner, dict):
        named.append(inner.get("code"))
    return Fault(
        frozenset(_text(name) for name in named if name is not None),
        _text(error.get("param") or ""),
        _text(error.get("message") or error),
    )


def _text(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except RecursionError:
        # orjson reads nests that json does not write.
        return ""
    return text[:_MESSAGE_CHARS].lower()


def _outcome_of(status: int, fault: Fault) -> CallOutcome:
    if fault.is_quota or status == 402:
        return CallOutcome.QUOTA
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status in (400, 422) and fault.is_content_filter:
        return CallOutcome.CONTENT_FILTER
    if status in (400, 422, 500) and fault.is_context_too_long:
        return CallOutcome.CONTEXT_TOO_LONG
    if status >= 500:
        return CallOutcome.SERVER_ERROR
    # A redirect is not followed: the base URL is not the endpoint's own.
    return CallOutcome.BAD_REQUEST if status >= 400 else CallOutcome.NOT_FOUND


_BY_STATUS = {
    401: CallOutcome.UNAUTHORIZED,
    403: CallOutcome.UNAUTHORIZED,
    404: CallOutcome.NOT_FOUND,
    408: CallOutcome.TIMEOUT,
    413: CallOutcome.CONTEXT_TOO_LONG,
    429: CallOutcome.RATE_LIMITED,
}


def _error_with_200(payload: Mapping[str, Any], call: Call) -> Reply:
    fault = _fault_in(payload)
    outcome = CallOutcome.NOT_A_COMPLETION
    if fault.is_quota:
        outcome = CallOutcome.QUOTA
    elif fault.is_context_too_long:
        outcome = CallOutcome.CONTEXT_TOO_LONG
    usage = _usage_given(payload, call, "") or NO_USAGE
    return Reply(outcome, usage=usage, detail="status 200 with something that is no completion")


def _read_choice(choice: Any) -> Reply:
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return Reply(CallOutcome.NOT_A_COMPLETION, detail="a choice without a message")
    content = _content_of(message)
    finish = choice.get("finish_reason")
    if finish == "content_filter":
        return Reply(CallOutcome.CONTENT_FILTER, content=content, detail="cut by a content filter")
    if message.get("refusal"):
        return Reply(CallOutcome.REFUSED, content=content, detail="the model refused")
    if finish == "length":
        return Reply(CallOutcome.TRUNCATED, content=content, detail="cut at its token limit")
    if not content.strip():
        return _empty("no words")
    data = object_in(content)
    if data is None:
        return Reply(CallOutcome.INVALID_JSON, content=content, detail="not one JSON object")
    return Reply(CallOutcome.ANSWERED, data, content)


def _empty(what: str) -> Reply:
    return Reply(CallOutcome.EMPTY, detail=f"a completion with {what}")


def _content_of(message: Mapping[str, Any]) -> str:
    """Text, or a list of parts, as some servers send it."""
    content = message.get("content")
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _model_of(payload: Mapping[str, Any]) -> str:
    model = payload.get("model")
    fit = isinstance(model, str) and len(model) <= _MODEL_CHARS and model.isprintable()
    return str(model) if fit else ""


def _usage_given(payload: Any, call: Call, content: str) -> Usage | None:
    """The endpoint's own count, where it is credible."""
    usage = payload.get("usage") if isinstance(payload, dict) else None
    if not isinstance(usage, dict):
        return None
    prompt = _count(usage.get("prompt_tokens", usage.get("input_tokens")))
    completion = _count(usage.get("completion_tokens", usage.get("output_tokens")))
    if not prompt or completion is None or (content and not completion):
        return None
    # No tokenizer makes more than one token of a byte; a server adds a template of its own.
    if prompt > 4 * _prompt_chars(call) + 10_000 or completion > 10 * call.max_tokens + 10_000:
        return None
    return Usage(prompt, completion)


def _count(value: Any) -> int | None:
    counts = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if counts else None


def _prompt_chars(call: Call) -> int:
    return sum(len(message["content"]) for message in call.messages) + len(json.dumps(call.schema))


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def _number(text: str, unit: float) -> float | None:
    try:
        return _sane(float(text) * unit)
    except ValueError:
        return None


def _until(text: str, now_s: float) -> float | None:
    try:
        return _sane(parsedate_to_datetime(text).timestamp() - now_s)
    except (ValueError, OverflowError):
        return None


def _sane(wait: float) -> float | None:
    return wait if 0 <= wait <= LONGEST_WAIT_S else None
