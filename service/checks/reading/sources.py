"""What an answer may have its words from: chunks, the other things that the model saw, the query.

Only chunks that reached the model ground an answer, and the system's own earlier turns never do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from service.checks.model import CheckInput
from service.checks.reading.grounding import Source
from service.checks.reading.language import detect
from service.events import Chunk

MAX_TEXT: Final = 4 << 20
"""Characters of all sources together past which an answer is not evaluated."""


def chunk_texts(given: CheckInput) -> list[Source]:
    """The text of every chunk that was in the prompt, kind ``grounded``, in the given order."""
    refs, in_prompt = given.refs, given.in_prompt
    found: list[Source] = []
    for number, text in enumerate(given.texts):
        if text and in_prompt[number]:
            found.append(Source("grounded", refs[number], text))
    return found


def prompt_texts(given: CheckInput) -> list[str]:
    """The texts alone of :func:`chunk_texts`."""
    in_prompt = given.in_prompt
    found: list[str] = []
    for number, text in enumerate(given.texts):
        if text and in_prompt[number]:
            found.append(text)
    return found


def other_texts(given: CheckInput) -> list[Source]:
    """The context (``from_context``), then the query (``from_query``); neither has a ref."""
    found = [
        Source("from_context", None, item.text)
        for item in given.event.context
        if item.kind != "assistant"
    ]
    found.append(Source("from_query", None, given.event.query))
    return found


def chunk_names(given: CheckInput) -> Iterator[Source]:
    """Ref, URL, title and metadata of every chunk in the prompt, each as a short text."""
    for chunk in given.event.retrieved:
        if chunk.in_prompt:
            yield Source("grounded", chunk.ref, chunk.ref)
            for name in (chunk.url, chunk.title, *_metadata(chunk)):
                if name:
                    yield Source("grounded", chunk.ref, name)


def lacks_text(given: CheckInput) -> bool:
    """Whether a chunk that could hold what was not found came without its text."""
    return None in given.texts and any(
        is_shown and text is None
        for is_shown, text in zip(given.in_prompt, given.texts, strict=True)
    )


def is_too_large(given: CheckInput) -> bool:
    """Whether chunks, context and query together pass :data:`MAX_TEXT`."""
    event = given.event
    size = len(event.query)
    for text in given.texts:
        if text:
            size += len(text)
    for item in event.context:
        size += len(item.text)
    return size > MAX_TEXT


def in_german(given: CheckInput) -> bool:
    """Whether the reviewer is told in German: the event's language, else the answer's."""
    return (given.event.language or detect(given.event.answer)).lower().startswith("de")


def where(source: Source) -> str:
    """A source for a detail: the chunk's ref, ``query`` or ``context``."""
    if source.ref is None:
        return source.kind.removeprefix("from_")
    return one_line(source.ref)


def one_line(text: str, longest: int = 120) -> str:
    """A text for a detail: white space run together, nothing unprintable, cut with an ellipsis."""
    words = " ".join(text[: 4 * longest].split())
    words = "".join(char if char.isprintable() else "·" for char in words)
    return words if len(words) <= longest else words[: longest - 1] + "…"


_MOST_METADATA = 200


def _metadata(chunk: Chunk) -> Iterator[str]:
    """The strings in a chunk's metadata, nested ones too; at most 200."""
    left = _MOST_METADATA
    waiting: list[object] = [chunk.metadata] if chunk.metadata else []
    while waiting and left:
        value = waiting.pop()
        left -= 1
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(list(value.values())[:_MOST_METADATA])
        elif isinstance(value, list):
            waiting.extend(value[:_MOST_METADATA])
