"""The bare loop: poll and ``orjson.loads``, nothing else. Prints one line of JSON.

``python -m tests.bench.bare BOOTSTRAP TOPIC EVENTS``; the client has the options of ``consume``.
"""

from __future__ import annotations

import json
import logging
import sys
import time

import orjson
from kafka import KafkaConsumer, TopicPartition

from service.settings import Settings
from tests.bench.servers import PARTITIONS


def main(bootstrap: str, topic: str, events: int) -> None:
    logging.getLogger("kafka").setLevel(logging.ERROR)
    settings = Settings()
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap,
        enable_auto_commit=False,
        auto_offset_reset="none",
        isolation_level="read_committed",
        max_poll_records=settings.max_poll_records,
    )
    partitions = [TopicPartition(topic, partition) for partition in range(PARTITIONS)]
    consumer.assign(partitions)
    for partition in partitions:
        consumer.seek(partition, 0)
    count, before, began, cpu = 0, 0, 0.0, 0.0
    while count < events:
        for records in consumer.poll(timeout_ms=1_000).values():
            for record in records:
                orjson.loads(record.value)
            count += len(records)
        if count and not began:
            before, began, cpu = count, time.monotonic(), time.process_time()
    seconds, cpu = time.monotonic() - began, time.process_time() - cpu
    consumer.close()
    counted = count - before
    print(json.dumps({"per_s": counted / seconds, "cpu_ms": cpu * 1_000 / counted}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
