"""The rules file: what it means, and what is wrong with it, by line and name."""

from __future__ import annotations

import pytest

from service.measuring.rules import BadRules, MeasureRule, RateRule, RegressionRule, read_rules

GOOD = """\
gates:
  nightly:
    - measure: recall@5
      of: run.jsonl
      at_least: 0.9
    - {no_regression_of: hit@5, of: run.jsonl, against: old.jsonl, questions: critical}
  release:
    - {rate: unresolved, at_most_ratio: 1.1, margin: 0.002}
    - {name: few flags, rate: flagged, at_most: 0.1, release: r2}
"""


def test_a_rules_file_is_read() -> None:
    gates = read_rules(GOOD, "rules.yaml").gates
    recall, hit = gates["nightly"]
    assert isinstance(recall, MeasureRule)
    assert (recall.bound, recall.is_floor, recall.min_n) == (0.9, True, 30)
    assert isinstance(hit, RegressionRule)
    ratio, flags = gates["release"]
    assert isinstance(ratio, RateRule)
    assert (ratio.release, ratio.demand.ratio, ratio.demand.margin) == ("new", 1.1, 0.002)
    assert [rule.title for rule in (recall, hit, ratio, flags)] == [
        "recall@5 ≥ 0.9",
        "no regression of critical hit@5",
        "unresolved of new ≤ 1.1 × previous + 0.002",
        "few flags",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("at_least: 0.9", "at_lest: 0.9",
         "rules.yaml, line 5: gates.nightly[0]: unknown 'at_lest'; did you mean at_least?"),
        ("at_least: 0.9", "at_least: much", "line 5: gates.nightly[0].at_least: Input should be"),
        ("      at_least: 0.9\n", "",
         "line 3: gates.nightly[0]: needs exactly one of at_least, at_most"),
        ("measure: recall@5", "mesure: recall@5",
         "line 3: gates.nightly[0]: a rule has exactly one of measure, no_regression_of, rate"),
        ("      of: run.jsonl\n", "", "line 3: gates.nightly[0].of: required, but missing"),
        (", margin: 0.002", "", "line 8: gates.release[0]: at_most_ratio needs a margin"),
        ("at_most: 0.1", "at_most: 10", "line 9: gates.release[1].at_most: Input should be less"),
        ("at_most: 0.1", "at_most: 0.1, margin: 0.1", "margin and against go with at_most_ratio"),
        ("rate: flagged", "rate: flaged",
         "line 9: gates.release[1].rate: unknown 'flaged'; did you mean flagged?"),
        ("release:\n", "nightly:\n", "line 7: nightly: twice"),
        ("nightly:", "a b:", "line 2: gates.a b: a gate's name has letters"),
        (GOOD, "", "rules.yaml, line 1: wanted a mapping: gates"),
        (GOOD, "gates: {}", "a gate without a rule would always pass"),
        (GOOD, "gates: {a: []}", "a gate without a rule would always pass"),
        (GOOD, "gates: [", "rules.yaml, line 1: not valid YAML"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_file_line_and_name(old: str, new: str, message: str) -> None:
    text = GOOD.replace(old, new, 1)
    with pytest.raises(BadRules) as refused:
        read_rules(text, "rules.yaml")
    assert message in str(refused.value)
    assert "rules.yaml, line " in str(refused.value)


def test_an_alias_that_leads_to_itself_is_refused_and_not_followed() -> None:
    with pytest.raises(BadRules, match=r"line 1: gates: wanted a mapping"):
        read_rules("gates: &a [*a]", "rules.yaml")
