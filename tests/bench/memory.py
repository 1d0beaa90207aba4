"""What an answer costs in Redis, by family of keys."""

from __future__ import annotations

import random
from collections import Counter

from service.store.connection import Connection, text
from service.store.keys import ID_BUCKETS

FAMILIES = {
    "ids": "id window",
    "case": "cases",
    "cases": "case indexes",
    "facet": "case indexes",
    "g": "groups",
    "groups": "groups",
    "n": "counters",
    "hours": "counters",
    "totals": "counters",
    "releases": "counters",
}
"""First part of a key's name → family; what is not listed is ``other``."""


def by_family(connection: Connection, answers: int) -> dict[str, float]:
    """Bytes an answer, as Redis estimates the keys (all elements of each are looked at)."""
    client, prefix = connection.client, connection.keys.prefix
    sums: Counter[str] = Counter(dict.fromkeys(FAMILIES.values(), 0))
    keys = list(client.scan_iter(match=prefix + "*", count=5_000))
    for start in range(0, len(keys), 1_000):
        part = keys[start : start + 1_000]
        with client.pipeline(transaction=False) as pipeline:
            for key in part:
                pipeline.memory_usage(key, samples=0)
            for key, size in zip(part, pipeline.execute(), strict=True):
                name = text(key).removeprefix(prefix).partition(":")[0]
                sums[FAMILIES.get(name, "other")] += size or 0
    return {family: size / answers for family, size in sums.items()}


def bytes_an_identity(connection: Connection, identities: int) -> float:
    """Of so many in one slot of the window. A short run holds one or two in each bucket, where the
    bucket's key is most of it; a busy hour fills them."""
    client, prefix = connection.client, connection.keys.prefix + "ids:bench:"
    draw = random.Random(1)
    before = client.info("memory")["used_memory"]
    for _ in range(0, identities, 10_000):
        with client.pipeline(transaction=False) as pipeline:
            for _ in range(min(10_000, identities)):
                identity = draw.getrandbits(64) - (1 << 63)
                pipeline.sadd(f"{prefix}{identity % ID_BUCKETS}", identity)
            pipeline.execute()
    grown = client.info("memory")["used_memory"] - before
    keys = list(client.scan_iter(match=prefix + "*", count=5_000))
    client.unlink(*keys)
    return float(grown) / identities
