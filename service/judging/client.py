"""Any OpenAI-compatible endpoint, through Chat Completions: one attempt in, one typed reply out.

The openai client sends; retries, parsing and the deadline are our own: it would retry what cannot
heal, raise without the usage, and time each read instead of the whole. What it takes from the
environment (keys, organisation, headers, proxies) is left out of every request.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
import openai

from service.judging.calls import NO_USAGE, REPAIRABLE, Call, CallOutcome, Reply, Usage
from service.judging.completions import (
    estimated,
    read_completion,
    read_failure,
    read_fault,
    retry_after_s,
)
from service.judging.dialect import LADDER, Dialect, Structured

MAX_BODY_BYTES = 2 << 20
"""Bytes of a response past which it is not read on."""
CONNECT_S = 10.0
"""Within this time a connection has to stand."""
PROBE_DEADLINE_S = 60.0

_MOST_REQUESTS = len(LADDER) + 3
"""After as many refusals as there are things to learn: the lower rungs and three parameters."""
_SENT_HEADERS = ("host", "accept", "content-type", "content-length")


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """``base_url`` ends where ``/chat/completions`` is to follow (``http://localhost:11434/v1``,
    ``https://NAME.openai.azure.com/openai/v1``). ``api_key``: sent as a bearer token, nothing is
    sent when empty. ``temperature`` and ``seed``: None leaves them to the endpoint. ``tls``: whom
    to trust; None is the system's CAs."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    temperature: float | None = 0.0
    seed: int | None = None
    tls: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for a key that no header can carry, without repeating it."""
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            raise ValueError("the judge's API key has characters that no HTTP header can carry")


@dataclass(frozen=True, slots=True)
class Capability:
    """What the probe found out. ``structured``: the strictest way to ask for JSON that works;
    ``outcome``: ``answered`` when the endpoint can judge, else what is in the way."""

    outcome: CallOutcome
    structured: Structured
    model: str = ""
    usage: Usage = NO_USAGE
    detail: str = ""

    @property
    def usable(self) -> bool:
        return self.outcome is CallOutcome.ANSWERED


class JudgeClient:
    """For one event loop. ``clock``: monotonic seconds; ``wall_clock``: seconds since 1970."""

    def __init__(
        self,
        options: EndpointOptions,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._model = options.model
        self._clock = clock
        self._wall_clock = wall_clock
        self._dialect = Dialect(options.temperature, options.seed)
        self._openai = openai.AsyncOpenAI(
            base_url=options.base_url,
            # The transport has the real one, so that no error of the client can hold it.
            api_key="-",
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            http_client=httpx2.AsyncClient(
                transport=_Transport(options),
                trust_env=False,
                follow_redirects=False,
            ),
        )

    async def close(self) -> None:
        await self._openai.close()

    @property
    def structured(self) -> Structured:
        """How JSON is asked for at the moment."""
        return self._dialect.structured

    async def call(self, call: Call, deadline_s: float) -> Reply:
        """One attempt, over within ``deadline_s`` seconds. Never raises for what an endpoint does.

        A refusal of a parameter (status 400 or 422 that names it) is answered by asking again
        without it, within the same deadline; that is remembered, and costs no tokens.
        """
        begun = self._clock()
        try:
            async with asyncio.timeout(deadline_s):
                reply = await self._adapting(call)
        except TimeoutError:
            detail = f"no answer within {deadline_s:.1f} s"
            reply = Reply(CallOutcome.TIMEOUT, usage=estimated(call), detail=detail)
        return replace(reply, latency_s=self._clock() - begun)

    async def probe(self, deadline_s: float = PROBE_DEADLINE_S) -> Capability:
        """Find the strictest way to ask for JSON that this endpoint and model honour: some take a
        schema and ignore it. ``deadline_s`` bounds each of the at most three calls."""
        usage = NO_USAGE
        while True:
            reply = await self.call(_PROBE, deadline_s)
            usage += reply.usage
            outcome = reply.outcome
            if outcome is CallOutcome.ANSWERED and not _is_ready(reply):
                outcome = CallOutcome.SCHEMA
            below = self._dialect.lower()
            if outcome in REPAIRABLE - {CallOutcome.TRUNCATED} and below is not None:
                self._dialect = below
                continue
            return Capability(outcome, self.structured, reply.model, usage, reply.detail)

    async def _adapting(self, call: Call) -> Reply:
        for _ in range(_MOST_REQUESTS):
            dialect = self._dialect
            reply, learnt = await self._attempt(call, dialect)
            if learnt is None:
                break
            if self._dialect == dialect:  # else a call at the same time has learnt something
                self._dialect = learnt
        return reply

    async def _attempt(self, call: Call, dialect: Dialect) -> tuple[Reply, Dialect | None]:
        """The reply, and what it teaches if it refuses a parameter."""
        try:
            raw = await self._openai.chat.completions.with_raw_response.create(
                **dialect.request(call, self._model)
            )
            return read_completion(raw.content, call), None
        except openai.APIStatusError as error:
            return self._refused(error.response, call, dialect)
        except _Unreadable as error:
            return _broken(call, error.outcome, str(error)), None
        except openai.APIConnectionError as error:
            return _unconnected(call, error.__cause__), None
        except (httpx2.HTTPError, OSError) as error:
            return _unconnected(call, error), None
        except UnicodeEncodeError:
            # Half a surrogate pair in a text under watch.
            detail = "the texts cannot be encoded"
            return Reply(CallOutcome.BAD_REQUEST, detail=detail), None

    def _refused(
        self, response: httpx2.Response, call: Call, dialect: Dialect
    ) -> tuple[Reply, Dialect | None]:
        body = response.content
        reply = read_failure(response.status_code, body, call)
        wait = retry_after_s(response.headers, self._wall_clock())
        adapts = response.status_code in (400, 422)
        learnt = dialect.after(read_fault(body)) if adapts else None
        return replace(reply, retry_after_s=wait), learnt


def _broken(call: Call, outcome: CallOutcome, detail: str) -> Reply:
    """An answer had begun, or may have: its tokens count as far as they can be estimated."""
    return Reply(outcome, usage=estimated(call), detail=detail)


def _unconnected(call: Call, cause: BaseException | None) -> Reply:
    detail = f"connection: {type(cause).__name__}"
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Reply(CallOutcome.TRANSPORT, detail=detail)
    return _broken(call, CallOutcome.TRANSPORT, detail)


_PROBE = Call(
    "probe",
    (
        {"role": "system", "content": "You are asked whether you are ready."},
        {"role": "user", "content": "Are you ready? Answer in JSON."},
    ),
    "readiness",
    {
        "type": "object",
        "properties": {"ready_to_judge": {"type": "boolean"}},
        "required": ["ready_to_judge"],
        "additionalProperties": False,
    },
    # A model that thinks first needs room for it.
    max_tokens=1024,
)


def _is_ready(reply: Reply) -> bool:
    data = reply.data or {}
    return set(data) == {"ready_to_judge"} and isinstance(data["ready_to_judge"], bool)


class _Unreadable(Exception):
    """A body that is not read: too large, or compressed. The message is fit for a log."""

    def __init__(self, outcome: CallOutcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class _Transport(httpx2.AsyncBaseTransport):
    """Sends our own headers and no others; reads a bounded, uncompressed body."""

    def __init__(self, options: EndpointOptions) -> None:
        self._api_key = options.api_key
        encrypted = options.base_url.startswith("https")
        self._inner = httpx2.AsyncHTTPTransport(
            # The system's certificates are those that an operator can add to.
            verify=(options.tls or ssl.create_default_context()) if encrypted else False,
            trust_env=False,
            limits=httpx2.Limits(max_connections=None, keepalive_expiry=30.0),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {name: request.headers[name] for name in _SENT_HEADERS if name in request.headers}
        headers |= {"user-agent": "groundwatch", "accept-encoding": "identity"}
        if self._api_key:
            headers["authorization"] = f"Bearer {self._api_key}"
        # A new one: by the headers of its own the openai client knows how to hand on the response.
        bare = httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        response = await self._inner.handle_async_request(bare)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise _Unreadable(CallOutcome.NOT_A_COMPLETION, "compressed, though not asked for")
        stream: Any = response.stream
        response.stream = _Bounded(stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MAX_BODY_BYTES:
                raise _Unreadable(CallOutcome.TOO_LARGE, f"more than {MAX_BODY_BYTES} bytes")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
