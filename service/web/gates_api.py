"""Gates over HTTP, for what rolls releases out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel

from service.gating import Gatekeeper, NoSuchGate
from service.measuring.gates import VALUES, Verdict
from service.web.api import json_response, problems
from service.web.desk_api import answer
from service.web.problems import Problem

State = Literal["pass", "fail", "undecided"]
UNREADABLE_RETRY_S = 60


class RulingBody(BaseModel):
    """On one rule. ``told``: why; ``value``, ``low``, ``high``: what was measured, null where
    nothing was; ``n``: questions or answers; ``questions``: ids of those that failed."""

    rule: str
    state: State
    told: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    questions: list[str]


class GateBody(BaseModel):
    """``value``: the state as a number, 1 pass, 0 undecided, -1 fail; ``release``: the one that a
    rule of live answers spoke of, else null."""

    gate: str
    release: str | None
    state: State
    value: Literal[1, 0, -1]
    rules: list[RulingBody]


_EXAMPLE: dict[str, Any] = {
    "gate": "release",
    "release": "2026-11-29.2",
    "state": "undecided",
    "value": 0,
    "rules": [
        {
            "rule": "unresolved of new ≤ 1.1 × previous + 0.002",
            "state": "undecided",
            "told": "2.10% in 2026-11-28.1, 2.40% in 2026-11-29.2 over 3,100 answers of one mix; "
            "over the bound by -0.11 points [-1.02, +0.97]; 41,000 more answers would, if the "
            "shares stay",
            "value": -0.0011,
            "low": -0.0102,
            "high": 0.0097,
            "n": 3100,
            "questions": [],
        }
    ],
}


def gate_routes(keeper: Gatekeeper | None) -> APIRouter:
    """``keeper``: None where no rules file is configured."""
    router = APIRouter(tags=["figures"])

    @router.get(
        "/v1/gates/{name}",
        summary="Decide a gate: pass, fail or undecided",
        responses=answer(GateBody, _EXAMPLE, "The verdict, rule by rule") | problems(404, 422, 503),
    )
    def read_gate(
        name: Annotated[str, Path(max_length=64)],
        release: Annotated[
            str,
            Query(max_length=2048, description="The new one; empty: the one first seen last."),
        ] = "",
    ) -> Response:
        """By the rules file of `GROUNDWATCH_GATES`, which is read anew each time, and so are its
        run files. 503 while one of them cannot be read."""
        if keeper is None:
            raise Problem(404, "not_found", "no gates here: GROUNDWATCH_GATES names no rules file")
        try:
            return json_response(_body(keeper.decide(name, release or None)))
        except NoSuchGate:
            raise Problem(404, "not_found", "the rules file has no gate of this name") from None
        except (OSError, ValueError) as error:
            raise Problem(
                503, "gates", f"the gate cannot be decided: {error}",
                headers={"Retry-After": str(UNREADABLE_RETRY_S)},
            ) from error  # fmt: skip

    return router


def _body(verdict: Verdict) -> dict[str, Any]:
    return {
        "gate": verdict.gate,
        "release": verdict.release,
        "state": verdict.state,
        "value": VALUES[verdict.state],
        "rules": [asdict(ruling) for ruling in verdict.rulings],
    }
