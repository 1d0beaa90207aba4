"""How to reach Kafka, and what its faults mean to us."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafka import errors
from kafka.net.compat import KafkaNetClient
from kafka.net.selector import NetworkSelector
from kafka.record import util as record_util

from consumers.kafka.failures import Connections, what_to_check
from service.outage import Misconfiguration, Outage

SECURITY_SETTINGS = frozenset(
    {
        *("security_protocol", "ssl_context", "ssl_check_hostname", "ssl_cafile", "ssl_certfile"),
        *("ssl_keyfile", "ssl_password", "ssl_crlfile", "ssl_ciphers", "sasl_mechanism"),
        *("sasl_plain_username", "sasl_plain_password", "sasl_kerberos_name"),
        *("sasl_kerberos_service_name", "sasl_kerberos_domain_name", "sasl_oauth_token_provider"),
    }
)


@dataclass(frozen=True, slots=True)
class KafkaOptions:
    """Times in milliseconds, sizes in bytes.

    ``security``: kafka-python's own names (``security_protocol``, ``ssl_cafile``,
    ``sasl_mechanism``, …). ``max_decompressed_bytes`` caps one batch; ``max_buffered_bytes``
    what waits to be produced.
    """

    bootstrap: str
    client_id: str = "groundwatch"
    security: Mapping[str, Any] = field(default_factory=dict, repr=False)
    group_instance_id: str | None = None
    bootstrap_timeout_ms: int = 10_000
    request_timeout_ms: int = 10_000
    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 1_000
    max_poll_interval_ms: int = 300_000
    max_poll_records: int = 500
    fetch_max_wait_ms: int = 50
    max_decompressed_bytes: int = 64 << 20
    max_block_ms: int = 2_000
    delivery_timeout_ms: int = 120_000
    max_request_bytes: int = 1 << 20
    max_buffered_bytes: int = 32 << 20
    linger_ms: int = 5

    def __post_init__(self) -> None:
        unknown = sorted(set(self.security) - SECURITY_SETTINGS)
        if unknown:
            raise Misconfiguration(
                f"unknown Kafka security settings: {', '.join(unknown)}; "
                f"allowed: {', '.join(sorted(SECURITY_SETTINGS))}"
            )

    def client(self) -> dict[str, Any]:
        """What every client of kafka-python is given."""
        return {
            "bootstrap_servers": [part.strip() for part in self.bootstrap.split(",")],
            "client_id": self.client_id,
            "bootstrap_timeout_ms": self.bootstrap_timeout_ms,
            "request_timeout_ms": self.request_timeout_ms,
            # The library backs off up to 30 s; a broker is back long before that.
            "reconnect_backoff_max_ms": 1_000,
            **self.security,
        }


def require_fast_checksums() -> None:
    """Pure Python CRCs make everything some 20 times slower: refuse to start rather than crawl."""
    if record_util.crc32c_c is None:
        raise Misconfiguration(
            "the C library crc32c is missing or broken; install it (pip install crc32c): "
            "without it Kafka is read some 20 times slower"
        )


def connect(options: KafkaOptions, make: Callable[..., Any], **settings: Any) -> Any:
    """Make a client. :class:`Outage` when no broker can be asked, :class:`Misconfiguration` when
    a setting cannot be used. A client that did not come up leaves no thread behind."""
    started: list[Any] = []

    def network(**configs: Any) -> Any:
        selector = NetworkSelector(**configs)
        started.append(KafkaNetClient(selector, Connections(selector, **configs)))
        return started[-1]

    try:
        return make(**options.client(), **settings, kafka_client=network)
    except BaseException as error:  # noqa: BLE001  # raised again, translated
        for client in started:
            with contextlib.suppress(Exception):
                client.close()
        # The client's own error only says that it could not bootstrap.
        said = started[-1]._manager.said if started else ""  # noqa: SLF001  # our class
        raise _not_connected(options, error, said) from None


def _not_connected(options: KafkaOptions, error: BaseException, said: str) -> BaseException:
    if isinstance(error, errors.KafkaConfigurationError | ValueError | TypeError | AssertionError):
        return Misconfiguration(f"Kafka settings are refused by the client: {error}")
    if isinstance(error, errors.KafkaError):
        seconds = options.bootstrap_timeout_ms / 1000
        causes = what_to_check(options.bootstrap, options.security, said)
        return Outage(
            f"no Kafka broker took us in at {options.bootstrap} in {seconds:g} s: {causes}"
        )
    if isinstance(error, OSError):
        return Misconfiguration(f"a file for Kafka's TLS cannot be used: {error.strerror or error}")
    return error


@contextlib.contextmanager
def outages(doing: str) -> Iterator[None]:
    """Kafka's errors as :class:`Outage`: what was being done, and what to check."""
    try:
        yield
    except errors.TopicAuthorizationFailedError:
        raise Outage(f"{doing}: not authorized for the topic; check its ACLs") from None
    except errors.GroupAuthorizationFailedError:
        raise Outage(f"{doing}: not authorized for the consumer group; check its ACLs") from None
    except errors.ClusterAuthorizationFailedError:
        raise Outage(f"{doing}: not authorized on the cluster; check its ACLs") from None
    except errors.SaslAuthenticationFailedError:
        raise Outage(
            f"{doing}: the broker refuses our login since; check the password or token "
            "(GROUNDWATCH_KAFKA_SASL_PASSWORD, GROUNDWATCH_KAFKA_OAUTH_*)"
        ) from None
    except errors.UnknownTopicOrPartitionError:
        raise Outage(f"{doing}: no such topic or partition; create it") from None
    except errors.KafkaError as error:
        raise Outage(f"{doing}: {type(error).__name__}") from None
