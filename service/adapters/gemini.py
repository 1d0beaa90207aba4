"""Gemini and Vertex AI: grounding metadata. Its offsets are bytes of UTF-8."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from service.adapters.collector import Adapted, Collector, Place, locate
from service.adapters.payload import Node


def read(payload: object, refs: Sequence[str] = (), answer: str | None = None) -> Adapted:
    """A response (its first candidate), a candidate, or grounding metadata of ``answer``.

    Both spellings are read, ``groundingChunks`` and ``grounding_chunks``. One citation a chunk: a
    support that names two is two. Raises :class:`service.adapters.PayloadError`.
    """
    root = Node(payload)
    candidate = next(root.field("candidates").items(), root)
    metadata = candidate.field("groundingMetadata", "grounding_metadata")
    if not metadata.exists:
        metadata = candidate
    content = candidate.field("content")
    parts = _parts(content) if content.exists else [_Part(answer or "", 0)]
    collector = Collector(refs)
    names = [
        _names(chunk) for chunk in metadata.field("groundingChunks", "grounding_chunks").items()
    ]
    text = "".join(part.text for part in parts)
    for support in metadata.field("groundingSupports", "grounding_supports").items():
        place = _place(support.field("segment"), parts, text)
        indices = support.field("groundingChunkIndices", "grounding_chunk_indices")
        for index in indices.items():
            if collector.is_full:
                break
            number = index.required().whole() or 0
            known = names[number] if 0 <= number < len(names) else ()
            collector.add(collector.name(known, f"groundingChunks[{number}]"), place)
    return Adapted(text if content.exists else None, collector.citations)


class _Part:
    """One part of the answer. ``start``: where it begins, in characters."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start

    def character(self, byte: int) -> int | None:
        """The character that begins at this byte; None inside a character and past the end."""
        at = self.nearest(byte)
        return at if at < len(self._starts) and self._starts[at] == byte else None

    def nearest(self, byte: int) -> int:
        """The first character that begins at this byte or later."""
        return bisect_left(self._starts, byte)

    @cached_property
    def _starts(self) -> Sequence[int]:
        """The byte at which each character begins, and the one after the last."""
        if self.text.isascii():
            return range(len(self.text) + 1)
        return list(accumulate(map(_width, self.text), initial=0))


def _width(char: str) -> int:
    code = ord(char)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _parts(content: Node) -> list[_Part]:
    """All parts, so that ``partIndex`` counts; what is a thought has no text in the answer."""
    parts, start = [], 0
    for part in content.field("parts").items():
        text = "" if part.field("thought").value is True else part.field("text").text() or ""
        parts.append(_Part(text, start))
        start += len(text)
    return parts


def _place(segment: Node, parts: Sequence[_Part], answer: str) -> Place | None:
    # Protobuf leaves out what is 0.
    index = segment.field("partIndex", "part_index").whole() or 0
    first = segment.field("startIndex", "start_index").whole() or 0
    last = segment.field("endIndex", "end_index").whole()
    words = segment.field("text").text()
    if not 0 <= index < len(parts):
        return None
    part = parts[index]
    start = part.character(first)
    end = None if last is None else part.character(last)
    if start is None and words and first >= 0:
        # Inside a character or past the end, so counted otherwise: the words decide.
        start = part.nearest(first)
    if start is None:
        return None
    return locate(answer, start + part.start, None if end is None else end + part.start, words)


def _names(chunk: Node) -> tuple[str | None, ...]:
    source = chunk.field("retrievedContext", "retrieved_context", "web", "maps")
    return (
        source.field("uri").text(),
        source.field("documentName", "document_name").text(),
        source.field("title").text(),
    )
