"""Two runs, question by question."""

from __future__ import annotations

import pytest

from service.estimates.paired import mcnemar
from service.measuring.attribution import Attributable, attribution_of
from service.measuring.compared_text import compared_lines
from service.measuring.comparing import Compared, Comparison, NothingToCompare, compare_runs
from service.measuring.runs import QuestionsUsed
from tests.unit.measuring.made_runs import made_run, with_outcomes


def measure_of(found: Comparison, name: str) -> Compared:
    return next(measure for measure in found.measures if measure.measure == name)


def test_equal_means_still_name_who_moved() -> None:
    first = made_run({"q-1": {"hit@5": 1.0}, "q-2": {"hit@5": 0.0}, "q-3": {"hit@5": 1.0}})
    second = made_run({"q-1": {"hit@5": 0.0}, "q-2": {"hit@5": 1.0}, "q-3": {"hit@5": 1.0}})
    found = measure_of(compare_runs(first, second), "hit@5")
    assert found.first == found.second == pytest.approx(2 / 3)
    assert found.difference.value == 0
    assert found.questions.improved == ("q-2",)
    assert found.questions.regressed == ("q-1",)
    text = "\n".join(compared_lines(compare_runs(first, second)))
    assert "hit@5 improved: q-2" in text
    assert "hit@5 regressed: q-1" in text


def test_only_questions_with_a_value_on_both_sides_count() -> None:
    first = made_run({"a": {"correct": 1.0}, "b": {"correct": None}, "c": {"correct": 1.0}})
    second = made_run({"a": {"correct": 0.0}, "b": {"correct": 1.0}, "d": {"correct": 1.0}})
    comparison = compare_runs(first, second)
    found = measure_of(comparison, "correct")
    assert (found.n, found.first, found.second) == (1, 1.0, 0.0)
    assert found.test is not None
    assert found.test.p == mcnemar(0, 1)
    assert (comparison.only_first, comparison.only_second) == (("c",), ("d",))


def test_fewer_findings_are_better() -> None:
    found = compare_runs(made_run({"a": {"findings": 3.0}}), made_run({"a": {"findings": 1.0}}))
    assert measure_of(found, "findings").questions.improved == ("a",)


def test_by_tag_and_what_it_costs() -> None:
    base = made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 0.0}})
    first = with_outcomes(
        base,
        {"a": {"tags": ("billing",), "usage": {"input_tokens": 100, "cost_usd": None}},
         "b": {"latency_ms": {"total": 10.0}}},
    )  # fmt: skip
    second = with_outcomes(
        base,
        {"a": {"tags": ("billing",), "usage": {"input_tokens": 150, "cost_usd": 0.1}},
         "b": {"latency_ms": {"total": 30.0}}},
    )  # fmt: skip
    found = compare_runs(first, second)
    assert {tag: [row.n for row in rows] for tag, rows in found.tags.items()} == {"billing": [1]}
    assert [(row.name, row.first, row.second) for row in found.spent] == [
        ("input_tokens", 100, 150),
        ("latency_ms.total", 10, 30),
    ]
    assert "(+50.0%)" in "\n".join(compared_lines(found))


LISTS = {"a": {"retrieved": ("x", "y", "z", "u", "v")}}


def test_more_places_of_one_list_cannot_regress() -> None:
    three = with_outcomes(made_run({"a": {"hit@3": 0.0, "precision@3": 0.0}}, k=3), LISTS)
    five = with_outcomes(made_run({"a": {"hit@5": 1.0, "precision@5": 0.2}}, k=5), LISTS)
    found = compare_runs(three, five)
    hit = measure_of(found, "hit@3")
    assert (hit.against, hit.cannot) == ("hit@5", "regress")
    # Another measure: with one relevant ref the best precision@3 is a third, precision@5 a fifth.
    assert [measure.measure for measure in found.measures] == ["hit@3"]
    assert "3 and 5 places" in found.warnings[0]
    assert "cannot regress: B looks at more places" in "\n".join(compared_lines(found))
    assert measure_of(compare_runs(five, three), "hit@5").cannot == "improve"


def test_a_tag_shows_what_moved_in_it() -> None:
    tags = {"a": {"tags": ("x",)}, "b": {"tags": ("y",)}}
    first = with_outcomes(made_run({"a": {"hit@5": 1.0}, "b": {"hit@5": 1.0}}), tags)
    second = with_outcomes(made_run({"a": {"hit@5": 0.0}, "b": {"hit@5": 1.0}}), tags)
    lines = list(compared_lines(compare_runs(first, second)))
    assert "tag x (n = 1)" in lines
    assert "nothing moved in the tags y (n = 1)" in lines


def test_other_lists_can_regress_at_any_k() -> None:
    three = with_outcomes(made_run({"a": {"hit@3": 0.0}}, k=3), LISTS)
    other = with_outcomes(made_run({"a": {"hit@5": 1.0}}), {"a": {"retrieved": ("y", "x", "z")}})
    assert measure_of(compare_runs(three, other), "hit@3").cannot is None


def test_one_part_that_differs_is_to_blame_and_two_are_not_told_apart() -> None:
    old = {"id": "1", "model": "m", "prompt": "p", "retrieval_params": {"top_k": 5}}
    one = attribution_of(old, old | {"id": "2", "prompt": "p2"})
    assert (one.attributable, one.changed) == (Attributable.YES, {"prompt": ("p", "p2")})
    assert "chunking" in one.untold
    two = attribution_of(old, old | {"prompt": "p2", "retrieval_params": {"top_k": 8}})
    assert two.attributable is Attributable.NO
    assert list(two.changed) == ["prompt", "retrieval_params"]
    assert attribution_of(old, old | {"id": "2"}).attributable is Attributable.NOTHING
    assert attribution_of({"id": "1"}, old).attributable is Attributable.UNKNOWN


def test_a_part_that_one_side_did_not_record_is_said_to_be_unknown() -> None:
    found = attribution_of({"model": "m", "index": "i"}, {"model": "n"})
    assert found.attributable is Attributable.YES
    assert "index" in found.untold


def test_not_attributable_is_said_with_the_parts() -> None:
    first = made_run({"a": {"hit@5": 1.0}}, release={"model": "m", "index": "i"})
    second = made_run({"a": {"hit@5": 1.0}}, release={"model": "n", "index": "j"})
    text = "\n".join(compared_lines(compare_runs(first, second)))
    assert "not attributable: 2 parts differ (model: m → n; index: i → j)" in text


def test_what_makes_runs_hard_to_compare_is_told() -> None:
    first = made_run({"a": {"hit@5": 1.0}}, judge={"model": "j", "version": "1"})
    second = made_run(
        {"a": {"hit@5": 1.0}}, app="sales", kind="probe",
        questions=QuestionsUsed("other.jsonl", "cd" * 32, 1, 1),
    )  # fmt: skip
    warnings = " ".join(compare_runs(first, second).warnings)
    for part in ("question files differ", "support and sales", "retrieval and probe", "judge"):
        assert part in warnings


def test_nothing_in_common_is_an_error_in_words() -> None:
    first = made_run({"a": {"hit@5": 1.0}})
    with pytest.raises(NothingToCompare, match="no question in common"):
        compare_runs(first, made_run({"b": {"hit@5": 1.0}}))
    with pytest.raises(NothingToCompare, match=r"no measure in common: hit@5 against correct"):
        compare_runs(first, made_run({"a": {"correct": 1.0}}))
