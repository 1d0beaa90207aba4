"""The access file: closed, and the first rule that fits counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from service.access.roles import ALL, NOTHING, Grant, Role
from service.access.rules import AccessRules
from service.settings import SettingsError, load_access

KEY = {"id": "0123456789ab", "name": "bot", "sha256": "a" * 64, "role": "sender", "apps": ["shop"]}
PEOPLE = [
    {"user": "eve@example.org", "role": "viewer", "apps": ["shop"]},
    {"group": "leads", "role": "admin", "apps": ["*"]},
    {"group": "shop", "role": "reviewer", "apps": ["shop", "help"]},
]


@pytest.mark.parametrize(
    ("names", "groups", "found"),
    [
        ({"ann"}, {"shop"}, (Role.REVIEWER, Grant(frozenset({"shop", "help"})))),
        ({"ann"}, {"shop", "leads"}, (Role.ADMIN, ALL)),
        ({"eve", "eve@example.org"}, {"leads"}, (Role.VIEWER, Grant(frozenset({"shop"})))),
        ({"shop"}, {"eve@example.org"}, None),
        ({"ann"}, {"Shop", "sho"}, None),
        ({"ann"}, set(), None),
    ],
)
def test_the_first_rule_that_fits_counts(names, groups, found) -> None:
    assert AccessRules.model_validate({"people": PEOPLE}).person(names, groups) == found


def test_a_key_of_the_file_is_found_by_its_id() -> None:
    timed = KEY | {"id": "f" * 12, "expires": "2027-01-01T00:00:00Z"}
    rules = AccessRules.model_validate({"keys": [KEY, timed]})
    found = rules.key("0123456789ab")
    assert found is not None
    assert (found.name, found.role, found.grant.written()) == ("bot", Role.SENDER, ["shop"])
    assert found.expires_ms is None
    until = rules.key("f" * 12)
    assert until is not None
    assert until.expires_ms == 1_798_761_600_000
    assert rules.key("0" * 12) is None


@pytest.mark.parametrize(
    "broken",
    [
        {"peoples": []},
        {"people": [{"role": "viewer", "apps": ["a"]}]},
        {"people": [{"group": "g", "user": "u", "role": "viewer", "apps": ["a"]}]},
        {"people": [{"group": "g", "role": "sender", "apps": ["a"]}]},
        {"people": [{"group": "g", "role": "viewer", "apps": []}]},
        {"people": [{"group": "g", "role": "viewer", "apps": ["*", "a"]}]},
        {"people": [{"group": "g", "role": "viewer"}]},
        {"keys": [KEY, KEY]},
        {"keys": [KEY | {"sha256": "gw_secret"}]},
        {"keys": [KEY | {"expires": "2027-01-01T00:00:00"}]},
        {"keys": [KEY | {"secret": "x"}]},
    ],
)  # fmt: skip
def test_what_it_does_not_know_is_refused(broken) -> None:
    with pytest.raises(ValidationError):
        AccessRules.model_validate(broken)


def test_a_fault_names_the_file_and_the_place_and_not_the_value(tmp_path: Path) -> None:
    path = tmp_path / "access.yaml"
    path.write_text("people:\n- {group: geheim, role: boss, apps: ['*']}\n")
    with pytest.raises(SettingsError, match=r"people\.0\.role") as refused:
        load_access(path)
    assert str(path) in str(refused.value)
    assert "geheim" not in str(refused.value)
    assert load_access(None) == AccessRules()


def test_a_grant_covers_its_apps() -> None:
    some = Grant.of(["shop"])
    assert [some.covers(app) for app in ("shop", "help")] == [True, False]
    assert not some.everything
    assert Grant.of(["*"]) == ALL
    assert ALL.covers("anything")
    assert not NOTHING.covers("")
