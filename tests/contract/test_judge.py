"""One job from first call to judgement, over a real client against a scripted endpoint."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import service.judging.judge
from service.budget import Budget, Spending
from service.judging.calls import Usage
from service.judging.client import MAX_BODY_BYTES
from service.judging.completions import estimated
from service.judging.endpoint import FAILURES, State
from service.judging.judge import HALVINGS, MOST_CHARS, MOST_SENTENCES, TRIES, NotNow
from service.judging.judgement import Judgement, Relevance, Status, Verdict
from service.judging.material import material_of
from service.judging.purse import StorePurse
from service.judging.results import encode_head, judged_of
from service.judging.rubric import RUBRIC, Collision, ruling_call, watched_in
from service.outage import Outage
from service.store import Connection
from service.store.budget import Account
from tests.contract.judging import (
    MODEL,
    PRICES,
    SECRET,
    Bench,
    Ledger,
    in_turn,
    numbers_in,
    ruled,
    supported,
    watched,
)
from tests.servers.llm import (
    COMPLETION_TOKENS,
    PROMPT_TOKENS,
    Answer,
    LlmServer,
    Request,
    completion,
    failure,
)
from tests.unit.judging.attacks import Attack, attacks
from tests.unit.judging.made import PLANS, TERMS, claim, job, reply

JOB = job("A seat is 45 € a month. Refunds take ten days.")
ONE = Usage(PROMPT_TOKENS, COMPLETION_TOKENS)
PROSE = Answer(completion("I think so."))
WRONG_SCHEMA = Answer(completion('{"verdict": "SUPPORTED"}'))
REFUSED = Answer(completion(None, refusal="No."))
FILTERED = Answer(completion("", finish="content_filter"))
TOO_LONG = failure(400, {"message": "too long", "code": "context_length_exceeded"})
RELEVANT = Answer(completion('{"reason": "r", "relevance": "tangential"}'))


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    with LlmServer() as started:
        yield started


def verdicts(judgement: Judgement) -> list[Verdict]:
    assert judgement.assessment is not None
    return [claim.verdict for claim in judgement.assessment.claims]


def test_an_answer_is_judged(server: LlmServer) -> None:
    server.play_script(in_turn(supported, RELEVANT))
    bench = Bench(server.base_url, relevance=True)
    [judgement] = bench.of(JOB)
    assert judgement.status is Status.JUDGED
    assert verdicts(judgement) == [Verdict.SUPPORTED, Verdict.SUPPORTED]
    assert judgement.relevance is Relevance.TANGENTIAL
    assert judgement.attempts == ("answered", "relevance:answered")
    assert (judgement.calls, judgement.usage) == (2, ONE + ONE)
    assert judgement.cost_micros == PRICES.cost_micros(ONE + ONE) > 0
    assert judgement.model == "scripted"
    assert judgement.version.startswith(f"{MODEL}/{RUBRIC}/")
    assert 0 <= judgement.latency_ms < 5_000
    assert not judgement.scripted
    ruling, relevance = server.requests
    assert watched(ruling)["question"] == watched(relevance)["question"] == JOB.query
    assert set(watched(relevance)) == {"question", "answer"}


def test_every_attempt_is_paid(server: LlmServer) -> None:
    server.play_script(in_turn(failure(500), PROSE, supported))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB)
    assert judgement.attempts == ("server_error", "invalid_json", "repair:answered")
    assert [usage for _, usage in bench.ledger.settled] == [Usage(), ONE, ONE]
    assert [number for number, _ in bench.ledger.settled] == [1, 2, 3]
    first, second, repair = (estimate for estimate, _ in bench.ledger.reserved)
    assert first == second == estimated(ruling_call(material_of(JOB), SECRET, 500))
    assert repair.prompt_tokens > first.prompt_tokens > 500
    assert first.completion_tokens == 500


def test_an_audited_answer_is_paid_as_one(server: LlmServer) -> None:
    server.play_script(supported)
    bench = Bench(server.base_url)
    bench.of(replace(JOB, answer=replace(JOB.answer, audited=True)))
    assert [audited for _, audited in bench.ledger.reserved] == [True]


@pytest.mark.parametrize(
    ("unusable", "attempt", "fault"),
    [
        (PROSE, "invalid_json", "it was not exactly one JSON object"),
        (WRONG_SCHEMA, "schema", "sentences is missing"),
        (Answer(completion(None)), "empty", "it held no words"),
        (
            Answer(completion('{"sent', finish="length")),
            "truncated",
            "it was cut off at its length",
        ),
    ],
)
def test_one_repair_mends_an_unusable_answer(
    server: LlmServer, unusable: Answer, attempt: str, fault: str
) -> None:
    server.play_script(in_turn(unusable, supported))
    [judgement] = Bench(server.base_url).of(JOB)
    assert judgement.status is Status.JUDGED
    assert judgement.attempts == (attempt, "repair:answered")
    repair = server.requests[1]
    assert watched(repair)["attempt"]["fault"].startswith(fault)
    doubled = attempt == "truncated"
    assert [r.body["max_tokens"] for r in server.requests] == [500, 1000 if doubled else 500]


@pytest.mark.parametrize(
    ("first", "second", "reason", "calls"),
    [
        (PROSE, PROSE, "invalid_json", 2),
        (PROSE, WRONG_SCHEMA, "schema", 2),
        (PROSE, REFUSED, "refused", 2),
        (WRONG_SCHEMA, failure(401), "schema", 2),
        (WRONG_SCHEMA, TOO_LONG, "schema", 2),
        (REFUSED, supported, "refused", 1),
        (FILTERED, supported, "content_filter", 1),
    ],
)
def test_what_stays_unusable_is_undetermined(
    server: LlmServer, first: Any, second: Any, reason: str, calls: int
) -> None:
    server.play_script(in_turn(first, second))
    [judgement] = Bench(server.base_url, relevance=True).of(JOB)
    assert (judgement.status, judgement.reason) == (Status.UNDETERMINED, reason)
    assert judgement.assessment is None
    assert judgement.calls == len(server.requests) == calls


def test_sentences_that_were_passed_over_are_asked_for_once(server: LlmServer) -> None:
    """The second answer cannot take back what the first one said."""
    contradicted = ruled(reply({1: [claim("CONTRADICTED", (1, PLANS[:20]))]}))
    server.play_script(in_turn(contradicted, supported))
    [judgement] = Bench(server.base_url).of(JOB)
    assert watched(server.requests[1])["attempt"]["missing"] == [2]
    assert verdicts(judgement) == [Verdict.CONTRADICTED, Verdict.SUPPORTED]
    assert judgement.calls == 2


@pytest.mark.parametrize("second", [PROSE, failure(401), lambda asked: supported(asked, 2)])
def test_what_is_passed_over_again_is_missing(server: LlmServer, second: Any) -> None:
    server.play_script(in_turn(lambda asked: supported(asked, 2), second))
    [judgement] = Bench(server.base_url).of(JOB)
    assert judgement.status is Status.JUDGED
    assert verdicts(judgement) == [Verdict.SUPPORTED, Verdict.MISSING]
    assert judgement.calls == 2
    assert judgement.assessment is not None
    assert judgement.assessment.faithfulness == 0.5


def test_a_mended_ruling_is_not_mended_again(server: LlmServer) -> None:
    """One repair in total."""
    server.play_script(in_turn(PROSE, lambda asked: supported(asked, 1)))
    [judgement] = Bench(server.base_url).of(JOB)
    assert verdicts(judgement) == [Verdict.MISSING, Verdict.SUPPORTED]
    assert judgement.calls == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (failure(401), "unauthorized"),
        (failure(404), "not_found"),
        (failure(400), "bad_request"),
        (failure(429, {"message": "", "code": "insufficient_quota"}), "quota"),
    ],
)
def test_what_cannot_heal_is_not_tried_again(
    server: LlmServer, answer: Answer, reason: str
) -> None:
    server.play(answer)
    [judgement] = Bench(server.base_url).of(JOB)
    assert (judgement.status, judgement.reason) == (Status.FAILED, reason)
    assert len(server.requests) == 1


def test_what_may_heal_is_tried_again_with_jitter(server: LlmServer) -> None:
    server.play_script(in_turn(failure(500), failure(503), Answer(close=True), supported))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB)
    assert judgement.status is Status.JUDGED
    assert judgement.attempts == ("server_error", "server_error", "transport", "answered")
    assert len(bench.clock.waits) == 3
    assert all(0 <= wait < most for wait, most in zip(bench.clock.waits, (0.5, 1, 2), strict=True))
    assert len(set(bench.clock.waits)) == 3


def test_retry_after_is_honoured(server: LlmServer) -> None:
    limited = failure(429, "slow down", {"retry-after": "7"})
    server.play_script(in_turn(limited, supported))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB)
    assert judgement.attempts == ("rate_limited", "answered")
    assert 7 <= bench.clock.waits[0] <= 7.5


def test_a_retry_after_past_the_deadline_ends_it(server: LlmServer) -> None:
    server.play(failure(429, "slow down", {"retry-after": "61"}))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB)
    assert (judgement.status, judgement.reason) == (Status.FAILED, "rate_limited")
    assert bench.clock.waits == []
    assert len(server.requests) == 1


def test_trying_ends(server: LlmServer) -> None:
    server.play(failure(500))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB, deadline_s=1e6)
    assert (judgement.status, judgement.reason) == (Status.FAILED, "server_error")
    assert len(server.requests) == TRIES
    assert judgement.attempts == ("server_error",) * TRIES


def test_the_deadline_holds_for_all_calls_together(server: LlmServer) -> None:
    """Also where each one would be within its own bound."""
    server.play_script(in_turn(failure(500), Answer(completion(), delay_s=30)))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB, deadline_s=1.5)
    assert (judgement.status, judgement.reason) == (Status.FAILED, "timeout")
    assert judgement.usage.estimated
    assert judgement.latency_ms <= 2_000


def test_one_slow_attempt_does_not_use_up_the_deadline(server: LlmServer) -> None:
    server.play_script(in_turn(Answer(completion(), delay_s=30), supported))
    [judgement] = Bench(server.base_url, call_timeout_s=0.3).of(JOB)
    assert judgement.attempts == ("timeout", "answered")


def long_job() -> Any:
    chunks = [("pricing#plans", PLANS)] + [(f"c{n}", f"{TERMS} {n}") for n in range(31)]
    return job("A seat is 45 € a month.", chunks)


def test_sources_are_left_out_for_a_short_context(server: LlmServer) -> None:
    server.play_script(in_turn(TOO_LONG, TOO_LONG, supported))
    [judgement] = Bench(server.base_url).of(long_job())
    passages = [len(watched(request)["passages"]) for request in server.requests]
    assert passages[0] == 32
    assert passages[0] / 2 >= passages[1] >= 2 * passages[2] > 0
    assert judgement.attempts == ("context_too_long", "context_too_long", "answered")
    assert judgement.assessment is not None
    assert judgement.assessment.partial


def test_a_context_that_holds_next_to_nothing_fails(server: LlmServer) -> None:
    server.play(TOO_LONG)
    [judgement] = Bench(server.base_url).of(long_job())
    assert (judgement.status, judgement.reason) == (Status.FAILED, "context_too_long")
    assert len(server.requests) == HALVINGS + 1
    server.play(TOO_LONG)
    [judgement] = Bench(server.base_url).of(job("A seat is 45 €.", {"a": PLANS}))
    assert judgement.reason == "context_too_long"
    assert len(server.requests) == 1


def test_an_answer_without_sentences_asks_nobody(server: LlmServer) -> None:
    server.play_script(supported)
    bench = Bench(server.base_url)
    [judgement] = bench.of(job("```\nx = 1\n```"))
    assert (judgement.status, judgement.reason) == (Status.UNDETERMINED, "no_sentences")
    assert (server.requests, bench.ledger.reserved, judgement.calls) == ([], [], 0)


def test_an_answer_of_too_many_sentences_asks_nobody(server: LlmServer) -> None:
    server.play_script(supported)
    bench = Bench(server.base_url)
    lines = [f"- Seat {number}." for number in range(MOST_SENTENCES + 1)]
    most, more = bench.of(job("\n".join(lines[:-1])), job("\n".join(lines)))
    assert most.status is Status.JUDGED
    assert (more.status, more.reason) == (Status.UNDETERMINED, "too_many_sentences")
    assert (len(server.requests), more.calls) == (1, 0)


def test_an_answer_that_is_too_long_asks_nobody(server: LlmServer) -> None:
    server.play_script(supported)
    [judgement] = Bench(server.base_url).of(job("A seat is 45 €. " * (MOST_CHARS // 16 + 1)))
    assert (judgement.status, judgement.reason) == (Status.UNDETERMINED, "answer_too_long")
    assert (server.requests, judgement.calls) == ([], 0)


def test_what_reads_hostile_texts_does_not_hold_up_the_loop(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs in threads: a few megabytes of marks take seconds, and jobs have to be renewed."""
    used: dict[str, set[int]] = {}

    def watch(name: str) -> None:
        work = getattr(service.judging.judge, name)

        def watched(*args: Any) -> Any:
            used.setdefault(name, set()).add(threading.get_ident())
            return work(*args)

        monkeypatch.setattr(service.judging.judge, name, watched)

    names = {"material_of", "ruling_call", "repair_call", "relevance_call", "assess"}
    for name in names:
        watch(name)
    server.play_script(in_turn(PROSE, supported, RELEVANT))
    [judgement] = Bench(server.base_url, relevance=True).of(JOB)
    assert judgement.relevance is Relevance.TANGENTIAL
    assert used.keys() == names
    assert threading.get_ident() not in set().union(*used.values())


