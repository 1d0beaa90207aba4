"""docs/store.md lists every key, and the caps that it names exist with the defaults it names."""

from __future__ import annotations

import re
from pathlib import Path

from service.settings import Settings
from service.store import keys

PAGE = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")


def test_every_key_is_described() -> None:
    known = re.findall(r"^\| (\S+) \| (?:hash|set|zset|list) \|", keys.__doc__ or "", re.MULTILINE)
    described = re.findall(r"^\| `(\S+)` \| (?:hash|set|zset|list) \|", PAGE, re.MULTILINE)
    assert len(known) > 15
    assert described == known


def test_the_caps_are_settings_with_these_defaults() -> None:
    named = re.findall(r"`(\w+)` \(([\d,]+)\)", PAGE)
    assert {name for name, _ in named} == {
        "releases_per_app", "max_groups", "max_case_bytes", "cases_per_group_day", "max_cases",
        "max_questions",
    }  # fmt: skip
    for name, value in named:
        assert Settings.model_fields[name].default == int(value.replace(",", ""))
    assert Settings.model_fields["id_window_s"].default == 3_600
