"""What a batch adds to the index that feedback is joined through."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import orjson

from service.accounting import LIVE, Kind
from service.feedback import Place, encode_entry
from service.pipeline import Effects
from service.store.keys import FEEDBACK_BUCKETS

SLOTS = 24
"""Of a window; the index forgets one slot at a time."""


def slot_ms_of(window_ms: int) -> int:
    return max(1_000, window_ms // SLOTS)


def index_of(effects: Effects, window_ms: int, from_ms: int) -> dict[str, Any] | None:
    """Entries of the checked live answers whose records are not older than ``from_ms``
    (milliseconds since 1970), as the script wants them; None where there are none."""
    rows = {row.offset: row for row in effects.rows}
    slot_ms, batch = slot_ms_of(window_ms), effects.batch
    entries: list[tuple[str, str, str]] = []
    places: dict[tuple[int, str], bytes] = {}
    for offset, identity, timestamp_ms in effects.identities:
        row = rows[offset]
        if row.kind is not Kind.CHECKED or row.purpose != LIVE or timestamp_ms < from_ms:
            continue
        slot = timestamp_ms // slot_ms
        place_id, body = _place(
            Place(
                batch.source, row.app, row.hour, row.release, row.ruleset, row.language,
                row.stratum, row.pi, row.pi_audit, row.factors, row.tags,
            )
        )  # fmt: skip
        places[slot, place_id] = body
        entry = encode_entry(batch.partition, offset, place_id, row.selection, bool(row.causes))
        entries.append((f"{slot}:{identity % FEEDBACK_BUCKETS}", str(identity), entry))
    if not entries:
        return None
    return {
        "entries": entries,
        "places": [(str(slot), name, body.decode()) for (slot, name), body in places.items()],
        "ttl_s": (window_ms + 2 * slot_ms) // 1_000,
    }


@lru_cache(maxsize=4096)
def _place(place: Place) -> tuple[str, bytes]:
    """Its id, 48 bits of its content, and the content; tags only where there are any."""
    body = orjson.dumps(tuple(place) if place.tags else tuple(place)[:-1])
    return urlsafe_b64encode(blake2b(body, digest_size=6).digest()).decode(), body
