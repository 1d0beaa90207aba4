"""Retrieval measures: by hand, against trec_eval, and what must always hold."""

from __future__ import annotations

import random
from math import log2

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from service.estimates.retrieval import attainable_precision, retrieval_measures, top_k

NAMES = ("hit", "precision", "recall", "mrr", "ndcg")


def of(retrieved: str, relevant: str | dict[str, float], k: int) -> tuple[float, ...]:
    graded = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1.0)
    found = retrieval_measures(list(retrieved), graded, k)
    return tuple(found[f"{name}@{k}"] for name in NAMES)


# By hand: (retrieved, relevant, k) → hit, precision, recall, MRR, nDCG.
BY_HAND: dict[str, tuple[tuple[str, str | dict[str, float], int], tuple[float, ...]]] = {
    "first": (("abc", "a", 3), (1, 1 / 3, 1, 1, 1)),
    "second": (("xaz", "a", 3), (1, 1 / 3, 1, 1 / 2, 1 / log2(3))),
    "none": (("xyz", "a", 3), (0, 0, 0, 0, 0)),
    "beyond-k": (("xya", "a", 2), (0, 0, 0, 0, 0)),
    "two-of-three": (
        ("axbyz", "abc", 5),
        (1, 2 / 5, 2 / 3, 1, (1 + 1 / 2) / (1 + 1 / log2(3) + 1 / 2)),
    ),
    "short-list": (("a", "ab", 5), (1, 1 / 5, 1 / 2, 1, 1 / (1 + 1 / log2(3)))),
    "empty-list": (("", "a", 5), (0, 0, 0, 0, 0)),
    "repeated": (("aab", "ab", 2), (1, 1, 1, 1, 1)),
    "more-relevant-than-k": (("ab", "abcd", 2), (1, 1, 1 / 2, 1, 1)),
    # Järvelin and Kekäläinen's grades 0 to 3, linear gain.
    "graded": (
        ("bac", {"a": 3.0, "b": 1.0}, 3),
        (1, 2 / 3, 1, 1, (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_measures_are_those_worked_out_by_hand(name: str) -> None:
    arguments, expected = BY_HAND[name]
    assert of(*arguments) == pytest.approx(expected, abs=1e-12)


def random_case(rng: random.Random) -> tuple[list[str], dict[str, float], int]:
    """Short lists, repeats, more and fewer relevant refs than k, grades 1 to 3."""
    pool = [f"d{number}" for number in range(12)]
    retrieved = rng.choices(pool, k=rng.randrange(13))
    relevant = {ref: float(rng.randint(1, 3)) for ref in rng.sample(pool, rng.randint(1, 8))}
    return retrieved, relevant, rng.randint(1, 12)


def test_they_are_those_of_trec_eval_on_random_lists() -> None:
    """trec_eval sorts by score and breaks ties by name, so it is given scores that fall by rank."""
    rng = random.Random(7)
    for _ in range(500):
        retrieved, relevant, k = random_case(rng)
        ranked = top_k(retrieved, len(retrieved))
        run = {ref: float(len(ranked) - place) for place, ref in enumerate(ranked)}
        top = dict(list(run.items())[:k])
        qrel = {"q": {ref: int(grade) for ref, grade in relevant.items()}}
        wanted = {f"success.{k}", f"P.{k}", f"recall.{k}", f"ndcg_cut.{k}"}
        found = pytrec_eval.RelevanceEvaluator(qrel, wanted).evaluate({"q": run})
        first = pytrec_eval.RelevanceEvaluator(qrel, {"recip_rank"}).evaluate({"q": top})
        ours = retrieval_measures(retrieved, relevant, k)
        # It knows no query without a document.
        theirs = {**found.get("q", {}), **first.get("q", {})}
        for mine, its in (("hit", f"success_{k}"), ("precision", f"P_{k}"), ("mrr", "recip_rank"),
                          ("recall", f"recall_{k}"), ("ndcg", f"ndcg_cut_{k}")):  # fmt: skip
            assert ours[f"{mine}@{k}"] == pytest.approx(theirs.get(its, 0.0), abs=1e-9), its


refs = st.sampled_from("abcdefgh")
lists = st.lists(refs, max_size=10)
grades = st.dictionaries(refs, st.floats(0.25, 4), min_size=1)


@given(lists, grades, st.integers(1, 9))
def test_recall_and_hits_never_fall_with_k(retrieved, relevant, k) -> None:
    here, there = (retrieval_measures(retrieved, relevant, each) for each in (k, k + 1))
    for name in ("recall", "hit", "mrr"):
        assert here[f"{name}@{k}"] <= there[f"{name}@{k + 1}"]


@given(lists, grades, st.integers(1, 10))
def test_precision_times_k_is_a_whole_number_within_what_is_attainable(
    retrieved, relevant, k
) -> None:
    found = retrieval_measures(retrieved, relevant, k)[f"precision@{k}"]
    assert found * k == pytest.approx(round(found * k), abs=1e-9)
    assert found <= attainable_precision(relevant, k)


@given(lists, grades, st.integers(1, 10))
def test_each_is_a_share_and_the_best_list_has_all(retrieved, relevant, k) -> None:
    assert all(0 <= x <= 1 for x in retrieval_measures(retrieved, relevant, k).values())
    best = sorted(relevant, key=lambda ref: -relevant[ref])
    assert retrieval_measures(best, relevant, k)[f"ndcg@{k}"] == 1


@given(lists, grades, st.integers(1, 10))
def test_a_repeat_changes_nothing(retrieved, relevant, k) -> None:
    twice = [ref for ref in retrieved for _ in range(2)]
    assert retrieval_measures(twice, relevant, k) == retrieval_measures(retrieved, relevant, k)


@pytest.mark.parametrize(("relevant", "k"), [({}, 5), ({"a": 1.0}, 0)], ids=["nothing", "k"])
def test_what_cannot_be_measured_is_refused(relevant: dict[str, float], k: int) -> None:
    with pytest.raises(ValueError, match=r"nothing is relevant|at least 1"):
        retrieval_measures(["a"], relevant, k)
