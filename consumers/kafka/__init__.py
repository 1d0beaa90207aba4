"""The adapter to Kafka, the only code here that imports ``kafka`` (kafka-python 3.0).

Synchronous; each object is used by one thread at a time. What a broker's absence means is always
the same: :class:`service.outage.Outage`, in bounded time.
"""

import warnings

with warnings.catch_warnings():
    # The client loads its schemas in a way that Python 3.11 and 3.12 call deprecated.
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    from consumers.kafka.batches import Fault
    from consumers.kafka.consumer import PartitionConsumer, Poll
    from consumers.kafka.options import KafkaOptions
    from consumers.kafka.producer import Delivery, RecordProducer
    from consumers.kafka.topics import TopicFacts

__all__ = [
    "Delivery",
    "Fault",
    "KafkaOptions",
    "PartitionConsumer",
    "Poll",
    "RecordProducer",
    "TopicFacts",
]
