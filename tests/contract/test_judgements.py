"""Jobs in, judgements out: each exactly once in the books, whatever dies in between."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from service.drafts import case_id
from service.judging.judgement import Judgement, Verdict
from service.judging.results import judged_of
from service.rebuild import rebuild
from service.review.cases import CaseFilter
from service.store import Fenced, Gone
from tests.contract.judged import (
    ALL,
    GOOD,
    LOST,
    MUTE,
    THIN,
    WORKER,
    WRONG,
    claim,
    flushed,
    job_of,
    judged_world,
    judgement,
    settle,
    taken,
)
from tests.contract.test_rebuild import books, random_traffic
from tests.contract.world import HOUR_MS, NOW, MakeWorld, World, event

EVERYTHING = CaseFilter(status=None)


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return judged_world(make_world)


def equation(world: World, name: str) -> dict[str, int]:
    books = world.archive.books()
    assert books.balanced, [e for e in books.equations if e.imbalance]
    [found] = [e for e in books.equations if e.name == name]
    return {term: n for term, n in found.right.items() if n}


# Jobs.


def test_what_is_drawn_waits_as_a_job_with_all_that_is_needed(world: World) -> None:
    [job] = taken(world, "a")
    found = job_of(job)
    drawn = found.answer
    assert (drawn.app, drawn.event_id, drawn.release) == ("support", "a", "r1")
    assert found.answer_text == "A seat costs 45 € [pricing#plans]."
    assert [source.text for source in found.sources] == ["Pro: 45 € a seat."]
    [cited] = found.citations
    assert found.answer_text[cited.start : cited.end] == "[pricing#plans]"
    assert cited.refs == ("pricing#plans",)
    assert drawn.job_id == job.job_id == case_id("support", "a")
    assert not drawn.flagged
    assert equation(world, "selected") == {"pending": 1}


def test_a_probe_is_not_judged(world: World) -> None:
    assert taken(world, "a", purpose="probe") == []
    assert equation(world, "eligible") == {}


def test_without_a_judge_nothing_is_eligible(make_world: MakeWorld) -> None:
    world = make_world()
    world.take([event("a"), event("b", cites="x")])
    assert equation(world, "eligible") == {}
    assert world.store.jobs.pending() == 0


def test_a_full_backlog_refuses_but_no_audit(make_world: MakeWorld) -> None:
    world = judged_world(make_world, max_backlog=2)
    applied = world.take([event(name) for name in "abcd"])
    assert (applied.jobs, applied.refused) == (2, 2)
    assert equation(world, "eligible") == {"selected": 2, "budget_skipped": 2}
    assert world.archive.totals()["judge:budget_skipped:backlog"] == 2
    [counters] = world.archive.counters().values()
    assert sum(n for name, n in counters.items() if name.endswith("judge:selected:rest")) == 2
    skipped = [n for name, n in counters.items() if name.endswith("judge:budget_skipped:rest")]
    assert skipped == [2]
    audited = judged_world(make_world, audit=1.0, max_backlog=2)
    before = audited.store.jobs.pending()
    assert audited.take([event(f"audited-{n}") for n in range(5)]).refused == 0
    assert audited.store.jobs.pending() == before + 5


def test_what_a_full_backlog_refuses_is_not_encoded(make_world: MakeWorld) -> None:
    world = judged_world(make_world, audit=0.5, max_backlog=1)
    world.take([event("first")])
    assert world.store.jobs.pending() == 1
    effects = world.effects([event(f"e{n}") for n in range(20)])
    audited = {row.offset for row in effects.rows if row.audited}
    assert 0 < len(audited) < 20
    assert {job.offset for job in effects.jobs if job.record} == audited
    applied = world.ledger.apply(effects, world.epoch)
    assert (applied.jobs, applied.refused) == (len(audited), 20 - len(audited))
    assert equation(world, "eligible") == {
        "selected": 1 + len(audited), "budget_skipped": 20 - len(audited),
    }  # fmt: skip
    assert world.store.jobs.pending() == 1 + len(audited)
    assert all(job.job is not None for job in world.store.jobs.take(WORKER, 100))


def test_there_is_room_again_once_jobs_are_done(make_world: MakeWorld) -> None:
    world = judged_world(make_world, max_backlog=1)
    [job] = taken(world, "a")
    assert world.take([event("b")]).refused == 1
    settle(world, job, GOOD)
    assert world.take([event("c")]).jobs == 1


def test_short_memory_refuses_jobs(world: World) -> None:
    effects = world.effects([event("a")])
    assert world.ledger.apply(effects, world.epoch, payloads=False).refused == 1
    assert equation(world, "eligible") == {"budget_skipped": 1}


def test_a_job_is_handed_out_once(world: World) -> None:
    [job] = taken(world, "a")
    assert world.store.jobs.take("worker-2", 10) == []
    assert world.store.jobs.take_over("worker-2", 60_000, 10) == []
    [again] = world.store.jobs.take_over("worker-2", 0, 10)
    assert again == job


def test_a_renewed_job_stays_with_its_worker(world: World) -> None:
    import time

    [job] = taken(world, "a")
    time.sleep(0.2)
    world.store.jobs.renew(WORKER, [job.entry])
    assert world.store.jobs.take_over("worker-2", 150, 10) == []
    time.sleep(0.2)
    assert len(world.store.jobs.take_over("worker-2", 150, 10)) == 1


def test_the_jobs_of_the_living_do_not_hide_those_of_the_dead(world: World) -> None:
    import time

    older = taken(world, *(f"a{n}" for n in range(45)))
    world.take([event("z")])
    [dead] = world.store.jobs.take("worker-3", 1)
    time.sleep(0.2)
    world.store.jobs.renew(WORKER, [job.entry for job in older])
    found = [job for _ in range(10) for job in world.store.jobs.take_over("worker-2", 150, 1)]
    assert [job.entry for job in found] == [dead.entry]


def test_a_stream_that_is_gone_is_made_anew(world: World) -> None:
    world.connection.client.delete(world.connection.keys.jobs)
    assert world.store.jobs.take(WORKER, 1) == []
    assert world.store.jobs.take_over(WORKER, 0, 1) == []
    assert len(taken(world, "a")) == 1


def test_a_payload_that_cannot_be_read_stays(world: World) -> None:
    client = world.connection.client
    client.xadd(world.connection.keys.jobs, {"id": "x", "job": b"not deflated"})
    [job] = world.store.jobs.take(WORKER, 1)
    assert (job.job_id, job.job) == ("x", None)
    assert world.store.jobs.pending() == 1


# Judgements.


@pytest.mark.parametrize(
    ("said", "term"),
    [(GOOD, "judged"), (WRONG, "judged"), (MUTE, "undetermined"), (LOST, "failed")],
)
def test_each_way_to_end_is_counted(world: World, said: Judgement, term: str) -> None:
    [job] = taken(world, "a")
    settle(world, job, said)
    assert equation(world, "selected") == {term: 1}
    assert world.store.jobs.pending() == 0
    if said.reason:
        assert world.archive.totals()[f"judge:{term}:{said.reason}"] == 1
    [record] = flushed(world)[-1:]
    assert json.loads(record)["judgement"]["status"] == term


def test_the_second_of_two_workers_changes_nothing(world: World) -> None:
    [job] = taken(world, "a")
    assert settle(world, job, WRONG) == "opened"
    before = world.dump()
    with pytest.raises(Gone):
        settle(world, job, THIN)
    assert world.dump() == before


def test_a_fenced_worker_changes_nothing(world: World) -> None:
    [job] = taken(world, "a")
    world.checkpoints.fence("")
    before = world.dump()
    with pytest.raises(Fenced):
        settle(world, job, WRONG)
    assert world.dump() == before


def test_a_good_answer_opens_nothing(world: World) -> None:
    [job] = taken(world, "a")
    assert settle(world, job, GOOD) == ""
    assert world.archive.list_cases(EVERYTHING).cases == []
    assert equation(world, "flagged") == {}


def test_a_bad_claim_opens_a_case(world: World) -> None:
    [job] = taken(world, "a")
    assert settle(world, job, WRONG) == "opened"
    [summary] = world.archive.list_cases(CaseFilter(check="judge", severity="high")).cases
    assert (summary.checks, summary.reasons) == (("judge",), ("contradicted",))
    case = world.archive.case(summary.case_id)
    assert case is not None
    assert case.findings[0]["near_ref"] == "pricing#plans"
    assert case.findings[0]["surface"] == "A seat costs 45 €"
    assert case.judgement is not None
    assert case.event["answer"] == job_of(job).answer_text
    assert world.archive.open_by_severity()["high"] == 1
    assert equation(world, "flagged") == {"cases": 1}


def test_a_flagged_answer_keeps_its_one_case(world: World) -> None:
    [job] = taken(world, "a", cites="x")
    [before] = world.archive.list_cases().cases
    assert settle(world, job, THIN) == "enriched"
    [after] = world.archive.list_cases().cases
    assert after.case_id == before.case_id
    assert after.checks == ("citations", "judge")
    assert equation(world, "flagged") == {"cases": 1}
    assert [case.case_id for case in world.archive.list_cases(CaseFilter(check="judge")).cases] == [
        after.case_id
    ]


def test_a_graver_finding_raises_its_case_everywhere(make_world: MakeWorld) -> None:
    world = judged_world(make_world)
    numbers = {"answer": "A seat costs 45 € on 3 May [pricing#plans]."}
    [job] = taken(world, "a", **numbers)
    [before] = world.archive.list_cases().cases
    graver = judgement(claim(Verdict.CONTRADICTED))
    assert settle(world, job, graver) == "enriched"
    [after] = world.archive.list_cases().cases
    if before.severity != "high":
        assert after.severity == "high"
        assert world.archive.list_cases(CaseFilter(severity=before.severity)).cases == []
    assert world.archive.open_by_severity() == {"high": 1, "medium": 0, "low": 0}
    scores = {
        key: value[after.case_id.encode()]
        for key, value in world.dump().items()
        if key.startswith("cases:")
        and not key.startswith("cases:since:")
        and after.case_id.encode() in value
    }
    assert len(set(scores.values())) == 1, scores


def test_a_good_judgement_is_shown_on_a_case_and_changes_nothing_else(world: World) -> None:
    [job] = taken(world, "a", cites="x")
    [before] = world.archive.list_cases().cases
    assert settle(world, job, GOOD) == "enriched"
    assert world.archive.list_cases().cases == [before]
    case = world.archive.case(before.case_id)
    assert case is not None
    assert case.judgement is not None
    assert case.judgement["assessment"]["faithfulness"] == 1.0


def test_a_flood_of_bad_claims_is_suppressed_and_counted(make_world: MakeWorld) -> None:
    world = judged_world(make_world, cases_per_group_day=1)
    became = [settle(world, job, WRONG) for job in taken(world, "a", "b", "c")]
    assert became == ["opened", "suppressed", "suppressed"]
    assert equation(world, "flagged") == {"cases": 1, "suppressed": 2}


def test_what_the_checks_suppressed_may_get_a_case_from_the_judge(make_world: MakeWorld) -> None:
    world = judged_world(make_world, cases_per_group_day=1)
    jobs = taken(world, "a", "b", cites="x")
    assert equation(world, "flagged") == {"cases": 1, "suppressed": 1}
    assert settle(world, jobs[1], WRONG) == "opened"
    assert equation(world, "flagged") == {"cases": 2}


def test_the_outbox_gives_up_only_what_was_taken_from_it(world: World) -> None:
    jobs = taken(world, "a", "b")
    settle(world, jobs[0], GOOD)
    first = world.store.judgements.unflushed()
    settle(world, jobs[1], GOOD)
    assert world.store.judgements.flushed(first)
    assert not world.store.judgements.flushed(first)
    assert len(world.store.judgements.unflushed()) == 1


# Rebuilding.


def without_jobs(world: World) -> dict[str, Any]:
    found = books(world)
    return {key: value for key, value in found.items() if key != "jobs"}


@pytest.mark.parametrize("seed", range(4))
def test_judgements_are_restored_in_any_order(make_world: MakeWorld, seed: int) -> None:
    dice = random.Random(seed)
    world = judged_world(make_world, audit=0.3, cases_per_group_day=3, max_backlog=12)
    topic = [world.take_records([], partition=1)[1].batch]
    for n in range(12):
        events = [
            event(f"e{n}-{m}", cites=dice.choice(["plans", "plans", "x", "y"]))
            for m in range(dice.randrange(9))
        ]
        _, outbox = world.take_records(events, at_ms=NOW + n * HOUR_MS // 3)
        topic += [*outbox.cases, outbox.batch]
        for job in world.store.jobs.take(WORKER, dice.randrange(1, 6)):
            settle(world, job, dice.choice(ALL))
    for job in world.store.jobs.take(WORKER, 1_000):
        settle(world, job, dice.choice(ALL))
    topic += flushed(world)
    before = without_jobs(world)
    assert world.archive.books().balanced
    assert equation(world, "eligible").keys() == {"selected", "budget_skipped"}
    shuffled: list[bytes | None] = [*topic, *dice.choices(topic, k=10)]
    dice.shuffle(shuffled)
    report = rebuild(world.store, shuffled, lambda _: None)
    assert without_jobs(world) == before
    assert (report.unknown, report.orphans, report.without_case, report.jobs_lost) == (0, 0, 0, 0)
    assert report.tasks > 0


def test_jobs_that_went_with_the_store_have_failed(world: World) -> None:
    _, outbox = world.take_records([event("a"), event("b")])
    [job, _] = world.store.jobs.take(WORKER, 2)
    settle(world, job, GOOD)
    topic = [*outbox.cases, outbox.batch, *flushed(world)]
    report = rebuild(world.store, topic, lambda _: None)
    assert (report.judgements, report.jobs_lost) == (1, 1)
    assert equation(world, "selected") == {"judged": 1, "failed": 1}
    assert world.archive.totals()["judge:failed:payload_lost"] == 1


def test_a_judgement_of_a_job_that_a_rebuild_ended_is_refused(world: World) -> None:
    _, outbox = world.take_records([event("a")])
    [job] = world.store.jobs.take(WORKER, 1)
    rebuild(world.store, [outbox.batch], lambda _: None)
    with pytest.raises(Fenced):
        settle(world, job, GOOD)
    world.epoch = world.checkpoints.open()
    with pytest.raises(Gone):
        settle(world, job, GOOD)
    assert equation(world, "selected") == {"failed": 1}


def test_random_traffic_with_a_judge_is_restored(make_world: MakeWorld) -> None:
    world = judged_world(make_world, cases_per_group_day=5)
    topic = random_traffic(world, 11)
    for job in world.store.jobs.take(WORKER, 1_000):
        settle(world, job, WRONG)
    topic += flushed(world)
    before = without_jobs(world)
    rebuild(world.store, topic, lambda _: None)
    assert without_jobs(world) == before


def test_a_judgement_survives_its_record() -> None:
    from service.judging.judgement import decode_judgement, encode_judgement

    for said in ALL:
        assert decode_judgement(json.loads(json.dumps(encode_judgement(said)))) == said


def test_a_judgement_of_very_many_claims_fits_and_counts_the_same(world: World) -> None:
    from service.judging.results import counters_of, decode_judged, encode_head, shrink_judgement

    [job] = taken(world, "a")
    judged = judged_of(job_of(job), judgement(*[claim(Verdict.SUPPORTED)] * 4_000))
    record = encode_head(judged, 700_000) + b',"case":""}'
    assert len(record) <= 700_000
    assert counters_of(decode_judged(json.loads(record))) == counters_of(judged)
    assert len(shrink_judgement(encode_head(judged, 10_000_000) + b',"case":""}')) <= 700_000


def test_a_huge_judgement_is_cut_and_counts_the_same(world: World) -> None:
    from service.judging.results import counters_of, decode_judged, encode_head, shrink_judgement

    [job] = taken(world, "a")
    claims = [claim(Verdict.CONTRADICTED, "w" * 5_000) for _ in range(300)]
    judged = judged_of(job_of(job), judgement(*claims))
    record = encode_head(judged, 700_000) + b',"case":""}'
    assert len(record) <= 700_000
    assert counters_of(decode_judged(json.loads(record))) == counters_of(judged)
    smaller = shrink_judgement(record)
    assert len(smaller) < len(record)
    assert counters_of(decode_judged(json.loads(smaller))) == counters_of(judged)
