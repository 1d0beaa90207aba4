"""The document store: chunk texts by corpus and ref, for events that come without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import orjson

from service.checks.reading.naming import names_in
from service.pipeline import DocKey
from service.store.connection import Connection

if TYPE_CHECKING:
    from service.document_server import DocumentServer

T = TypeVar("T")
_PER_CALL = 500


class Documents:
    """Texts in Redis, one hash a corpus; what it lacks, an HTTP server may have (``server``).

    Every method raises :class:`Outage` when Redis is away. The HTTP server's absence is none: what
    it does not give is a missing text, for it is no part of groundwatch and must not stop it.
    """

    def __init__(self, connection: Connection, server: DocumentServer | None = None) -> None:
        self._c = connection
        self._server = server

    def close(self) -> None:
        """Let go of the HTTP server; the connection to Redis is not this object's."""
        if self._server is not None:
            self._server.close()

    def get(self, keys: Iterable[DocKey]) -> dict[DocKey, str]:
        """The texts that are known. A ref missing from its corpus is sought in the unnamed one."""
        found: dict[DocKey, str] = {}
        wanted = set(keys)
        if not wanted:
            return found
        for corpus in sorted({corpus for corpus, _ in wanted}):
            found.update(self._of(corpus, [ref for name, ref in wanted if name == corpus]))
        absent = [key for key in wanted if key[0] and key not in found]
        unnamed = {ref: text for (_, ref), text in self._of("", [ref for _, ref in absent]).items()}
        found.update({key: unnamed[key[1]] for key in absent if key[1] in unnamed})
        if self._server is not None and len(found) < len(wanted):
            found.update(self._server.get(wanted - found.keys()))
        return found

    def _of(self, corpus: str, refs: list[str]) -> dict[DocKey, str]:
        if not refs:
            return {}
        with self._c.guard():
            texts = self._c.client.hmget(self._c.keys.documents(corpus), refs)
        return {
            (corpus, ref): text.decode()
            for ref, text in zip(refs, texts, strict=True)
            if text is not None
        }

    def holding(self, numbers: Iterable[DocKey]) -> dict[DocKey, str]:
        """(corpus, normalised number) → ref of a chunk that was loaded and holds it."""
        found: dict[DocKey, str] = {}
        wanted = sorted(set(numbers))
        for corpus in sorted({corpus for corpus, _ in wanted}):
            names = [name for key, name in wanted if key == corpus]
            with self._c.guard():
                refs = self._c.client.hmget(self._c.keys.numbers(corpus), names)
            found.update(
                ((corpus, name), ref.decode())
                for name, ref in zip(names, refs, strict=True)
                if ref is not None
            )
        return found

    def all_of(self, corpus: str) -> dict[str, str]:
        """Ref → text of everything that was loaded as this corpus; empty when nothing was."""
        with self._c.guard():
            texts = self._c.client.hscan_iter(self._c.keys.documents(corpus), count=500)
            return {ref.decode(): text.decode() for ref, text in texts}

    def loaded(self, corpus: str, refs: Iterable[str]) -> set[str] | None:
        """Those of ``refs`` that were loaded as this corpus or as the unnamed one; None when
        nothing was loaded as either."""
        names = sorted({corpus, ""})
        with self._c.guard():
            there = self._c.client.exists(*map(self._c.keys.documents, names))
        if not there:
            return None
        found: set[str] = set()
        for part in _parts(sorted(set(refs))):
            found |= {ref for name in names for _, ref in self._of(name, part)}
        return found

    def load(
        self,
        chunks: Iterable[tuple[str, str]],
        corpus: str = "",
        on_progress: Callable[[int], None] = lambda _: None,
    ) -> int:
        """Store (ref, text) pairs, replacing equal refs, and which numbers stand in them; returns
        how many were stored."""
        stored = 0
        for part in _parts(chunks):
            numbers = {name: ref for ref, text in part for name in names_in(text)}
            with self._c.guard():
                self._c.client.hset(self._c.keys.documents(corpus), mapping=dict(part))
                if numbers:
                    self._c.client.hset(self._c.keys.numbers(corpus), mapping=numbers)
            stored += len(part)
            on_progress(stored)
        return stored


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    part: list[T] = []
    for item in items:
        part.append(item)
        if len(part) == _PER_CALL:
            yield part
            part = []
    if part:
        yield part


class BadChunk(ValueError):
    """A line of a corpus file that is no chunk; names the line, never its content."""


def read_chunks(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(ref, text) of each line ``{"ref": …, "text": …}``; :class:`BadChunk` at a bad one."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            chunk = orjson.loads(line)
            ref, text = chunk["ref"], chunk["text"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise BadChunk(f'line {number}: wanted {{"ref": "…", "text": "…"}}') from None
        if not isinstance(ref, str) or not isinstance(text, str) or not ref:
            raise BadChunk(f"line {number}: ref and text must be strings, ref not empty")
        yield ref, text
