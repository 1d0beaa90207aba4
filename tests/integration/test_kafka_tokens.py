"""Tokens from an OIDC provider: a real HTTPS server on this machine that says what it is told."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from consumers.kafka import tokens
from consumers.kafka.tokens import NoToken, TokenEndpoint
from service.tls import client_context
from tests.servers.certificates import Authority

SECRET = "hush: 100 %"


class Provider:
    """``answer``: status and body of every request from now on."""

    def __init__(self, authority: Authority) -> None:
        self.answer: tuple[int, object] = (200, {"access_token": "t-1", "expires_in": 3600})
        self.asked: list[tuple[dict[str, list[str]], str]] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                login = base64.b64decode(self.headers["authorization"].removeprefix("Basic "))
                provider.asked.append((parse_qs(body), login.decode()))
                status, said = provider.answer
                raw = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = authority.issue("idp").server_context()
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # hangs up
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}/token"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def provider(authority: Authority) -> Iterator[Provider]:
    made = Provider(authority)
    thread = threading.Thread(target=made.server.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


Ask = Callable[..., TokenEndpoint]


@pytest.fixture
def ask(provider: Provider, authority: Authority, monkeypatch) -> Iterator[Ask]:
    monkeypatch.setattr(tokens, "RETRY_S", 0.05)
    made: list[TokenEndpoint] = []

    def endpoint(**changed: Any) -> TokenEndpoint:
        context = client_context("KAFKA_OAUTH_SSL", changed.pop("cafile", authority.ca))
        made.append(TokenEndpoint(provider.url, "groundwatch", SECRET, "kafka", context, **changed))
        return made[-1]

    yield endpoint
    for each in made:
        each.close()


def until(condition: Callable[[], object]) -> None:
    give_up = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_a_token_is_asked_for_once_and_kept(provider: Provider, ask: Ask) -> None:
    endpoint = ask()
    assert [endpoint.token() for _ in range(3)] == ["t-1"] * 3
    [(form, login)] = provider.asked
    assert form == {"grant_type": ["client_credentials"], "scope": ["kafka"]}
    assert login == "groundwatch:hush%3A%20100%20%25"


def test_it_is_renewed_before_it_ends(provider: Provider, ask: Ask) -> None:
    provider.answer = (200, {"access_token": "short", "expires_in": 1})
    endpoint = ask()
    assert endpoint.token() == "short"
    provider.answer = (200, {"access_token": "next", "expires_in": 3600})
    until(lambda: endpoint.token() == "next")


def test_a_token_outlives_a_provider_that_fails_until_it_ends(provider: Provider, ask: Ask) -> None:
    now = [0.0]
    endpoint = ask(clock=lambda: now[0])
    provider.answer = (503, {})
    now[0] = 3_599.0
    assert endpoint.token() == "t-1"
    now[0] = 3_600.0
    with pytest.raises(NoToken, match="expired"):
        endpoint.token()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((401, {"error": "invalid_client"}), "status 401.*KAFKA_OAUTH_CLIENT_SECRET"),
        ((500, b""), "status 500"),
        ((302, b""), "status 302"),
        ((200, b"<html>"), "holds no access_token"),
        ((200, []), "holds no access_token"),
        ((200, {"access_token": 7}), "cannot be sent"),
        ((200, {"access_token": "a\nb"}), "cannot be sent"),
        ((200, {"access_token": "t", "expires_in": "soon"}), "holds no access_token"),
        ((200, b"x" * (tokens.MAX_BODY_BYTES + 1)), "too large"),
    ],
)
def test_what_is_wrong_is_said_and_heals(provider: Provider, ask: Ask, answer, says: str) -> None:
    provider.answer = answer
    endpoint = ask()
    with pytest.raises(NoToken, match=f"KAFKA_OAUTH_TOKEN_URL: .*{says}") as refused:
        endpoint.token()
    assert SECRET not in str(refused.value)
    provider.answer = (200, {"access_token": "healed"})
    until(lambda: _token(endpoint) == "healed")


def _token(endpoint: TokenEndpoint) -> str | None:
    try:
        return endpoint.token()
    except NoToken:
        return None


def test_the_secret_goes_to_nobody_without_a_certificate(
    provider: Provider, ask: Ask, tmp_path: Path
) -> None:
    endpoint = ask(cafile=Authority(tmp_path / "other").ca)
    with pytest.raises(NoToken, match="KAFKA_OAUTH_SSL_CAFILE"):
        endpoint.token()
    assert not provider.asked
