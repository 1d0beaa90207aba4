"""What is kept deflated has zlib's format: stores that zlib wrote are read, and anybody reads
ours."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.store.deflate import DeflateError, deflate, inflate


@given(st.binary(max_size=5_000))
def test_zlib_and_ours_read_each_other(record: bytes) -> None:
    assert inflate(zlib.compress(record, 1)) == record
    assert zlib.decompress(deflate(record)) == record
    assert inflate(deflate(record)) == record


def test_what_repeats_gets_small() -> None:
    record = b'{"answer": "A seat costs 45 EUR.", "n": %d}' * 200
    assert len(deflate(record)) < len(record) // 20


@pytest.mark.parametrize("broken", [b"", b"x", b"{}", deflate(b"abc" * 99)[:-3]])
def test_what_is_broken_says_so(broken: bytes) -> None:
    with pytest.raises(DeflateError):
        inflate(broken)
