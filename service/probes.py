"""``/metrics``, ``/healthz`` and ``/readyz`` from a daemon thread, where there is no web app."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from service.health import MAX_TICK_AGE_S, Health, liveness, readiness
from service.metrics import Metrics


class ProbeServer:
    """A running server. ``port`` is the one it listens on, also when 0 (any free one) was asked."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self._thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.2}, name="probes", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop listening and wait for the thread; requests under way may be cut."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


def serve_probes(
    host: str, port: int, health: Health, metrics: Metrics, max_tick_age_s: float = MAX_TICK_AGE_S
) -> ProbeServer:
    """Listen on ``host:port`` (0: any free port). Raises OSError when the address is taken."""

    class Handler(BaseHTTPRequestHandler):
        server_version = "groundwatch"
        sys_version = ""
        timeout = 5  # seconds a silent client may hold a thread

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/metrics":
                body, content_type = metrics.exposition()
                self._answer(200, body, content_type)
            elif path == "/healthz":
                self._answer_json(*liveness(health, max_tick_age_s))
            elif path == "/readyz":
                self._answer_json(*readiness(health))
            else:
                self._answer_json(404, {"paths": ["/metrics", "/healthz", "/readyz"]})

        def _answer_json(self, status: int, body: dict[str, Any]) -> None:
            self._answer(status, json.dumps(body).encode(), "application/json")

        def _answer(self, status: int, body: bytes, content_type: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a probe every few seconds is no news, and the path is a stranger's text."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

    return ProbeServer(Server((host, port), Handler))
