"""The judge's client against a scripted endpoint: real openai client, real sockets.

Each scenario ends in exactly one typed outcome, with the tokens and the number of requests named.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from service import bootstrap
from service.judging.calls import HEALING, NO_USAGE, Call, CallOutcome, Reply, Usage
from service.judging.client import MAX_BODY_BYTES, EndpointOptions, JudgeClient
from service.judging.completions import estimated
from service.judging.corpora import Corpora
from service.judging.dialect import Structured
from service.outage import Misconfiguration
from service.settings import load_settings
from service.tls import client_context
from tests.servers.certificates import Authority
from tests.servers.llm import (
    COMPLETION_TOKENS,
    PROMPT_TOKENS,
    USAGE,
    Answer,
    LlmServer,
    completion,
    failure,
)

KEY = "sk-a-key-nobody-may-see"
WATCHED = "Ada Lovelace earns 12,345 €."
WORDS_OF_OTHERS = (
    "Ada",
    "12,345",
    "sk-",
    "quota",
    "filtered",
    "html",
    "sign in",
    "tokens.",
    "seed",
)
"""What endpoints and events say in the scenarios: it may stand in no detail."""
NOW = 1_790_000_000.0
DEADLINE_S = 5.0
CALL = Call(
    "ruling",
    ({"role": "system", "content": "Rule."}, {"role": "user", "content": WATCHED}),
    "ruling",
    {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    },
    max_tokens=200,
)
GIVEN = Usage(PROMPT_TOKENS, COMPLETION_TOKENS)
UNSEEN = estimated(CALL)
OK = Answer(completion('{"a": 1}'))


def counted(words: str) -> Usage:
    return estimated(CALL, words)


def said(content: Any, **more: Any) -> Answer:
    return Answer(completion(content, **more))


def bare(body: Any) -> Answer:
    return Answer(body if isinstance(body, bytes) else json.dumps(body).encode())


def too_long(status: int, error: Any) -> Scenario:
    return Scenario((failure(status, error),), CallOutcome.CONTEXT_TOO_LONG)


@dataclass(frozen=True)
class Scenario:
    answers: tuple[Answer, ...]
    outcome: CallOutcome
    usage: Usage = NO_USAGE
    requests: int = 1
    data: Any = None
    retry_after_s: float | None = None
    deadline_s: float = DEADLINE_S
    sent: dict[str, Any] = field(default_factory=dict)
    """What the last request must hold, a parameter each; None: it must be absent."""


def answered(*answers: Answer, usage: Usage = GIVEN, **more: Any) -> Scenario:
    return Scenario(answers, CallOutcome.ANSWERED, usage, data={"a": 1}, **more)


def refused_once(error: Any, status: int = 400, **sent: Any) -> Scenario:
    return answered(failure(status, error), OK, requests=2, sent=sent)


def waits(headers: dict[str, str], seconds: float | None, status: int = 429) -> Scenario:
    outcome = CallOutcome.RATE_LIMITED if status == 429 else CallOutcome.SERVER_ERROR
    return Scenario((failure(status, "slow down", headers),), outcome, retry_after_s=seconds)


def http_date(seconds_from_now: float) -> str:
    return format_datetime(datetime.fromtimestamp(NOW + seconds_from_now, UTC), usegmt=True)


def unsupported(parameter: str, more: str = "") -> dict[str, Any]:
    return {
        "message": f"Unsupported parameter: '{parameter}' is not supported with this model.{more}",
        "type": "invalid_request_error",
        "param": parameter,
        "code": "unsupported_parameter",
    }


FILTERED = {
    "message": "The response was filtered due to the prompt triggering a content policy.",
    "param": "prompt",
    "code": "content_filter",
    "status": 400,
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}
NO_JSON_SCHEMA = {
    "message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
    "this model.",
    "type": "invalid_request_error",
    "param": "response_format",
    "code": None,
}

NO_FORMAT = Answer(b"""{"error": "'response_format.type' must be 'text'"}""", 400)

SCENARIOS = {
    # an answer, and the ways to wrap it
    "plain": answered(OK),
    "fenced": answered(said('```json\n{"a": 1}\n```')),
    "fenced within prose": answered(said('Here it is:\n```json\n{"a": 1}\n```\nAnything else?')),
    "thoughts before": answered(said('<think>{"a": 2} or not?</think>\n{"a": 1}')),
    "thoughts without a beginning": answered(said('Let me see {…}</think>\n\n{"a": 1}')),
    "one object in prose": answered(said('My ruling is {"a": 1} and "final".')),
    "parts": answered(said([{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}])),
    "several choices": answered(
        bare(
            {
                "choices": [
                    {"finish_reason": "stop", "message": {"content": '{"a": 1}'}},
                    {"finish_reason": "stop", "message": {"content": '{"a": 2}'}},
                ],
                "usage": USAGE,
            }
        )
    ),
    "slow, but in time": answered(Answer(completion('{"a": 1}'), drip_s=0.001)),
    "half a surrogate pair": Scenario(
        (said('{"a": "\ud800"}'),), CallOutcome.ANSWERED, GIVEN, data={"a": "\ufffd"}
    ),
    "half a character": Scenario(
        (Answer(completion('{"a": "é"}').replace(b"\\u00e9", b"\xc3")),),
        CallOutcome.ANSWERED,
        GIVEN,
        data={"a": "\ufffd"},
    ),
    # the words of a model that are no ruling
    "two objects in prose": Scenario(
        (said('{"a": 1} or {"a": 2}'),), CallOutcome.INVALID_JSON, GIVEN
    ),
    "prose": Scenario((said("I think so."),), CallOutcome.INVALID_JSON, GIVEN),
    "half an object": Scenario((said('{"a": 1'),), CallOutcome.INVALID_JSON, GIVEN),
    "an array": Scenario((said('[{"a": 1}, {"a": 2}]'),), CallOutcome.INVALID_JSON, GIVEN),
    "deep nesting": Scenario((said('{"a":' * 5000),), CallOutcome.INVALID_JSON, GIVEN),
    "truncated": Scenario((said('{"a": ', finish="length"),), CallOutcome.TRUNCATED, GIVEN),
    "truncated thoughts": Scenario((said(None, finish="length"),), CallOutcome.TRUNCATED, GIVEN),
    "refusal": Scenario((said(None, refusal="I will not."),), CallOutcome.REFUSED, GIVEN),
    "answer filtered": Scenario(
        (said('{"a', finish="content_filter"),), CallOutcome.CONTENT_FILTER, GIVEN
    ),
    "prompt filtered": Scenario((failure(400, FILTERED),), CallOutcome.CONTENT_FILTER),
    "no choices": Scenario((bare({"choices": [], "usage": USAGE}),), CallOutcome.EMPTY, GIVEN),
    "null content": Scenario((said(None),), CallOutcome.EMPTY, GIVEN),
    "blank content": Scenario((said(" \n"),), CallOutcome.EMPTY, GIVEN),
    # tokens
    "no usage": answered(Answer(completion('{"a": 1}', usage=None)), usage=counted('{"a": 1}')),
    "negative usage": answered(
        said('{"a": 1}', usage={"prompt_tokens": -1, "completion_tokens": 5}),
        usage=counted('{"a": 1}'),
    ),
    "absurd usage": answered(
        said('{"a": 1}', usage={"prompt_tokens": 10**12, "completion_tokens": 5}),
        usage=counted('{"a": 1}'),
    ),
    "usage of zero": answered(
        said('{"a": 1}', usage={"prompt_tokens": 0, "completion_tokens": 0}),
        usage=counted('{"a": 1}'),
    ),
    "usage in words": answered(
        said('{"a": 1}', usage={"prompt_tokens": "many", "completion_tokens": True}),
        usage=counted('{"a": 1}'),
    ),
    "usage under newer names": answered(
        said('{"a": 1}', usage={"input_tokens": 7, "output_tokens": 3}), usage=Usage(7, 3)
    ),
    "usage of an error": Scenario(
        (Answer(json.dumps({"error": "no", "usage": USAGE}).encode(), 500),),
        CallOutcome.SERVER_ERROR,
        GIVEN,
    ),
    # trouble that passes
    "429": waits({}, None),
    "429 with seconds": waits({"retry-after": "7"}, 7.0),
    "429 with milliseconds": waits({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
    "429 with a date": waits({"retry-after": http_date(90)}, 90.0),
    "429 with a past date": waits({"retry-after": http_date(-90)}, None),
    "429 with a negative wait": waits({"retry-after": "-1"}, None),
    "429 with a wait of days": waits({"retry-after": "90000"}, None),
    "429 with garbage": waits({"retry-after": "soon"}, None),
    "429 with not a number": waits({"retry-after": "nan"}, None),
    "429 with empty limits": waits(
        {"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-requests": "0"}, None
    ),
    "500": waits({}, None, 500),
    "502 with a page": Scenario(
        (Answer(b"<html>Bad gateway</html>", 502),), CallOutcome.SERVER_ERROR
    ),
    "503 with a wait": waits({"retry-after": "3"}, 3.0, 503),
    "529": waits({}, None, 529),
    "408": Scenario((failure(408),), CallOutcome.TIMEOUT),
    "a page with 200": Scenario(
        (Answer(b"<html>Please sign in</html>", headers={"content-type": "text/html"}),),
        CallOutcome.NOT_A_COMPLETION,
    ),
    "an error with 200": Scenario((failure(200, "overloaded"),), CallOutcome.NOT_A_COMPLETION),
    "a list with 200": Scenario((bare([1, 2]),), CallOutcome.NOT_A_COMPLETION),
    "a choice without a message": Scenario(
        (bare({"choices": [{"text": '{"a": 1}'}], "usage": USAGE}),),
        CallOutcome.NOT_A_COMPLETION,
        GIVEN,
    ),
    "endless body": Scenario((Answer(b"x" * 65_536, endless=True),), CallOutcome.TOO_LARGE, UNSEEN),
    "compressed": Scenario(
        (Answer(b"\x1f\x8b", headers={"content-encoding": "gzip"}),),
        CallOutcome.NOT_A_COMPLETION,
        UNSEEN,
    ),
    "slow drip past the deadline": Scenario(
        (Answer(completion('{"a": 1}'), drip_s=0.05),),
        CallOutcome.TIMEOUT,
        UNSEEN,
        deadline_s=0.5,
    ),
    "silence past the deadline": Scenario(
        (Answer(completion('{"a": 1}'), delay_s=30),), CallOutcome.TIMEOUT, UNSEEN, deadline_s=0.3
    ),
    "cut body": Scenario(
        (Answer(completion('{"a": 1}'), cut_at=40),), CallOutcome.TRANSPORT, UNSEEN
    ),
    "closed before an answer": Scenario((Answer(close=True),), CallOutcome.TRANSPORT, UNSEEN),
    # trouble that somebody has to mend
    "quota": Scenario(
        (failure(429, {"message": "You exceeded your quota", "code": "insufficient_quota"}),),
        CallOutcome.QUOTA,
    ),
    "payment required": Scenario((failure(402),), CallOutcome.QUOTA),
    "budget of a proxy": Scenario(
        (failure(400, {"message": "Budget has been exceeded!", "type": "budget_exceeded"}),),
        CallOutcome.QUOTA,
    ),
    "401": Scenario((failure(401, f"Incorrect API key: {KEY}"),), CallOutcome.UNAUTHORIZED),
    "403": Scenario((failure(403),), CallOutcome.UNAUTHORIZED),
    "404": Scenario((failure(404, "The model `x` does not exist"),), CallOutcome.NOT_FOUND),
    "redirect": Scenario(
        (Answer(status=302, headers={"location": "/v1/chat/completions"}),), CallOutcome.NOT_FOUND
    ),
    "418": Scenario((failure(418),), CallOutcome.BAD_REQUEST),
    "400 that teaches nothing": Scenario(
        (failure(400, "The 'seed' of doubt is planted"),), CallOutcome.BAD_REQUEST
    ),
    # the context is too short, in the words of …
    "too long: OpenAI": too_long(
        400,
        {
            "message": "This model's maximum context length is 8192 tokens. However, your messages "
            "resulted in 9000 tokens.",
            "param": "messages",
            "code": "context_length_exceeded",
        },
    ),
    "too long: vLLM": too_long(
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 800 output "
        "tokens and your prompt contains at least 4000 input tokens.",
    ),
    "too long: vLLM, blaming max_tokens": too_long(
        400,
        "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context "
        "length is 4096 tokens and your request has 2778 input tokens.",
    ),
    "too long: vLLM engine": too_long(
        400, "The decoder prompt (length 2049) is longer than the maximum model length of 2048."
    ),
    "too long: llama.cpp": too_long(
        400,
        {
            "code": 400,
            "message": "request (4390 tokens) exceeds the available context size (4096 tokens), "
            "try increasing it",
            "type": "exceed_context_size_error",
        },
    ),
    "too long: llama.cpp with 500": too_long(
        500, {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}
    ),
    "too long: llama.cpp with 200": too_long(
        200, {"code": 400, "message": "the request exceeds the available context size."}
    ),
    "too long: llama-cpp-python": too_long(
        400, "Requested tokens (2285) exceed context window of 2048"
    ),
    "too long: Ollama": too_long(400, "the input length exceeds the context length"),
    "too long: LiteLLM": too_long(
        400,
        {
            "message": "litellm.ContextWindowExceededError: AnthropicException - prompt is too "
            "long: 215000 tokens > 200000 maximum",
            "type": None,
            "param": None,
            "code": "400",
        },
    ),
    "too long: a proxy": Scenario((Answer(b"", 413),), CallOutcome.CONTEXT_TOO_LONG),
    # parameters that are not taken
    "max_completion_tokens wanted": refused_once(
        unsupported("max_tokens", " Use 'max_completion_tokens' instead."),
        max_tokens=None,
        max_completion_tokens=200,
    ),
    "no temperature": refused_once(
        {
            "message": "Unsupported value: 'temperature' does not support 0 with this model.",
            "param": "temperature",
            "code": "unsupported_value",
        },
        temperature=None,
        seed=7,
    ),
    "no seed, as FastAPI says it": answered(
        Answer(
            json.dumps(
                {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
            ).encode(),
            422,
        ),
        OK,
        requests=2,
        sent={"seed": None, "temperature": 0.0},
    ),
    "no json_schema": refused_once(NO_JSON_SCHEMA, response_format={"type": "json_object"}),
    "no json_schema, in a bare string": answered(
        NO_FORMAT := Answer(b"{\"error\": \"'response_format.type' must be 'text'\"}", 400),
        OK,
        requests=2,
        sent={"response_format": {"type": "json_object"}},
    ),
    "no response_format at all": answered(
        NO_FORMAT, NO_FORMAT, OK, requests=3, sent={"response_format": None}
    ),
    "nothing is taken": answered(
        failure(400, unsupported("max_tokens")),
        failure(400, unsupported("temperature")),
        failure(400, unsupported("seed")),
        NO_FORMAT,
        NO_FORMAT,
        OK,
        requests=6,
        sent={"max_completion_tokens": 200, "temperature": None, "response_format": None},
    ),
    "refused again and again": Scenario(
        (failure(400, unsupported("max_tokens")),), CallOutcome.BAD_REQUEST, requests=2
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    with LlmServer() as started:
        yield started


def options(server: LlmServer, **more: Any) -> EndpointOptions:
    return EndpointOptions(server.base_url, "judge-model", KEY, seed=7, **more)


async def call(
    options: EndpointOptions, *calls: Call, deadline_s: float = DEADLINE_S
) -> list[Reply]:
    client = JudgeClient(options, wall_clock=lambda: NOW)
    try:
        return [await client.call(call, deadline_s) for call in calls]
    finally:
        await client.close()


def ask(options: EndpointOptions, *calls: Call, deadline_s: float = DEADLINE_S) -> list[Reply]:
    return asyncio.run(call(options, *calls, deadline_s=deadline_s))


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_scenario_has_one_outcome(server: LlmServer, name: str) -> None:
    scenario = SCENARIOS[name]
    server.play(*scenario.answers)
    [reply] = ask(options(server), CALL, deadline_s=scenario.deadline_s)
    assert reply.outcome is scenario.outcome, reply.detail
    assert reply.data == scenario.data
    assert reply.usage == scenario.usage
    assert len(server.requests) == scenario.requests
    if scenario.retry_after_s is None:
        assert reply.retry_after_s is None
    else:
        assert reply.retry_after_s == pytest.approx(scenario.retry_after_s, abs=1)
    last = server.requests[-1].body
    assert {name: last.get(name) for name in scenario.sent} == scenario.sent
    assert 0 <= reply.latency_s < scenario.deadline_s + 1
    assert (reply.detail == "") == (reply.outcome is CallOutcome.ANSWERED)
    assert [word for word in WORDS_OF_OTHERS if word in reply.detail] == []


def test_every_outcome_has_a_scenario_but_for_what_the_rubric_decides() -> None:
    assert {scenario.outcome for scenario in SCENARIOS.values()} == (
        set(CallOutcome) - {CallOutcome.SCHEMA}
    )


def test_nobody_listens() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        [reply] = ask(EndpointOptions(f"http://127.0.0.1:{port}/v1", "m"), CALL)
    assert (reply.outcome, reply.usage) == (CallOutcome.TRANSPORT, NO_USAGE)
    assert reply.outcome in HEALING


def test_what_was_learnt_is_remembered(server: LlmServer) -> None:
    server.play(failure(400, unsupported("max_tokens")), failure(400, NO_JSON_SCHEMA), OK)
    replies = ask(options(server), CALL, CALL)
    assert [reply.outcome for reply in replies] == [CallOutcome.ANSWERED] * 2
    assert len(server.requests) == 4
    assert server.requests[2].body == server.requests[3].body


def test_calls_at_the_same_time_learn_one_lesson(server: LlmServer) -> None:
    """Not one rung for each of them."""
    no_schema = failure(400, NO_JSON_SCHEMA)

    def script(request: Any) -> Answer:
        asked = request.body.get("response_format", {}).get("type")
        return no_schema if asked == "json_schema" else OK

    server.play_script(script)

    async def at_once() -> tuple[list[Reply], Structured]:
        client = JudgeClient(options(server))
        try:
            replies = await asyncio.gather(*(client.call(CALL, DEADLINE_S) for _ in range(8)))
            return list(replies), client.structured
        finally:
            await client.close()

    replies, structured = asyncio.run(at_once())
    assert {reply.outcome for reply in replies} == {CallOutcome.ANSWERED}
    assert structured is Structured.JSON_OBJECT


def test_a_late_refusal_unlearns_nothing(server: LlmServer) -> None:
    """The first request is refused for its seed, after the second one has taught two things."""
    no_seed = failure(400, unsupported("seed"))

    def script(request: Any) -> Answer:
        if len(server.requests) == 1:
            return replace(no_seed, delay_s=0.4)
        if request.body["response_format"]["type"] == "json_schema":
            return failure(400, NO_JSON_SCHEMA)
        return no_seed if "seed" in request.body else OK

    server.play_script(script)

    async def at_once() -> None:
        client = JudgeClient(options(server))
        late = asyncio.create_task(client.call(CALL, DEADLINE_S))
        await asyncio.to_thread(server.wait_for_request)
        replies = [await client.call(CALL, DEADLINE_S), await late]
        await client.close()
        assert [reply.outcome for reply in replies] == [CallOutcome.ANSWERED] * 2

    asyncio.run(at_once())
    assert len(server.requests) == 5


def test_the_schema_is_told_where_it_is_not_enforced(server: LlmServer) -> None:
    server.play(OK)
    ask(options(server), CALL)
    first = server.requests[0].body
    assert first["response_format"]["json_schema"]["strict"] is True
    assert first["response_format"]["json_schema"]["schema"] == CALL.schema
    assert first["messages"] == [dict(message) for message in CALL.messages]
    server.play(failure(400, NO_JSON_SCHEMA), OK)
    ask(options(server), CALL)
    system, user = server.requests[1].body["messages"]
    assert json.dumps(CALL.schema) in system["content"]
    assert user == CALL.messages[1]


def test_an_endless_body_is_not_read_on(server: LlmServer) -> None:
    """Nor one that says honestly how long it is."""
    server.play(Answer(b"x" * (MAX_BODY_BYTES + 1)))
    [reply] = ask(options(server), CALL)
    assert reply.outcome is CallOutcome.TOO_LARGE
    server.play(Answer(completion("x" * (MAX_BODY_BYTES - 1000))))
    [reply] = ask(options(server), CALL)
    assert reply.outcome is CallOutcome.INVALID_JSON


def test_nothing_of_the_environment_is_sent(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-other")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "authorization: Bearer sk-other\nx-other: 1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    server.play(OK)
    ask(options(server), CALL)
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert set(request.headers) == {
        *("host", "accept", "content-type", "content-length", "user-agent", "accept-encoding"),
        "authorization",
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    ask(EndpointOptions(server.base_url, "m"), CALL)
    assert "authorization" not in server.requests[1].headers


def test_the_key_stands_in_no_representation() -> None:
    given = EndpointOptions("http://127.0.0.1:9/v1", "m", KEY)
    assert KEY not in repr(given)
    client = JudgeClient(given)
    assert KEY not in repr(vars(client))
    assert KEY not in repr(vars(client._openai))
    asyncio.run(client.close())
    with pytest.raises(ValueError, match="no HTTP header can carry") as error:
        EndpointOptions("http://127.0.0.1:9/v1", "m", "sk-ä\n")
    assert "sk-" not in str(error.value)


@pytest.mark.parametrize("name", ["plain", "401", "500", "cut body", "quota", "prose"])
def test_no_text_and_no_key_is_logged(
    server: LlmServer, name: str, caplog: pytest.LogCaptureFixture, capsys: Any
) -> None:
    """Not even where somebody sets every logger to DEBUG, but for httpcore, which shows headers."""
    server.play(*SCENARIOS[name].answers)
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("httpcore2").setLevel(logging.INFO)
        ask(options(server), CALL)
    logged = caplog.text + "".join(capsys.readouterr())
    assert "POST" in logged
    assert [word for word in (KEY, "Ada", "12,345", "I think so") if word in logged] == []


def test_a_text_that_cannot_be_encoded_fails_alone(server: LlmServer) -> None:
    server.play(OK)
    broken = Call(
        "ruling", ({"role": "user", "content": "\ud800"},), "ruling", CALL.schema, max_tokens=10
    )
    replies = ask(options(server), broken, CALL)
    assert [reply.outcome for reply in replies] == [CallOutcome.BAD_REQUEST, CallOutcome.ANSWERED]


def test_a_cancelled_call_is_cancelled(server: LlmServer) -> None:
    server.play(Answer(delay_s=30))

    async def cancelled() -> None:
        client = JudgeClient(options(server))
        task = asyncio.create_task(client.call(CALL, 30.0))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await client.close()

    asyncio.run(cancelled())


def probe(server: LlmServer) -> tuple[Any, Reply]:
    async def run() -> tuple[Any, Reply]:
        client = JudgeClient(options(server))
        try:
            found = await client.probe(DEADLINE_S)
            return found, await client.call(CALL, DEADLINE_S)
        finally:
            await client.close()

    return asyncio.run(run())


READY = said('{"ready_to_judge": true}')


@pytest.mark.parametrize(
    ("answers", "structured", "outcome"),
    [
        ([READY], Structured.JSON_SCHEMA, CallOutcome.ANSWERED),
        # takes the schema and ignores it
        ([said("Yes, I am."), READY], Structured.JSON_OBJECT, CallOutcome.ANSWERED),
        ([said('{"ready": "yes"}'), READY], Structured.JSON_OBJECT, CallOutcome.ANSWERED),
        ([said("Yes."), said("Yes."), READY], Structured.PROMPT, CallOutcome.ANSWERED),
        # refuses it
        ([failure(400, NO_JSON_SCHEMA), READY], Structured.JSON_OBJECT, CallOutcome.ANSWERED),
        # never writes JSON
        ([said("Yes.")], Structured.PROMPT, CallOutcome.INVALID_JSON),
        # says nothing about JSON: the strictest way stays
        ([failure(401)], Structured.JSON_SCHEMA, CallOutcome.UNAUTHORIZED),
        ([failure(503)], Structured.JSON_SCHEMA, CallOutcome.SERVER_ERROR),
        ([said("", finish="length")], Structured.JSON_SCHEMA, CallOutcome.TRUNCATED),
    ],
)
def test_the_probe_finds_the_strictest_way(
    server: LlmServer, answers: list[Answer], structured: Structured, outcome: CallOutcome
) -> None:
    server.play(*answers)
    found, _ = probe(server)
    assert (found.outcome, found.structured) == (outcome, structured)
    assert found.usable == (outcome is CallOutcome.ANSWERED)
    spent = sum(answer.status == 200 for answer in answers)
    if answers == [said("Yes.")]:
        spent = 3
    assert found.usage.tokens == spent * GIVEN.tokens
    asked = server.requests[-1].body.get("response_format", {"type": "prompt"})
    assert asked["type"] == structured.value


def test_an_authority_of_ones_own_is_trusted_when_it_is_named(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    context = authority.issue("judge").server_context()
    with LlmServer(context) as server:
        server.play(OK)
        assert server.base_url.startswith("https://")

        def outcome(tls: ssl.SSLContext | None) -> CallOutcome:
            async def ask() -> Reply:
                client = JudgeClient(EndpointOptions(server.base_url, "m", KEY, tls=tls))
                try:
                    return await client.call(CALL, DEADLINE_S)
                finally:
                    await client.close()

            return asyncio.run(ask()).outcome

        assert outcome(client_context("JUDGE_SSL", authority.ca)) is CallOutcome.ANSWERED
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        # The key goes to nobody who cannot show a certificate.
        for stranger in (None, client_context("JUDGE_SSL", Authority(tmp_path / "other").ca)):
            server.play(OK)
            assert outcome(stranger) is CallOutcome.TRANSPORT
            assert not server.requests


def test_the_authority_comes_from_the_settings(tmp_path: Path) -> None:
    settings = {
        "GROUNDWATCH_JUDGE_BASE_URL": "https://judge.internal/v1",
        "GROUNDWATCH_JUDGE_MODEL": "m",
        "GROUNDWATCH_JUDGE_SSL_CAFILE": str(tmp_path / "absent.pem"),
    }
    parts = bootstrap.build(load_settings(settings))
    with pytest.raises(Misconfiguration, match="GROUNDWATCH_JUDGE_SSL_CAFILE: cannot read"):
        bootstrap.judge(parts, Corpora(parts.documents))
