"""Certificates of a test's own authority, as PEM files."""

from __future__ import annotations

import datetime as dt
import ssl
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

HOSTS = ("localhost", "127.0.0.1")


@dataclass(frozen=True)
class Pair:
    """``both``: the key, then the chain, in one file."""

    certificate: Path
    key: Path
    both: Path

    def server_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.both)
        return context


class Authority:
    """``ca``: the file that a client is to trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._ca = trustme.CA()
        self.ca = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(str(self.ca))

    def issue(self, name: str, *hosts: str, expired: bool = False) -> Pair:
        """For ``hosts`` (this machine's loopback), its subject named ``name``."""
        yesterday = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
        made = self._ca.issue_cert(
            *(hosts or HOSTS), common_name=name, not_after=yesterday if expired else None
        )
        chain = b"".join(blob.bytes() for blob in made.cert_chain_pems)
        # PKCS 8 is the form that a broker reads.
        key = load_pem_private_key(made.private_key_pem.bytes(), None).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        pair = Pair(*(self._folder / f"{name}.{part}.pem" for part in ("cert", "key", "both")))
        pair.certificate.write_bytes(chain)
        pair.key.write_bytes(key)
        pair.both.write_bytes(key + chain)
        return pair
