"""Tokens of OAUTHBEARER. The client wants one on its IO thread, where nothing may wait: a file is
read there, an endpoint is asked by a thread of ours beforehand."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import httpx
import orjson
import structlog
from kafka.net.sasl.oauth import AbstractTokenProvider

log = structlog.get_logger(__name__)

TIMEOUT_S = 10.0
RETRY_S = 5.0
RENEW_AT = 0.75
"""Of a token's life."""
DEFAULT_LIFE_S = 300.0
"""Of a token whose endpoint does not say (RFC 6749 only recommends that it does)."""
LONGEST_LIFE_S = 86_400.0
FIRST_WAIT_S = 5.0
MAX_BODY_BYTES = 1 << 20


class NoToken(Exception):
    """There is no token; the message says why and holds none."""


class TokenFile(AbstractTokenProvider):  # type: ignore[misc]  # kafka has no types
    """A file that something else keeps fresh, read for each login."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def token(self) -> str:
        """Raises :class:`NoToken`."""
        named = f"GROUNDWATCH_KAFKA_OAUTH_TOKEN_FILE: {self._path}"
        try:
            text = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise NoToken(f"{named} cannot be read ({type(error).__name__})") from None
        if not text:
            raise NoToken(f"{named} is empty")
        return text


class Token(NamedTuple):
    """``life_s``: seconds from when it was asked for."""

    text: str
    life_s: float


class TokenEndpoint(AbstractTokenProvider):  # type: ignore[misc]  # kafka has no types
    """Client credentials (RFC 6749, 4.4), asked for by a thread that runs until :meth:`close`."""

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str,
        scope: str | None,
        context: ssl.SSLContext,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Waits a moment for the first token."""
        self._url = url
        # Both are form-encoded before they are joined (2.3.1).
        self._login = (quote(client_id, safe=""), quote(client_secret, safe=""))
        self._form = {"grant_type": "client_credentials"} | ({"scope": scope} if scope else {})
        self._context = context
        self._clock = clock
        self._token: Token | None = None
        self._ends = 0.0
        self._trouble = "not asked yet"
        self._asked = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="kafka-token", daemon=True)
        self._thread.start()
        self._asked.wait(FIRST_WAIT_S)

    def token(self) -> str:
        """Raises :class:`NoToken`."""
        token = self._token
        if token is None or self._clock() >= self._ends:
            raise NoToken(f"GROUNDWATCH_KAFKA_OAUTH_TOKEN_URL: {self._trouble}")
        return token.text

    def close(self) -> None:
        self._stop.set()
        self._thread.join(TIMEOUT_S)

    def _keep(self) -> None:
        while not self._stop.is_set():
            again_in_s = self._renew()
            self._asked.set()
            self._stop.wait(again_in_s)

    def _renew(self) -> float:
        """Seconds until the next time. A token that is still good outlives a failure."""
        begun = self._clock()
        try:
            token = self._ask()
        except NoToken as failure:
            self._told(str(failure))
        except httpx.HTTPError as error:
            self._told(_in_words(error))
        else:
            self._token, self._ends = token, begun + token.life_s
            self._told("")
            return token.life_s * RENEW_AT
        return RETRY_S

    def _told(self, trouble: str) -> None:
        if trouble and trouble != self._trouble:
            log.warning("kafka_token_missing", error=trouble)
        self._trouble = trouble or "the token has expired"

    def _ask(self) -> Token:
        with httpx.Client(verify=self._context, trust_env=False, timeout=TIMEOUT_S) as client:
            # The headers before the body: a body that is too large is not read.
            with client.stream("POST", self._url, data=self._form, auth=self._login) as response:
                if response.status_code != 200:
                    raise NoToken(_refusal(response.status_code))
                body = b""
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MAX_BODY_BYTES:
                        raise NoToken("the endpoint's answer is too large")
        return _token_of(body)


def _refusal(status: int) -> str:
    if status in (400, 401, 403):
        return (
            f"the endpoint refuses us (status {status}); check GROUNDWATCH_KAFKA_OAUTH_CLIENT_ID, "
            "GROUNDWATCH_KAFKA_OAUTH_CLIENT_SECRET and GROUNDWATCH_KAFKA_OAUTH_SCOPE"
        )
    return f"the endpoint answers with status {status}"


def _in_words(error: httpx.HTTPError) -> str:
    text = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "the endpoint's certificate is not trusted; check GROUNDWATCH_KAFKA_OAUTH_SSL_CAFILE"
    return f"the endpoint cannot be asked ({type(error).__name__})"


def _token_of(body: bytes) -> Token:
    try:
        answer = orjson.loads(body)
        text, life = answer["access_token"], float(answer.get("expires_in", DEFAULT_LIFE_S))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        raise NoToken("the endpoint's answer holds no access_token") from None
    if not isinstance(text, str) or not text.isascii() or not text.isprintable():
        raise NoToken("the endpoint's access_token cannot be sent")
    return Token(text, min(max(1.0, life), LONGEST_LIFE_S))
