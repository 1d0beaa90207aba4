"""A receiver of Alertmanager's notifications on 127.0.0.1."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Webhook:
    """``with Webhook() as webhook``: keeps what was posted until the end of the block."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, dict[str, Any]]] = []
        posted = self.posted

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                posted.append((self.path, json.loads(body)))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="webhook")

    def alerts(self, path: str, name: str) -> list[dict[str, Any]]:
        """Firing ones of that name that were posted to ``path``, in order of arrival."""
        return [
            alert
            for posted_to, body in list(self.posted)
            if posted_to == path
            for alert in body["alerts"]
            if alert["status"] == "firing" and alert["labels"]["alertname"] == name
        ]

    def __enter__(self) -> Webhook:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
