"""Anthropic: the citations of a message's text blocks."""

from __future__ import annotations

from collections.abc import Sequence

from service.adapters.collector import Adapted, Collector, Place
from service.adapters.payload import Node

_IN_DOCUMENTS = frozenset({"char_location", "page_location", "content_block_location"})


def read(payload: object, refs: Sequence[str] = (), answer: str | None = None) -> Adapted:
    """A message, or the list of its content blocks.

    A citation stands at its whole text block. ``refs``: the documents (or search results) that
    were sent, in their order: ``document_index`` counts them from 0. ``cited_text`` becomes the
    quote. Raises :class:`service.adapters.PayloadError`.
    """
    root = Node(payload)
    blocks = [
        (block, block.field("text").text() or "")
        for block in (root if root.is_list else root.field("content")).items()
        if block.field("type").text() == "text"
    ]
    collector = Collector(refs)
    start = 0
    for block, text in blocks:
        end = start + len(text)
        for citation in block.field("citations").items():
            _citation(citation, (start, end) if text else None, collector)
        start = end
    return Adapted("".join(text for _, text in blocks) if blocks else None, collector.citations)


def _citation(citation: Node, place: Place | None, collector: Collector) -> None:
    kind = citation.field("type").text()
    quote = citation.field("cited_text").text()
    if kind in _IN_DOCUMENTS:
        name = (citation.field("document_title").text(),)
        ref = _ref(citation.field("document_index"), name, collector)
    elif kind == "search_result_location":
        names = (citation.field("source").text(), citation.field("title").text())
        ref = _ref(citation.field("search_result_index"), names, collector)
    elif kind == "web_search_result_location":
        ref = citation.field("url").required().text() or citation.path
    else:
        return
    collector.add(ref, place, quote)


def _ref(index: Node, names: Sequence[str | None], collector: Collector) -> str:
    """By a name that was retrieved, else by its place, else what it is called, unresolved."""
    number = index.required().whole()
    ref = collector.known(names) or collector.nth(number)
    # Not the bare number: it would be read as a numeric citation, which counts from 1.
    return ref or collector.name(names, f"{index.path.rpartition('.')[2]}={number}")
