"""Ids of probes, which the consumer knows again without asking anybody: by a keyed hash in them.

A probe's app copies ``purpose`` into its event. Where it forgets to, but keeps the id that it was
given as the id of event, session or trace, the event is no live answer all the same.
"""

from __future__ import annotations

from hashlib import blake2b
from hmac import compare_digest
from typing import Final

from service.accounting import LIVE, MISLABELLED_PROBE
from service.events import AnswerEvent

PREFIX: Final = "groundwatch-probe-"
NONCE_BYTES: Final = 8


def probe_id(secret: bytes, nonce: bytes) -> str:
    """``groundwatch-probe-<nonce>-<64 bits of a keyed hash of it>``. ``secret``: at most 64 bytes,
    the sampling secret; ``nonce``: :data:`NONCE_BYTES` bytes, never used before."""
    body = PREFIX + nonce.hex()
    return f"{body}-{_seal(secret, body)}"


def is_probe_id(secret: bytes, told: str) -> bool:
    """Whether this installation made it: nobody else's text keeps an answer out of the rates."""
    if not told.startswith(PREFIX):
        return False
    body, _, seal = told.rpartition("-")
    return compare_digest(seal.encode("utf-8", "replace"), _seal(secret, body).encode())


def purpose_of(event: AnswerEvent, secret: bytes) -> str:
    """What the event says, but for a probe that says that it is live."""
    if event.purpose != LIVE:
        return event.purpose
    for told in (event.event_id, event.session_id, event.trace_id):
        if told is not None and is_probe_id(secret, told):
            return MISLABELLED_PROBE
    return LIVE


def _seal(secret: bytes, body: str) -> str:
    text = body.encode("utf-8", "surrogatepass")
    return blake2b(text, key=secret, digest_size=8, person=b"probe id").hexdigest()
