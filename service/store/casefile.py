"""A case as it is kept: how it was drafted, and what judge and feedback added since."""

from __future__ import annotations

from typing import Any

import orjson

from service.feedback import on_case
from service.judging.cases import with_judgement
from service.review.cases import Thumbs
from service.store.connection import text
from service.store.deflate import inflate

BODY_FIELDS = ("record", "severity", "judgement", "thumbs_up", "thumbs_down", "comment")


def body_of(
    record: bytes, severity: Any, judgement: Any, up: Any, down: Any, comment: Any
) -> dict[str, Any]:
    """The case's body, of its :data:`BODY_FIELDS` as Redis answers them."""
    body: dict[str, Any] = orjson.loads(inflate(record))
    if severity is not None:
        body["severity"] = text(severity)
    if judgement is not None:
        body = with_judgement(body, orjson.loads(inflate(judgement)))
    if up is None and down is None:
        return body
    return on_case(body, Thumbs(int(up or 0), int(down or 0), text(comment or b"")))
