"""The adapter to Kafka, the only code here that imports ``kafka`` (kafka-python 3.0).

Synchronous; each object is used by one thread at a time. What a broker's absence means is always
the same: :class:`service.outage.Outage`, in bounded time.
"""

from consumers.kafka.consumer import PartitionConsumer, Poll
from consumers.kafka.options import KafkaOptions
from consumers.kafka.producer import Delivery, RecordProducer
from consumers.kafka.topics import TopicFacts

__all__ = [
    "Delivery",
    "KafkaOptions",
    "PartitionConsumer",
    "Poll",
    "RecordProducer",
    "TopicFacts",
]
