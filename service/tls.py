"""TLS of this process as a client, from the files that settings name."""

from __future__ import annotations

import ssl
from pathlib import Path

from service.outage import Misconfiguration


def client_context(
    settings: str,
    cafile: Path | None = None,
    certfile: Path | None = None,
    keyfile: Path | None = None,
    password: str | None = None,
) -> ssl.SSLContext:
    """Trusts ``cafile`` instead of the system's CAs, checks the host's name, and shows
    ``certfile`` where it is asked for one.

    ``settings``: what the settings' names begin with (``KAFKA_SSL``). Raises
    :class:`Misconfiguration` naming the one whose file cannot be used.
    """
    prefix = f"GROUNDWATCH_{settings}"
    for name, path in (("CAFILE", cafile), ("CERTFILE", certfile), ("KEYFILE", keyfile)):
        _readable(f"{prefix}_{name}", path)
    try:
        context = ssl.create_default_context(cafile=str(cafile) if cafile else None)
    except ssl.SSLError as error:
        raise Misconfiguration(
            f"{prefix}_CAFILE: holds no CA certificate in PEM form ({_reason(error)})"
        ) from None
    if certfile is not None:
        try:
            # Without a password OpenSSL would ask for one on the terminal.
            context.load_cert_chain(certfile, keyfile, lambda: password or "")
        except ssl.SSLError as error:
            raise Misconfiguration(
                f"{prefix}_CERTFILE: certificate and key cannot be used ({_reason(error)}); "
                f"check {prefix}_KEYFILE and {prefix}_PASSWORD"
            ) from None
    return context


def _readable(name: str, path: Path | None) -> None:
    try:
        if path is not None:
            path.open("rb").close()
    except OSError as error:
        raise Misconfiguration(f"{name}: cannot read {path}: {error.strerror}") from None


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or "not PEM").replace("_", " ").lower()
