"""The records of ``rag.reviews``: one a change. Pure."""

from __future__ import annotations

import orjson

from service.review.labels import Change, decode_change, encode_change

KIND = "review"
VERSION = 1


def encode_record(change: Change) -> bytes:
    return orjson.dumps({"kind": KIND, "version": VERSION, **encode_change(change)})


def decode_record(record: bytes) -> Change:
    """Raises KeyError, TypeError or ValueError for what :func:`encode_record` never made."""
    data = orjson.loads(record)
    if data.pop("kind") != KIND or data.pop("version") != VERSION:
        raise ValueError("no change of this version")
    return decode_change(data)
