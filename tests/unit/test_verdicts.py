"""What stands in rag.verdicts can be read again, and what is not ours is told apart."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.accounting import Row
from service.makeup import Makeup
from service.verdicts import BatchRecord, decode, encode_batch_head, encode_case
from tests.unit.rows import rows


@given(
    st.lists(rows, max_size=6).map(tuple),
    st.frozensets(st.integers(0, 1 << 60), max_size=4),
    st.frozensets(st.integers(0, 1 << 60), max_size=4),
    st.integers(0, 1 << 60),
)
def test_a_batch_survives(
    batch: tuple[Row, ...], suppressed: frozenset[int], refused: frozenset[int], first: int
) -> None:
    record = BatchRecord(
        source="rag.answers", partition=7, topic_id="Zm9v", segment=2, batch_id="b", first=first,
        next=first + 10, received=len(batch), gaps=1, lost={"undecodable": 3}, rows=batch,
        suppressed=suppressed,
        refused=refused,
        makeups=(Makeup("support", "r1", 498_873, ("m-1", "p1", *[""] * 6)),),
    )  # fmt: skip
    # The store's script closes the record with what it suppressed and refused.
    tail = f',"suppressed":{list(suppressed)},"refused":{list(refused)}}}'
    value = encode_batch_head(record) + tail.encode()
    assert decode(value) == record


def test_a_case_survives() -> None:
    body: dict[str, Any] = {"case_id": "c", "query": "Was kostet ein Platz?\0", "findings": []}
    assert decode(encode_case(body)) == {"kind": "case", "version": 1, **body}


@pytest.mark.parametrize(
    ("number", "stored"),
    [(1 << 63, 1 << 63), (-(1 << 63), -(1 << 63)), ((1 << 64) - 1, (1 << 64) - 1), (10**30, 1e30),
     (-(10**30), -1e30), (10**400, None), (True, True)],
)  # fmt: skip
def test_numbers_beyond_64_bits_are_stored_near_enough(number: int, stored: object) -> None:
    found = decode(encode_case({"event": {"extra": [{"n": number}]}, "query": "q"}))
    assert isinstance(found, dict)
    assert found["event"] == {"extra": [{"n": stored}]}
    assert found["query"] == "q"


def test_infinity_beside_a_number_beyond_64_bits_is_still_json() -> None:
    found = decode(encode_case({"event": {"a": 10**30, "b": float("inf")}}))
    assert isinstance(found, dict)
    assert found["event"] == {"a": 1e30, "b": None}


@pytest.mark.parametrize(
    "body",
    [{"kind": "merge", "version": 1}, {"kind": "case", "version": 2}, {"kind": "case"},
     {"kind": "batch", "version": 0}, {}],
)  # fmt: skip
def test_other_kinds_and_versions_are_none_of_ours(body: dict[str, Any]) -> None:
    assert decode(orjson.dumps(body)) is None
