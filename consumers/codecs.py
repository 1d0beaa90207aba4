"""Decompression with a cap. A batch of 9 kB may unpack to 300 MB; the broker does not mind.

Every decoder stops at the limit instead of measuring afterwards; none trusts a stated size.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import lz4.frame
import snappy
import zstandard

STEP = 1 << 20
"""Bytes unpacked at a time."""
XERIAL_MAGIC = b"\x82SNAPPY\x00"
XERIAL_HEADER_SIZE = 16


class TooLarge(Exception):
    """It would unpack to more than the limit."""


class BadStream(Exception):
    """It is not what its codec says."""


class UnknownCodec(Exception):
    """No such codec."""


def decompress(codec: int, data: bytes, limit: int) -> bytes:
    """Unpack ``data``; ``codec`` is Kafka's number (0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd).

    At most ``limit`` bytes, else :class:`TooLarge`. Memory stays within the limit and one step.
    """
    if codec == 0:
        if len(data) > limit:
            raise TooLarge
        return data
    decoder = _DECODERS.get(codec)
    if decoder is None:
        raise UnknownCodec
    parts: list[bytes] = []
    size = 0
    try:
        for part in decoder(data, limit):
            size += len(part)
            if size > limit:
                raise TooLarge
            parts.append(part)
    except TooLarge:
        raise
    except Exception as error:  # four libraries raise what they like on hostile bytes
        raise BadStream from error
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _gzip(data: bytes, _limit: int) -> Iterator[bytes]:
    while data:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            part = member.decompress(data, STEP)
            yield part
            data = member.unconsumed_tail
            if not part and not data and not member.eof:
                raise BadStream
        data = member.unused_data


def _lz4(data: bytes, _limit: int) -> Iterator[bytes]:
    while data:
        frame = lz4.frame.LZ4FrameDecompressor()
        while not frame.eof:
            part = frame.decompress(data, max_length=STEP)
            yield part
            data = b""
            if frame.needs_input and not frame.eof:
                raise BadStream
        data = frame.unused_data or b""


def _zstd(data: bytes, _limit: int) -> Iterator[bytes]:
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
        while part := stream.read(STEP):
            yield part


def _snappy(data: bytes, limit: int) -> Iterator[bytes]:
    for block in _snappy_blocks(data):
        # A block is unpacked in one piece, but says first how large it will be, and the
        # decoder holds it to that.
        if _stated_size(block) > limit:
            raise TooLarge
        yield bytes(snappy.decompress(block))


def _snappy_blocks(data: bytes) -> Iterator[bytes]:
    """The blocks of the framing that Java clients write, else the one raw block."""
    if not data.startswith(XERIAL_MAGIC):
        yield data
        return
    cursor = XERIAL_HEADER_SIZE
    if len(data) < cursor:
        raise BadStream
    while cursor < len(data):
        end = cursor + 4 + int.from_bytes(data[cursor : cursor + 4], "big")
        if end > len(data):
            raise BadStream
        yield data[cursor + 4 : end]
        cursor = end


def _stated_size(block: bytes) -> int:
    size = 0
    for position, byte in enumerate(block[:5]):
        size |= (byte & 0x7F) << (7 * position)
        if not byte & 0x80:
            return size
    raise BadStream


_DECODERS: dict[int, Callable[[bytes, int], Iterator[bytes]]] = {
    1: _gzip,
    2: _snappy,
    3: _lz4,
    4: _zstd,
}
