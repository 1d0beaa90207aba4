"""What is kept of a probe's run."""

from __future__ import annotations

from service.measuring.probed import NAMED, ProbeResult, decode_result, encode_result, result_of
from service.measuring.runs import Outcome, QuestionsUsed, Run, RunHeader
from service.measuring.summary import means


def outcome(name: str, hit: float | None = None, **fields) -> Outcome:
    measures = {"hit@5": hit, "recall@5": hit, "precision@5": hit and 0.2, "findings": 3.0}
    return Outcome(name, "?", measures, relevant={"a": 1.0}, **fields)


def result(*outcomes: Outcome) -> ProbeResult:
    header = RunHeader(
        kind="probe", run="probe-r1", app="support", started_at="", groundwatch="0",
        questions=QuestionsUsed("f", "", len(outcomes), len(outcomes)),
    )  # fmt: skip
    return result_of(Run(header, outcomes), "support", "r1", 7, 5)


def test_it_counts_what_alerts_ask_for() -> None:
    found = result(
        outcome("hit", 1.0, critical=True),
        outcome("lost", 0.0, critical=True),
        outcome("miss", 0.0),
        outcome("away", None, critical=True, error="timeout"),
        outcome("invented", None, behaviour="no_answer", diagnosis="invented_answer"),
        outcome("told", None, behaviour="deny", diagnosis="invented_answer"),
        outcome("guessed", None, behaviour="clarify", diagnosis="invented_answer"),
        outcome("declined", None, behaviour="no_answer", diagnosis="success"),
    )
    assert (found.questions, found.failed, found.unanswerable) == (8, 1, 3)
    assert (found.lost, found.lost_ids) == (1, ("lost",)), "who did not answer lost no hit"
    assert (found.answered, found.answered_ids) == (2, ("invented", "told"))


def test_the_shares_have_their_spread() -> None:
    found = result(outcome("1", 1.0), outcome("2", 0.0), outcome("3", 1.0), outcome("4", 0.55))
    share = found.shares["recall@5"]
    assert (share.mean, share.questions) == (0.6375, 4)
    assert share.spread == (1, 0, 0, 0, 0, 1, 0, 0, 0, 2)
    assert found.attainable == 0.2
    assert "findings" not in found.shares, "a number of findings is no share"
    assert found.shares["recall@5"].low < 0.6375 < found.shares["recall@5"].high


def test_names_are_bounded_and_numbers_are_not() -> None:
    found = result(*(outcome(f"q{n}", 0.0, critical=True) for n in range(NAMED + 5)))
    assert (found.lost, len(found.lost_ids)) == (NAMED + 5, NAMED)


def test_it_can_be_kept_and_what_is_none_is_not_read() -> None:
    found = result(outcome("1", 1.0))
    assert decode_result(encode_result(found)) == found
    assert decode_result(b"{}") is None
    assert decode_result(b"\xff") is None


def test_a_number_of_findings_has_a_mean_and_from_many_an_interval() -> None:
    few = means([outcome("1", 1.0)])["findings"].estimate
    assert (few.value, few.low, few.high) == (3.0, None, None)
    many = [Outcome(str(n), "?", {"findings": float(n % 4)}) for n in range(40)]
    told = means(many)["findings"].estimate
    assert told.low is not None
    assert told.high is not None
    assert told.low < 1.5 < told.high
