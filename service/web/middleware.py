"""What every response carries, and what every request counts as."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.metrics import Metrics
from service.web.assets import STATIC_PATH, assets

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
        "img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Nothing to other sites. Under no-referrer, forms would not say whose page they are from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class ResponseHeaders:
    """Adds the security headers; what is not a static file is not stored by any cache."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY_HEADERS)
                headers["Cache-Control"] = _cache_control(scope)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _cache_control(scope: Scope) -> str:
    """A file whose address names the very content that is here never changes there. While two
    versions run side by side, one may be asked for what the other has."""
    if not scope["path"].startswith(STATIC_PATH):
        return "no-store"
    asked = f"{scope['path']}?{scope['query_string'].decode('latin-1')}"
    return "public, max-age=31536000, immutable" if asked in assets() else "no-cache"


class RequestCounter:
    """Counts requests by route template, so that no path of a stranger becomes a label."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note_status)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            self._metrics.observe_request(route, status)
