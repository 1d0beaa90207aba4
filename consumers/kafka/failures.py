"""Why no connection to a broker came about. The client only logs it and tries again; an operator
needs to be told which setting to look at."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from kafka import errors
from kafka.net.manager import KafkaConnectionManager

from consumers.kafka.tokens import NoToken

PROBE_S = 2.0
Received = tuple[bytes, BaseException | None]
_NAME_DIFFERS = (62, 64)
"""OpenSSL's codes: the certificate is for another host name, another IP address."""


class Connections(KafkaConnectionManager):  # type: ignore[misc]  # kafka has no types
    """``said``: why connections failed, as far as it can be told; empty since one succeeded. Words,
    as an exception would keep its socket open."""

    said = ""

    async def _connect(self, node: Any, conn: Any, *positional: Any, **named: Any) -> None:
        conn.init_future.add_callback(lambda _: self._note(""))
        conn.init_future.add_errback(lambda error: self._note(_in_words(error, self.config)))
        await super()._connect(node, conn, *positional, **named)

    def _note(self, said: str | None) -> None:
        # The last attempt of a bootstrap is cut short: it tells less than those before.
        self.said = self.said if said is None else said

    async def _build_transport(self, *positional: Any, **named: Any) -> Any:
        transport = await super()._build_transport(*positional, **named)
        transport._sock_recv = partial(_data_before_the_end, transport._sock_recv)  # noqa: SLF001  # no public seam
        return transport


def _data_before_the_end(receive: Callable[[], Received]) -> Received:
    """The library drops what arrives together with the end of a connection: among it a broker's
    last word, that it refuses us. The end is there to be read once more."""
    data, end = receive()
    return (data, None) if data else (data, end)


def what_to_check(bootstrap: str, security: Mapping[str, Any], said: str) -> str:
    """A clause for an operator: what was ``said``, else where to look."""
    if said:
        return said
    protocol = str(security.get("security_protocol", "PLAINTEXT"))
    if not protocol.endswith("SSL") and any(_speaks_tls(at) for at in bootstrap.split(",")):
        return (
            "it speaks TLS there; set GROUNDWATCH_KAFKA_SECURITY_PROTOCOL to "
            f"{'SASL_SSL' if protocol.startswith('SASL') else 'SSL or SASL_SSL'}"
        )
    checks = [
        "the address (GROUNDWATCH_KAFKA_BOOTSTRAP) and whether the broker is up",
        f"whether it speaks {protocol} there (GROUNDWATCH_KAFKA_SECURITY_PROTOCOL)",
    ]
    if protocol.endswith("SSL"):
        checks.append("whether it asks for a client certificate (GROUNDWATCH_KAFKA_SSL_CERTFILE)")
    return f"check {'; '.join(checks)}"


def _in_words(failure: BaseException, security: Mapping[str, Any]) -> str | None:
    for cause in _causes(failure):
        if (said := _said(cause, security)) is not None:
            return said
    return None


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """The failure, and what it was raised for or wraps."""
    seen: set[int] = set()
    waiting: list[Any] = [failure]
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [cause.__cause__, cause.__context__, *cause.args]


def _said(cause: BaseException, security: Mapping[str, Any]) -> str | None:
    match cause:
        case NoToken():
            return f"there is no token to log in with: {cause}"
        case errors.UnsupportedSaslMechanismError():
            return (
                f"it does not offer {security.get('sasl_mechanism')}; "
                "check GROUNDWATCH_KAFKA_SASL_MECHANISM"
            )
        case errors.SaslAuthenticationFailedError():
            return _refused(security)
        case errors.IllegalSaslStateError():
            return "it wants no SASL there; check GROUNDWATCH_KAFKA_SECURITY_PROTOCOL and the port"
        case ssl.SSLCertVerificationError():
            return _untrusted(cause)
        case ssl.SSLError():
            return _tls(cause)
        case socket.gaierror():
            return "the name cannot be resolved; check GROUNDWATCH_KAFKA_BOOTSTRAP"
        case errors.KafkaConnectionError() if "ECONNREFUSED" in str(cause):
            return (
                "connection refused; check the address (GROUNDWATCH_KAFKA_BOOTSTRAP) and that the "
                "broker runs"
            )
    return None


def _refused(security: Mapping[str, Any]) -> str:
    mechanism = security.get("sasl_mechanism")
    if mechanism == "OAUTHBEARER":
        return (
            "it refuses the token; check that it is not expired, its issuer and audience "
            "(GROUNDWATCH_KAFKA_OAUTH_*)"
        )
    return (
        f"it refuses the user or the password ({mechanism}); check "
        "GROUNDWATCH_KAFKA_SASL_USERNAME and GROUNDWATCH_KAFKA_SASL_PASSWORD, and that the "
        f"user has credentials for {mechanism}"
    )


def _untrusted(error: ssl.SSLCertVerificationError) -> str:
    reason = error.verify_message.rstrip(".")
    if error.verify_code in _NAME_DIFFERS:
        return (
            f"TLS: {reason}; the host of GROUNDWATCH_KAFKA_BOOTSTRAP, and of the broker's "
            "advertised.listeners, must stand in the broker's certificate"
        )
    return (
        f"TLS: the broker's certificate is not trusted ({reason}); check "
        "GROUNDWATCH_KAFKA_SSL_CAFILE, and the certificate's dates"
    )


def _tls(error: ssl.SSLError) -> str:
    reason = (error.reason or "").replace("_", " ").lower()
    if "alert" in reason:
        return (
            f"TLS: the broker breaks off ({reason}); check our certificate "
            "(GROUNDWATCH_KAFKA_SSL_CERTFILE, GROUNDWATCH_KAFKA_SSL_KEYFILE)"
        )
    return (
        f"no TLS is spoken there ({reason or 'closed'}); check "
        "GROUNDWATCH_KAFKA_SECURITY_PROTOCOL and the port"
    )


def _speaks_tls(address: str) -> bool:
    """Whether a TLS handshake is answered. Nothing is verified, as nothing is sent."""
    host, _, port = address.strip().rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host.strip("[]"), int(port)), PROBE_S) as plain,
            context.wrap_socket(plain),
        ):
            return True
    except (OSError, ValueError):
        return False
