"""Who is looked at: one keyed hash per answer, strata, inclusion probabilities. Pure.

One u in [0, 1) decides everything about an answer: audit if u < π_audit, judge if u < π_stratum.
As π_stratum ≥ π_audit always, every audited answer is judged too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b

from service.policy import SamplingPolicy

FLAGGED_HIGH = "flagged_high"
FLAGGED = "flagged"
ABSTAINED = "abstained"
LOW_OVERLAP = "low_overlap"
REST = "rest"
STRATA = (FLAGGED_HIGH, FLAGGED, ABSTAINED, LOW_OVERLAP, REST)
"""In the order in which they claim an answer."""
ABSTENTIONS = frozenset({"no_answer", "clarify", "deny"})


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


def stratum_of(gravest: str | None, label: str, marks: Collection[str]) -> str:
    """Where an answer is drawn from. ``gravest``: severity of its gravest finding, None without
    one; ``label``: the class that ``abstention`` gave it; ``marks``: what the measuring checks saw.
    """
    if gravest is not None:
        return FLAGGED_HIGH if gravest == "high" else FLAGGED
    if label in ABSTENTIONS:
        return ABSTAINED
    return LOW_OVERLAP if LOW_OVERLAP in marks else REST


def draw(secret: bytes, app: str, event_id: str, stratum: str, policy: SamplingPolicy) -> Draw:
    """u and the inclusion probabilities of one checked answer of ``stratum``."""
    pi: float = getattr(policy, stratum)
    return Draw(uniform(secret, app, event_id), stratum, max(pi, policy.audit), policy.audit)
