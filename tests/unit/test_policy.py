"""The per-app policy is closed, and names what may become a label."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from service.policy import OTHER, AppPolicy, Policy


def policy(**apps: Any) -> Policy:
    return Policy.model_validate({"apps": apps})


def test_an_app_that_is_not_listed_has_the_default_and_no_label_of_its_own() -> None:
    found = Policy.model_validate(
        {"apps": {"support": {"citations": {"base": 0}}}, "default": {"citations": {"base": 1}}}
    )
    assert found.of("support").citations.base == 0
    assert found.of("stranger") == found.default
    assert found.label("support") == "support"
    assert found.label("stranger") == OTHER
    assert found.admits("stranger")


def test_unknown_apps_can_be_rejected() -> None:
    found = Policy.model_validate({"apps": {"support": {}}, "unknown_apps": "reject"})
    assert found.admits("support")
    assert not found.admits("stranger")


@pytest.mark.parametrize(
    "app",
    [
        {"citation": {}}, {"citations": {"base": 2}}, {"citations": {"bases": 1}},
        {"disabled_checks": ["number"]}, {"sampling": {"audit": 1.1}}, {"sampling": {"rest": -0.1}},
        {"sampling": {"flagged": "often"}},
    ],
)  # fmt: skip
def test_what_is_unknown_or_out_of_range_is_refused(app: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        policy(support=app)


def test_the_ruleset_is_of_what_the_checks_decide_by_and_of_nothing_else() -> None:
    plain = AppPolicy().ruleset
    assert AppPolicy.model_validate({}).ruleset == plain
    assert AppPolicy.model_validate({"sampling": {"audit": 0.5}}).ruleset == plain
    assert AppPolicy.model_validate({"dimensions": {"channel": ["web"]}}).ruleset == plain
    others = [
        AppPolicy.model_validate(settings).ruleset
        for settings in (
            {"citations": {"base": 0}},
            {"citations": {"required": True}},
            {"numbers": {"in_code": False}},
            {"disabled_checks": ["numbers"]},
            {"disabled_checks": ["citations"]},
            {"disabled_checks": ["citations", "numbers"]},
        )
    ]
    assert len({plain, *others}) == len(others) + 1


def test_the_ruleset_is_short_and_the_same_in_every_process() -> None:
    version, _, digest = AppPolicy().ruleset.partition("-")
    assert version.isdigit()
    assert len(digest) == 8
    two = [
        AppPolicy.model_validate({"disabled_checks": names}).ruleset
        for names in (["numbers", "citations"], ["citations", "numbers"])
    ]
    assert two[0] == two[1]


def test_a_policy_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValidationError):
        AppPolicy().citations.base = 0  # type: ignore[misc]  # what is tested


# Counted tags.

COUNTED = AppPolicy.model_validate({"dimensions": {"plan": ["pro"], "channel": ["web", "phone"]}})


@pytest.mark.parametrize(
    ("tags", "counted"),
    [
        ({"channel": "web", "plan": "pro", "user": "7"}, "channel=web,plan=pro"),
        ({}, "channel=-,plan=-"),
        ({"channel": "", "plan": "free"}, "channel=-,plan=other"),
        ({"channel": "-", "plan": "other"}, "channel=other,plan=other"),
        ({"channel": "WEB", "plan": " pro"}, "channel=other,plan=other"),
        ({"channel": "web\x1fchecked", "plan": "pro,channel=web"}, "channel=other,plan=other"),
        ({"channel": "web\n", "plan": "p" * 100_000}, "channel=other,plan=other"),
    ],
    ids=["listed", "absent", "empty", "reserved", "spelling", "separators", "hostile"],
)
def test_only_words_of_the_policy_are_counted(tags: dict[str, str], counted: str) -> None:
    assert COUNTED.counted_tags(tags) == counted
    assert AppPolicy().counted_tags(tags) == ""


@pytest.mark.parametrize(
    ("dimensions", "told"),
    [
        ({"a": ["x"], "b": ["x"], "c": ["x"], "d": ["x"]}, "at most 3"),
        ({"channel": [str(n) for n in range(63)]}, "65 combinations"),
        ({"channel": []}, "at least 1"),
        ({"channel": ["web", "other"]}, "leave out 'other'"),
        ({"channel": ["-"]}, "leave out '-'"),
        ({"channel": ["a,b"]}, "without , and ="),
        ({"a=b": ["x"]}, "without , and ="),
        ({"channel": ["x" * 65]}, "1 to 64 printable"),
        ({"channel": ["\x1f"]}, "1 to 64 printable"),
        ({"": ["x"]}, "1 to 64 printable"),
        ({"channel": [True]}, "valid string"),
    ],
    ids=["four", "many", "none", "other", "dash", "comma", "equals", "long", "control", "empty",
         "boolean"],
)  # fmt: skip
def test_dimensions_that_would_not_stay_few_and_plain_are_refused(
    dimensions: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValidationError, match=told):
        policy(support={"dimensions": dimensions})


def test_as_many_combinations_as_there_may_be() -> None:
    values = [str(n) for n in range(62)]
    assert AppPolicy.model_validate({"dimensions": {"channel": values}}).counted_tags({}) != ""
