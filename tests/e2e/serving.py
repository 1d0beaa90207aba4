"""Servers for the browser: the app under test, and a stranger's server that nobody may ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import uvicorn
from starlette.types import ASGIApp

from service.web.options import WebOptions
from tools.kafka.broker import free_port


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The app on a free port of the loopback, in a thread; its address."""
    port = free_port()
    _tell_address(app, f"http://127.0.0.1:{port}")
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", lifespan="on")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the web app did not start")
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def _tell_address(app: ASGIApp, address: str) -> None:
    """A browser names it when one of our pages writes, and no other is taken."""
    for middleware in getattr(app, "user_middleware", ()):
        options = middleware.kwargs.get("options")
        if isinstance(options, WebOptions):
            middleware.kwargs["options"] = replace(options, address=address)


class Stranger:
    """Remembers every path that it was asked for."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[str] = []


@contextmanager
def stranger() -> Iterator[Stranger]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here.asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    here = Stranger(f"http://127.0.0.1:{server.server_address[1]}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
