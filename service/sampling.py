"""Who is looked at: one keyed hash per answer, strata, inclusion probabilities. Pure.

One u in [0, 1) decides everything about an answer: audit if u < π_audit, judge if u < π, with
π = min(1, max(π_audit, π_stratum · factor)). As π ≥ π_audit always, every audited answer is judged
too. When the budget is exhausted, π is π_audit. The factors come from a controller that keeps
judging within its budget (:mod:`service.budget`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b

import orjson

from service.policy import OTHER, SamplingPolicy

FLAGGED_HIGH = "flagged_high"
FLAGGED = "flagged"
ABSTAINED = "abstained"
LOW_OVERLAP = "low_overlap"
REST = "rest"
STRATA = (FLAGGED_HIGH, FLAGGED, ABSTAINED, LOW_OVERLAP, REST)
"""In the order in which they claim an answer."""
ABSTENTIONS = frozenset({"no_answer", "clarify", "deny"})

SELECTED = "selected"
SAMPLED_OUT = "sampled_out"
BUDGET_SKIPPED = "budget_skipped"


@dataclass(frozen=True, slots=True)
class Factors:
    """What a controller publishes and every draw of a batch uses, by app label.

    ``judge``: a factor in [floor, 1] on π of the strata; ``audit``: π_audit from forecast traffic,
    absent while an app's traffic is unknown; ``exhausted``: even the floor would exceed the budget,
    so that only audits are judged. ``version`` goes up whenever something moved.
    """

    version: int = 0
    judge: Mapping[str, float] = field(default_factory=dict)
    audit: Mapping[str, float] = field(default_factory=dict)
    exhausted: bool = False
    published_ms: int = 0

    @classmethod
    def initial(cls) -> Factors:
        """Before any controller ran: π as the policy says."""
        return INITIAL_FACTORS

    def judge_of(self, label: str) -> float:
        """The factor of an app. One that is new since the factors were published gets the
        smallest of the others: it must not spend what they save."""
        factor = self.judge.get(label)
        if factor is not None:
            return factor
        return min(self.judge.values()) if self.judge else 1.0

    def audit_of(self, label: str, policy: SamplingPolicy) -> float:
        """π_audit of an app, from its policy while its traffic is unknown."""
        return self.audit.get(label, policy.audit)


INITIAL_FACTORS = Factors()


def encode_factors(factors: Factors) -> bytes:
    return orjson.dumps(asdict(factors))


def decode_factors(data: bytes) -> Factors:
    """Raises TypeError or ValueError for what :func:`encode_factors` never made."""
    return Factors(**orjson.loads(data))


@dataclass(slots=True, init=False)
class Draw:
    """One answer's place in the sample: u, its stratum, and the inclusion probabilities there.

    ``pi``: the chance that the judge gets the answer, which a selected one is weighted by (1/π);
    ``wanted``: what it would be if the budget were not exhausted (else the same); ``factors``:
    version of the factors that they come from.
    """

    u: float
    stratum: str
    pi: float
    pi_audit: float
    factors: int = 0
    wanted: float = 0.0

    # spelled out: the one that a dataclass makes is left to the interpreter by mypyc
    def __init__(
        self,
        u: float,
        stratum: str,
        pi: float,
        pi_audit: float,
        factors: int = 0,
        wanted: float = 0.0,
    ) -> None:
        self.u = u
        self.stratum = stratum
        self.pi = pi
        self.pi_audit = pi_audit
        self.factors = factors
        self.wanted = wanted

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


def draw(
    secret: bytes,
    app: str,
    event_id: str,
    stratum: str,
    policy: SamplingPolicy,
    factors: Factors = INITIAL_FACTORS,
    label: str = OTHER,
) -> Draw:
    """u and the inclusion probabilities of one checked answer of ``stratum``. ``app``: its name as
    it was sent (u depends on it); ``label``: the bounded one, which the factors go by."""
    pi_stratum: float = getattr(policy, stratum)
    pi_audit = factors.audit_of(label, policy)
    wanted = min(1.0, max(pi_audit, pi_stratum * factors.judge_of(label)))
    pi = pi_audit if factors.exhausted else wanted
    return Draw(uniform(secret, app, event_id), stratum, pi, pi_audit, factors.version, wanted)


def with_feedback(drawn: Draw, pi_feedback: float, factors: Factors = INITIAL_FACTORS) -> Draw:
    """The second draw, when somebody complains: the same u, π the larger of the two. For answers
    that are in the sample already too: their chance to be in it has grown just the same.

    ``pi_feedback``: ``policy.negative_feedback`` times the app's factor; ``factors``: those in
    force now. While they are exhausted the second draw adds nothing.
    """
    pi = drawn.pi if factors.exhausted else max(drawn.pi, pi_feedback)
    return replace(drawn, pi=pi, wanted=max(drawn.wanted, pi, pi_feedback))


def disposition(drawn: Draw, factors: Factors) -> str:
    """``selected``, ``sampled_out``, or ``budget_skipped``: there is no budget even for the floor,
    and with one the answer would have been selected. An audited answer is always ``selected``.

    ``factors``: those that it was drawn with.
    """
    if drawn.judged:
        return SELECTED
    return BUDGET_SKIPPED if factors.exhausted and drawn.u < drawn.wanted else SAMPLED_OUT
