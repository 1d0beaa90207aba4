"""Whether an endpoint is worth asking at the moment: a circuit breaker. Takes its clock."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import structlog

from service.judging.calls import HEALING, CallOutcome

log = structlog.get_logger(__name__)

FAILURES = 5
"""Failures in a row after which the endpoint is left alone for a while."""
PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0

MEND = {
    CallOutcome.UNAUTHORIZED: "the endpoint refuses the API key: check GROUNDWATCH_JUDGE_API_KEY "
    "and what the key may do",
    CallOutcome.NOT_FOUND: "the endpoint does not know the path or the model: check "
    "GROUNDWATCH_JUDGE_BASE_URL (it ends before /chat/completions, often in /v1; redirects are not "
    "followed) and GROUNDWATCH_JUDGE_MODEL",
    CallOutcome.QUOTA: "the account at the endpoint has nothing left: raise its limit or pay in",
}
"""What no waiting mends."""
WAIT = {
    CallOutcome.RATE_LIMITED: "the endpoint limits the rate: if this lasts, lower "
    "GROUNDWATCH_JUDGE_CONCURRENCY or GROUNDWATCH_JUDGE_CALLS_PER_MINUTE",
    CallOutcome.SERVER_ERROR: "the endpoint answers with server errors",
    CallOutcome.TRANSPORT: "the endpoint cannot be reached, or its connections break; where it is "
    "https://, see that its certificate is trusted (GROUNDWATCH_JUDGE_SSL_CAFILE)",
    CallOutcome.TIMEOUT: "the endpoint does not answer in time",
    CallOutcome.NOT_A_COMPLETION: "what answers there is no chat completion: a proxy's page, or "
    "another service",
}
"""What may pass by itself."""
FAILING = HEALING | MEND.keys()
"""Outcomes that say something about the endpoint; any other one proves that it works."""


def trouble_of(outcome: CallOutcome) -> str:
    """What is wrong and what to do about it, for an operator; empty where the endpoint works."""
    return MEND.get(outcome) or WAIT.get(outcome, "")


class State(StrEnum):
    CLOSED = "closed"
    """Calls go through."""
    OPEN = "open"
    HALF_OPEN = "half_open"
    """One call is under way, to see whether the endpoint is back."""


class Breaker:
    """Of one endpoint and model. ``clock``: monotonic seconds. For one event loop.

    Opens after ``failures`` failing outcomes in a row; after a pause one trial call is let through.
    Each trial that fails doubles the pause, up to ``longest_pause_s``.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        failures: int = FAILURES,
        pause_s: float = PAUSE_S,
        longest_pause_s: float = LONGEST_PAUSE_S,
    ) -> None:
        self._clock = clock
        self._most = failures
        self._first_pause_s = pause_s
        self._longest_pause_s = longest_pause_s
        self._pause_s = pause_s
        self._until = 0.0
        self.state = State.CLOSED
        self.failures = 0
        """In a row, up to now."""
        self.outcome: CallOutcome | None = None
        """The last failing one, None once a call went well."""

    @property
    def trouble(self) -> str:
        """What is wrong and what to do about it, for an operator; empty when all is well."""
        if self.state is State.CLOSED or self.outcome is None:
            return ""
        return trouble_of(self.outcome)

    def admit(self) -> float:
        """0 where a call may be made now: then :meth:`record` or :meth:`release` has to follow.
        Otherwise the seconds after which to ask again."""
        if self.state is State.CLOSED:
            return 0.0
        if self.state is State.HALF_OPEN:
            return self._first_pause_s
        left = self._until - self._clock()
        if left > 0:
            return left
        self.state = State.HALF_OPEN
        return 0.0

    def release(self) -> None:
        """The admitted call was not made, or nobody knows what came of it."""
        if self.state is State.HALF_OPEN:
            self.state = State.OPEN

    def record(self, outcome: CallOutcome, retry_after_s: float | None = None) -> None:
        """What came of an admitted call."""
        if outcome not in FAILING:
            self._close()
            return
        self.failures += 1
        self.outcome = outcome
        if self.state is State.HALF_OPEN:
            self._open(min(2 * self._pause_s, self._longest_pause_s), retry_after_s)
        elif self.state is State.CLOSED and self.failures >= self._most:
            self._open(self._first_pause_s, retry_after_s)
            log.warning("judge_endpoint_away", outcome=outcome.value, trouble=self.trouble)

    def _open(self, pause_s: float, retry_after_s: float | None) -> None:
        self.state = State.OPEN
        self._pause_s = pause_s
        asked_for = min(retry_after_s or 0.0, self._longest_pause_s)
        self._until = self._clock() + max(pause_s, asked_for)

    def _close(self) -> None:
        if self.state is not State.CLOSED:
            log.info("judge_endpoint_back")
        self.state = State.CLOSED
        self.failures, self.outcome = 0, None
