"""OpenInference spans, rendered by OpenTelemetry's SDK itself, through the mappings that
docs/emitting/openinference.md shows."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode, set_span_in_context

from service.checking import check_line
from service.events import AnswerEvent, Rejection, parse_event
from service.mapping import parse_mapped
from service.policy import Policy
from service.settings import parse_policy

PAGE = (Path(__file__).parents[3] / "docs" / "emitting" / "openinference.md").read_text("utf-8")
MAPPINGS: dict[str, Any] = {}
for _block in re.findall(r"```yaml\n([^`]*(?:`2`[^`]*)?)```", PAGE):
    MAPPINGS |= yaml.safe_load(_block)["mappings"]
POLICY = parse_policy({"mappings": MAPPINGS}, "page")

DOCUMENTS = (
    ("exports#links", "Links are valid for 72 hours.", 0.71, {"url": "https://example.org/x"}),
    ("exports#formats", "Exports are CSV or JSON.", 0.4, {"title": "Formats"}),
)


def documents(
    prefix: str, of: Sequence[tuple[str, str, float, Mapping[str, str]]]
) -> dict[str, Any]:
    """As the instrumentation flattens them."""
    flat: dict[str, Any] = {}
    for n, (ref, text, score, metadata) in enumerate(of):
        at = f"{prefix}.{n}.document"
        flat |= {
            f"{at}.id": ref, f"{at}.content": text, f"{at}.score": score,
            f"{at}.metadata": json.dumps(metadata),
        }  # fmt: skip
    return flat


def kind(name: str, **more: Any) -> dict[str, Any]:
    return {"openinference.span.kind": name, **more}


def spans(
    asked: str = '{"question": "How long are links valid?"}',
    answered: str = '{"answer": "For 72 hours [exports#links]."}',
    *,
    reranked: bool = False,
    failed: bool = False,
) -> Sequence[ReadableSpan]:
    """A chain around an embedding, a retriever, perhaps a reranker, a prompt and two LLM calls, in
    the order in which they end: the root comes last."""
    exporter = InMemorySpanExporter()
    resource = Resource({"service.name": "support-assistant", "service.version": "2026-11-29.2"})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("openinference.instrumentation.langchain")
    mime = {"input.mime_type": "application/json", "output.mime_type": "application/json"}
    root = tracer.start_span(
        "RetrievalQA", attributes=kind("CHAIN", **{"input.value": asked, **mime})
    )
    if failed:
        root.set_status(Status(StatusCode.ERROR, "TimeoutError()"))
    else:
        root.set_attribute("output.value", answered)
    within = set_span_in_context(root)
    inner = [
        ("embed", kind("EMBEDDING", **{"embedding.model_name": "e5"})),
        ("VectorStoreRetriever", kind("RETRIEVER", **documents("retrieval.documents", DOCUMENTS))),
        ("stuff", kind("CHAIN", **{"input.value": "inner", "output.value": "inner"})),
    ]
    if reranked:
        best = documents("reranker.output_documents", DOCUMENTS[:1])
        every = documents("reranker.input_documents", DOCUMENTS)
        inner.append(("rerank", kind("RERANKER", **every, **best)))
    for call in (1, 2):
        told = {
            "llm.model_name": "a-model", "llm.token_count.prompt": 1_000 * call,
            "llm.token_count.completion": 80, "llm.token_count.total": 1_000 * call + 80,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "How long are links valid?",
        }  # fmt: skip
        inner.append(("ChatModel", kind("LLM", **told)))
    for name, attributes in inner:
        tracer.start_span(name, context=within, attributes=attributes).end()
    root.end()
    return exporter.get_finished_spans()


def as_otlp(found: Sequence[ReadableSpan], numbered: bool = True) -> dict[str, Any]:
    """OTLP's JSON, which writes ids in hex where protobuf's has base64, and enumerations as
    numbers, which not every exporter does."""
    dump: dict[str, Any] = MessageToDict(encode_spans(found), use_integers_for_enums=numbered)
    for resource in dump["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in {"traceId", "spanId", "parentSpanId"} & span.keys():
                    span[name] = base64.b64decode(span[name]).hex()
    return dump


def as_flat(found: Sequence[ReadableSpan]) -> dict[str, Any]:
    return {"spans": [json.loads(span.to_json()) for span in found]}


Render = Callable[[Sequence[ReadableSpan]], dict[str, Any]]


@pytest.fixture(
    params=[as_otlp, partial(as_otlp, numbered=False), as_flat], ids=["OTLP", "names", "flat"]
)
def render(request: pytest.FixtureRequest) -> Render:
    found: Render = request.param
    return found


def mapped(dump: dict[str, Any], policy: Policy = POLICY) -> AnswerEvent:
    raw = json.dumps(dump).encode()
    refused = parse_event(raw)
    assert isinstance(refused, Rejection)
    event = parse_mapped(raw, refused, policy)
    assert isinstance(event, AnswerEvent), event
    return event


def test_a_trace_is_an_event(render: Render) -> None:
    found = spans()
    context = found[0].get_span_context()
    assert context is not None
    event = mapped(render(found))
    assert event.event_id.removeprefix("0x") == f"{context.trace_id:032x}"
    assert (event.app, event.status) == ("support-assistant", "ok")
    assert event.query == "How long are links valid?"
    assert event.answer == "For 72 hours [exports#links]."
    assert [(c.ref, c.text, c.score, c.url, c.title) for c in event.retrieved] == [
        ("exports#links", "Links are valid for 72 hours.", 0.71, "https://example.org/x", None),
        ("exports#formats", "Exports are CSV or JSON.", 0.4, None, "Formats"),
    ]
    assert (event.release.id, event.release.model) == ("2026-11-29.2", "a-model")
    assert event.usage is not None
    assert (event.usage.input_tokens, event.usage.output_tokens) == (3_000, 160)
    root = found[-1]
    assert root.start_time is not None
    assert event.occurred_at is not None
    assert abs(event.occurred_at.timestamp() - root.start_time / 1e9) < 0.01


def test_what_a_reranker_left_is_what_reached_the_model(render: Render) -> None:
    event = mapped(render(spans(reranked=True)))
    assert [chunk.ref for chunk in event.retrieved] == ["exports#links"]


def test_plain_values_are_taken_as_they_are(render: Render) -> None:
    event = mapped(render(spans("How long?", "72 hours, {see} [exports#links].")))
    assert (event.query, event.answer) == ("How long?", "72 hours, {see} [exports#links].")


def test_a_trace_that_failed(render: Render) -> None:
    event = mapped(render(spans(failed=True)))
    assert (event.status, event.answer) == ("error", "")


def test_a_trace_without_a_retriever_is_not_taken(render: Render) -> None:
    found = [span for span in spans() if span.name != "VectorStoreRetriever"]
    verdict = check_line(json.dumps(render(found)), POLICY)
    assert verdict["error"]["reason"] == "schema"


def test_its_citation_is_checked(render: Render) -> None:
    dump = render(spans(answered='{"answer": "For 72 hours [exports#other]."}'))
    verdict = check_line(json.dumps(dump), POLICY)
    assert verdict["checks"]["citations"] == "fail"
