"""A scripted OpenAI-compatible endpoint on a real socket of 127.0.0.1.

It proves what a client makes of an endpoint's behaviour, good or bad; it proves nothing of how
well a model judges.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

JSON = "application/json"
PROMPT_TOKENS, COMPLETION_TOKENS = 120, 30
USAGE = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS}


@dataclass(frozen=True)
class Request:
    """Header names in lower case; ``body`` is the JSON that was sent."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """``delay_s``: before the first byte; ``drip_s``: before each byte of the body; ``cut_at``: the
    connection is closed after so many bytes of the body; ``endless``: the body is repeated until
    nobody reads on; ``close``: the connection is closed without an answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": JSON})
    delay_s: float = 0.0
    drip_s: float = 0.0
    cut_at: int | None = None
    endless: bool = False
    close: bool = False


Script = Callable[[Request], Answer]


def completion(content: Any = "{}", finish: str = "stop", usage: Any = USAGE, **more: Any) -> bytes:
    """A chat completion of one choice. ``usage`` None leaves it out; ``more``: of its message."""
    message = {"role": "assistant", "content": content, **more}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    body = {"id": "c-1", "object": "chat.completion", "model": "scripted", "choices": [choice]}
    return json.dumps(body if usage is None else body | {"usage": usage}).encode()


def failure(
    status: int, error: Any = "no", headers: Mapping[str, str] = MappingProxyType({})
) -> Answer:
    """An error body around ``error``: a message, or the error object itself."""
    body = {"error": {"message": error} if isinstance(error, str) else error}
    kept = {"content-type": JSON, **headers}
    return Answer(json.dumps(body).encode(), status, kept)


class LlmServer:
    """``with LlmServer() as server``: answers in a thread of its own until the end of the block."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.requests: list[Request] = []
        self.base_url = ""
        self._script: Script = lambda request: failure(501, "no script")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="llm-server")
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    def play(self, *answers: Answer) -> None:
        """These in turn; the last one again and again. Forgets the requests so far."""
        self.requests.clear()
        self._script = lambda request: answers[min(len(self.requests), len(answers)) - 1]

    def play_script(self, script: Script) -> None:
        """What ``script`` gives for each request. Forgets the requests so far."""
        self.requests.clear()
        self._script = script

    def wait_for_request(self) -> None:
        """Returns once one has come since the script began."""
        give_up = time.monotonic() + 10
        while not self.requests and time.monotonic() < give_up:
            time.sleep(0.01)

    def __enter__(self) -> LlmServer:
        self._thread.start()
        self._run(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        port = self._server.sockets[0].getsockname()[1]
        scheme = "http" if self._tls is None else "https"
        self.base_url = f"{scheme}://127.0.0.1:{port}/v1"

    async def _stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, OSError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether another may follow on this connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        named = [line.split(": ", 1) for line in head[1:] if line]
        headers = {name.lower(): value for name, value in named}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Request(head[0].split()[1], headers, json.loads(body or b"{}"))
        self.requests.append(request)
        answer = self._script(request)
        await asyncio.sleep(answer.delay_s)
        if answer.close:
            return False
        await self._say(answer, writer)
        return answer.cut_at is None

    async def _say(self, answer: Answer, writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {answer.status} Scripted"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        lines += [] if answer.endless else [f"content-length: {len(answer.body)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        if answer.drip_s:
            for byte in answer.body:
                await asyncio.sleep(answer.drip_s)
                writer.write(bytes([byte]))
                await writer.drain()
            return
        writer.write(answer.body[: answer.cut_at])
        await writer.drain()
        while answer.endless:
            writer.write(answer.body)
            await writer.drain()
