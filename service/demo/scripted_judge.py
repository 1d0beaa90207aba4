"""A local endpoint that answers the judge's calls by a script (:mod:`.scripted_rulings`).

For the demo, only where it is asked for by name, and for end-to-end tests. It speaks as much of
Chat Completions as the judge's client does, on 127.0.0.1.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import orjson

from service.demo import load_events
from service.demo.scripted_rulings import Rule, correctness, demo_rule, plausible, relevance
from service.judging.completions import CHARS_PER_TOKEN
from service.judging.rubric import watched_in

MODEL = "scripted-oracle"
PATH = "/v1/chat/completions"
MAX_REQUEST_BYTES = 32 << 20


def demo_judge() -> ScriptedJudge:
    """One that knows the bundled events."""
    return ScriptedJudge(demo_rule(map(orjson.loads, load_events())))


class ScriptedJudge:
    """``with ScriptedJudge() as judge``: serves at ``judge.base_url`` until the end of the block.

    ``limits_rate``: of the number of a request (from 1), whether it gets a 429 instead.
    """

    def __init__(
        self, rule: Rule = plausible, limits_rate: Callable[[int], bool] = lambda number: False
    ) -> None:
        self.requests = 0
        self._rule = rule
        self._limits_rate = limits_rate
        self._lock = threading.Lock()
        handler = type("_Bound", (_Handler,), {"judge": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="scripted-judge", daemon=True
        )
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedJudge:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body for a chat completion request."""
        with self._lock:
            self.requests += 1
            number = self.requests
        if self._limits_rate(number):
            return 429, _error("scripted rate limit")
        try:
            texts = [str(message["content"]) for message in request["messages"]]
            content = orjson.dumps(self._ruled(texts[-1])).decode()
        except (KeyError, IndexError, TypeError):
            return 400, _error("no messages")
        return 200, {
            "id": f"scripted-{number}",
            "object": "chat.completion",
            "model": MODEL,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": content},
                }
            ],
            "usage": {
                "prompt_tokens": max(1, sum(map(len, texts)) // CHARS_PER_TOKEN),
                "completion_tokens": max(1, len(content) // CHARS_PER_TOKEN),
            },
        }

    def _ruled(self, message: str) -> dict[str, Any]:
        try:
            watched = watched_in(message)
        except ValueError:
            # The client's probe, which seals nothing.
            return {"ready_to_judge": True}
        if "facts" in watched:
            return correctness(watched)
        return self._rule(watched) if "sentences" in watched else relevance(watched)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True
    judge: ScriptedJudge

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        if size > MAX_REQUEST_BYTES:
            self.close_connection = True
            self._say(413, _error("too large"))
            return
        body = self.rfile.read(size)
        if self.path != PATH:
            self._say(404, _error("unknown path"))
            return
        try:
            request = orjson.loads(body)
        except orjson.JSONDecodeError:
            request = None
        if not isinstance(request, dict):
            self._say(400, _error("no JSON object"))
            return
        self._say(*self.judge.answer(request))

    def _say(self, status: int, body: dict[str, Any]) -> None:
        raw = orjson.dumps(body)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing of a request is logged."""


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}
