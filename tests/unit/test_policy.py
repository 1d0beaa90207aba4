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
