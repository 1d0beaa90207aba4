"""Records in the store: zlib's format, made by ISA-L in a quarter of zlib's time and read in half
(docs/performance.md)."""

from __future__ import annotations

from isal import isal_zlib

DeflateError: type[Exception] = isal_zlib.error  # type: ignore[assignment]  # the stub calls the class an instance


def deflate(record: bytes) -> bytes:
    return isal_zlib.compress(record, 1)


def inflate(record: bytes) -> bytes:
    """Raises :data:`DeflateError`."""
    return isal_zlib.decompress(record)
