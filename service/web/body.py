"""A request's body → the bytes of its events. Bounded before it is read, cut without being parsed
where that is possible: the intake parses, once."""

from __future__ import annotations

from dataclasses import dataclass

import orjson
from starlette.requests import ClientDisconnect, Request

from service.web.problems import Problem

JSON = "application/json"
NDJSON = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Body:
    """``single``: one bare JSON object, whose refusal is the request's refusal."""

    events: list[bytes]
    single: bool


async def read_body(request: Request, max_bytes: int, max_events: int) -> Body:
    """Raises :class:`Problem`: 415 for another media type, 413 past a limit, 400 for no JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in (JSON, NDJSON):
        raise Problem(415, "unsupported_media_type", f"send {JSON} or {NDJSON}")
    raw = await read_capped(request, max_bytes)
    if media_type == NDJSON:
        body = Body([line for line in raw.split(b"\n") if line.strip()], single=False)
    elif raw.lstrip(b" \t\r\n").startswith(b"["):
        body = Body(_elements(raw), single=False)
    else:
        body = Body([raw], single=True)
    if len(body.events) > max_events:
        raise Problem(
            413,
            "too_large",
            f"{len(body.events)} events; the limit is {max_events} a request",
        )
    return body


async def read_capped(request: Request, max_bytes: int) -> bytes:
    """Raises :class:`Problem` 413 past the limit, 400 for a sender that hung up."""
    too_large = Problem(413, "too_large", f"the limit is {max_bytes} bytes a request")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise too_large
    raw = bytearray()
    try:
        async for part in request.stream():
            raw += part
            if len(raw) > max_bytes:
                raise too_large
    except ClientDisconnect:
        # Nobody reads the answer; it must not count as a fault of ours.
        raise Problem(
            400, "incomplete", "the sender hung up before the body was complete"
        ) from None
    return bytes(raw)


def _elements(raw: bytes) -> list[bytes]:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Problem(400, "not_utf8", f"not UTF-8 at byte {fault.start}") from None
    try:
        return [orjson.dumps(element) for element in orjson.loads(raw)]
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        # The reader nests deeper than the writer. Lines need neither.
        detail = f"no JSON array, or nested too deeply; {NDJSON} takes each line as it is"
        raise Problem(400, "invalid_json", detail) from None
