"""The circuit breaker, by a clock that stands still unless told."""

from __future__ import annotations

import pytest

from service.judging.calls import HEALING, CallOutcome
from service.judging.endpoint import FAILING, FAILURES, LONGEST_PAUSE_S, PAUSE_S, Breaker, State

ERROR = CallOutcome.SERVER_ERROR


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def fail(breaker: Breaker, times: int = FAILURES, outcome: CallOutcome = ERROR) -> None:
    for _ in range(times):
        breaker.record(outcome)


def test_it_opens_after_failures_in_a_row(breaker: Breaker) -> None:
    fail(breaker, FAILURES - 1)
    breaker.record(CallOutcome.ANSWERED)
    fail(breaker, FAILURES - 1)
    assert (breaker.state, breaker.admit()) == (State.CLOSED, 0.0)
    fail(breaker, 1)
    assert (breaker.state, breaker.admit()) == (State.OPEN, PAUSE_S)


@pytest.mark.parametrize("outcome", sorted(set(CallOutcome) - FAILING))
def test_what_the_model_says_proves_that_the_endpoint_works(
    breaker: Breaker, outcome: CallOutcome
) -> None:
    fail(breaker)
    breaker.record(outcome)
    assert breaker.state is State.CLOSED
    fail(breaker, 2 * FAILURES, outcome)
    assert breaker.state is State.CLOSED


@pytest.mark.parametrize("outcome", sorted(FAILING))
def test_every_failing_outcome_says_what_to_do(breaker: Breaker, outcome: CallOutcome) -> None:
    assert breaker.trouble == ""
    fail(breaker, outcome=outcome)
    assert breaker.state is State.OPEN
    assert "the endpoint" in breaker.trouble or "what answers there" in breaker.trouble
    assert outcome in HEALING or len(breaker.trouble) > 40


def test_after_the_pause_one_trial_goes_through(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += PAUSE_S - 0.5
    assert breaker.admit() == 0.5
    clock.now += 0.5
    assert breaker.admit() == 0.0
    assert breaker.state is State.HALF_OPEN
    assert breaker.admit() > 0
    breaker.record(CallOutcome.ANSWERED)
    assert (breaker.state, breaker.admit(), breaker.trouble) == (State.CLOSED, 0.0, "")


def test_each_failed_trial_doubles_the_pause(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    pauses = []
    for _ in range(9):
        clock.now += breaker.admit()
        assert breaker.admit() == 0.0
        breaker.record(ERROR)
        pauses.append(breaker.admit())
    assert pauses[:4] == [2 * PAUSE_S, 4 * PAUSE_S, 8 * PAUSE_S, 16 * PAUSE_S]
    assert pauses[-1] == LONGEST_PAUSE_S
    clock.now += breaker.admit()
    breaker.admit()
    breaker.record(CallOutcome.ANSWERED)
    fail(breaker)
    assert breaker.admit() == PAUSE_S


def test_late_failures_of_calls_before_do_not_lengthen_the_pause(
    breaker: Breaker, clock: Clock
) -> None:
    fail(breaker)
    clock.now += 2.0
    fail(breaker, 3 * FAILURES)
    assert breaker.admit() == PAUSE_S - 2.0


def test_a_trial_that_was_not_made_is_given_back(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += PAUSE_S
    assert breaker.admit() == 0.0
    breaker.release()
    assert (breaker.state, breaker.admit()) == (State.OPEN, 0.0)


@pytest.mark.parametrize(
    ("asked", "pause"), [(None, PAUSE_S), (1.0, PAUSE_S), (60.0, 60.0), (80_000.0, 300.0)]
)
def test_the_endpoint_may_ask_for_a_longer_pause(
    breaker: Breaker, asked: float | None, pause: float
) -> None:
    fail(breaker, FAILURES - 1)
    breaker.record(CallOutcome.RATE_LIMITED, asked)
    assert breaker.admit() == pause
