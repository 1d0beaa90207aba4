"""Chunk texts from an HTTP server: one GET a chunk, bounded in time, size, number and memory.

The refs come from answers under watch and may be anything: the host is fixed, a ref is
percent-encoded whole, redirects are not followed, and nothing of a ref or a text is ever logged.
"""

from __future__ import annotations

import re
import ssl
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import NamedTuple
from urllib.parse import quote

import httpx
import orjson
import structlog

from service.pipeline import DocKey

log = structlog.get_logger(__name__)

AT_ONCE = 4
"""Requests that run at the same time."""
MAX_TEXT_BYTES = 4 << 20
"""Bytes of a response past which the chunk counts as missing."""
PATIENCE = 5
"""One look-up may take this many times the timeout; what is not there by then is missing."""
KEPT_S = 600.0
"""How long a text is kept, and how soon a changed one is noticed."""
MISSING_KEPT_S = 60.0
"""How long it is remembered that the server has no such chunk."""
FAILURES = 5
"""Failures in a row after which the server is left alone for a while."""
PAUSE_S = 10.0

_ENTRY_BYTES = 300
_CLIMBS = re.compile(r"(?:\A|[/\\])\.{1,2}(?:[/\\]|\Z)")


class _Failed(Exception):
    """The server did not answer as it should. The message is fit for a log."""


class _Unusable(Exception):
    """The server is well; this one text cannot be used."""


class DocumentServer:
    """``template`` is a URL with ``{ref}`` and perhaps ``{corpus}`` in its path or query.

    A response is the text itself (``text/*``, UTF-8), or JSON: a string, or an object with
    ``text``. 404 and 410 mean that there is no such chunk. Thread-safe.
    """

    def __init__(
        self,
        template: str,
        timeout_s: float = 2.0,
        cache_bytes: int = 64 << 20,
        clock: Callable[[], float] = time.monotonic,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """``tls``: whom to trust; None is the system's CAs."""
        self._template = template
        self._timeout_s = timeout_s
        self._clock = clock
        self._cache = TextCache(cache_bytes, clock)
        self._health = _Health(clock)
        self._client = httpx.Client(
            timeout=timeout_s,
            follow_redirects=False,
            # Proxies and netrc of the environment are no business of ours. The system's
            # certificates are those that an operator can add to.
            trust_env=False,
            verify=(tls or ssl.create_default_context()) if template.startswith("https") else False,
            limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE),
            # A compressed answer could unpack to anything.
            headers={"user-agent": "groundwatch", "accept-encoding": "identity"},
        )
        self._workers = ThreadPoolExecutor(AT_ONCE, "document-server")

    def close(self) -> None:
        self._workers.shutdown(cancel_futures=True)
        self._client.close()

    def get(self, keys: Iterable[DocKey]) -> dict[DocKey, str]:
        """The texts that could be had, each at most :data:`MAX_TEXT_BYTES`.

        Never raises: a chunk that the server does not have, and every failure, is a missing text,
        so that the checks that need it are ``not_evaluated``. Takes at most :data:`PATIENCE`
        timeouts, next to nothing while the server is being left alone.
        """
        found: dict[DocKey, str] = {}
        wanted = []
        for key in dict.fromkeys(keys):
            entry = self._cache.get(key)
            if entry is None:
                wanted.append(key)
            elif entry.text is not None:
                found[key] = entry.text
        if not wanted or self._health.is_paused():
            return found
        running = {self._workers.submit(self._look_up, key): key for key in wanted}
        done, late = wait(running, timeout=self._timeout_s * PATIENCE)
        for future in late:
            future.cancel()
        for future in done:
            text = future.result()
            if text is not None:
                found[running[future]] = text
        return found

    def _look_up(self, key: DocKey) -> str | None:
        if self._health.is_paused():
            return None
        try:
            text = self._fetch(key)
        except _Unusable as fault:
            log.warning("document_unusable", fault=str(fault))
            text = None
        except _Failed as fault:
            self._health.failed(str(fault))
            return None
        except Exception as error:  # noqa: BLE001 (whatever went wrong, the text is missing; it must not stop a consumer)
            self._health.failed(_in_words(error))
            return None
        self._health.answered()
        self._cache.put(key, text)
        return text

    def _fetch(self, key: DocKey) -> str | None:
        corpus, ref = key
        if _CLIMBS.search(ref) or _CLIMBS.search(corpus):
            return None
        address = self._template.replace("{corpus}", quote(corpus, safe=""))
        address = address.replace("{ref}", quote(ref, safe=""))
        give_up = self._clock() + self._timeout_s
        with self._client.stream("GET", address) as response:
            if response.status_code in (404, 410):
                return None
            if response.status_code != 200:
                raise _Failed(f"status {response.status_code}")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise _Unusable("compressed, though not asked for")
            body = bytearray()
            for part in response.iter_raw():
                body += part
                if len(body) > MAX_TEXT_BYTES:
                    raise _Unusable(f"more than {MAX_TEXT_BYTES} bytes")
                if self._clock() > give_up:
                    raise _Failed("too slow")
        return _text_of(bytes(body), response.headers.get("content-type", ""))


def _in_words(error: Exception) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return "its certificate is not trusted; check GROUNDWATCH_DOCUMENTS_SSL_CAFILE"
    return type(error).__name__


def _text_of(body: bytes, content_type: str) -> str:
    if content_type.partition(";")[0].strip().lower() == "application/json":
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise _Unusable("not valid JSON") from None
        text = value.get("text") if isinstance(value, dict) else value
        if not isinstance(text, str):
            raise _Unusable('JSON, but neither a string nor an object with a "text"')
        return text
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise _Unusable("not UTF-8") from None


class _Health:
    """After some failures in a row the server is left alone for a while, then tried again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._until: float | None = None

    def is_paused(self) -> bool:
        until = self._until
        return until is not None and self._clock() < until

    def failed(self, fault: str) -> None:
        with self._lock:
            self._failures += 1
            if self._failures < FAILURES or self.is_paused():
                return
            begins = self._until is None
            self._until = self._clock() + PAUSE_S
        if begins:
            log.warning(
                "document_server_away",
                fault=fault,
                consequence="chunk texts are missing: checks that need them are not evaluated",
            )

    def answered(self) -> None:
        with self._lock:
            was_away = self._until is not None
            self._failures, self._until = 0, None
        if was_away:
            log.info("document_server_back")


class Entry(NamedTuple):
    """``text`` is None where the server is known to have no such chunk."""

    text: str | None
    expires: float
    size: int


class TextCache:
    """Texts by key, bounded by bytes and age; the least recently used go first. Thread-safe."""

    def __init__(self, limit_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit_bytes
        self._clock = clock
        self._lock = Lock()
        self._entries: OrderedDict[DocKey, Entry] = OrderedDict()
        self.size = 0
        """Bytes of memory in use, about."""

    def get(self, key: DocKey) -> Entry | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.expires <= self._clock():
                self._drop(key)
                return None
            self._entries.move_to_end(key)
            return entry

    def put(self, key: DocKey, text: str | None) -> None:
        size = _ENTRY_BYTES + sys.getsizeof(key[0]) + sys.getsizeof(key[1])
        if text is not None:
            size += sys.getsizeof(text)
        if size > self._limit:
            return
        kept = MISSING_KEPT_S if text is None else KEPT_S
        with self._lock:
            self._drop(key)
            self._entries[key] = Entry(text, self._clock() + kept, size)
            self.size += size
            while self.size > self._limit:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: DocKey) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry.size
