"""The diagnosis tree: read from the top, greyed below a recall that misses its target."""

from __future__ import annotations

from typing import Any

import pytest

from service.estimates.spread import spread_of
from service.judging.rates import JudgedSample, judged_rates
from service.measuring.probed import ProbeResult, Share
from service.review.labels import Action, Change, Label
from service.web.tree import Line, Source, Standing, tree_of
from tests.unit.web.test_overview import text
from tests.unit.web.test_pages import page
from tests.unit.web.traffic import Stream, counters
from tests.unit.web.world import NOW_MS, MemoryCounters, World


def probe(recall: float, low: float = 0.0) -> ProbeResult:
    shares = {
        "recall@5": Share(recall, low, 1.0, 40, (0,) * 8 + (10, 30)),
        "precision@5": Share(0.3, 0.2, 0.4, 40, (40,) + (0,) * 9),
    }
    return ProbeResult("support", "r1", "p", NOW_MS, 5, 40, 0, shares, attainable=0.31)


def audit(name: str, needed: tuple[str, ...], elsewhere: tuple[str, ...] = ()) -> Change:
    label = Label(needed=needed, needed_elsewhere=elsewhere)
    return Change(
        f"task:{name}", 1, NOW_MS, "ann", Action.LABELLED, label, context={"app": "support"}
    )


def by_name(lines: tuple[Line, ...]) -> dict[str, Line]:
    return {line.name: line for line in lines}


def test_the_lines_stand_in_the_order_of_the_tree() -> None:
    lines = tree_of(None, [], {})
    assert [(line.name, line.target) for line in lines] == [
        ("recall", 0.9), ("precision", 0.7), ("faithfulness", 0.85), ("relevance", 0.8),
        ("context_precision", 0.6),
    ]  # fmt: skip
    assert {line.standing for line in lines} == {Standing.UNKNOWN}
    assert not any(line.greyed for line in lines)


@pytest.mark.parametrize(
    ("recall", "low", "standing", "greyed"),
    [(0.95, 0.91, Standing.MET, False), (0.95, 0.85, Standing.MAYBE, False),
     (0.9, 0.85, Standing.MISSED, True), (0.5, 0.4, Standing.MISSED, True)],
)  # fmt: skip
def test_a_recall_at_or_below_its_target_greys_what_is_under_it(
    recall: float, low: float, standing: Standing, greyed: bool
) -> None:
    first, *under = tree_of(probe(recall, low), [], {})
    assert (first.standing, first.greyed) == (standing, False)
    assert {line.greyed for line in under} == {greyed}


def test_precision_stands_beside_what_it_could_be() -> None:
    line = by_name(tree_of(probe(0.95), [], {}))["precision"]
    assert (line.attainable, line.source, line.n, line.k) == (0.31, Source.QUESTIONS, 40, 5)
    assert line.standing is Standing.MISSED


def test_recall_comes_from_audits_where_no_probe_ran() -> None:
    said = [audit("a", ("x", "y")), audit("b", ("x",), ("z",)), audit("c", ())]
    recall = by_name(tree_of(None, said, {}))["recall"]
    assert (recall.estimate.value, recall.n, recall.source) == (0.75, 2, Source.AUDITS)
    assert by_name(tree_of(probe(0.95), said, {}))["recall"].source is Source.QUESTIONS


def test_opened_cases_are_no_sample() -> None:
    case = Change("case:a", 1, NOW_MS, "ann", Action.LABELLED, Label(needed=("x",)))
    assert tree_of(None, [case], {})[0].n == 0


def test_the_other_lines_come_from_the_judge() -> None:
    rates = judged_rates(JudgedSample(faithfulness=[(1.0, 0.5)] * 50, relevance=[(0.3, 0.1)] * 4))
    lines = by_name(tree_of(probe(0.95), [], rates))
    assert lines["faithfulness"].standing is Standing.MET
    assert (lines["faithfulness"].n, lines["faithfulness"].spread[-1]) == (50, 50)
    assert lines["relevance"].standing is Standing.MISSED
    assert lines["relevance"].source is Source.JUDGE
    assert lines["context_precision"].source is Source.NONE


def test_values_are_counted_by_tenths() -> None:
    assert spread_of([0.0, 0.05, 0.1, 0.99, 1.0]) == (2, 1, 0, 0, 0, 0, 0, 0, 0, 2)


def shown(**parts: Any) -> Any:
    made = World(counters=MemoryCounters(counters([Stream("support", "r1", 3)])), **parts)
    return page(made, "/overview")


def test_the_page_greys_with_the_reason_and_shows_the_distribution() -> None:
    found = shown(probes=[probe(0.5, 0.4)])
    rows = [text(row) for row in found.of("li") if "wanted" in text(row) or "above" in text(row)]
    assert "Recall of retrieval @5" in rows[0]
    assert "40 labelled questions" in rows[0]
    assert "mend retrieval first" not in rows[0]
    assert all("mend retrieval first" in row for row in rows[1:])
    assert "attainable at most 31.0" in rows[1]
    assert "0.8 to 0.9: 10" in rows[0]
    assert "needs the judge" in rows[2]


def test_without_anything_known_there_is_no_tree() -> None:
    assert not any(heading["text"] == "Where to look first" for heading in shown().of("h2"))


def test_a_target_of_ones_own_decides() -> None:
    recall, precision, *_ = tree_of(probe(0.95), [], {}, {"recall": 0.97})
    assert (recall.target, recall.standing) == (0.97, Standing.MISSED)
    assert (precision.target, precision.greyed) == (0.7, True)
