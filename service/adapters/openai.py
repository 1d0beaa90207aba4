"""OpenAI: annotations of the Responses, Chat Completions and Assistants APIs (Azure's too)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from service.adapters.collector import Adapted, Collector, locate
from service.adapters.payload import Node


class _Part(NamedTuple):
    text: str
    annotations: Node


def read(payload: object, refs: Sequence[str] = (), answer: str | None = None) -> Adapted:
    """A response, a chat completion, a thread message, or a list of annotations of ``answer``.

    ``file_citation`` and ``url_citation`` become citations; files that the model made
    (``file_path``, ``container_file_citation``) and kinds not known here are none. Raises
    :class:`service.adapters.PayloadError`.
    """
    root = Node(payload)
    if root.is_list:
        parts = [_Part(answer or "", root)]
    else:
        parts = list(_parts(root))
    text = "".join(part.text for part in parts)
    collector = Collector(refs)
    shift = 0
    for part in parts:
        for annotation in part.annotations.items():
            _annotation(annotation, text, shift, collector)
        shift += len(part.text)
    return Adapted(None if root.is_list or not parts else text, collector.citations)


def _parts(root: Node) -> Iterator[_Part]:
    """The pieces of text that together are the answer."""
    output = root.field("output")
    if output.exists:
        for item in output.items():
            if item.field("type").text() == "message":
                yield from _content(item.field("content"))
        return
    choices = root.field("choices")
    if choices.exists:
        for choice in choices.items():
            message = choice.field("message").required()
            content = message.field("content")
            if content.is_list:
                text = "".join(part.text for part in _content(content))
            else:
                text = content.text() or ""
            yield _Part(text, message.field("annotations"))
            return
    content = root.field("content")
    if content.is_list:
        yield from _content(content)
    elif content.exists:
        yield _Part(content.text() or "", root.field("annotations"))


def _content(content: Node) -> Iterator[_Part]:
    for block in content.items():
        kind = block.field("type").text()
        if kind == "output_text":
            yield _Part(block.field("text").text() or "", block.field("annotations"))
        elif kind == "text":
            text = block.field("text")
            if isinstance(text.value, str):
                yield _Part(text.value, block.field("annotations"))
            else:
                yield _Part(text.field("value").text() or "", text.field("annotations"))


def _annotation(annotation: Node, answer: str, shift: int, collector: Collector) -> None:
    kind = annotation.field("type").text()
    if kind == "url_citation":
        # Chat Completions and Azure agents nest what Responses has flat.
        nested = annotation.field("url_citation")
        source = nested if nested.exists else annotation
        ref = source.field("url").required().text() or source.path
        span = source if source.field("start_index").exists else annotation
        collector.add(ref, _place(span, None, answer, shift))
    elif kind == "file_citation":
        nested = annotation.field("file_citation")
        source = nested if nested.exists else annotation
        names = (
            source.field("file_id").text(),
            source.field("filename").text(),
        )
        marker = annotation.field("text").text()
        place = _place(annotation, marker, answer, shift)
        collector.add(collector.name(names, source.path), place, source.field("quote").text())


def _place(span: Node, words: str | None, answer: str, shift: int) -> tuple[int, int] | None:
    start, end = span.field("start_index").whole(), span.field("end_index").whole()
    if start is None or start < 0:
        return None
    return locate(answer, start + shift, None if end is None else end + shift, words)
