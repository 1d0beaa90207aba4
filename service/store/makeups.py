"""What releases were made of, as the store keeps it."""

from __future__ import annotations

import orjson

from service.makeup import Makeup
from service.store.connection import Connection

MAKEUPS_PER_APP = 60
"""Past which the ones told first go. One that is still in use comes back with a later hour."""


def encode_makeup(made: Makeup) -> bytes:
    """App and hour stand in the key and the score."""
    return orjson.dumps([made.release, *made.parts])


def makeups_of(connection: Connection, app: str) -> tuple[Makeup, ...]:
    """By rising hour."""
    with connection.guard():
        found = connection.client.zrange(connection.keys.makeups(app), 0, -1, withscores=True)
    made = [(orjson.loads(member), int(hour)) for member, hour in found]
    return tuple(Makeup(app, release, hour, tuple(parts)) for (release, *parts), hour in made)
