"""A target behind HTTP: one request a question, bounded in time and size.

Its host is the operator's; its response is hostile all the same: no redirect is followed, no
compressed body unpacked, none of its words ever stands in a message.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Mapping
from typing import Any

import httpx
import orjson

from service.expressions import ExpressionError, search
from service.measuring.targets.port import (
    FailureReason,
    TargetAnswer,
    TargetFailure,
    TargetRequest,
    read_answer,
)
from service.policy import TargetPolicy

_PASSING = frozenset({429, 502, 503, 504})
"""Statuses that another try may get past."""


class _TooLarge(Exception):
    pass


class Endpoint:
    """``headers``: the policy's, with their secrets filled in. Close it in the loop that asked."""

    def __init__(self, name: str, policy: TargetPolicy, headers: Mapping[str, str]) -> None:
        self.name = name
        self.concurrency = policy.concurrency
        self._policy = policy
        https = policy.url.startswith("https")
        self._client = httpx.AsyncClient(
            timeout=policy.timeout_s,
            follow_redirects=False,
            trust_env=False,
            verify=ssl.create_default_context() if https else False,
            limits=httpx.Limits(max_connections=policy.concurrency),
            headers={"user-agent": "groundwatch", "accept-encoding": "identity", **headers},
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, request: TargetRequest) -> TargetAnswer | TargetFailure:
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._policy.timeout_s):
                got = await self._exchange(request)
        except (TimeoutError, httpx.TimeoutException):
            return self._away(FailureReason.TIMEOUT, f"no answer within {self._policy.timeout_s} s")
        except httpx.InvalidURL:
            return self._failed(FailureReason.UNREACHABLE, "no address that can be asked")
        except httpx.HTTPError as error:
            return self._away(
                FailureReason.UNREACHABLE, f"not to be reached ({type(error).__name__}): is it up?"
            )
        except _TooLarge:
            return self._failed(
                FailureReason.TOO_LARGE,
                f"more than {self._policy.max_bytes} bytes (max_bytes of the target)",
            )
        if isinstance(got, TargetFailure):
            return got
        answer = read_answer(got, self._policy.response, request)
        if isinstance(answer, TargetAnswer) and not answer.latency_ms:
            answer.latency_ms = {"total": round((time.monotonic() - begun) * 1000, 1)}
        return answer

    async def _exchange(self, request: TargetRequest) -> Any | TargetFailure:
        try:
            body = search(self._policy.body, request.as_json())
        except ExpressionError as error:
            return self._failed(FailureReason.MAPPING, f"body: {error}")
        sent = self._sent(body)
        if isinstance(sent, TargetFailure):
            return sent
        async with self._client.stream(self._policy.method, self._policy.url, **sent) as response:
            failure = self._status(response.status_code)
            if failure is not None:
                return failure
            if response.headers.get("content-encoding", "identity") != "identity":
                return self._failed(FailureReason.NOT_JSON, "the response is compressed, unasked")
            raw = await self._read(response)
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            return self._failed(FailureReason.NOT_JSON, "the response is no JSON")

    def _sent(self, body: Any) -> dict[str, Any] | TargetFailure:
        if self._policy.method == "POST":
            return {"json": body}
        told = body.items() if isinstance(body, dict) else ()
        params = {name: value for name, value in told if value is not None}
        if not params or not all(isinstance(one, str | int | float) for one in params.values()):
            return self._failed(
                FailureReason.MAPPING,
                "body: with GET an object of texts and numbers, as in `{q: query}`",
            )
        return {"params": params}

    async def _read(self, response: httpx.Response) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in response.aiter_raw():
            size += len(part)
            if size > self._policy.max_bytes:
                raise _TooLarge
            parts.append(part)
        return b"".join(parts)

    def _status(self, status: int) -> TargetFailure | None:
        if 200 <= status < 300:
            return None
        if 300 <= status < 400:
            return self._failed(
                FailureReason.REDIRECT,
                f"status {status}: redirects are not followed; name the address that it leads to",
            )
        told = f"status {status}"
        if status in (401, 403):
            told += ": check the headers of the target, and the variables that they name"
        return TargetFailure(FailureReason.HTTP_STATUS, self._told(told), status in _PASSING)

    def _away(self, reason: FailureReason, told: str) -> TargetFailure:
        return TargetFailure(reason, self._told(told), away=True)

    def _failed(self, reason: FailureReason, told: str) -> TargetFailure:
        return TargetFailure(reason, self._told(told))

    def _told(self, told: str) -> str:
        # A query may hold what is nobody's business.
        return f"{self._policy.url.partition('?')[0]}: {told}"
