"""A real Apache Kafka broker without Docker, for people (``python -m tools.kafka``) and for tests.

The jars come by Maven from ``pom.xml`` beside this file; the tests start the same
:class:`~tools.kafka.broker.Broker`.
"""
