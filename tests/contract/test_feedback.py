"""Feedback on the real script: joined or counted, drawn once more with the same u, a hint on the
case, each once, and all of it restored."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from service.accounting import measure_of, parse_field
from service.drafts import case_id
from service.estimates.coverage import Coverage, coverage_by_app
from service.feedback import NEGATIVE
from service.joining import FeedbackJoin
from service.judging.results import judged_of
from service.metrics import Metrics
from service.policy import AppPolicy
from service.rebuild import rebuild
from service.review.cases import CaseFilter, Thumbs
from service.sampling import Factors, encode_factors, uniform
from service.store import Fenced
from tests.contract.complaints import TOPIC, WINDOW_MS, Listening, listening
from tests.contract.judged import ALL, GOOD, WORKER, WRONG, flushed, job_of, settle
from tests.contract.test_judgements import equation
from tests.contract.test_rebuild import books
from tests.contract.world import HOUR_MS, NOW, SOURCE, MakeWorld

EVERYTHING = CaseFilter(status=None)


@pytest.fixture
def ears(make_world: MakeWorld) -> Listening:
    return listening(make_world)


def case_of(ears: Listening, name: str) -> Any:
    return ears.world.archive.case(case_id("support", name))


# Joining.


def test_a_complaint_about_an_unselected_answer_draws_it(ears: Listening) -> None:
    ears.take("a", "b")
    assert equation(ears.world, "eligible") == {"sampled_out": 2}
    joined = ears.hear("a", comment="Falscher Preis!")
    assert (joined.outcome, joined.case, joined.to) == ("joined", "opened", "s")
    assert equation(ears.world, "eligible") == {"sampled_out": 1, "selected": 1}
    assert equation(ears.world, "selected") == {"pending": 1}
    [taken] = ears.world.store.jobs.take(WORKER, 10)
    job = job_of(taken)
    drawn = job.answer
    assert (drawn.hint, drawn.event_id, drawn.audited, drawn.flagged) == (
        NEGATIVE,
        "a",
        False,
        True,
    )
    assert (drawn.pi, drawn.u) == (1.0, uniform(b"secret", "support", "a"))
    assert job.answer_text == "A seat costs 45 € [pricing#plans]."
    assert [cited.refs for cited in job.citations] == [("pricing#plans",)]
    [counters] = ears.world.archive.counters().values()
    by_measure = {name.split("\x1f")[-1]: n for name, n in counters.items()}
    assert by_measure["judge:sampled_out:rest"] == 1
    assert by_measure["judge:selected:rest"] == 1


def test_it_opens_a_case_with_the_hint(ears: Listening) -> None:
    ears.take("a")
    ears.hear("a", comment="<b>No</b>")
    case = case_of(ears, "a")
    assert case.feedback == Thumbs(0, 1, "<b>No</b>")
    assert (case.summary.checks, case.summary.reasons) == (("feedback",), (NEGATIVE,))
    assert (case.summary.severity, case.summary.headline) == ("low", "Thumb down.")
    assert case.event["answer"] == "A seat costs 45 € [pricing#plans]."
    found = ears.world.archive.list_cases(CaseFilter(check="feedback", reason=NEGATIVE)).cases
    assert [summary.event_id for summary in found] == ["a"]
    assert equation(ears.world, "flagged") == {"cases": 1}


def test_thumbs_are_a_hint_on_a_case_that_is_there(ears: Listening) -> None:
    ears.take("a", cites="x")
    before = case_of(ears, "a")
    assert before.feedback is None
    assert ears.hear("a", "up").case == "hinted"
    assert case_of(ears, "a").summary == before.summary
    assert ears.hear("a", comment="no").case == "hinted"
    assert ears.hear("a").case == "hinted"
    case = case_of(ears, "a")
    assert case.feedback == Thumbs(1, 2, "no")
    assert case.summary.checks == ("citations", "feedback")
    assert case.summary.severity == before.summary.severity
    found = ears.world.archive.list_cases(CaseFilter(check="feedback")).cases
    assert case.summary in found
    assert [(one.case_id, one.priority) for one in found] == [
        (case.summary.case_id, before.summary.priority)
    ]
    assert equation(ears.world, "flagged") == {"cases": 1}


def test_praise_without_a_case_changes_nothing(ears: Listening) -> None:
    ears.take("a")
    before = ears.world.dump()
    assert ears.hear("a", "up").outcome == "joined"
    after = ears.world.dump()
    assert after.pop("feedback:read") == {TOPIC.encode(): b"2"}
    assert after == before
    assert ears.reads == 0


def test_an_answer_outside_the_window_is_unmatched(ears: Listening) -> None:
    ears.take("a")
    ears.now_ms = NOW + WINDOW_MS - HOUR_MS
    assert ears.hear("a", "up").outcome == "joined"
    ears.now_ms = NOW + WINDOW_MS + 2 * HOUR_MS
    before = ears.world.dump()
    assert ears.hear("a").outcome == "unmatched"
    assert ears.hear("never").outcome == "unmatched"
    assert ears.world.dump() == before


def test_a_case_is_found_after_the_window(ears: Listening) -> None:
    ears.take("a", cites="x")
    ears.now_ms = NOW + 3 * WINDOW_MS
    joined = ears.hear("a")
    assert (joined.outcome, joined.case, joined.to) == ("joined", "hinted", "")
    assert case_of(ears, "a").feedback == Thumbs(0, 1, "")


def test_without_a_window_nothing_is_indexed(make_world: MakeWorld) -> None:
    ears = listening(make_world, feedback=1.0)
    bare = make_world()
    bare.terms = ears.world.terms
    bare.take([b'{"event_id": "a", "query": "q", "retrieved": [], "answer": "Hello."}'])
    assert [key for key in bare.dump() if key.startswith("feedback")] == []
    assert FeedbackJoin(bare.store, None, lambda: bare.terms).take(  # type: ignore[arg-type]
        ears.join.parse(b'{"event_id": "a", "thumb": "down"}'), (TOPIC, 0), bare.epoch  # type: ignore[arg-type]
    ).outcome == "unmatched"  # fmt: skip


def test_the_position_tells_two_answers_of_one_id_apart(make_world: MakeWorld) -> None:
    ears = listening(make_world, id_window_ms=HOUR_MS)
    ears.take("a", at_ms=NOW - 10 * HOUR_MS)
    ears.take("a", at_ms=NOW)
    assert ears.hear("a", position={"partition": 0, "offset": 7}).outcome == "unmatched"
    ears.hear("a", position={"partition": 0, "offset": 0})
    assert case_of(ears, "a").position == (SOURCE, 0, 0)
    ears.hear("a")
    [first, second] = ears.world.store.jobs.take(WORKER, 10)
    assert [job_of(first).answer.position[2], job_of(second).answer.position[2]] == [0, 1]


@pytest.mark.parametrize("purpose", ["probe", "shadow"])
def test_only_live_answers_are_joined(ears: Listening, purpose: str) -> None:
    ears.take("a", purpose=purpose)
    assert ears.hear("a").outcome == "unmatched"


# The second draw.


def publish(ears: Listening, **parts: Any) -> None:
    factors = Factors(version=7, **parts)
    client, keys = ears.world.connection.client, ears.world.connection.keys
    client.hset(keys.factors, mapping={"version": 7, "body": encode_factors(factors)})


def test_what_the_same_u_does_not_select_stays(make_world: MakeWorld) -> None:
    ears = listening(make_world, feedback=0.0)
    ears.take("a")
    joined = ears.hear("a")
    assert (joined.case, joined.to) == ("opened", "")
    assert equation(ears.world, "eligible") == {"sampled_out": 1}
    assert ears.world.store.jobs.pending() == 0


def test_an_exhausted_budget_draws_nothing(ears: Listening) -> None:
    ears.take("a")
    publish(ears, exhausted=True)
    assert ears.hear("a").to == ""
    publish(ears)
    assert ears.hear("a").to == "s"


def test_the_factor_of_now_scales_it(ears: Listening) -> None:
    ears.take("a")
    u = uniform(b"secret", "support", "a")
    publish(ears, judge={"support": u * 0.999})
    assert ears.hear("a").to == ""
    publish(ears, judge={"support": u * 1.001})
    assert ears.hear("a").to == "s"


def test_without_a_judge_there_is_no_draw_but_a_case(make_world: MakeWorld) -> None:
    ears = listening(make_world, judge=False)
    ears.take("a")
    joined = ears.hear("a")
    assert (joined.case, joined.to) == ("opened", "")
    assert equation(ears.world, "eligible") == {}


def test_what_budget_skipped_moves_too(ears: Listening) -> None:
    app = ears.world.terms.policy.apps["support"]
    rich = app.model_copy(update={"sampling": app.sampling.model_copy(update={"rest": 1.0})})
    policy = ears.world.terms.policy.model_copy(update={"apps": {"support": rich}})
    ears.world.terms = replace(ears.world.terms, policy=policy)
    publish(ears, exhausted=True)
    ears.take("a")
    assert equation(ears.world, "eligible") == {"budget_skipped": 1}
    publish(ears)
    assert ears.hear("a").to == "s"
    assert equation(ears.world, "eligible") == {"selected": 1}


def test_a_full_backlog_refuses_it_and_a_later_complaint_may_succeed(
    make_world: MakeWorld,
) -> None:
    ears = listening(make_world, max_backlog=1)
    ears.take("a", "b")
    assert [ears.hear("a").to, ears.hear("b").to] == ["s", "r"]
    assert equation(ears.world, "eligible") == {"selected": 1, "budget_skipped": 1}
    assert ears.world.archive.totals()["judge:budget_skipped:backlog"] == 1
    assert ears.hear("b").to == ""
    [job] = ears.world.store.jobs.take(WORKER, 10)
    settle(ears.world, job, GOOD)
    assert ears.hear("b").to == "s"
    assert equation(ears.world, "eligible") == {"selected": 2}
    assert ears.world.archive.totals()["judge:budget_skipped:backlog"] == 0


def test_the_first_draws_refusals_are_in_the_index(make_world: MakeWorld) -> None:
    ears = listening(make_world, rest=1.0, max_backlog=1)
    ears.take("a", "b", "c")
    assert equation(ears.world, "eligible") == {"selected": 1, "budget_skipped": 2}
    for job in ears.world.store.jobs.take(WORKER, 10):
        settle(ears.world, job, GOOD)
    assert ears.hear("c").to == "s"
    assert equation(ears.world, "eligible") == {"selected": 2, "budget_skipped": 1}


def test_coverage_follows_second_draws(make_world: MakeWorld) -> None:
    ears = listening(make_world, max_backlog=1)
    ears.take("a", "b", "c")

    def coverage() -> dict[str, Coverage]:
        return coverage_by_app(ears.world.archive.counters())

    assert coverage() == {}
    ears.hear("a")
    assert coverage() == {"support": Coverage(1, 0)}
    ears.hear("b")
    assert coverage() == {"support": Coverage(1, 1)}
    [job] = ears.world.store.jobs.take(WORKER, 10)
    settle(ears.world, job, GOOD)
    ears.hear("b")
    assert coverage() == {"support": Coverage(2, 0)}


def test_a_redrawn_job_keeps_its_release(make_world: MakeWorld) -> None:
    ears = listening(make_world)
    ears.take("a", release={"id": "2026-11-29.2"})
    assert ears.hear("a").to == "s"
    [taken] = ears.world.store.jobs.take(WORKER, 10)
    assert job_of(taken).answer.release == "2026-11-29.2"
    settle(ears.world, taken, GOOD)
    [row] = ears.world.store.judgements.rows(NOW // (24 * HOUR_MS))
    assert row["release"] == "2026-11-29.2"
    [counters] = ears.world.archive.counters().values()
    counted = {name: n for name, n in counters.items() if name.endswith("judge:judged:rest")}
    assert {name.split("\x1f")[0]: n for name, n in counted.items()} == {"2026-11-29.2": 1}
    metrics = Metrics()
    metrics.observe_judgement(judged_of(job_of(taken), GOOD), "")
    place = 'app="support",release="2026-11-29.2",status="judged"'
    assert f"groundwatch_judge_judgements_total{{{place}}} 1.0" in metrics.exposition()[0].decode()


@pytest.mark.parametrize("judged_first", [True, False])
def test_a_selected_answer_weighs_less_afterwards(
    make_world: MakeWorld, judged_first: bool
) -> None:
    ears = listening(make_world, rest=0.6, feedback=0.9)
    names = [f"e{n}" for n in range(40)]
    ears.take(*names)
    jobs = ears.world.store.jobs.take(WORKER, 100)
    chosen = {job_of(job).answer.event_id for job in jobs}
    assert chosen == {name for name in names if uniform(b"secret", "support", name) < 0.6}
    if judged_first:
        for job in jobs:
            settle(ears.world, job, GOOD)
    for name in sorted(chosen)[:5]:
        joined = ears.hear(name)
        assert (joined.outcome, joined.to) == ("joined", "")
    if not judged_first:
        for job in jobs:
            settle(ears.world, job, GOOD)
    rows = ears.world.store.judgements.rows(NOW // (24 * HOUR_MS))
    assert sorted(row["pi"] for row in rows) == [0.6] * (len(chosen) - 5) + [0.9] * 5


def test_weighted_totals_are_right_on_average(make_world: MakeWorld) -> None:
    """Horvitz and Thompson over the store's own rows: 1/π of whatever was judged, by many secrets.
    Users complain about a known third; half of them before the judge is done, half after."""
    names = [f"e{n}" for n in range(30)]
    complained = set(names[::3])
    estimates, raised = [], 0
    for number in range(60):
        ears = listening(make_world, rest=0.3, feedback=0.7, cases_per_group_day=1_000)
        ears.world.connection.client.flushdb()
        ears = listening(make_world, rest=0.3, feedback=0.7, cases_per_group_day=1_000)
        ears.world.terms = replace(ears.world.terms, secret=f"secret {number}".encode())
        ears.take(*names)
        jobs = ears.world.store.jobs.take(WORKER, 100)
        for n, name in enumerate(sorted(complained)):
            if n == 5:
                for job in jobs:
                    settle(ears.world, job, GOOD)
            ears.hear(name)
        for job in ears.world.store.jobs.take(WORKER, 100):
            settle(ears.world, job, GOOD)
        rows = ears.world.store.judgements.rows(NOW // (24 * HOUR_MS))
        raised += sum(row["pi"] == 0.7 for row in rows)
        estimates.append(sum(1 / row["pi"] for row in rows))
        assert ears.world.archive.books().balanced
    mean = sum(estimates) / len(estimates)
    variance = 20 * 0.7 / 0.3 + 10 * 0.3 / 0.7
    assert abs(mean - 30) < 4 * (variance / len(estimates)) ** 0.5
    assert 0.5 < raised / (60 * 10) < 0.9


# What it meets.


def test_a_flood_of_complaints_is_suppressed_and_counted(make_world: MakeWorld) -> None:
    ears = listening(make_world, cases_per_group_day=2)
    ears.take(*"abcd")
    assert [ears.hear(name).case for name in "abcd"] == ["opened"] * 2 + ["suppressed"] * 2
    assert equation(ears.world, "flagged") == {"cases": 2, "suppressed": 2}
    # Said again, it is not flagged again.
    assert ears.hear("d").case == "suppressed"
    assert equation(ears.world, "flagged") == {"cases": 2, "suppressed": 2}
    assert ears.world.archive.totals()["flagged"] == 4


def test_what_the_checks_suppressed_gets_a_case_with_their_findings(
    make_world: MakeWorld,
) -> None:
    ears = listening(make_world, cases_per_group_day=1)
    ears.take("a", "b", cites="x")
    assert ears.hear("b").case == "opened"
    case = case_of(ears, "b")
    assert case.summary.checks == ("citations", "feedback")
    assert case.findings
    assert equation(ears.world, "flagged") == {"cases": 2}


def test_judge_and_feedback_flag_an_answer_once(make_world: MakeWorld) -> None:
    ears = listening(make_world, rest=1.0, cases_per_group_day=1)
    ears.take("a", "b", "c", "d")
    jobs = {job_of(job).answer.event_id: job for job in ears.world.store.jobs.take(WORKER, 10)}
    assert ears.hear("a").case == "opened"
    assert ears.hear("b").case == "suppressed"
    assert settle(ears.world, jobs["c"], WRONG) == "opened"
    assert settle(ears.world, jobs["b"], WRONG) == "suppressed"
    assert settle(ears.world, jobs["d"], WRONG) == "suppressed"
    assert ears.hear("d").case == "suppressed"
    assert ears.hear("c").case == "hinted"
    assert ears.world.archive.totals()["flagged"] == 4
    assert equation(ears.world, "flagged") == {"cases": 2, "suppressed": 2}


def test_under_audit_its_case_is_withheld(make_world: MakeWorld) -> None:
    ears = listening(make_world, rest=1.0, audit=1.0)
    ears.take("a")
    assert ears.hear("a").case == "opened"
    assert case_of(ears, "a") is None
    assert ears.world.archive.list_cases(EVERYTHING).cases == []
    assert equation(ears.world, "cases") == {"withheld": 1}
    ears.hear("a", comment="really")
    ears.world.store.tasks.expire(NOW + 30 * 24 * HOUR_MS)
    assert case_of(ears, "a").feedback == Thumbs(0, 2, "really")


def test_an_answer_that_is_gone_is_counted_as_gone(ears: Listening) -> None:
    ears.take("a", "b")
    ears.take("c", cites="x")
    ears.answers.clear()
    assert ears.hear("a").outcome == "gone"
    assert equation(ears.world, "eligible") == {"sampled_out": 3}
    assert equation(ears.world, "flagged") == {"cases": 1}
    joined = ears.hear("c")
    assert (joined.outcome, joined.case) == ("gone", "hinted")


def test_another_event_at_the_position_is_not_the_answer(ears: Listening) -> None:
    ears.take("a", "b")
    ears.answers[SOURCE, 0, 0] = ears.answers[SOURCE, 0, 1]
    assert ears.hear("a").outcome == "gone"
    assert equation(ears.world, "flagged") == {}


def test_changed_rules_move_what_was_counted(ears: Listening) -> None:
    """Between answer and complaint the policy changed: its counts move where they were made."""
    ears.take("a")
    app = ears.world.terms.policy.apps["support"]
    other = AppPolicy(sampling=app.sampling, disabled_checks=frozenset({"links"}))
    assert other.ruleset != app.ruleset
    policy = ears.world.terms.policy.model_copy(update={"apps": {"support": other}})
    ears.world.terms = replace(ears.world.terms, policy=policy)
    ears.hear("a")
    [counters] = ears.world.archive.counters().values()
    assert {n for name, n in counters.items() if "judge:sampled_out" in name} == {0}
    assert min(counters.values()) == 0
    [job] = ears.world.store.jobs.take(WORKER, 10)
    assert job_of(job).answer.ruleset == app.ruleset


# Once.


def test_a_repeat_changes_nothing(ears: Listening) -> None:
    ears.take("a")
    ears.hear("a", comment="no")
    before = ears.world.dump()
    assert ears.hear("a", again=True).outcome == "repeated"
    assert ears.world.dump() == before


def test_fenced_changes_nothing(ears: Listening) -> None:
    ears.take("a")
    ears.world.checkpoints.fence("")
    before = ears.world.dump()
    with pytest.raises(Fenced):
        ears.hear("a")
    assert ears.world.dump() == before


def test_two_at_once_see_each_other(ears: Listening) -> None:
    """Another thread's feedback comes between the look-up and the script: it looks again."""
    ears.take("a")
    calls: list[int] = []
    read = ears.join._read_answer
    assert read is not None

    def interrupted(position: tuple[str, int, int]) -> Any:
        calls.append(1)
        if len(calls) == 1:
            other = FeedbackJoin(
                ears.world.store, ears.join._documents, ears.join._terms, read,
                lambda: NOW,
            )  # fmt: skip
            said = other.parse(b'{"app": "support", "event_id": "a", "thumb": "down"}')
            other.take(said, ("feedback-topic/1", 0), ears.world.epoch)  # type: ignore[arg-type]
        return read(position)

    ears.join._read_answer = interrupted
    joined = ears.hear("a")
    assert (joined.case, joined.to) == ("hinted", "")
    assert equation(ears.world, "selected") == {"pending": 1}
    assert case_of(ears, "a").feedback == Thumbs(0, 2, "")


