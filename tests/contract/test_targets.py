"""Targets: an HTTP endpoint on a real socket and a Python callable, which must do the same where
they can; and what each makes of a system that misbehaves."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from service import bootstrap
from service.measuring.targets.endpoint import Endpoint
from service.measuring.targets.function import Function
from service.measuring.targets.port import TargetAnswer, TargetFailure, TargetRequest, event_of
from service.outage import Misconfiguration
from service.policy import TargetPolicy
from service.settings import SettingsError, parse_policy
from tests.servers.llm import Answer, LlmServer

SECRET_WORDS = "patient 4711 is ill"
REQUEST = TargetRequest("How long?", "q-1", run="r", language="en", k=3)
ANSWER = {
    "answer": "72 hours [exports#formats].",
    "retrieved": [{"ref": "exports#formats", "text": "Valid for 72 hours.", "score": 3.5}],
    "citations": [{"ref": "exports#formats", "start": 0, "end": 8}],
    "release": {"id": "r1"},
    "usage": {"input_tokens": 7, "cost_usd": 0.5},
    "latency_ms": {"total": 12.5},
    "trace": "a field of its own",
}


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    with LlmServer() as running:
        yield running


def ask(target, request=REQUEST):
    async def run():
        try:
            return await target.ask(request)
        finally:
            await target.close()

    return asyncio.run(run())


def endpoint(server: LlmServer, **policy: Any) -> Endpoint:
    return Endpoint("t", TargetPolicy(url=f"{server.base_url}/ask?key=k", **policy), {})


@pytest.fixture(params=["endpoint", "function", "coroutine"])
def answering(request, server):
    """From what a system gives, to a target that gives it."""

    def as_endpoint(data):
        server.play(Answer(json.dumps(data).encode()))
        return endpoint(server)

    def as_coroutine(data):
        async def give(_: dict[str, Any]):
            return data

        return Function("m:f", give)

    made = {
        "endpoint": as_endpoint,
        "function": lambda data: Function("m:f", lambda _: data),
        "coroutine": as_coroutine,
    }
    return made[request.param]


def test_an_answer_in_the_contract_s_words_needs_no_mapping(answering):
    got = ask(answering(ANSWER))
    assert isinstance(got, TargetAnswer)
    event = event_of(REQUEST, got, "support")
    assert (event.app, event.purpose, event.query_id) == ("support", "probe", "q-1")
    assert [chunk.ref for chunk in event.retrieved] == ["exports#formats"]
    assert event.citations[0].ref == "exports#formats"
    assert (event.release.id, event.usage and event.usage.input_tokens) == ("r1", 7)
    assert event.latency_ms == {"total": 12.5}


def test_what_a_target_does_not_tell_of_time_is_measured(answering):
    got = ask(answering({"answer": "72 hours"}))
    assert got.latency_ms["total"] >= 0
    assert got.retrieved is None


def test_given_chunks_are_what_an_answer_rests_on(answering):
    request = TargetRequest("?", "c-1", retrieved=[{"ref": "a", "text": "72 hours"}])
    got = ask(answering({"answer": "72 hours"}), request)
    assert [chunk.ref for chunk in event_of(request, got, "x").retrieved] == ["a"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"text": SECRET_WORDS}, "answer: Field required; name it so, or say under `response`"),
        ({"answer": [SECRET_WORDS]}, "answer: Input should be a valid string"),
        ({"answer": "x", "retrieved": [{"text": SECRET_WORDS}]}, "retrieved.0.ref: Field required"),
        ([SECRET_WORDS], "the whole: Input should be an object"),
        (SECRET_WORDS, "the whole: Input should be an object"),
    ],
    ids=["missing", "type", "nested", "list", "text"],
)
def test_another_shape_is_a_failure_that_names_the_place_and_no_words(answering, data, says):
    got = ask(answering(data))
    assert (got.reason, got.away) == ("mapping", False)
    assert says in got.message
    assert SECRET_WORDS not in got.message


def test_a_system_may_say_that_it_failed(answering):
    assert ask(answering({"answer": "", "status": "error"})).reason == "status_error"


# ── HTTP ──────────────────────────────────────────────────────────────────────────────────────


def test_body_and_response_are_mapped(server):
    theirs = {"text": "72 hours [1].", "hits": [{"id": 7, "body": "72 hours"}], "ms": 9, "v": "r2"}
    server.play(Answer(json.dumps(theirs).encode()))
    response = {
        "answer": "text",
        "retrieved": {"each": "hits", "ref": "id", "text": "body"},
        "latency_ms": {"total": "ms"},
        "release": {"id": "v"},
    }
    body = "{question: query, top: k, mark: purpose, options: {lang: language}}"
    got = ask(endpoint(server, body=body, response=response))
    assert server.requests[0].body == {
        "question": "How long?", "top": 3, "mark": "probe", "options": {"lang": "en"},
    }  # fmt: skip
    assert (got.answer, got.retrieved[0].ref, got.latency_ms) == (
        "72 hours [1].", "7", {"total": 9.0},
    )  # fmt: skip
    assert got.release.id == "r2"


def test_a_get_sends_query_parameters(server):
    server.play(Answer(b'{"answer": "x"}'))
    ask(endpoint(server, method="GET", body="{q: query, top: k}"))
    assert server.requests[0].path.endswith("?q=How+long%3F&top=3")
    got = ask(endpoint(server, method="GET", body="{q: {deep: query}}"))
    assert (got.reason, got.message) == (
        "mapping",
        f"{server.base_url}/ask: body: with GET an object of texts and numbers, "
        "as in `{q: query}`",
    )


@pytest.mark.parametrize(
    ("answer", "policy", "reason", "away"),
    [
        (Answer(status=500, body=SECRET_WORDS.encode()), {}, "http_status", False),
        (Answer(status=503), {}, "http_status", True),
        (Answer(status=429), {}, "http_status", True),
        (Answer(status=302, headers={"location": "http://127.0.0.1:1/"}), {}, "redirect", False),
        (Answer(SECRET_WORDS.encode()), {}, "not_json", False),
        (Answer(b"{}", headers={"content-encoding": "gzip"}), {}, "not_json", False),
        (Answer(b'{"answer": "' + b"x" * 3000 + b'"}'), {"max_bytes": 2000}, "too_large", False),
        (Answer(b" " * 9000, endless=True), {"max_bytes": 20_000}, "too_large", False),
        (Answer(close=True), {}, "unreachable", True),
        (Answer(b'{"answer": "x"}', cut_at=4), {}, "unreachable", True),
        (Answer(b'{"answer": "x"}', delay_s=5), {"timeout_s": 0.2}, "timeout", True),
        (Answer(b'{"answer": "x"}', drip_s=0.1), {"timeout_s": 0.3}, "timeout", True),
        (Answer(b"{}"), {"body": "length(k)"}, "mapping", False),
    ],
    ids=["500", "503", "429", "redirect", "prose", "compressed", "large", "endless", "closed",
         "cut", "slow", "drip", "body"],
)  # fmt: skip
def test_every_way_to_fail_has_a_name(server, answer, policy, reason, away):
    server.play(answer)
    got = ask(endpoint(server, **policy))
    assert isinstance(got, TargetFailure)
    assert (got.reason, got.away) == (reason, away)
    assert SECRET_WORDS not in got.message
    assert got.message.startswith(f"{server.base_url}/ask: ")
    assert len(server.requests) <= 1


def test_nobody_there_is_told_as_that():
    policy = TargetPolicy(url="http://127.0.0.1:1/ask")
    got = ask(Endpoint("t", policy, {}))
    assert (got.reason, got.away) == ("unreachable", True)
    assert "is it up?" in got.message


def test_secrets_come_from_the_environment(server, monkeypatch):
    server.play(Answer(b'{"answer": "x"}'))
    policy = parse_policy(
        {"targets": {"t": {"url": f"{server.base_url}/ask",
                           "headers": {"Authorization": "Bearer env:RAG_TOKEN", "X-Team": "qa"}}}},
        "p.yaml",
    )  # fmt: skip
    with pytest.raises(SettingsError, match=r"targets\.t\.headers\.Authorization: .* RAG_TOKEN is"):
        bootstrap.target("t", policy)
    monkeypatch.setenv("RAG_TOKEN", "s3cret")
    ask(bootstrap.target("t", policy))
    headers = server.requests[0].headers
    assert (headers["authorization"], headers["x-team"]) == ("Bearer s3cret", "qa")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({"url": "ftp://x/"}, "must begin with http:// or https://"),
        ({"url": "http://u:p@x/"}, "must hold no login"),
        ({"url": "http://x/", "headers": {"Authorization": "Bearer s3cret"}}, "env:RAG_TOKEN"),
        ({"url": "http://x/", "headers": {"X-Api-Key": "s3cret"}}, "a secret does not stand"),
        ({"url": "http://x/", "headers": {"a b": "c"}}, "no header that can be sent"),
        ({"url": "http://x/", "headers": {"a": "c\r\nd: e"}}, "no header that can be sent"),
        ({"url": "http://x/", "body": "{q: "}, "targets.t.body"),
        (
            {"url": "http://x/", "response": {"retrieved": {"each": "a", "ref": "b"}}},
            "answer is req",
        ),
        (
            {"url": "http://x/", "timeout": 5},
            "no such field; did you mean timeout_s?",
        ),
    ],
    ids=["scheme", "login", "bearer", "key", "name", "newline", "expression", "answer", "unknown"],
)
def test_a_target_that_cannot_work_is_refused_when_the_policy_is_read(target, says):
    with pytest.raises(SettingsError) as refused:
        parse_policy({"targets": {"t": target}}, "p.yaml")
    assert says in str(refused.value)
    assert "s3cret" not in str(refused.value)


# ── Python ────────────────────────────────────────────────────────────────────────────────────


def test_a_callable_that_raises_is_told_by_class_and_place():
    def broken(request: dict[str, Any]) -> Any:
        raise KeyError(SECRET_WORDS)

    got = ask(Function("m:broken", broken))
    assert got.reason == "raised"
    assert got.message.startswith("m:broken raised KeyError at test_targets.py:")
    assert SECRET_WORDS not in got.message


def test_a_callable_that_exits_ends_its_question_and_not_the_measurement():
    def script(request: dict[str, Any]) -> Any:
        sys.exit(3)

    got = ask(Function("m:script", script))
    assert got.reason == "raised"
    assert got.message.startswith("m:script raised SystemExit at test_targets.py:")


def test_an_address_without_its_scheme_is_no_module():
    with pytest.raises(Misconfiguration, match="nor an address that begins with http://"):
        bootstrap.target("127.0.0.1:8000/ask", parse_policy({}, "p"))


def test_a_coroutine_that_hangs_is_cut_off():
    async def hang(request: dict[str, Any]) -> Any:
        await asyncio.sleep(30)

    got = ask(Function("m:hang", hang, timeout_s=0.05))
    assert (got.reason, got.away) == ("timeout", True)


def test_a_callable_is_found_by_its_name_here_too(tmp_path, monkeypatch):
    (tmp_path / "echoing_rag.py").write_text(
        "def answer(request):\n    return {'answer': request['query']}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    got = ask(bootstrap.target("echoing_rag:answer", parse_policy({}, "p")))
    assert got.answer == "How long?"
    for name, says in (
        ("echoing_rag:nothing", "has no nothing"),
        ("no_such_module:f", "cannot import no_such_module"),
        ("unknown", "no such target in the policy file (there: none)"),
        ("http://u:p@x/", "must hold no login"),
    ):
        with pytest.raises(Misconfiguration) as refused:
            bootstrap.target(name, parse_policy({}, "p"))
        assert says in str(refused.value)
