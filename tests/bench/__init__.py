"""The bench: real Kafka, real Redis, the real ``consume``. ``python -m tests.bench --help``."""
