"""Who is looked at: one keyed hash per answer, strata, inclusion probabilities. Pure.

One u in [0, 1) decides everything about an answer: audit if u < π_audit, judge if u < π_stratum.
As π_stratum ≥ π_audit always, every audited answer is judged too.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from service.policy import SamplingPolicy

FLAGGED = "flagged"
REST = "rest"
STRATA = (FLAGGED, REST)


@dataclass(slots=True)
class Draw:
    """One answer's place in the sample: u, its stratum, and the inclusion probabilities there."""

    u: float
    stratum: str
    pi: float
    pi_audit: float

    @property
    def audited(self) -> bool:
        return self.u < self.pi_audit

    @property
    def judged(self) -> bool:
        return self.u < self.pi


def uniform(secret: bytes, app: str, event_id: str) -> float:
    """H(secret, app, event id) as a number in [0, 1) with 53 bits.

    Keyed, so that a sender cannot choose ids that are never looked at. ``secret``: 1–64 bytes.
    """
    digest = blake2b(
        app.encode("utf-8", "surrogatepass") + b"\0" + event_id.encode("utf-8", "surrogatepass"),
        digest_size=8,
        key=secret,
    ).digest()
    return float(int.from_bytes(digest, "big") >> 11) / float(1 << 53)


def draw(secret: bytes, app: str, event_id: str, flagged: bool, policy: SamplingPolicy) -> Draw:
    """Stratum and probabilities of one checked answer."""
    stratum = FLAGGED if flagged else REST
    pi = policy.flagged if flagged else policy.rest
    return Draw(uniform(secret, app, event_id), stratum, max(pi, policy.audit), policy.audit)
