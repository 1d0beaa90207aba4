"""The result of a probe: what is kept of its run, small enough to stand in the store.

Whole runs are files; this is what gauges, alerts and the overview show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError

from service.estimates.bootstrap import question_mean
from service.estimates.retrieval import attainable_precision
from service.estimates.spread import spread_of
from service.measuring.runs import Outcome, Run
from service.measuring.summary import means

NAMED = 50
"""Questions that are kept by name; their number is kept of all."""
UNANSWERABLE = ("no_answer", "deny")
INVENTED = "invented_answer"
"""The diagnosis of a question that must not be answered and was."""


@dataclass(frozen=True, slots=True)
class Share:
    """The mean over ``questions`` with its 95 % interval. ``spread``: how many of them have a value
    in each tenth of [0, 1], 1 in the last."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    mean: float
    low: float
    high: float
    questions: int
    spread: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """``app``, ``release``: as the metrics label them; ``shares``: measure (``recall@5``) → its
    mean; ``attainable``: of precision@k, the mean of min(number of relevant refs, k) / k;
    ``failed``: questions that the target gave no answer to, which are in no mean; ``lost``:
    critical ones without a hit, ``answered``: unanswerable ones that got an answer; of each the
    number and the first :data:`NAMED` by id."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    app: str
    release: str
    run: str
    at_ms: int
    k: int
    questions: int
    failed: int
    shares: Mapping[str, Share]
    lost: int = 0
    answered: int = 0
    lost_ids: tuple[str, ...] = ()
    answered_ids: tuple[str, ...] = ()
    unanswerable: int = 0
    attainable: float | None = None


def result_of(run: Run, app: str, release: str, at_ms: int, k: int) -> ProbeResult:
    """``app``, ``release``: bounded labels; ``at_ms``: when the run ended, ms since 1970."""
    lost = [each.query_id for each in run.outcomes if each.critical and _missed(each, k)]
    answered = [each.query_id for each in run.outcomes if _invented(each)]
    return ProbeResult(
        app=app,
        release=release,
        run=run.header.run,
        at_ms=at_ms,
        k=k,
        questions=len(run.outcomes),
        failed=sum(each.error is not None for each in run.outcomes),
        shares=_shares(run),
        lost=len(lost),
        answered=len(answered),
        lost_ids=tuple(lost[:NAMED]),
        answered_ids=tuple(answered[:NAMED]),
        unanswerable=sum(each.behaviour in UNANSWERABLE for each in run.outcomes),
        attainable=_attainable(run, k),
    )


def _missed(outcome: Outcome, k: int) -> bool:
    """Measured, and no hit. A question without an answer is failed, not lost."""
    return outcome.measures.get(f"hit@{k}") == 0


def _invented(outcome: Outcome) -> bool:
    return outcome.behaviour in UNANSWERABLE and outcome.diagnosis == INVENTED


def _attainable(run: Run, k: int) -> float | None:
    """Over the questions whose precision is measured: what it is held against."""
    measured = [each for each in run.outcomes if each.measures.get(f"precision@{k}") is not None]
    return question_mean([attainable_precision(each.relevant, k) for each in measured]).value


def _shares(run: Run) -> dict[str, Share]:
    found = {}
    for name, mean in means(run.outcomes).items():
        value, low, high = mean.estimate.value, mean.estimate.low, mean.estimate.high
        if value is not None and low is not None and high is not None:
            found[name] = Share(value, low, high, mean.questions, _spread(run, name))
    return found


def _spread(run: Run, name: str) -> tuple[int, ...]:
    values = (outcome.measures.get(name) for outcome in run.outcomes)
    return spread_of(value for value in values if value is not None)


def latest_of(results: Iterable[ProbeResult]) -> tuple[ProbeResult, ...]:
    """Of each app the newest, whichever release it was of."""
    newest: dict[str, ProbeResult] = {}
    for result in results:
        known = newest.get(result.app)
        if known is None or known.at_ms < result.at_ms:
            newest[result.app] = result
    return tuple(newest[app] for app in sorted(newest))


_RESULT = TypeAdapter(ProbeResult)


def encode_result(result: ProbeResult) -> bytes:
    body: dict[str, Any] = asdict(result)
    return orjson.dumps(body)


def decode_result(raw: bytes) -> ProbeResult | None:
    """None for what another version of groundwatch wrote and this one cannot read."""
    try:
        return _RESULT.validate_json(raw)
    except ValidationError:
        return None
