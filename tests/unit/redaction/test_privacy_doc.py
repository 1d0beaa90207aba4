"""docs/privacy.md tells every kind and every setting, its examples hold, and each retention is as
it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import yaml

from service.doctor.topics import DAY_MS, plan
from service.policy import EventField, Policy, RedactionPolicy
from service.redaction.kinds import Kind
from service.redaction.phones import MOST_ASKED
from service.redaction.redactor import redactor_of
from service.settings import Settings

PAGE = (Path(__file__).parents[3] / "docs" / "privacy.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`\n]+)`", PAGE))
ROLES = ("answers", "dead_letters", "verdicts", "reviews", "feedback")


def test_every_kind_setting_and_field_is_told() -> None:
    assert {kind.value for kind in Kind} <= CODE
    assert set(RedactionPolicy.model_fields) <= CODE
    assert set(get_args(EventField)) <= CODE


def test_the_example_is_what_comes_out() -> None:
    [(given, shown)] = re.findall(r"```\n(Write to .*)\n(Write to .*)\n```", PAGE)
    assert redactor_of(RedactionPolicy())(given) == shown


def test_the_policy_can_be_read() -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    found = Policy.model_validate(yaml.safe_load(example)).of("support-assistant").redaction
    assert redactor_of(found)("KD-1234567 from 10.20.30.40") == "██-███████ from 10.20.30.40"


def test_the_figures_are_those_of_the_code() -> None:
    days = {
        topic.role: int(topic.configs["retention.ms"]) // DAY_MS
        for topic in plan({role: role for role in ROLES})  # type: ignore[misc]  # they are roles
    }
    assert (days["answers"], days["feedback"]) == (7, 30)
    assert "at most 7 and 30 days" in PAGE
    assert f"| {days['dead_letters']} days |" in PAGE
    assert f"| {days['verdicts']} days |" in PAGE
    kept = Settings.model_fields["review_retention_days"].default
    assert f"`GROUNDWATCH_REVIEW_RETENTION_DAYS` ({kept})" in PAGE
    assert f"after {MOST_ASKED} candidates" in PAGE
