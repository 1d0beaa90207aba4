"""What ``groundwatch doctor`` asks a cluster. Nothing is written, created or joined."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from kafka import KafkaAdminClient, errors
from kafka.admin import ConfigResource, ConfigResourceType

from consumers.kafka.options import KafkaOptions, connect, outages
from service.doctor.topics import FoundTopic
from service.outage import Outage

T = TypeVar("T")
RETRY_AFTER_S = 0.2


class Inspection:
    """Each method raises :class:`Outage` when the cluster cannot be asked, within
    ``request_timeout_ms``. Closed by :meth:`close`."""

    def __init__(self, options: KafkaOptions) -> None:
        """Connects. Raises :class:`Outage` or :class:`Misconfiguration`."""
        self._patience_s = options.request_timeout_ms / 1000
        self._admin = connect(options, KafkaAdminClient)

    def close(self) -> None:
        self._admin.close()

    def brokers(self) -> int:
        described = self._ask("asking about the cluster", lambda: self._admin.describe_cluster())
        return len(described["brokers"])

    def topics(self, names: Iterable[str]) -> dict[str, FoundTopic | None]:
        """By name; None where there is no such topic. One that may not be described has no
        partitions and no rights."""
        names = list(names)
        described = self._ask("asking about topics", lambda: self._admin.describe_topics(names))
        return {topic["name"]: self._topic(topic) for topic in described}

    def _topic(self, topic: dict[str, Any]) -> FoundTopic | None:
        error = errors.for_code(topic["error_code"])
        if error is errors.UnknownTopicOrPartitionError:
            return None
        if error is errors.TopicAuthorizationFailedError:
            return FoundTopic(0, 0, None, frozenset())
        if error is not errors.NoError:
            raise Outage(f"asking about {topic['name']}: {error.__name__}")
        partitions = topic["partitions"]
        rights = topic.get("authorized_operations")
        return FoundTopic(
            partitions=len(partitions),
            replication=max((len(p["replica_nodes"]) for p in partitions), default=0),
            configs=self._configs(topic["name"]),
            rights=frozenset(rights) if rights is not None else None,
            leaderless=sum(p["leader_id"] < 0 for p in partitions),
            behind=sum(len(p["isr_nodes"]) < len(p["replica_nodes"]) for p in partitions),
        )

    def _configs(self, topic: str) -> dict[str, str] | None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        try:
            answer = self._admin.describe_configs([resource], config_filter="all")
        except errors.TopicAuthorizationFailedError:
            return None
        except errors.KafkaError as error:
            raise Outage(
                f"asking for the configuration of {topic}: {type(error).__name__}"
            ) from None
        return {name: str(found["value"]) for name, found in answer["topic"][topic].items()}

    def group_rights(self, group: str) -> frozenset[str] | None:
        """What the user may do with the group; nothing where it may not even ask. None where the
        broker does not tell: a group without members, from Kafka 4 on, can only be tried, by
        asking for its offsets."""
        try:
            described = self._ask(
                "asking about the group", lambda: self._admin.describe_groups([group])
            )
        except _NotAllowed:
            return frozenset()
        except Outage:
            return None
        rights = described.get(group, {}).get("authorized_operations")
        return frozenset(rights) if rights else None

    def clock(self) -> tuple[float, float] | None:
        """(the controller's time minus ours, half of what the question took), in seconds. The
        leader of the cluster's metadata reports its own last moment as now (KIP-836). None where
        the user may not ask, or the cluster does not tell."""
        asked = time.time()
        try:
            quorum = self._ask("asking for the time", self._admin.describe_metadata_quorum)
        except (_NotAllowed, Outage):
            return None
        answered = time.time()
        for partition in (p for topic in quorum["topics"] for p in topic["partitions"]):
            for voter in partition["current_voters"]:
                if voter["replica_id"] == partition["leader_id"]:
                    now_ms = voter["last_caught_up_timestamp"]
                    if now_ms > 0:
                        return now_ms / 1000 - (asked + answered) / 2, (answered - asked) / 2
        return None

    def _ask(self, doing: str, question: Callable[[], T]) -> T:
        give_up = time.monotonic() + self._patience_s
        with outages(doing):
            while True:
                try:
                    return question()
                except (
                    errors.ClusterAuthorizationFailedError,
                    errors.GroupAuthorizationFailedError,
                ):
                    raise _NotAllowed from None
                except errors.RetriableError:
                    # A coordinator that is not elected yet.
                    if time.monotonic() > give_up:
                        raise
                    time.sleep(RETRY_AFTER_S)


class _NotAllowed(Exception):
    pass
