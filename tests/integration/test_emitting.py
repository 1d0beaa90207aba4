"""The emitters against the real libraries, a real `serve` and a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import (
    Runnable,
    RunnableConfig,
    RunnableLambda,
    RunnablePassthrough,
)
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.base.response.schema import StreamingResponse
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode
from llama_index_instrumentation import get_dispatcher

from examples.emitters.groundwatch_emitter import Counts, Emitter, HttpSender, KafkaSender, NotNow
from examples.emitters.langchain_emitter import GroundwatchHandler
from examples.emitters.llamaindex_emitter import watch
from service.events import AnswerEvent, parse_event
from service.records import Record
from service.review.cases import CaseFilter
from tests.sites import Site, embedded_site

QUESTION = "What does a seat cost?"
TEXTS = {"pricing#plans": "Pro: 45 € a seat and month.", "seats#add": "Seats can be added."}
EVENT = {
    "event_id": "e1", "query": QUESTION, "answer": "54 € [pricing#other].",
    "retrieved": [{"ref": ref, "text": text} for ref, text in TEXTS.items()],
}  # fmt: skip
PATIENT_S = 30.0


class Emitted:
    """Takes events as an application's emitter does; each must be one of the contract."""

    def __init__(self) -> None:
        self.events: list[AnswerEvent] = []

    def __call__(self, event: Mapping[str, Any]) -> bool:
        parsed = parse_event(json.dumps(event).encode())
        assert isinstance(parsed, AnswerEvent), parsed
        self.events.append(parsed)
        return True


@pytest.fixture
def emitted() -> Emitted:
    return Emitted()


# By HTTP and by Kafka.


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with embedded_site(tmp_path) as made:
        yield made


def test_over_http_into_the_queue(site: Site) -> None:
    emitter = Emitter(HttpSender(site.address))
    emitter.emit(EVENT)
    emitter.emit({"event_id": 7})
    assert emitter.flush(PATIENT_S)
    assert emitter.counts() == Counts(emitted=2, sent=1, refused=1)
    emitter.close()
    page = site.parts.store.archive.list_cases(CaseFilter())
    assert [case.event_id for case in page.cases] == ["e1"]


