"""The five default topics, as a person's own broker should have them too."""

from __future__ import annotations

from collections.abc import Mapping

from kafka import KafkaAdminClient
from kafka.admin import NewTopic

DAY_MS = 24 * 60 * 60 * 1000
MIB = 1 << 20

# Events may have 1 MiB; a dead letter carries the same bytes and headers.
DEFAULT_TOPICS: Mapping[str, tuple[int, Mapping[str, str]]] = {
    "rag.answers": (4, {"retention.ms": str(7 * DAY_MS), "max.message.bytes": str(2 * MIB)}),
    "rag.answers.dead-letter": (
        1,
        {"retention.ms": str(30 * DAY_MS), "max.message.bytes": str(4 * MIB)},
    ),
    "rag.verdicts": (
        4,
        {
            "retention.ms": str(400 * DAY_MS),
            "max.message.bytes": str(4 * MIB),
            "cleanup.policy": "delete",
        },
    ),
    # What people decided is never thrown away.
    "rag.reviews": (1, {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"}),
    "rag.feedback": (4, {"retention.ms": str(30 * DAY_MS)}),
}


def create_default_topics(bootstrap: str) -> list[str]:
    """Create those that are missing; their names in return."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        missing = sorted(set(DEFAULT_TOPICS) - set(admin.list_topics()))
        topics = [
            NewTopic(
                name,
                num_partitions=DEFAULT_TOPICS[name][0],
                replication_factor=1,
                topic_configs=dict(DEFAULT_TOPICS[name][1]),
            )
            for name in missing
        ]
        if topics:
            admin.create_topics(topics)
        return missing
    finally:
        admin.close()
