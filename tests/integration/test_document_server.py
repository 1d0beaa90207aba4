"""Chunk texts over HTTP, against a real server on this machine that does what it is told to."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import pytest
import structlog

from service.bootstrap import build
from service.document_server import (
    AT_ONCE,
    FAILURES,
    KEPT_S,
    MAX_TEXT_BYTES,
    MISSING_KEPT_S,
    PATIENCE,
    PAUSE_S,
    DocumentServer,
)
from service.documents import Documents
from service.settings import Settings
from service.store import MEMORY_URL, connect
from tests.servers.certificates import Authority

TIMEOUT_S = 0.5
SECRET = "ada@example.org's chunk"


class Answers:
    """What the server says to a path: status, headers, body, seconds before each of its bytes."""

    def __init__(self) -> None:
        self.by_path: dict[str, tuple[int, dict[str, str], bytes, float]] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.now = self.most = 0
        self.hold_s = 0.0

    def give(
        self,
        path: str,
        body: str | bytes = b"",
        status: int = 200,
        wait_s: float = 0.0,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        raw = body.encode() if isinstance(body, str) else body
        self.by_path[path] = (status, dict(headers), raw, wait_s)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers: Answers

    def do_GET(self) -> None:
        answers = self.answers
        with answers.lock:
            answers.asked.append(self.path)
            answers.headers.append({name.lower(): value for name, value in self.headers.items()})
            answers.now += 1
            answers.most = max(answers.most, answers.now)
        try:
            time.sleep(answers.hold_s)
            self._answer(*answers.by_path.get(self.path, (404, {}, b"", 0.0)))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with answers.lock:
                answers.now -= 1

    def _answer(self, status: int, headers: dict[str, str], body: bytes, wait_s: float) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if not wait_s:
            self.wfile.write(body)
            return
        for byte in body:
            time.sleep(wait_s)
            self.wfile.write(bytes([byte]))

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def address(answers: Answers) -> Iterator[str]:
    handler = type("Bound", (Handler,), {"answers": answers})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "certificates")


@pytest.fixture
def secure_address(answers: Answers, authority: Authority) -> Iterator[str]:
    handler = type("Bound", (Handler,), {"answers": answers})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = authority.issue("documents").server_context()
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # who hangs up is no news
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"https://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_authority_of_ones_own_is_trusted_when_it_is_named(
    answers: Answers, secure_address: str, authority: Authority
) -> None:
    answers.give("/a", "text", headers={"content-type": "text/plain"})
    template = f"{secure_address}/{{ref}}"
    trusted = build(Settings(documents_url=template, documents_ssl_cafile=authority.ca))
    assert trusted.documents.get([("", "a")]) == {("", "a"): "text"}
    stranger = DocumentServer(template, timeout_s=5)
    keys = [("", f"b{number}") for number in range(FAILURES)]
    with structlog.testing.capture_logs() as logs:
        assert stranger.get(keys) == {}
    stranger.close()
    assert "GROUNDWATCH_DOCUMENTS_SSL_CAFILE" in logs[0]["fault"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


Make = Callable[..., DocumentServer]


@pytest.fixture
def make(address: str, clock: Clock) -> Iterator[Make]:
    made: list[DocumentServer] = []

    def make(
        path: str = "/c/{ref}",
        timeout_s: float = TIMEOUT_S,
        cache_bytes: int = 1 << 20,
        clock: Callable[[], float] = clock,
    ) -> DocumentServer:
        server = DocumentServer(address + path, timeout_s, cache_bytes, clock)
        made.append(server)
        return server

    yield make
    for server in made:
        server.close()


def test_texts_and_what_is_not_there(answers: Answers, make: Make) -> None:
    answers.give(
        "/c/pricing%23plans", "Pro: 45 €", headers={"content-type": "text/plain; charset=utf-8"}
    )
    answers.give(
        "/c/a", json.dumps({"text": "öbject"}), headers={"content-type": "application/json"}
    )
    answers.give("/c/b", '"string"', headers={"content-type": "Application/JSON; charset=utf-8"})
    answers.give("/c/gone", status=410)
    keys = [("", ref) for ref in ("pricing#plans", "a", "b", "gone", "unknown")]
    assert make().get(keys) == {
        ("", "pricing#plans"): "Pro: 45 €",
        ("", "a"): "öbject",
        ("", "b"): "string",
    }


def test_a_ref_is_one_encoded_segment_of_one_host(answers: Answers, make: Make) -> None:
    server = make("/v1/{corpus}/chunks/{ref}/text")
    refs = [
        "a/b?c=d&e#f",
        "http://elsewhere.example/x",
        "@host",
        "%2e%2e",
        "ü 🙂\r\nX-A: b",
        "{corpus}",
    ]
    server.get([("2026/11", ref) for ref in refs])
    assert sorted(answers.asked) == sorted(
        f"/v1/2026%2F11/chunks/{encoded}/text"
        for encoded in (
            "a%2Fb%3Fc%3Dd%26e%23f",
            "http%3A%2F%2Felsewhere.example%2Fx",
            "%40host",
            "%252e%252e",
            "%C3%BC%20%F0%9F%99%82%0D%0AX-A%3A%20b",
            "%7Bcorpus%7D",
        )
    )


@pytest.mark.parametrize("ref", ["..", ".", "../secret", "a/../../b", "a\\..\\b", "a/.."])
def test_a_ref_that_climbs_is_never_asked_for(answers: Answers, make: Make, ref: str) -> None:
    server = make("/c/{corpus}/{ref}")
    assert server.get([("", ref), (ref, "x")]) == {}
    assert answers.asked == []


def test_the_ref_may_stand_in_the_query(answers: Answers, make: Make) -> None:
    answers.give("/text?corpus=&ref=a%26b", "found")
    assert make("/text?corpus={corpus}&ref={ref}").get([("", "a&b")]) == {("", "a&b"): "found"}


def test_credentials_of_the_address_are_sent(answers: Answers, address: str) -> None:
    server = DocumentServer(address.replace("://", "://user:pass@") + "/c/{ref}", TIMEOUT_S)
    server.get([("", "a")])
    server.close()
    assert answers.headers[0]["authorization"] == "Basic dXNlcjpwYXNz"
    assert answers.headers[0]["accept-encoding"] == "identity"


# The cache


def test_texts_are_kept_and_asked_for_again_in_time(
    answers: Answers, make: Make, clock: Clock
) -> None:
    answers.give("/c/a", "old")
    server, key = make(), ("", "a")
    assert server.get([key]) == server.get([key]) == {key: "old"}
    assert len(answers.asked) == 1
    answers.give("/c/a", "new")
    clock.now += KEPT_S - 1
    assert server.get([key]) == {key: "old"}
    clock.now += 1
    assert server.get([key]) == {key: "new"}


def test_it_is_remembered_for_a_while_that_a_chunk_is_missing(
    answers: Answers, make: Make, clock: Clock
) -> None:
    server, key = make(), ("", "a")
    assert server.get([key]) == server.get([key]) == {}
    assert len(answers.asked) == 1
    answers.give("/c/a", "there")
    clock.now += MISSING_KEPT_S
    assert server.get([key]) == {key: "there"}


def test_the_cache_can_be_switched_off(answers: Answers, make: Make) -> None:
    server = make(cache_bytes=0)
    server.get([("", "a")])
    server.get([("", "a")])
    assert len(answers.asked) == 2


# What goes wrong is a missing text


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (301, {"location": "/c/good"}, b""),
        (302, {"location": "http://127.0.0.1:9/"}, b""),
        (403, {}, b"no"),
        (500, {}, b"trace"),
        (200, {"content-encoding": "gzip"}, gzip.compress(b"a" * 100, mtime=0)),
        (200, {}, b"\xff\xfe"),
        (200, {"content-type": "application/json"}, b"{"),
        (200, {"content-type": "application/json"}, b'{"txt": 1}'),
        (200, {"content-type": "application/json"}, b'{"text": 1}'),
        (200, {}, b"a" * (MAX_TEXT_BYTES + 1)),
    ],
)
def test_an_answer_that_is_no_text(
    answers: Answers, make: Make, status: int, headers: dict[str, str], body: bytes
) -> None:
    answers.give("/c/bad", body, status, headers=headers)
    answers.give("/c/good", "fine")
    assert make(timeout_s=5.0).get([("", "bad"), ("", "good")]) == {("", "good"): "fine"}
    assert sorted(answers.asked) == ["/c/bad", "/c/good"]


def test_the_largest_text_is_taken(answers: Answers, make: Make) -> None:
    answers.give("/c/a", b"a" * MAX_TEXT_BYTES)
    assert len(make(timeout_s=5.0).get([("", "a")])["", "a"]) == MAX_TEXT_BYTES


def test_a_server_that_trickles_is_given_up(answers: Answers, make: Make) -> None:
    answers.give("/c/slow", "x" * 50, wait_s=TIMEOUT_S / 3)
    answers.give("/c/fast", "fine")
    began = time.monotonic()
    texts = make(clock=time.monotonic).get([("", "slow"), ("", "fast")])
    assert texts == {("", "fast"): "fine"}
    # Its fifty bytes alone would take more than three times as long.
    assert time.monotonic() - began < TIMEOUT_S * PATIENCE


def test_a_look_up_has_one_deadline_for_all(answers: Answers, make: Make) -> None:
    answers.hold_s = TIMEOUT_S * 0.8
    server = make(clock=time.monotonic)
    began = time.monotonic()
    server.get([("", str(number)) for number in range(AT_ONCE * PATIENCE * 4)])
    # Asking for all of them would take sixteen times the timeout. The server may still count a
    # request that the client has given up, and the machine may be busy: hence the slack.
    assert time.monotonic() - began < TIMEOUT_S * PATIENCE * 2
    assert len(answers.asked) <= AT_ONCE * PATIENCE * 2
    assert answers.most <= AT_ONCE * 2


def test_a_server_that_fails_is_left_alone_for_a_while(
    answers: Answers, make: Make, clock: Clock
) -> None:
    answers.give("/c/kept", SECRET)
    server = make()
    server.get([("", "kept")])
    for number in range(50):
        answers.give(f"/c/{quote(SECRET, safe='')}{number}", status=500)
    broken = [("", f"{SECRET}{number}") for number in range(50)]
    with structlog.testing.capture_logs() as logs:
        assert server.get(broken) == {}
        asked = len(answers.asked)
        assert FAILURES < asked <= 1 + FAILURES + AT_ONCE
        assert server.get([*broken, ("", "kept")]) == {("", "kept"): SECRET}
        assert len(answers.asked) == asked
        clock.now += PAUSE_S
        answers.give("/c/new", "again")
        assert server.get([("", "new")]) == {("", "new"): "again"}
    assert [entry["event"] for entry in logs] == ["document_server_away", "document_server_back"]
    assert logs[0]["fault"] == "status 500"
    assert SECRET not in str(logs)


def test_a_server_that_is_not_there(clock: Clock) -> None:
    server = DocumentServer("http://127.0.0.1:9/{ref}", TIMEOUT_S, clock=clock)
    with structlog.testing.capture_logs() as logs:
        assert server.get([("", str(number)) for number in range(20)]) == {}
    server.close()
    assert [(entry["event"], entry["fault"]) for entry in logs] == [
        ("document_server_away", "ConnectError")
    ]


# Behind the store


def test_the_store_comes_first(answers: Answers, make: Make) -> None:
    answers.give("/c/a", "from the server")
    answers.give("/c/b", "from the server")
    documents = Documents(connect(MEMORY_URL), make())
    documents.load([("a", "loaded")])
    assert documents.get([("2026-11", "a"), ("2026-11", "b"), ("", "c")]) == {
        ("2026-11", "a"): "loaded",
        ("2026-11", "b"): "from the server",
    }
    assert sorted(answers.asked) == ["/c/b", "/c/c"]


def test_settings_bring_the_server_in(answers: Answers, address: str, tmp_path: Path) -> None:
    answers.give("/c/a", "found")
    parts = build(Settings(documents_url=f"{address}/c/{{ref}}", data_dir=tmp_path))
    assert parts.documents.get([("", "a")]) == {("", "a"): "found"}
    parts.documents.close()
