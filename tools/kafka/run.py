"""Run a broker for a person: start, create the default topics, wait for Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.kafka.broker import Broker, BrokerFailed
from tools.kafka.jars import KafkaMissing, cache_directory
from tools.kafka.topics import DEFAULT_TOPICS, create_default_topics


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.kafka",
        description="A real Kafka broker on this machine, without Docker. Ctrl-C stops it.",
    )
    parser.add_argument("--port", type=int, default=9092)
    parser.add_argument(
        "--data", type=Path, help="kept between runs; default: .cache/kafka-data-PORT"
    )
    chosen = parser.parse_args(arguments)
    directory = chosen.data or cache_directory() / f"kafka-data-{chosen.port}"
    broker = Broker(directory.resolve(), chosen.port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        broker.start()
        create_default_topics(broker.bootstrap)
        sys.stdout.write(f"{broker.bootstrap}\n")
        sys.stderr.write(
            f"topics: {', '.join(DEFAULT_TOPICS)}\nlog: {broker.log}\nCtrl-C stops it.\n"
        )
        sys.stdout.flush()
        signal.pause()
    except (KafkaMissing, BrokerFailed) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("stopping\n")
    finally:
        broker.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
