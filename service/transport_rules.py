"""Which settings of TLS, SASL and tokens fit together: what cannot work is refused at the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from service.settings import Settings

_TLS = ("kafka_ssl_cafile", "kafka_ssl_certfile", "kafka_ssl_keyfile", "kafka_ssl_password")
_LOGIN = ("kafka_sasl_username", "kafka_sasl_password")
_CLIENT = ("kafka_oauth_client_id", "kafka_oauth_client_secret")
_ENDPOINT = (*_CLIENT, "kafka_oauth_scope", "kafka_oauth_ssl_cafile")
_OAUTH = ("kafka_oauth_token_file", "kafka_oauth_token_url", *_ENDPOINT)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def transport_faults(settings: Settings) -> list[str]:
    """What does not fit together, each in a clause that names the settings, without the prefix."""
    return [
        *_kafka_tls(settings),
        *_kafka_sasl(settings),
        *_kafka_oauth(settings),
        *_redis(settings),
        *_https(settings),
    ]


def _kafka_tls(settings: Settings) -> Iterator[str]:
    protocol = settings.kafka_security_protocol
    if not protocol.endswith("SSL"):
        yield from _useless(settings, _TLS, f"KAFKA_SECURITY_PROTOCOL={protocol} has no TLS")
    elif settings.kafka_ssl_certfile is None:
        yield from _useless(settings, _TLS[2:], "KAFKA_SSL_CERTFILE is not set")


def _kafka_sasl(settings: Settings) -> Iterator[str]:
    protocol, mechanism = settings.kafka_security_protocol, settings.kafka_sasl_mechanism
    if not protocol.startswith("SASL"):
        given = ("kafka_sasl_mechanism", *_LOGIN, *_OAUTH)
        yield from _useless(settings, given, f"KAFKA_SECURITY_PROTOCOL={protocol} has no SASL")
    elif mechanism is None:
        yield f"KAFKA_SECURITY_PROTOCOL={protocol} needs KAFKA_SASL_MECHANISM"
    elif mechanism == "OAUTHBEARER":
        yield from _useless(settings, _LOGIN, "OAUTHBEARER has a token instead")
    else:
        yield from _missing(settings, _LOGIN, f"KAFKA_SASL_MECHANISM={mechanism}")
        yield from _useless(settings, _OAUTH, f"KAFKA_SASL_MECHANISM={mechanism} has no token")


def _kafka_oauth(settings: Settings) -> Iterator[str]:
    if settings.kafka_sasl_mechanism != "OAUTHBEARER":
        return
    url = settings.kafka_oauth_token_url
    if (url is None) == (settings.kafka_oauth_token_file is None):
        yield "OAUTHBEARER needs one of KAFKA_OAUTH_TOKEN_FILE and KAFKA_OAUTH_TOKEN_URL"
    elif url is None:
        yield from _useless(settings, _ENDPOINT, "KAFKA_OAUTH_TOKEN_URL is not set")
    else:
        yield from _missing(settings, _CLIENT, "KAFKA_OAUTH_TOKEN_URL")
        if not _keeps_a_secret(url):
            yield "KAFKA_OAUTH_TOKEN_URL must be https://: the client secret is sent there"


def _redis(settings: Settings) -> Iterator[str]:
    parts = urlsplit(settings.redis_url)
    tls = tuple(name.replace("kafka", "redis") for name in _TLS)
    if parts.scheme != "rediss":
        yield from _useless(settings, tls, "REDIS_URL is not rediss://")
    elif settings.redis_ssl_certfile is None:
        yield from _useless(settings, tls[2:], "REDIS_SSL_CERTFILE is not set")
    login = ("redis_username", "redis_password")
    if parts.scheme == "memory":
        yield from _useless(settings, login, "REDIS_URL is memory://")
    elif parts.username is not None or parts.password is not None:
        yield from _useless(settings, login, "REDIS_URL has a user or password already")
    elif settings.redis_password is None:
        yield from _useless(settings, login[:1], "REDIS_PASSWORD is not set")


def _https(settings: Settings) -> Iterator[str]:
    for name, url in (
        ("judge_ssl_cafile", settings.judge_base_url),
        ("documents_ssl_cafile", settings.documents_url),
    ):
        if url is None or not url.startswith("https:"):
            where = "JUDGE_BASE_URL" if name.startswith("judge") else "DOCUMENTS_URL"
            yield from _useless(settings, [name], f"{where} is not https://")


def _keeps_a_secret(url: str) -> bool:
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )


def _useless(settings: Settings, names: Iterable[str], why: str) -> Iterator[str]:
    given = [name.upper() for name in names if getattr(settings, name) is not None]
    if given:
        yield f"{', '.join(given)}: without effect, as {why}"


def _missing(settings: Settings, names: Iterable[str], by: str) -> Iterator[str]:
    absent = [name.upper() for name in names if getattr(settings, name) is None]
    if absent:
        yield f"{by} needs {' and '.join(absent)}"
