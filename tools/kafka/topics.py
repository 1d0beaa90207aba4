"""The five default topics, as a person's own broker should have them too."""

from __future__ import annotations

from collections.abc import Mapping

from kafka import KafkaAdminClient
from kafka.admin import NewTopic
from service.doctor.topics import plan

DEFAULT_TOPICS: Mapping[str, tuple[int, Mapping[str, str]]] = {
    topic.name: (topic.partitions, topic.configs)
    for topic in plan(
        {
            "answers": "rag.answers",
            "dead_letters": "rag.answers.dead-letter",
            "verdicts": "rag.verdicts",
            "reviews": "rag.reviews",
            "feedback": "rag.feedback",
        }
    )
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
