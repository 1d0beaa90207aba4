"""Structured citations of the big APIs: from their documented payloads to ``event.citations``.

Pure: one module an API, each with ``read(payload, refs, answer)``; :func:`adapt` finds it by name.
``service.mapping`` and whoever builds events in Python import this package; it imports
``service.events`` and nothing else of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from service.adapters import anthropic, bedrock, cohere, gemini, openai
from service.adapters.collector import Adapted
from service.adapters.payload import PayloadError

__all__ = ["ADAPTERS", "Adapted", "Adapter", "PayloadError", "adapt"]

Adapter = Callable[[object, Sequence[str], str | None], Adapted]

ADAPTERS: Mapping[str, Adapter] = {
    "anthropic": anthropic.read,
    "bedrock": bedrock.read,
    "cohere": cohere.read,
    "gemini": gemini.read,
    "openai": openai.read,
}


def adapt(
    name: str, payload: object, refs: Sequence[str] = (), answer: str | None = None
) -> Adapted:
    """The citations that a payload holds, placed in ``answer`` where one is given.

    ``refs``: those of the retrieved chunks, in the order in which they were sent to the API.
    ``answer``: what the user saw, when it is not the payload's own text; offsets are moved to where
    that text stands in it, and dropped when it does not. Raises :class:`PayloadError` when the
    payload is not of the documented shape and KeyError for an unknown ``name``.
    """
    adapted = ADAPTERS[name](payload, refs, answer)
    if answer is None or adapted.answer is None or adapted.answer == answer:
        return adapted
    shift = answer.find(adapted.answer) if adapted.answer else -1
    moved = [
        citation.model_copy(
            update={"start": citation.start + shift, "end": citation.end + shift}
            if shift >= 0 and citation.start is not None and citation.end is not None
            else {"start": None, "end": None}
        )
        for citation in adapted.citations
    ]
    return Adapted(adapted.answer, moved)
