"""The keys of machines: ``gw_<id>_<secret>``. The id finds the key, the secret proves it.

Only a hash of the secret is kept. A secret has 256 random bits: nobody tries them out, so one
SHA-256 is enough, and the slow hashes that passwords need (a person's few bits) would buy nothing
and let strangers spend our CPU. The id goes into the hash as its salt.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from hashlib import sha256

from service.access.roles import Grant, Role

PREFIX = "gw_"
_TOKEN = re.compile(r"gw_([0-9a-f]{12})_([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """``digest``: hexadecimal, of :func:`digest_of`; times in milliseconds since 1970, None for
    never."""

    key_id: str
    name: str
    role: Role
    grant: Grant
    digest: str
    made_ms: int = 0
    expires_ms: int | None = None
    revoked_ms: int | None = None

    def fault(self, secret: str, now_ms: int) -> str | None:
        """Why it does not open anything now: ``unknown``, ``revoked`` or ``expired``; None where it
        does. What became of a key is told to those alone who have its secret."""
        if not hmac.compare_digest(self.digest, digest_of(self.key_id, secret)):
            return "unknown"
        if self.revoked_ms is not None:
            return "revoked"
        expired = self.expires_ms is not None and self.expires_ms <= now_ms
        return "expired" if expired else None


def token_of(key_id: str, secret: str) -> str:
    return f"{PREFIX}{key_id}_{secret}"


def parts_of(token: str) -> tuple[str, str] | None:
    """(id, secret); None for what is no key of ours."""
    found = _TOKEN.fullmatch(token)
    return (found[1], found[2]) if found is not None else None


def digest_of(key_id: str, secret: str) -> str:
    return sha256(token_of(key_id, secret).encode()).hexdigest()
