"""What an endpoint's words are read as. The scenarios themselves: tests/contract."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.judging.calls import Call, CallOutcome, Usage
from service.judging.completions import (
    CHARS_PER_TOKEN,
    estimated,
    object_in,
    read_completion,
    read_failure,
    read_fault,
    retry_after_s,
)
from tests.unit.timing import cpu_seconds

CALL = Call("ruling", ({"role": "user", "content": "x" * 300},), "r", {"type": "object"}, 100)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=4)
PROSE = st.text(st.characters(exclude_characters="{}<`", exclude_categories=["Cs"]))


@given(OBJECTS, PROSE, PROSE, st.booleans())
def test_one_object_is_found_whatever_stands_around_it(
    data: dict[str, object], before: str, after: str, ascii_only: bool
) -> None:
    try:
        words = json.dumps(data, ensure_ascii=ascii_only)
        words.encode()
    except UnicodeEncodeError:
        return
    assert object_in(words) == data
    assert object_in(f"{before}{words}{after}") == data
    assert object_in(f"{before}\n```json\n{words}\n```\n{after}") == data
    assert object_in(f"<think>{before}{words}</think>\n{words}") == data
    assert object_in(f"{before}</think>{words}") == data


@given(OBJECTS, OBJECTS, PROSE)
def test_of_two_objects_none_is_chosen(
    first: dict[str, object], second: dict[str, object], between: str
) -> None:
    assert object_in(f"{json.dumps(first)}{between}{json.dumps(second)}") is None


@given(st.text())
def test_any_words_are_read_without_an_error(words: str) -> None:
    found = object_in(words)
    assert found is None or isinstance(found, dict)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ('{"a": "</think>"}', {"a": "</think>"}),
        ('<think>so {"a": 1}</think>{"a": "</think>"}', {"a": "</think>"}),
        ("\ufeff{}", {}),
        # a lonely brace hides what follows: there is a repair call for that
        ('He said "{" and {"a": "}"} then', None),
        ('{a set} and {"a": 1}', {"a": 1}),
        ("[1]", None),
        ('{"a": NaN}', None),
        ('{"a": "\\ud800"}', {"a": "\ufffd"}),
        ('{"a": "\ud800 \\ud83d\\ude00"}', {"a": "\ufffd 😀"}),
        ('{"a": 1e999}', None),
        ("", None),
    ],
)
def test_odd_answers(words: str, found: object) -> None:
    assert object_in(words) == found


@pytest.mark.parametrize(
    "unit",
    ["{", "}", '{"', '{"a":', '{"\\"', '"', "{}", "{x}", "</think>", "```\n", '{"a":[', '\\"'],
)
@pytest.mark.parametrize("before", ["", '{"'])
def test_reading_is_linear(before: str, unit: str) -> None:
    def cost(size: int) -> float:
        words = before + unit * ((size - 2) // len(unit))
        return cpu_seconds(lambda: object_in(words))

    assert cost(200_000) < 16 * 5 * cost(12_500) + 0.05
    assert cost(2_000_000) < 0.5


@given(st.binary(max_size=200), st.integers(100, 599))
def test_any_body_is_one_outcome(body: bytes, status: int) -> None:
    assert isinstance(read_completion(body, CALL).outcome, CallOutcome)
    assert isinstance(read_failure(status, body, CALL).outcome, CallOutcome)
    read_fault(body)


@given(JSON, st.integers(100, 599))
def test_any_json_is_one_outcome(data: object, status: int) -> None:
    for shape in (data, {"choices": data}, {"choices": [data]}, {"choices": [{"message": data}]}):
        reply = read_completion(
            json.dumps({"usage": data, "model": data, "x": shape}).encode(), CALL
        )
        assert reply.outcome is not CallOutcome.ANSWERED
        reply = read_completion(json.dumps(shape).encode(), CALL)
        assert reply.usage.tokens >= 0
        assert (reply.data is not None) == (reply.outcome is CallOutcome.ANSWERED)
    for shape in (data, {"error": data}, {"error": {"code": data, "message": data}}):
        read_failure(status, json.dumps(shape).encode(), CALL)


@pytest.mark.parametrize("where", [b'{"error":%s}', b'{"error":{"message":%s,"code":%s}}'])
def test_a_nest_as_deep_as_it_is_read_is_one_outcome(where: bytes) -> None:
    for depth in (900, 1_000, 1_020):
        body = where.replace(b"%s", b"[" * depth + b"]" * depth)
        assert read_failure(500, body, CALL).outcome is CallOutcome.SERVER_ERROR
        assert read_completion(body, CALL).outcome is CallOutcome.NOT_A_COMPLETION


def test_the_model_is_kept_where_it_is_one_line() -> None:
    def model_in(model: object) -> str:
        body = {"choices": [{"message": {"content": "{}"}}], "model": model}
        return read_completion(json.dumps(body).encode(), CALL).model

    assert model_in("gpt-x-2026") == "gpt-x-2026"
    assert [model_in(odd) for odd in ("a\nb", "x" * 1000, 7, None, ["m"])] == [""] * 5


def test_tokens_are_estimated_from_characters() -> None:
    prompt = -(-(300 + len('{"type": "object"}')) // CHARS_PER_TOKEN)
    assert estimated(CALL, "") == Usage(prompt, 0, estimated=True)
    assert estimated(CALL, "abcd") == Usage(prompt, 2, estimated=True)
    assert estimated(CALL) == Usage(prompt, CALL.max_tokens, estimated=True)


@given(st.text(max_size=40))
def test_any_retry_after_is_sane_or_none(value: str) -> None:
    wait = retry_after_s({"retry-after": value}, 1_790_000_000.0)
    assert wait is None or 0 <= wait <= 86_400
