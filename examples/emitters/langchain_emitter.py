"""Answer events from LangChain: a callback handler for chains that retrieve. Copy this file; it
needs langchain-core.

    emitter = Emitter(HttpSender("http://groundwatch:8321"))
    handler = GroundwatchHandler(emitter.emit, app="support-assistant")
    chain.invoke({"question": "…"}, config={"callbacks": [handler]})

One run of the outermost chain is one event. A run without a retriever is no RAG answer, and is
passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.tracers.base import BaseTracer
from langchain_core.tracers.schemas import Run

log = logging.getLogger("groundwatch.emitter")

QUERY_KEYS = ("question", "query", "input", "messages")
ANSWER_KEYS = ("answer", "output", "result", "text", "messages")


class GroundwatchHandler(BaseTracer):
    """``emit``: takes an event, must not wait. ``more``: fields that every event has, such as
    ``release``. What a run alone knows (the user, tags …) goes into its
    ``config={"metadata": {"groundwatch": {…}}}``."""

    run_inline = True
    """It only looks at the run: no thread is needed for that."""

    def __init__(
        self,
        emit: Callable[[Mapping[str, Any]], object],
        *,
        app: str,
        more: Mapping[str, Any] | None = None,
        ref_of: Callable[[Document], str] | None = None,
    ) -> None:
        super().__init__()
        self._emit = emit
        self._app = app
        self._more = dict(more or {})
        self._ref_of = ref_of or default_ref

    def _persist_run(self, run: Run) -> None:
        try:
            event = self._event(run)
        except Exception as error:  # noqa: BLE001 (the application goes on, whatever it ran)
            log.warning("a run could not be read (%s)", type(error).__name__)
            return
        if event is not None:
            self._emit(event)

    def _event(self, run: Run) -> dict[str, Any] | None:
        runs = list(_runs(run))
        retrievals = [each for each in runs if each.run_type == "retriever"]
        if not retrievals:
            return None
        models = [each for each in runs if each.run_type in ("llm", "chat_model")]
        own = (run.extra or {}).get("metadata", {}).get("groundwatch", {})
        return {
            "schema_version": 1,
            "event_id": str(run.id),
            "occurred_at": run.start_time.isoformat(),
            "app": self._app,
            "status": "error" if run.error else "ok",
            "query": _text(run.inputs, QUERY_KEYS) or "",
            "retrieved": [self._chunk(document) for document in _documents(retrievals)],
            "answer": _text(run.outputs, ANSWER_KEYS) or "",
            "latency_ms": _latency(run, retrievals, models),
            **_usage(models),
            **self._more,
            **own,
        }

    def _chunk(self, document: Document) -> dict[str, Any]:
        about = document.metadata
        chunk: dict[str, Any] = {"ref": self._ref_of(document), "text": document.page_content}
        for name, keys in {
            "score": ("score", "relevance_score"), "url": ("url",), "title": ("title",),
        }.items():  # fmt: skip
            found = next((about[key] for key in keys if about.get(key) is not None), None)
            if found is not None:
                chunk[name] = float(found) if name == "score" else str(found)
        return chunk


def default_ref(document: Document) -> str:
    """What your prompt calls a chunk: ``metadata["ref"]``, else its id, else where it is from."""
    about = document.metadata
    return str(about.get("ref") or document.id or about.get("source") or "unnamed")


def _runs(run: Run) -> Iterator[Run]:
    yield run
    for child in run.child_runs:
        yield from _runs(child)


def _documents(retrievals: list[Run]) -> list[Document]:
    """In the order of retrieval; one that two retrievers found counts once."""
    found: dict[tuple[Any, ...], Document] = {}
    for run in retrievals:
        for document in (run.outputs or {}).get("documents", ()):
            found.setdefault((document.id, document.page_content), document)
    return list(found.values())


def _text(value: Any, keys: tuple[str, ...]) -> str | None:
    """The text in what a chain was given or gave: itself, of a message, of the last of several."""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return str(value.text)
    if isinstance(value, list | tuple) and value:
        return _text(value[-1], keys)
    if isinstance(value, dict):
        for key in keys:
            if (found := _text(value.get(key), keys)) is not None:
                return found
    return None


def _latency(run: Run, retrievals: list[Run], models: list[Run]) -> dict[str, float]:
    """From the first start to the last end of each kind, in milliseconds."""
    stages = {"total": [run], "retrieval": retrievals, "generation": models}
    told = {}
    for name, runs in stages.items():
        ends = [each.end_time for each in runs if each.end_time is not None]
        if ends:
            begin = min(each.start_time for each in runs)
            told[name] = (max(ends) - begin).total_seconds() * 1000
    return told


def _usage(models: list[Run]) -> dict[str, Any]:
    """Tokens of all calls, where the model told them."""
    totals = {"input_tokens": 0, "output_tokens": 0}
    for run in models:
        for several in (run.outputs or {}).get("generations", ()):
            for generation in several:
                message = (generation.get("message") or {}).get("kwargs", {})
                for name in totals:
                    totals[name] += (message.get("usage_metadata") or {}).get(name, 0)
    return {"usage": totals} if any(totals.values()) else {}
