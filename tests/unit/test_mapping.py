"""Foreign JSON becomes answer events by the expressions of the policy. The shapes, and the mappings
for them, are those that docs/mapping.md shows."""

from __future__ import annotations

import copy
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from service import contract
from service.adapters import ADAPTERS
from service.checking import check_line
from service.events import AnswerEvent, EventLimits, Rejection, RejectReason, parse_event
from service.mapping import MAX_EACH, MappingError, map_event, parse_mapped, select
from service.pipeline import Terms, read_items
from service.policy import (
    ChunkMapping,
    CitationMapping,
    ContextMapping,
    MappingPolicy,
    Policy,
    ReleaseMapping,
    UsageMapping,
    UserMapping,
)
from service.records import Record
from service.settings import SettingsError, parse_policy

PAGE = (Path(__file__).parents[2] / "docs" / "mapping.md").read_text(encoding="utf-8")
EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    next(iter(yaml.safe_load(mapping)["mappings"])): (yaml.safe_load(mapping), json.loads(shape))
    for mapping, shape in re.findall(r"```yaml\n([^`]*)```\n\n```json\n([^`]*)```", PAGE)
}
MINIMAL = {
    "when": "kind == 'x'",
    "event_id": "id",
    "query": "q",
    "answer": "a",
    "retrieved": {"each": "hits", "ref": "id"},
}
OBJECT = {"kind": "x", "id": "e-1", "q": "How long?", "a": "72 hours.", "hits": [{"id": "r-1"}]}


def policy(**mappings: Any) -> Policy:
    return Policy.model_validate({"mappings": mappings})


def minimal(**more: Any) -> Policy:
    return policy(shape=MINIMAL | more)


def parse(data: Any, rules: Policy, limits: EventLimits = EventLimits()) -> AnswerEvent | Rejection:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    refused = parse_event(raw, limits)
    assert isinstance(refused, Rejection)
    return parse_mapped(raw, refused, rules, limits)


def mapped(name: str) -> AnswerEvent:
    rules, shape = EXAMPLES[name]
    event = parse(shape, parse_policy(rules, name))
    assert isinstance(event, AnswerEvent), event
    return event


# The shapes that the page shows


def test_langchain_run() -> None:
    event = mapped("langchain")
    assert event.event_id == event.trace_id == "0b7c2f5e-6a1d-4a7e-9a53-6d1f0a2f7c11"
    assert (event.app, event.status, event.release.id) == (
        "support-assistant",
        "ok",
        "2026-11-29.2",
    )
    assert event.occurred_at == datetime(2026, 11, 29, 20, 44, 0, 120_000, UTC)
    assert event.query == "What does another seat cost?"
    assert event.answer == "45 € a month on Pro [pricing#plans]."
    assert [(chunk.ref, chunk.text, chunk.score) for chunk in event.retrieved] == [
        ("pricing#plans", "Pro: 45 € a seat and month.", 0.83),
        ("seats#add", "Seats can be added at any time.", 0.41),
    ]
    assert event.retrieved[0].metadata == {"source": "pricing#plans", "relevance_score": 0.83}
    assert event.usage is not None
    assert (event.usage.input_tokens, event.usage.output_tokens) == (2100, 16)
    assert event.tags == {"run": "SupportChain"}


def test_langchain_run_that_failed() -> None:
    rules, shape = copy.deepcopy(EXAMPLES["langchain"])
    shape["error"] = "TimeoutError()"
    event = parse(shape, parse_policy(rules, "p"))
    assert isinstance(event, AnswerEvent)
    assert event.status == "error"


def test_openinference_spans() -> None:
    event = mapped("openinference")
    assert event.event_id == event.trace_id == "5b8efff798038103d269b633813fc60c"
    assert event.app == "support-assistant"
    assert event.occurred_at == datetime(2026, 11, 29, 20, 44, tzinfo=UTC)
    assert (event.query, event.answer) == (
        "How long are links valid?",
        "For 72 hours [exports#links].",
    )
    assert [(chunk.ref, chunk.text, chunk.score, chunk.url) for chunk in event.retrieved] == [
        ("exports#links", "Links are valid for 72 hours.", 0.71, "https://example.org/exports"),
        ("17", "Exports are CSV or JSON.", None, None),
    ]


def test_azure_on_your_data() -> None:
    event = mapped("azure-on-your-data")
    assert (event.event_id, event.app, event.status) == ("chatcmpl-9xYz", "docs-search", "ok")
    assert event.occurred_at == datetime(2026, 11, 29, 20, 44, tzinfo=UTC)
    assert event.query == "What does another seat cost?"
    assert [(item.name, item.kind, item.text) for item in event.context] == [
        ("earlier turn", "user", "We are on Pro.")
    ]
    assert [(chunk.ref, chunk.title, chunk.url) for chunk in event.retrieved] == [
        ("pricing.md#2", "Price list", "https://example.org/pricing"),
        ("seats.md#0", "Seats", None),
    ]
    assert event.release.model == "gpt-4o"


