"""Custom patterns: the safe ones are taken, those that some text makes slow are not."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from service.policy import AppPolicy, RedactionPolicy
from service.redaction.patterns import check_pattern


@pytest.mark.parametrize(
    "pattern",
    [r"KD-\d{6,8}", r"\b[A-Z]{2,4}[- ]?\d{4,8}\b", r"(?i)contract (?:no\.|number) \d{5}",
     r"(?<!\w)(?:AB|CD)\d{3}(?!\w)", "a{1,50}", "müller"],
)  # fmt: skip
def test_a_pattern_with_few_ways_to_match_is_taken(pattern: str) -> None:
    assert check_pattern(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(a+)+b", "upper bound"),
        (r"KD-\d+", "upper bound"),
        ("(a?){30}a{30}", "ways"),
        ("(a|aa){1,40}c", "ways"),
        (r"\w{0,50}\w{0,50}x", "ways"),
        ("(?=(a|a){0,30}b)a", "ways"),
        ("a?", "matches where nothing stands"),
        ("(", "not a regular expression"),
        ("a{1,400}", "upper bound"),
    ],
)
def test_another_is_refused_with_what_mends_it(pattern: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_pattern(pattern)


@pytest.mark.parametrize(
    "settings",
    [
        {"emails": True}, {"patterns": [{"name": "Bad Name", "matches": "x"}]},
        {"patterns": [{"name": "a", "matches": "x"}, {"name": "a", "matches": "y"}]},
        {"patterns": [{"name": "a", "matches": "x+"}]}, {"exempt": ["event_id"]},
        {"phone_regions": ["Germany"]},
    ],
)  # fmt: skip
def test_the_policy_is_closed(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RedactionPolicy.model_validate(settings)


def test_redaction_is_no_rule_of_the_checks() -> None:
    other = AppPolicy.model_validate(
        {"redaction": {"ip": False, "patterns": [{"name": "a", "matches": "x"}]}}
    )
    assert other.ruleset == AppPolicy().ruleset
