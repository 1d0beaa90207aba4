"""Cohere: the citations of the Chat API, version 2 and version 1."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.adapters.collector import Adapted, Collector, locate
from service.adapters.payload import Node

_NUMBERED = re.compile(r"doc[:_]([0-9]{1,6})")
"""The id that a document without one gets: its place among those sent, from 0."""
_ELSEWHERE = frozenset({"THINKING_CONTENT", "PLAN"})
"""Citations of what the user never sees."""


def read(payload: object, refs: Sequence[str] = (), answer: str | None = None) -> Adapted:
    """A chat response of either version, or a list of its citations in ``answer``.

    One citation a source: a span that names two documents is two. Raises
    :class:`service.adapters.PayloadError`.
    """
    root = Node(payload)
    message = Node(None) if root.is_list else root.field("message")
    if root.is_list:
        parts, citations = {0: answer or ""}, root
    elif message.exists:
        parts, citations = _texts(message.field("content")), message.field("citations")
    else:
        text = root.field("text").text()
        parts = {} if text is None else {0: text}
        citations = root.field("citations")
    whole = "".join(parts.values())
    starts = _starts(parts)
    target = whole if parts else answer or ""
    collector = Collector(refs)
    for citation in citations.items():
        if citation.field("type").text() not in _ELSEWHERE:
            _citation(citation, target, starts, collector)
    return Adapted(whole if parts and not root.is_list else None, collector.citations)


def _texts(content: Node) -> dict[int, str]:
    """The text blocks by their index; thinking blocks count, but are no text."""
    if isinstance(content.value, str):
        return {0: content.value}
    return {
        index: block.field("text").text() or ""
        for index, block in enumerate(content.items())
        if block.field("type").text() == "text"
    }


def _starts(parts: dict[int, str]) -> dict[int, int]:
    starts, at = {}, 0
    for index, text in parts.items():
        starts[index] = at
        at += len(text)
    return starts


def _citation(citation: Node, answer: str, starts: dict[int, int], collector: Collector) -> None:
    block = citation.field("content_index").whole()
    shift = starts.get(block, 0) if block is not None else 0
    start, end = citation.field("start").whole(), citation.field("end").whole()
    place = None
    if start is not None and start >= 0:
        words = citation.field("text").text()
        place = locate(answer, start + shift, None if end is None else end + shift, words)
    sources = citation.field("sources")
    if sources.exists:
        for source in sources.items():
            if collector.is_full:
                return
            document = source.field("document", "tool_output")
            inner = document.field("id").value if isinstance(document.value, dict) else None
            names = (source.field("id").text(), inner if isinstance(inner, str) else None)
            collector.add(_ref(names, source.path, collector), place)
    else:
        for identifier in citation.field("document_ids").items():
            if collector.is_full:
                return
            collector.add(_ref((identifier.text(),), identifier.path, collector), place)


def _ref(names: Sequence[str | None], path: str, collector: Collector) -> str:
    known = collector.known(names)
    if known is None:
        numbered = _NUMBERED.fullmatch(names[0] or "")
        known = collector.nth(int(numbered[1])) if numbered else None
    return known or collector.name(names, path)
