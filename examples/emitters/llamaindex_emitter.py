"""Answer events from LlamaIndex: an event handler for query engines. Copy this file; it needs
llama-index-core.

    emitter = Emitter(HttpSender("http://groundwatch:8321"))
    watch(emitter.emit, app="support-assistant")
    index.as_query_engine().query("…")

One answer of a query engine is one event; a streamed one is told once it was read to its end, or
left. Engines that ask other engines (sub-questions, routers) give an event each: ``accept``
chooses.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.query import QueryEndEvent
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index_instrumentation import get_dispatcher
from pydantic import Field

log = logging.getLogger("groundwatch.emitter")

Emit = Callable[[Mapping[str, Any]], object]


def default_ref(node: NodeWithScore) -> str:
    """What your prompt calls a chunk: ``metadata["ref"]``, else the node's id."""
    return str(node.node.metadata.get("ref") or node.node.node_id)


class GroundwatchHandler(BaseEventHandler):
    """``emit``: takes an event, must not wait. ``more``: fields of every event, such as
    ``release``."""

    emit: Emit
    app: str
    more: dict[str, Any] = Field(default_factory=dict)
    ref_of: Callable[[NodeWithScore], str] = default_ref
    accept: Callable[[QueryEndEvent], bool] = lambda event: True

    @classmethod
    def class_name(cls) -> str:
        return "GroundwatchHandler"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        if not isinstance(event, QueryEndEvent):
            return
        try:
            self._handle(event)
        except Exception as error:  # noqa: BLE001 (the application goes on, whatever it asked)
            log.warning("an answer could not be read (%s)", type(error).__name__)

    def _handle(self, event: QueryEndEvent) -> None:
        if not self.accept(event):
            return
        told = self._event(event)
        response = event.response
        if isinstance(response, StreamingResponse):
            response.response_gen = self._streamed(told, response.response_gen)
        elif isinstance(response, AsyncStreamingResponse):
            response.response_gen = self._streamed_async(told, response.response_gen)
        else:
            self.emit({**told, "answer": str(response)})

    def _event(self, event: QueryEndEvent) -> dict[str, Any]:
        query = event.query
        return {
            "schema_version": 1,
            "event_id": str(uuid.uuid4()),
            "occurred_at": datetime.now(UTC).isoformat(),
            "app": self.app,
            "query": query.query_str if isinstance(query, QueryBundle) else str(query),
            "retrieved": [self._chunk(node) for node in event.response.source_nodes],
            **self.more,
        }

    def _chunk(self, node: NodeWithScore) -> dict[str, Any]:
        # With the metadata that the model was shown: it is evidence, too.
        text = node.node.get_content(MetadataMode.LLM)
        chunk: dict[str, Any] = {"ref": self.ref_of(node), "text": text}
        if node.score is not None:
            chunk["score"] = float(node.score)
        for name in ("url", "title"):
            if (found := node.node.metadata.get(name)) is not None:
                chunk[name] = str(found)
        return chunk

    def _streamed(self, told: dict[str, Any], tokens: Iterable[str]) -> Generator[str, None, None]:
        said: list[str] = []
        status = "truncated"
        try:
            for token in tokens:
                said.append(token)
                yield token
            status = "ok"
        finally:
            self.emit({**told, "answer": "".join(said), "status": status})

    async def _streamed_async(
        self, told: dict[str, Any], tokens: AsyncIterable[str]
    ) -> AsyncGenerator[str, None]:
        said: list[str] = []
        status = "truncated"
        try:
            async for token in tokens:
                said.append(token)
                yield token
            status = "ok"
        finally:
            self.emit({**told, "answer": "".join(said), "status": status})


def watch(emit: Emit, *, app: str, **options: Any) -> GroundwatchHandler:
    """Have every query engine of this process watched from now on."""
    handler = GroundwatchHandler(emit=emit, app=app, **options)
    get_dispatcher().add_event_handler(handler)
    return handler
