"""``python -m examples.target [--port 8555]``: the example target over HTTP, on 127.0.0.1."""

from __future__ import annotations

import argparse
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from examples.target import answer

MAX_REQUEST_BYTES = 8 << 20


class Handler(BaseHTTPRequestHandler):
    """``POST /ask`` with ``{"question", "top_k", "from", "purpose"}``. ``purpose`` would go into
    the event that this system sends to groundwatch; here it comes back in the answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        if self.path != "/ask" or size > MAX_REQUEST_BYTES:
            self._say(404, {"error": "POST /ask"})
            return
        try:
            asked = json.loads(self.rfile.read(size))
            request = {"query": asked["question"], "k": asked.get("top_k")}
            given = asked.get("from")
        except (ValueError, KeyError, TypeError, AttributeError):
            self._say(400, {"error": "no question"})
            return
        answered = answer(request if given is None else request | {"retrieved": given})
        self._say(200, _in_its_own_words(answered) | {"purpose": asked.get("purpose", "live")})

    def _say(self, status: int, body: dict[str, Any]) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """No question is logged."""


def _in_its_own_words(answered: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": answered["answer"],
        "sources": [
            {"id": chunk["ref"], "content": chunk["text"], "score": chunk.get("score")}
            for chunk in answered["retrieved"]
        ],
        "version": answered["release"]["id"],
        "took_ms": answered["latency_ms"]["total"],
    }


def serve(port: int) -> ThreadingHTTPServer:
    """Bound and not yet serving; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m examples.target", description=__doc__)
    parser.add_argument("--port", type=int, default=8555)
    server = serve(parser.parse_args().port)
    sys.stderr.write(f"http://127.0.0.1:{server.server_address[1]}/ask (Ctrl-C ends it)\n")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
