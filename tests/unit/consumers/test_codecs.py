"""Bounded decompression: what goes in comes out, and never more than the limit."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from kafka import codec as kafka_codec

from consumers.codecs import BadStream, TooLarge, UnknownCodec, decompress

GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4
CODECS = (GZIP, SNAPPY, LZ4, ZSTD)
LIMIT = 8 << 20
ENCODERS = {
    GZIP: kafka_codec.gzip_encode,
    SNAPPY: kafka_codec.snappy_encode,
    LZ4: kafka_codec.lz4_encode,
    ZSTD: kafka_codec.zstd_encode,
}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_000])
def test_what_was_packed_comes_back(codec: int, size: int) -> None:
    for data in (bytes(size), random.Random(size).randbytes(size)):
        assert decompress(codec, ENCODERS[codec](data), LIMIT) == data


@pytest.mark.parametrize("codec", CODECS)
def test_the_limit_is_exact(codec: int) -> None:
    packed = ENCODERS[codec](bytes(5000))
    assert len(decompress(codec, packed, 5000)) == 5000
    with pytest.raises(TooLarge):
        decompress(codec, packed, 4999)


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_costs_no_more_than_the_limit(codec: int) -> None:
    packed = ENCODERS[codec](bytes(100_000_000))
    tracemalloc.start()
    with pytest.raises(TooLarge):
        decompress(codec, packed, LIMIT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < LIMIT + len(packed) + (6 << 20)


def test_raw_snappy_that_lies_about_its_size() -> None:
    packed = kafka_codec.snappy_encode(b"abc" * 100, xerial_compatible=False)
    assert decompress(SNAPPY, packed, LIMIT) == b"abc" * 100
    with pytest.raises(TooLarge):
        decompress(SNAPPY, b"\xff\xff\xff\xff\x0f" + packed[2:], LIMIT)
    with pytest.raises(BadStream):
        decompress(SNAPPY, b"\x10" + packed[2:], LIMIT)


def test_several_members_or_frames_are_one_stream() -> None:
    assert decompress(GZIP, gzip.compress(b"a") + gzip.compress(b"b"), LIMIT) == b"ab"
    lz4 = kafka_codec.lz4_encode
    assert decompress(LZ4, lz4(b"a") + lz4(b"b"), LIMIT) == b"ab"
    zstd = zstandard.ZstdCompressor().compress
    assert decompress(ZSTD, zstd(b"a") + zstd(b"b"), LIMIT) == b"ab"


def test_streamed_frames_that_state_no_size() -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    packed = compressor.compress(b"x" * 100_000) + compressor.flush()
    assert decompress(ZSTD, packed, LIMIT) == b"x" * 100_000


@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4])
def test_a_stream_that_is_cut_off_is_bad(codec: int) -> None:
    packed = ENCODERS[codec](random.Random(1).randbytes(10_000))
    for end in (1, 12, len(packed) // 2, len(packed) - 1):
        with pytest.raises(BadStream):
            decompress(codec, packed[:end], LIMIT)


def test_no_compression_has_the_limit_too() -> None:
    assert decompress(0, b"abc", 3) == b"abc"
    with pytest.raises(TooLarge):
        decompress(0, b"abc", 2)


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_an_unknown_codec(codec: int) -> None:
    with pytest.raises(UnknownCodec):
        decompress(codec, b"", LIMIT)


@given(st.sampled_from(CODECS), st.binary(max_size=300))
def test_garbage_never_raises_anything_else(codec: int, garbage: bytes) -> None:
    try:
        decompress(codec, garbage, 10_000)
    except (BadStream, TooLarge):
        pass


@given(st.sampled_from(CODECS), st.binary(min_size=1, max_size=500), st.integers(0, 10_000))
def test_a_flipped_byte_never_raises_anything_else(codec: int, data: bytes, where: int) -> None:
    packed = bytearray(ENCODERS[codec](data))
    packed[where % len(packed)] ^= 0x5A
    try:
        decompress(codec, bytes(packed), 10_000)
    except (BadStream, TooLarge):
        pass


def test_gzip_without_its_header_is_bad() -> None:
    with pytest.raises(BadStream):
        decompress(GZIP, zlib.compress(b"abc"), LIMIT)