# Rebuilding.


def owed(ears: Listening) -> dict[str, Any]:
    return {key: value for key, value in books(ears.world).items() if key != "jobs"}


@pytest.mark.parametrize("seed", range(6))
def test_feedback_is_restored_in_any_order(make_world: MakeWorld, seed: int) -> None:
    dice = random.Random(seed)
    ears = listening(
        make_world, rest=0.3, flagged=0.5, feedback=0.8, audit=0.1, cases_per_group_day=3,
        max_backlog=8,
    )  # fmt: skip
    ears.topic.append(ears.world.take_records([], partition=1)[1].batch)
    names: list[str] = []
    for n in range(12):
        new = [f"e{n}-{m}" for m in range(dice.randrange(1, 9))]
        names += new
        for name in new:
            cites = dice.choice(["plans", "plans", "x", "y"])
            ears.take(name, cites=cites, at_ms=NOW + n * HOUR_MS // 3)
        ears.now_ms = NOW + n * HOUR_MS // 3
        for _ in range(dice.randrange(8)):
            name = dice.choice(names)
            thumb = dice.choice(["down", "down", "up"])
            ears.hear(name, thumb, comment=dice.choice([None, "no", f"wrong {n}"]))
        for job in ears.world.store.jobs.take(WORKER, dice.randrange(1, 4)):
            settle(ears.world, job, dice.choice(ALL))
    # A rebuild ends what still waits as lost, so nothing may.
    for job in ears.world.store.jobs.take(WORKER, 1_000):
        settle(ears.world, job, dice.choice(ALL))
    ears.topic += flushed(ears.world)
    before, late = owed(ears), ears.world.connection.client.hget(
        ears.world.connection.keys.meta, "late"
    )  # fmt: skip
    assert ears.world.archive.books().balanced
    shuffled: list[bytes | None] = [*ears.topic, *dice.choices(ears.topic, k=20)]
    dice.shuffle(shuffled)
    ears.world.connection.client.hdel(ears.world.connection.keys.meta, "late")
    report = rebuild(ears.world.store, shuffled, lambda _: None)
    # Praise that found no case left nothing behind, so that how far it was read may be further.
    after = owed(ears)
    assert before.pop("feedback:read").keys() == after.pop("feedback:read").keys()
    assert after == before
    assert (report.unknown, report.orphans, report.jobs_lost) == (0, 0, 0)
    assert report.feedback > 0
    assert report.cases == ears.world.archive.totals()["cases"]
    assert ears.world.connection.client.hget(ears.world.connection.keys.meta, "late") == late
    # And it goes on from there.
    ears.world.epoch = ears.world.checkpoints.open()
    for name in dice.sample(names, 10):
        ears.hear(name)
    assert ears.world.archive.books().balanced


def test_the_judge_and_feedback_count_by_the_tags_of_the_answer(make_world: MakeWorld) -> None:
    ears = listening(make_world, rest=0.0, flagged=1.0, dimensions={"channel": ["web"]})
    web = {"channel": "web"}
    ears.topic.append(ears.world.take_records([], partition=1)[1].batch)
    ears.take("a", tags=web)
    ears.take("b", cites="x", tags=web)
    assert [ears.hear(name).outcome for name in "ab"] == ["joined", "joined"]
    for job in ears.world.store.jobs.take(WORKER, 10):
        assert job_of(job).answer.tags == "channel=web"
        settle(ears.world, job, WRONG)
    ears.topic += flushed(ears.world)
    [fields] = ears.world.archive.counters().values()
    assert {parse_field(name).tags for name in fields} == {"channel=web"}
    measures = {measure_of(name) for name, number in fields.items() if number}
    assert {"judge:selected:rest", "judge:judged:rest", "judge:judged:flagged_high"} <= measures
    assert "judge:sampled_out:rest" not in measures
    assert min(fields.values()) >= 0
    before = owed(ears)
    rebuild(ears.world.store, ears.topic, lambda _: None)
    assert owed(ears) == before


def test_what_is_not_produced_yet_survives_a_rebuild(ears: Listening) -> None:
    """A dead process may hold the outbox's lease for a while, whoever rebuilds meanwhile."""
    ears.topic.append(ears.world.take_records([], partition=1)[1].batch)
    ears.take("a", "b")
    ears.hear("a")
    [job] = ears.world.store.jobs.take(WORKER, 10)
    settle(ears.world, job, WRONG)
    ears.hear("b", comment="no")
    [other] = ears.world.store.jobs.take(WORKER, 10)
    settle(ears.world, other, GOOD)
    before = owed(ears)
    report = rebuild(ears.world.store, ears.topic, lambda _: None)
    assert (report.feedback, report.orphans, report.jobs_lost) == (2, 0, 0)
    assert owed(ears) == before
    ears.topic += flushed(ears.world)
    rebuild(ears.world.store, ears.topic, lambda _: None)
    assert owed(ears) == before
    assert ears.world.archive.books().balanced


def test_feedback_without_its_answer_waits_for_it(ears: Listening) -> None:
    ears.take("a")
    ears.hear("a")
    rebuild(ears.world.store, flushed(ears.world), lambda _: None)
    assert ears.world.archive.totals() == {}
    assert ears.world.archive.books().balanced


def test_a_job_of_a_complaint_that_went_with_the_store_has_failed(ears: Listening) -> None:
    ears.take("a")
    ears.hear("a")
    report = rebuild(ears.world.store, [*ears.topic, *flushed(ears.world)], lambda _: None)
    assert (report.feedback, report.jobs_lost) == (1, 1)
    assert equation(ears.world, "selected") == {"failed": 1}
    assert case_of(ears, "a").feedback == Thumbs(0, 1, "")


def test_its_record_repeats_what_was_said(ears: Listening) -> None:
    ears.take("a")
    ears.hear("a", comment="no")
    [case, said] = [json.loads(record) for record in flushed(ears.world)]
    assert (case["kind"], said["kind"]) == ("case", "feedback")
    assert (said["case"], said["to"], said["seq"], said["comment"]) == ("opened", "s", 1, "no")