@contextlib.contextmanager
def answering(status: int, headers: Mapping[str, str]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(("status", "after_s"), [(429, 7.0), (503, 7.0), (502, 7.0)])
def test_it_comes_back_when_it_is_told(status: int, after_s: float) -> None:
    with answering(status, {"Retry-After": "7"}) as address:
        with pytest.raises(NotNow) as asked:
            HttpSender(address)([b"{}"])
        assert asked.value.after_s == after_s


def test_a_refused_batch_is_not_sent_again() -> None:
    with answering(415, {}) as address:
        assert HttpSender(address)([b"{}", b"{}"]) == 2


def test_into_kafka(topic: str, kafka_bootstrap: str, topic_facts) -> None:
    sender = KafkaSender(kafka_bootstrap, topic, enable_idempotence=False)
    emitter = Emitter(sender)
    for n in range(120):
        emitter.emit({**EVENT, "event_id": f"e{n}"})
    # Larger than this topic takes: refused for good, and the others arrive.
    emitter.emit({**EVENT, "answer": "x" * (2 << 20)})
    assert emitter.flush(PATIENT_S)
    assert emitter.counts() == Counts(emitted=121, sent=120, refused=1)
    emitter.close()
    sender.close()
    records = [item for item in topic_facts.read_all(topic) if isinstance(item, Record)]
    assert [json.loads(record.value or b"")["event_id"] for record in records] == [
        f"e{n}" for n in range(120)
    ]


# LangChain.


def chain(answer: str = "45 € [pricing#plans].") -> Runnable[Any, Any]:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents(
        [
            Document(text, id=ref, metadata={"url": f"https://example.org/{ref[:3]}"})
            for ref, text in TEXTS.items()
        ]
    )
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    generate = prompt | FakeListChatModel(responses=[answer]) | StrOutputParser()
    return (
        RunnablePassthrough.assign(context=(lambda given: given["question"]) | store.as_retriever())
        | RunnablePassthrough.assign(answer=generate)
    )  # fmt: skip


def test_a_langchain_run_is_an_event(emitted: Emitted) -> None:
    handler = GroundwatchHandler(emitted, app="support", more={"release": {"id": "r1"}})
    config: RunnableConfig = {
        "callbacks": [handler],
        "metadata": {"groundwatch": {"user": {"id_hash": "u1"}}},
    }
    chain().invoke({"question": QUESTION}, config=config)
    (event,) = emitted.events
    assert (event.app, event.query, event.answer) == ("support", QUESTION, "45 € [pricing#plans].")
    assert {chunk.ref: chunk.text for chunk in event.retrieved} == TEXTS
    assert event.retrieved[0].url is not None
    assert event.release.id == "r1"
    assert event.user is not None
    assert event.user.id_hash == "u1"
    assert event.latency_ms is not None
    assert set(event.latency_ms) == {"total", "retrieval", "generation"}
    assert event.occurred_at is not None
    assert event.occurred_at.tzinfo is not None


def test_langchain_streamed_and_async(emitted: Emitted) -> None:
    config: RunnableConfig = {"callbacks": [GroundwatchHandler(emitted, app="support")]}
    assert list(chain().stream({"question": QUESTION}, config=config))
    asyncio.run(chain().ainvoke({"question": QUESTION}, config=config))
    assert [event.answer for event in emitted.events] == ["45 € [pricing#plans]."] * 2
    assert all(len(event.retrieved) == 2 for event in emitted.events)


def test_a_langchain_run_that_failed_is_told_as_such(emitted: Emitted) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("no model")

    config: RunnableConfig = {"callbacks": [GroundwatchHandler(emitted, app="support")]}
    with pytest.raises(RuntimeError):
        (chain() | RunnableLambda(fail)).invoke({"question": QUESTION}, config=config)
    (event,) = emitted.events
    assert event.status == "error"
    assert len(event.retrieved) == 2


def test_a_langchain_run_without_a_retriever_is_none_of_ours(emitted: Emitted) -> None:
    config: RunnableConfig = {"callbacks": [GroundwatchHandler(emitted, app="support")]}
    RunnableLambda(str.upper).invoke("x", config=config)
    assert emitted.events == []


def test_a_handler_that_fails_leaves_the_langchain_run_alone(caplog) -> None:
    handler = GroundwatchHandler(Emitted(), app="support", ref_of=lambda _: 1 // 0)  # type: ignore[arg-type,return-value]  # meant to fail
    answer = chain().invoke({"question": QUESTION}, config={"callbacks": [handler]})
    assert answer["answer"] == "45 € [pricing#plans]."
    assert "ZeroDivisionError" in caplog.text


# LlamaIndex.


@pytest.fixture
def index() -> VectorStoreIndex:
    nodes = [TextNode(text=text, id_=ref) for ref, text in TEXTS.items()]
    return VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))


@pytest.fixture
def watched(emitted: Emitted) -> Iterator[Emitted]:
    handler = watch(emitted, app="support", more={"release": {"id": "r1"}})
    yield emitted
    get_dispatcher().event_handlers.remove(handler)


def test_a_llamaindex_query_is_an_event(index: VectorStoreIndex, watched: Emitted) -> None:
    engine = index.as_query_engine(llm=MockLLM(max_tokens=3), similarity_top_k=2)
    engine.query(QUESTION)
    asyncio.run(engine.aquery(QUESTION))
    assert len({event.event_id for event in watched.events}) == 2
    for event in watched.events:
        assert (event.app, event.query, event.answer) == ("support", QUESTION, "text text text")
        assert {chunk.ref: chunk.text for chunk in event.retrieved} == TEXTS
        assert all(chunk.score is not None for chunk in event.retrieved)
        assert (event.status, event.release.id) == ("ok", "r1")


def test_a_streamed_llamaindex_answer_is_told_at_its_end(
    index: VectorStoreIndex, watched: Emitted
) -> None:
    engine = index.as_query_engine(llm=MockLLM(max_tokens=3), streaming=True)
    response = engine.query(QUESTION)
    assert watched.events == []
    assert str(response) == "text text text"
    assert [event.answer for event in watched.events] == ["text text text"]

    left = engine.query(QUESTION)
    assert isinstance(left, StreamingResponse)
    next(left.response_gen)
    left.response_gen.close()
    assert (watched.events[-1].answer, watched.events[-1].status) == ("text ", "truncated")


def test_a_handler_that_fails_leaves_the_llamaindex_query_alone(
    index: VectorStoreIndex, caplog
) -> None:
    handler = watch(Emitted(), app="support", ref_of=lambda _: 1 // 0)
    try:
        answer = index.as_query_engine(llm=MockLLM(max_tokens=3)).query(QUESTION)
    finally:
        get_dispatcher().event_handlers.remove(handler)
    assert str(answer) == "text text text"
    assert "ZeroDivisionError" in caplog.text
