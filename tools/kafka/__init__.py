"""A real Apache Kafka broker without Docker, for people (``python -m tools.kafka``) and for tests.

The jars come by Maven from ``pom.xml`` beside this file; the tests start the same
:class:`~tools.kafka.broker.Broker`.
"""

import warnings

with warnings.catch_warnings():
    # The client loads its schemas in a way that Python 3.11 and 3.12 call deprecated.
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    import kafka  # noqa: F401