def test_structured_citations_by_an_adapter() -> None:
    event = mapped("gemini")
    assert event.answer == "Für Teams 45 €."
    assert [citation.ref for citation in event.citations] == ["pricing#plans"]
    assert event.answer[event.citations[0].start : event.citations[0].end] == "45 €"


def test_the_page_shows_four_shapes() -> None:
    assert list(EXAMPLES) == ["langchain", "openinference", "azure-on-your-data", "gemini"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_shape_is_taken_by_its_own_mapping_among_all(name: str) -> None:
    rules = {
        key: value for given, _ in EXAMPLES.values() for key, value in given["mappings"].items()
    }
    assert select(EXAMPLES[name][1], policy(**rules))[0] == name


# What is mapped, and what is not


def test_fields_of_every_kind() -> None:
    rules = minimal(
        citations={"each": "cites", "ref": "r", "start": "s", "end": "e", "quote": "w"},
        user={"id_hash": "who", "groups": "roles"},
        latency_ms={"total": "ms"},
        tags={"n": "id", "gone": "nothing"},
        purpose="'probe'",
    )
    data = OBJECT | {
        "id": 17,
        "who": "h",
        "roles": ["staff"],
        "ms": 12.5,
        "cites": [{"r": "r-1", "s": 0, "e": 2, "w": "72"}],
    }
    assert map_event(data, rules) == {
        "event_id": "17",
        "query": "How long?",
        "answer": "72 hours.",
        "purpose": "probe",
        "retrieved": [{"ref": "r-1"}],
        "user": {"id_hash": "h", "groups": ["staff"]},
        "tags": {"n": "17"},
        "latency_ms": {"total": 12.5},
        "citations": [{"ref": "r-1", "start": 0, "end": 2, "quote": "72"}],
    }


def test_the_first_mapping_that_holds_wins() -> None:
    rules = policy(
        cannot=MINIMAL | {"when": "starts_with(missing, 'x')"},
        other=MINIMAL | {"when": "kind == 'y'"},
        first=MINIMAL | {"app": "'first'"},
        second=MINIMAL | {"app": "'second'"},
    )
    event = parse(OBJECT, rules)
    assert isinstance(event, AnswerEvent)
    assert event.app == "first"


@pytest.mark.parametrize(
    "raw",
    [
        b"not json",
        b"[1]",
        b'{"kind": "y"}',
        b'{"kind": "x", "event_id": 5, "retrieved": []}',
        b'{"kind": "x", "a": "\xff"}',
    ],
)
def test_what_no_mapping_is_for_stays_refused(raw: bytes) -> None:
    refused = parse_event(raw)
    assert isinstance(refused, Rejection)
    assert parse_mapped(raw, refused, minimal()) is refused


def test_without_mappings_nothing_is_read_again() -> None:
    refused = Rejection(RejectReason.SCHEMA, "query: required, but missing", "query")
    assert parse_mapped(json.dumps(OBJECT).encode(), refused, Policy()) is refused


def test_too_large_an_object_is_not_mapped() -> None:
    limits = EventLimits(max_bytes=50)
    event = parse(OBJECT, minimal(), limits)
    assert isinstance(event, Rejection)
    assert event.reason is RejectReason.TOO_LARGE


def test_a_foreign_schema_version_is_no_obstacle() -> None:
    assert isinstance(parse(OBJECT | {"schema_version": "2.1"}, minimal()), AnswerEvent)


def test_limits_hold_for_what_was_mapped() -> None:
    event = parse(OBJECT | {"hits": [{"id": "r"}] * 3}, minimal(), EventLimits(max_chunks=2))
    assert isinstance(event, Rejection)
    assert event.reason is RejectReason.TOO_LARGE
    assert event.message == "mapping shape: 3 chunks; the limit is 2"


@pytest.mark.parametrize(
    ("more", "data", "field", "message"),
    [
        ({}, {"id": None}, "event_id", "event_id: required, but missing"),
        ({}, {"hits": [{}, {"id": ["secret"]}]}, "retrieved[0].ref", "required, but missing"),
        ({}, {"hits": [{"id": ["secret"]}]}, "retrieved[0].ref", "must be a string"),
        ({}, {"hits": {"secret": 1}}, "retrieved", "retrieved: must be a list"),
        (
            {},
            {"hits": [None] * (MAX_EACH + 1)},
            "retrieved",
            f"{MAX_EACH + 1} entries; the limit is {MAX_EACH}",
        ),
        (
            {"query": "join(', ', q)"},
            {"q": [{"secret": 1}]},
            "query",
            "query: join() was given the wrong type: dict",
        ),
        (
            {"query": "sort_by(q, &n)"},
            {"q": [{"n": 1}, {"n": "secret"}]},
            "query",
            "query: sort_by() was given the wrong type",
        ),
        (
            {"citations": {"adapter": "cohere", "from": "c"}},
            {"c": {"citations": [{"start": "secret"}]}},
            "citations",
            "citations: citations[0].start: must be a whole number",
        ),
        ({"occurred_at": "t"}, {"t": "secret"}, "occurred_at", "must be an ISO 8601 time"),
        (
            {"usage": {"input_tokens": "to_number(n)"}},
            {"n": "9" * 30},
            None,
            "too deep or too large a number",
        ),
    ],
)
def test_a_rejection_names_mapping_and_field_and_no_value(
    more: dict[str, Any], data: dict[str, Any], field: str | None, message: str
) -> None:
    rejection = parse(OBJECT | data, minimal(**more))
    assert isinstance(rejection, Rejection)
    assert rejection.reason is RejectReason.SCHEMA
    assert rejection.field == field
    assert rejection.message.startswith("mapping shape: ")
    assert message in rejection.message
    assert "secret" not in rejection.message


def test_map_event_says_none_or_why() -> None:
    assert map_event({"kind": "y"}, minimal()) is None
    with pytest.raises(MappingError, match=r"^retrieved: must be a list$"):
        map_event(OBJECT | {"hits": 5}, minimal())


@pytest.mark.parametrize(
    "value",
    [1795985040, 1795985040.0, 1795985040000, 1795985040000000, "1795985040000000000"],
)
def test_units_of_time(value: Any) -> None:
    event = parse(OBJECT | {"t": value}, minimal(occurred_at="t"))
    assert isinstance(event, AnswerEvent)
    assert event.occurred_at == datetime(2026, 11, 29, 20, 44, tzinfo=UTC)


@pytest.mark.parametrize("value", ["inf", "1e400", "nan"])
def test_a_time_without_end(value: str) -> None:
    assert isinstance(
        parse(OBJECT | {"t": value}, minimal(occurred_at="to_number(t)")), AnswerEvent | Rejection
    )


# The policy file


@pytest.mark.parametrize(
    ("more", "place", "fault"),
    [
        ({"query": "a["}, "query", "not a JMESPath expression"),
        ({"query": ""}, "query", "not a JMESPath expression"),
        ({"query": "upper(q)"}, "query", "no function upper()"),
        ({"query": "hits[?length(id) > `1`].upper(q)"}, "query", "no function upper()"),
        ({"query": "join('x')"}, "query", "join() takes 2 argument(s), not 1"),
        ({"query": "not_null()"}, "query", "not_null() takes at least 1 argument(s), not 0"),
        ({"retrieved": {"each": "hits", "ref": "]"}}, "retrieved.ref", "not a JMESPath"),
        ({"retrieved": {"each": "hits"}}, "retrieved.ref", "required"),
        ({"tags": {"a": "("}}, "tags.a", "not a JMESPath expression"),
        ({"qeury": "q"}, "qeury", "no such field; did you mean query?"),
        ({"citations": {"adapter": "other"}}, "citations.adapter", "'openai'"),
        ({"citations": {"adapter": "openai", "ref": "r"}}, "citations", "leave out ref"),
        ({"citations": {"each": "c"}}, "citations", "give an adapter, or each and ref"),
        ({"citations": {"each": "c", "ref": "r", "from": "x"}}, "citations", "from needs an adap"),
        ({"answer": None}, "", "answer is required unless"),
    ],
)
def test_mistakes_are_named_when_the_policy_is_read(
    more: dict[str, Any], place: str, fault: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_policy({"mappings": {"shape": MINIMAL | more}}, "p.yaml")
    name = ".".join(part for part in ("mappings", "shape", place) if part)
    assert f"\n  {name}: " in str(caught.value)
    assert fault in str(caught.value)


@pytest.mark.parametrize("name", ["parse_json", "unflatten", "otel_attributes", "slices"])
def test_good_expressions_are_taken(name: str) -> None:
    expression = "q[1:5:2]" if name == "slices" else f"{name}(q)"
    assert minimal(query=expression).mappings["shape"].query == expression


def test_every_field_of_the_contract_can_be_mapped() -> None:
    about = {"when", "each", "adapter", "payload", "schema_version"}
    for mapping, model in (
        (MappingPolicy, contract.AnswerEvent),
        (ChunkMapping, contract.Chunk),
        (ContextMapping, contract.ContextItem),
        (CitationMapping, contract.Citation),
        (UserMapping, contract.User),
        (ReleaseMapping, contract.Release),
        (UsageMapping, contract.Usage),
    ):
        assert set(mapping.model_fields) - about == set(model.model_fields) - about


def test_every_adapter_can_be_named() -> None:
    for name in ADAPTERS:
        rules = minimal(answer=None, citations={"adapter": name})
        assert rules.mappings["shape"].citations is not None


# The functions


@pytest.mark.parametrize(
    ("expression", "data", "found"),
    [
        ("parse_json(q)", '{"a": [1]}', {"a": [1]}),
        ("parse_json(q)", "{", None),
        ("parse_json(q)", None, None),
        ("unflatten(q)", {"a.0.b": 1, "a.1.b": 2, "c": 3}, {"a": [{"b": 1}, {"b": 2}], "c": 3}),
        ("unflatten(q)", {"a.10": "k", "a.9": "j", "a.999999": "l"}, {"a": ["j", "k", "l"]}),
        ("unflatten(q)", {"a": 1, "a.b": 2}, {"a": {"b": 2}}),
        ("unflatten(q)", {"a.b": 2, "a": 1, "a.b.c": 3}, {"a": {"b": {"c": 3}}}),
        ("unflatten(q)", {"a.²": 1, "b": {"0": 1}}, {"a": {"²": 1}, "b": {"0": 1}}),
        ("unflatten(q)", {"." * 40: 1}, {"." * 40: 1}),
        ("unflatten(q)", None, None),
        ("otel_attributes(q)", None, None),
        (
            "otel_attributes(q)",
            [
                {"key": "a", "value": {"intValue": "-5"}},
                {"key": "b", "value": {"intValue": 7}},
                {"key": "c", "value": {"arrayValue": {"values": [{"boolValue": False}]}}},
                {"key": "d", "value": {"intValue": "9" * 30}},
                {"key": "e", "value": {"arrayValue": 1}},
                {"key": "f", "value": {"bytesValue": "AA=="}},
                {"key": "g", "value": 5},
                {"key": ["h"]},
                "i",
            ],
            {"a": -5, "b": 7, "c": [False], "d": None, "e": None, "f": None, "g": None},
        ),
    ],
)
def test_functions(expression: str, data: Any, found: Any) -> None:
    rules = minimal(query=expression)
    assert (map_event(OBJECT | {"q": data}, rules) or {}).get("query") == found


# Hostile objects

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_nothing_raises_whatever_one_value_becomes(name: str, data: st.DataObject) -> None:
    rules, shape = EXAMPLES[name]
    shape = copy.deepcopy(shape)
    at: Any = shape
    while True:
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            at[key] = data.draw(JSON)
            break
        at = at[key]
    raw = json.dumps(shape).encode()
    refused = parse_event(raw)
    assert isinstance(refused, Rejection)
    assert isinstance(
        parse_mapped(raw, refused, parse_policy(rules, name)), AnswerEvent | Rejection
    )


def test_deep_data_is_refused() -> None:
    data = OBJECT | {"hits": [{"id": "r", "m": "[" * 500 + "]" * 500}]}
    rules = minimal(retrieved={"each": "hits", "ref": "id", "metadata": "{m: parse_json(m)}"})
    rejection = parse(data, rules)
    assert isinstance(rejection, Rejection)
    assert rejection.message == "mapping shape: too deep or too large a number"


def test_the_pipeline_takes_mapped_events() -> None:
    policy = parse_policy(
        {
            "apps": {"foreign": {}},
            "mappings": {
                "ours": {
                    "when": "trace",
                    "event_id": "trace",
                    "app": "'foreign'",
                    "query": "question",
                    "answer": "reply",
                    "retrieved": {"each": "hits", "ref": "id", "text": "body"},
                }
            },
        },
        "of the test",
    )
    raw = orjson.dumps(
        {
            "trace": "t-1",
            "question": "What does a seat cost?",
            "hits": [{"id": "plans", "body": "A seat costs 45 €."}],
            "reply": "A seat costs 54 € [plans].",
        }
    )
    terms = Terms(policy=policy, secret=b"test")
    records = [Record(0, 0, 0, None, raw), Record(0, 1, 0, None, b'{"nothing": "ours"}')]
    mapped, refused = (item.event for item in read_items(records, terms))
    assert isinstance(mapped, AnswerEvent)
    assert (mapped.event_id, mapped.app, mapped.retrieved[0].ref) == ("t-1", "foreign", "plans")
    assert isinstance(refused, Rejection)
    assert refused.reason is RejectReason.SCHEMA
    verdict = check_line(raw.decode(), policy)
    assert [finding["reason"] for finding in verdict["findings"]] == ["transposed"]
