"""No payload, however broken, raises anything but the typed error; offsets are always sound."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.adapters import ADAPTERS, PayloadError, adapt
from tests.unit.adapters.payloads import ALL, ANSWER, REFS

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 100)
    | st.sampled_from([2**64, -1, 10**30])
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([*REFS, ANSWER, "text", "message", "url_citation", "\ud83d", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "type", "id", "start", "url"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path in a payload."""
    found = [path]
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


def replaced(payload: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    payload = copy.deepcopy(payload)
    at = payload
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return payload


@pytest.mark.parametrize("name", ADAPTERS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_one_wrong_value_anywhere(name: str, data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(ALL[name]))
    path = data.draw(st.sampled_from(places(payload)))
    broken = replaced(payload, path, data.draw(JSON))
    answer = data.draw(st.none() | st.just(ANSWER))
    try:
        found = adapt(name, broken, REFS, answer)
    except PayloadError:
        return
    shown = answer if answer is not None else found.answer
    for citation in found.citations:
        assert citation.ref
        if citation.start is None:
            assert citation.end is None
        else:
            assert shown is not None
            assert citation.end is not None
            assert 0 <= citation.start < citation.end <= len(shown)


@pytest.mark.parametrize("name", ADAPTERS)
@settings(max_examples=50, deadline=None)
@given(payload=JSON)
def test_any_json_at_all(name: str, payload: Any) -> None:
    with contextlib.suppress(PayloadError):
        adapt(name, payload, REFS)


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_payloads_themselves_are_taken(name: str) -> None:
    assert all(adapt(name, payload, REFS).citations for payload in ALL[name])
