"""What an answer costs in Redis, by family of keys."""

from __future__ import annotations

from collections import Counter

from service.store.connection import Connection, text

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
