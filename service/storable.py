"""JSON of what a stranger sent, however large its integers. Pure."""

from __future__ import annotations

from typing import Any

import orjson


def encoded(value: Any) -> bytes:
    """Fields that nobody checks may hold integers of more than 64 bits: near enough, or null."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_storable(value))


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        try:
            return float(value)
        except OverflowError:
            return None
    return value
