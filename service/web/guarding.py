"""What a write has to look like before anything reads it: from no foreign page; and where it is
JSON, of the right media type and of a bounded size."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import urlsplit

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.types import Message

from service.web.body import JSON, read_capped
from service.web.problems import Problem

MAX_BYTES = 256 << 10
_READS = ("GET", "HEAD")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104 (compared with, never bound to)
_PORTS = {"http": 80, "https": 443}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def guarded(max_bytes: int = MAX_BYTES) -> type[APIRoute]:
    """The class of a router's routes. They raise :class:`Problem`: 415, 413, 400; 428 where
    If-Match is asked for."""

    class Guarded(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def guard(request: Request) -> Response:
                if request.method not in _READS:
                    request = await _checked(request, max_bytes)
                try:
                    return await handle(request)
                except RequestValidationError as error:
                    raise _unconditional(error) or error from None

            return guard

    return Guarded


def own_origins(public_url: str) -> frozenset[str]:
    """What a browser may call this server: its address, and on this machine all names of that."""
    url = urlsplit(public_url)
    host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
    hosts = (*_LOOPBACK, host) if host in (*_LOOPBACK, *_EVERYWHERE) else (host,)
    port = url.port or _PORTS.get(url.scheme)
    tail = "" if port == _PORTS.get(url.scheme) else f":{port}"
    return frozenset(f"{url.scheme}://{name}{tail}" for name in hosts)


def refuse_other_sites(request: Request, own: frozenset[str]) -> None:
    """A browser says in ``Origin`` and ``Sec-Fetch-Site`` which page asks; other clients say
    nothing, and are let through. The Host header is not what Origin is compared with: a stranger's
    name can be made to lead here. Raises :class:`Problem` 403."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "none")
    if (origin is not None and origin.lower() not in own) or site not in ("same-origin", "none"):
        detail = (
            "another site's page may not write here; if this is your own page, set "
            "GROUNDWATCH_PUBLIC_URL to the address of the pages"
        )
        raise Problem(403, "cross_site", detail)


async def _checked(request: Request, max_bytes: int) -> Request:
    """The same request, its body read."""
    raw = await read_capped(request, max_bytes)
    if request.method != "DELETE" or raw:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != JSON:
            raise Problem(415, "unsupported_media_type", f"send {JSON}")
        try:
            orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise Problem(400, "invalid_json", "no JSON, or nested too deeply") from None

    async def replay() -> Message:
        return {"type": "http.request", "body": raw, "more_body": False}

    return Request(request.scope, replay)


def _unconditional(error: RequestValidationError) -> Problem | None:
    """A write that does not say which version it replaces is a fault of its own (RFC 6585)."""
    faults = [(fault["type"], str(fault["loc"][-1]).lower()) for fault in error.errors()]
    if ("missing", "if-match") not in faults:
        return None
    detail = "send If-Match with the ETag of the version that you saw"
    return Problem(428, "precondition_required", detail, field="If-Match")