def test_a_text_that_holds_its_own_boundary_is_not_sent(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can write such a text without the secret, and hardly with it: so it is made up."""

    def collides(*_: Any) -> Any:
        raise Collision

    server.play_script(supported)
    monkeypatch.setattr(service.judging.judge, "ruling_call", collides)
    [judgement] = Bench(server.base_url).of(JOB)
    assert (judgement.status, judgement.reason) == (Status.UNDETERMINED, "delimiter_collision")
    assert server.requests == []


@pytest.mark.parametrize(
    ("answer", "attempts"),
    [
        (PROSE, ("relevance:invalid_json",)),
        (WRONG_SCHEMA, ("relevance:schema",)),
        (failure(401), ("relevance:unauthorized",)),
        (failure(500), ("relevance:server_error",) * TRIES),
    ],
)
def test_a_lost_relevance_spoils_no_ruling(
    server: LlmServer, answer: Answer, attempts: tuple[str, ...]
) -> None:
    server.play_script(in_turn(supported, answer))
    [judgement] = Bench(server.base_url, relevance=True).of(JOB, deadline_s=600)
    assert judgement.status is Status.JUDGED
    assert judgement.relevance is None
    assert judgement.attempts == ("answered", *attempts)


# ── budget and breaker ────────────────────────────────────────────────────────────────────────


def test_a_budget_that_waits_leaves_the_job(server: LlmServer) -> None:
    server.play_script(supported)
    bench = Bench(server.base_url)
    bench.ledger.waits = [30.0]
    with pytest.raises(NotNow) as wait:
        bench.of(JOB)
    assert wait.value.retry_after_s == 30.0
    assert (server.requests, bench.clock.waits) == ([], [])


def test_a_budget_is_waited_for_once_a_call_was_made(server: LlmServer) -> None:
    server.play_script(in_turn(PROSE, supported))
    bench = Bench(server.base_url)
    reserve = bench.ledger.reserve

    async def once_empty(estimate: Usage, audited: bool) -> Any:
        if len(bench.ledger.reserved) == 1 and not bench.clock.waits:
            return 12.0
        return await reserve(estimate, audited)

    bench.ledger.reserve = once_empty  # type: ignore[method-assign] # a budget that runs dry midway
    [judgement] = bench.of(JOB)
    assert judgement.attempts == ("invalid_json", "repair:answered")
    assert bench.clock.waits == [12.0]


def test_a_budget_that_stays_empty_ends_at_the_deadline(server: LlmServer) -> None:
    server.play(PROSE)
    bench = Bench(server.base_url)
    reserve = bench.ledger.reserve

    async def dry(estimate: Usage, audited: bool) -> Any:
        return 50.0 if bench.ledger.reserved else await reserve(estimate, audited)

    bench.ledger.reserve = dry  # type: ignore[method-assign] # a budget that runs dry midway
    [judgement] = bench.of(JOB, deadline_s=120)
    assert (judgement.status, judgement.reason) == (Status.UNDETERMINED, "invalid_json")
    assert bench.clock.waits == [50.0, 50.0]


def test_a_store_that_is_away_before_the_first_call_leaves_the_job(server: LlmServer) -> None:
    class Away(Ledger):
        async def reserve(self, estimate: Usage, audited: bool) -> Any:
            raise Outage("the store is away")

    server.play_script(supported)
    with pytest.raises(Outage):
        Bench(server.base_url, purse=Away()).of(JOB)
    assert server.requests == []


def test_a_store_that_goes_away_costs_no_ruling(server: LlmServer) -> None:
    class Flickering(Ledger):
        async def reserve(self, estimate: Usage, audited: bool) -> Any:
            if len(self.reserved) == 1 and not self.waits:
                self.waits.append(0.0)
                raise Outage("the store is away")
            self.waits.clear()
            return await super().reserve(estimate, audited)

        async def settle(self, reservation: Any, usage: Usage) -> None:
            raise Outage("the store is away")

    server.play_script(in_turn(PROSE, supported))
    [judgement] = Bench(server.base_url, purse=Flickering()).of(JOB)
    assert judgement.attempts == ("invalid_json", "repair:answered")
    assert judgement.status is Status.JUDGED


def test_one_answer_s_words_do_not_open_the_breaker(server: LlmServer) -> None:
    bench = Bench(server.base_url)
    server.play(Answer(completion("x" * MAX_BODY_BYTES)))
    for judgement in bench.of(*[JOB] * (FAILURES + 1)):
        assert (judgement.status, judgement.reason) == (Status.UNDETERMINED, "too_large")
        assert judgement.calls == 1
    assert (bench.breaker.state, bench.breaker.failures) == (State.CLOSED, 0)


@pytest.mark.parametrize("escaped", [True, False])
def test_half_a_surrogate_pair_spoils_no_ruling(server: LlmServer, escaped: bool) -> None:
    """Escaped in the ruling, or only in the completion around it."""
    ruling = reply({number: [claim("NOT_A_CLAIM", text="\ud800")] for number in (1, 2)})
    server.play(Answer(completion(json.dumps(ruling, ensure_ascii=escaped))))
    bench = Bench(server.base_url)
    for judgement in bench.of(*[JOB] * (FAILURES + 1)):
        assert judgement.status is Status.JUDGED
        assert judgement.assessment is not None
        assert {one.text for one in judgement.assessment.claims} == {"\ufffd"}
        encode_head(judged_of(JOB, judgement), 700_000)
    assert bench.breaker.state is State.CLOSED


def test_an_endpoint_in_trouble_is_left_alone_and_comes_back(server: LlmServer) -> None:
    server.play(failure(401))
    bench = Bench(server.base_url)
    bench.of(*[JOB] * FAILURES)
    assert bench.breaker.state is State.OPEN
    assert "GROUNDWATCH_JUDGE_API_KEY" in bench.breaker.trouble
    server.play_script(supported)
    with pytest.raises(NotNow) as wait:
        bench.of(JOB)
    assert server.requests == []
    bench.clock.waits.append(wait.value.retry_after_s)
    [judgement] = bench.of(JOB)
    assert judgement.status is Status.JUDGED
    assert (bench.breaker.state, bench.breaker.trouble) == (State.CLOSED, "")


def test_one_trial_and_not_all_at_once(server: LlmServer) -> None:
    server.play(failure(500))
    bench = Bench(server.base_url)
    bench.of(JOB, deadline_s=1e6)
    bench.clock.waits.append(1e6)

    async def at_once() -> list[Any]:
        async with bench.judge() as judge:
            jobs = [judge.judge(JOB, 60.0) for _ in range(6)]
            return await asyncio.gather(*jobs, return_exceptions=True)

    server.play_script(lambda asked: replace(supported(asked), delay_s=1.0))
    results = asyncio.run(at_once())
    assert sum(isinstance(result, NotNow) for result in results) == 5
    assert [r.status for r in results if isinstance(r, Judgement)] == [Status.JUDGED]


@pytest.mark.parametrize("trouble", [30.0, Outage("the store is away")])
def test_a_trial_that_cannot_be_paid_is_left_to_the_next(server: LlmServer, trouble: Any) -> None:
    class Short(Ledger):
        async def reserve(self, estimate: Usage, audited: bool) -> Any:
            if bench.clock.waits[-1:] != [1e6]:
                return await super().reserve(estimate, audited)
            bench.clock.waits.append(0.0)
            if isinstance(trouble, Outage):
                raise trouble
            return trouble

    bench = Bench(server.base_url, purse=Short())
    server.play(failure(401))
    bench.of(*[JOB] * FAILURES)
    bench.clock.waits.append(1e6)
    server.play_script(supported)
    with pytest.raises((NotNow, Outage)):
        bench.of(JOB)
    assert server.requests == []
    assert bench.of(JOB)[0].status is Status.JUDGED


def test_an_open_breaker_is_waited_out_within_a_job(server: LlmServer) -> None:
    """Opened by the job's own attempts: the one after the pause is the trial."""
    server.play_script(in_turn(*[failure(500)] * FAILURES, supported))
    bench = Bench(server.base_url)
    [judgement] = bench.of(JOB, deadline_s=600)
    assert judgement.status is Status.JUDGED
    assert judgement.calls == FAILURES + 1
    assert bench.breaker.state is State.CLOSED


def test_a_cancelled_job_frees_the_trial_and_stays_debited(server: LlmServer) -> None:
    server.play(failure(500))
    bench = Bench(server.base_url)
    bench.of(JOB, deadline_s=1e6)
    bench.clock.waits.append(1e6)
    settled = len(bench.ledger.settled)
    server.play(Answer(completion(), delay_s=30))

    async def cancelled() -> None:
        async with bench.judge() as judge:
            task = asyncio.create_task(judge.judge(JOB, 60.0))
            await asyncio.to_thread(server.wait_for_request)
            assert bench.breaker.state is State.HALF_OPEN
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
    assert bench.breaker.admit() == 0.0
    assert len(bench.ledger.reserved) == settled + 1
    assert len(bench.ledger.settled) == settled


# ── judged twice ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("again", [supported, None])
def test_an_answer_judged_twice(server: LlmServer, again: Any) -> None:
    unsupported = ruled(reply({1: [claim("UNSUPPORTED")], 2: [claim("UNSUPPORTED")]}))
    server.play_script(in_turn(supported, RELEVANT, again or unsupported))
    bench = Bench(server.base_url, relevance=True)

    async def twice() -> Judgement:
        async with bench.judge() as judge:
            first = await judge.judge(JOB, 60.0)
            assert first.flipped is None
            return await judge.judge_again(JOB, first, 60.0)

    judgement = asyncio.run(twice())
    assert judgement.flipped is (again is None)
    assert verdicts(judgement) == [Verdict.SUPPORTED] * 2
    assert judgement.relevance is Relevance.TANGENTIAL
    assert judgement.attempts == ("answered", "relevance:answered", "again:answered")
    assert (judgement.calls, judgement.usage) == (3, ONE + ONE + ONE)


def test_nothing_flips_where_there_is_nothing_to_compare(server: LlmServer) -> None:
    server.play_script(in_turn(supported, PROSE, REFUSED))
    bench = Bench(server.base_url)

    async def twice() -> Judgement:
        async with bench.judge() as judge:
            return await judge.judge_again(JOB, await judge.judge(JOB, 60.0), 60.0)

    judgement = asyncio.run(twice())
    assert judgement.flipped is None
    assert judgement.status is Status.JUDGED
    assert judgement.attempts == ("answered", "again:invalid_json", "again:refused")


# ── the account of all workers ────────────────────────────────────────────────────────────────


def test_the_shared_account_is_debited(server: LlmServer, connection: Connection) -> None:
    now_ms = 1_790_000_000_000
    account = Account(connection)
    budget = Budget(tokens_per_day=3_000, prices=PRICES)
    purse = StorePurse(account, budget, lambda: now_ms)
    server.play_script(supported)
    bench = Bench(server.base_url, purse=purse)
    [judgement] = bench.of(JOB)
    spent: Spending = account.spending(now_ms)
    assert (spent.tokens, spent.money_micros) == (judgement.usage.tokens, judgement.cost_micros)
    with pytest.raises(NotNow):
        bench.of(*[JOB] * 100)
    assert account.spending(now_ms).tokens <= budget.tokens_per_day  # type: ignore[operator]


# ── attacks, end to end ───────────────────────────────────────────────────────────────────────


def obeys(attack: Attack) -> Any:
    """A model that does all that an attacker could wish: everything supported, by forged quotes,
    sentences passed over, and the attack itself in its words."""
    forged = [(1, attack.text), *attack.forged]

    def script(request: Request) -> Answer:
        asked = numbers_in(request)
        claims = {number: [claim("SUPPORTED", *forged, text=attack.text)] for number in asked[:1]}
        return ruled(reply(claims))

    return script


@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.id)
def test_an_attack_that_the_model_obeys(server: LlmServer, attack: Attack) -> None:
    server.play_script(obeys(attack))
    [judgement] = Bench(server.base_url).of(attack.job)
    sentences = material_of(attack.job).sentences
    assessment = judgement.assessment
    assert assessment is not None
    assert {claim.sentence for claim in assessment.claims} == {s.number for s in sentences}
    texts = {source.ref: source.text for source in attack.job.sources}
    for one in assessment.claims:
        if one.verdict is Verdict.SUPPORTED:
            shown = [texts[quote.ref][quote.start : quote.end] for quote in one.evidence]
            assert any(text.strip() for text in shown)
    missing = sum(one.verdict is Verdict.MISSING for one in assessment.claims)
    assert missing == len(sentences) - 1
    assert assessment.faithfulness is not None
    assert assessment.faithfulness <= 1 / len(sentences)
    if "reported" in attack.holds:
        assert attack.place in assessment.instructions_in_data
    for request in server.requests:
        system, user = request.body["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert attack.text not in system["content"]
        watched_in(user["content"])


def test_the_watched_text_and_the_words_of_the_judge_are_not_logged(
    server: LlmServer, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    server.play_script(in_turn(PROSE, PROSE))
    Bench(server.base_url).of(JOB)
    logged = caplog.text + json.dumps(capsys.readouterr())
    assert [word for word in ("45 €", "ten days", "I think so") if word in logged] == []
