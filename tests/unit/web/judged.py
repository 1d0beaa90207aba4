"""What a judge may have said of the case of the world, as a store keeps it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from service.checks.model import Finding, Severity
from service.judging.calls import Usage
from service.judging.judgement import (
    Assessment,
    Cause,
    Claim,
    Judgement,
    Quote,
    Relevance,
    Status,
    Verdict,
    encode_judgement,
)
from tests.unit.web.world import ANSWER, EVENT

PLANS = EVENT["retrieved"][0]["text"]
QUOTE = "Pro: 45 € pro Platz und Monat."
AT = PLANS.index(QUOTE)
PROOF = Quote("pricing#plans", QUOTE, AT, AT + len(QUOTE))
CUT = ANSWER.index(", ab")
WRONG = Claim(
    1, 0, CUT, "Im Pro-Tarif 54 €", Verdict.CONTRADICTED, "Es sind 45 €.", (PROOF,),
    cause=Cause.GENERATION,
)  # fmt: skip
RIGHT = Claim(2, CUT, len(ANSWER), "ab 3 Plätzen", Verdict.SUPPORTED, "So steht es da.", (PROOF,))


def judgement(*claims: Claim, **parts: Any) -> Judgement:
    known = {name: parts.pop(name) for name in list(parts) if name in Assessment.__slots__}
    good = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    assessment = {
        "claims": claims,
        "faithfulness": good / len(claims) if claims else None,
        "context_sufficient": True,
        "useful": ("pricing#plans",),
        "context_precision": 0.5,
        "contradicting": (),
        "answer_kind": "answer",
        "abstention_right": None,
    }
    fields: dict[str, Any] = {
        "model": "judge-model",
        "assessment": Assessment(**assessment | known),
        "relevance": Relevance.COMPLETE,
        "usage": Usage(1_900, 100),
        "cost_micros": 3_100,
        "calls": 2,
        "latency_ms": 1_500,
    }
    return Judgement(Status.JUDGED, "judge-model/rubric/parameters", **fields | parts)


def stored(said: Judgement, *findings: dict[str, Any]) -> dict[str, Any]:
    return {**encode_judgement(said), "findings": list(findings)}


def hostile(text: str, said: Judgement) -> dict[str, Any]:
    """``said`` with every text in it replaced; what its enums say stays."""

    def poisoned(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return value if name in ("status", "relevance", "verdict", "cause") else text
        if isinstance(value, dict):
            return {name: poisoned(item, name) for name, item in value.items()}
        return [poisoned(item) for item in value] if isinstance(value, list | tuple) else value

    return {**poisoned(encode_judgement(said)), "findings": []}


def finding(**parts: Any) -> dict[str, Any]:
    """The judge's, about :data:`WRONG`."""
    made = Finding(
        "judge", "contradicted", WRONG.text, WRONG.start, WRONG.end,
        "„Im Pro-Tarif 54 €“ widerspricht pricing#plans.", Severity.HIGH, "pricing#plans",
        near_ref="pricing#plans", near_start=AT, near_end=AT + len(QUOTE),
    )  # fmt: skip
    return asdict(made) | parts
