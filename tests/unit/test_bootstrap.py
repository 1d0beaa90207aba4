"""Adapters from settings; a policy file that changes, and one that breaks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
import structlog
from pydantic import SecretStr

from service.bootstrap import PolicyTerms, build, caps
from service.policy import AppPolicy, Policy
from service.settings import Settings, SettingsError
from service.store import Caps

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the policy file; each time with another time of change."""
    file, stamps = tmp_path / "policy.yaml", iter(range(1_000_000_000, 2_000_000_000))

    def replace(content: str) -> Path:
        file.write_text(content)
        stamp = next(stamps)
        os.utime(file, (stamp, stamp))
        return file

    return replace


def test_every_cap_of_the_store_comes_from_the_settings() -> None:
    changed = Settings(
        cases_per_group_day=1, max_cases=2, max_groups=3, releases_per_app=4, id_window_s=5
    )
    assert caps(changed) == Caps(
        cases_per_group_day=1, max_cases=2, max_groups=3, releases_per_app=4, id_window_ms=5_000
    )
    by_default = caps(Settings())
    assert all(getattr(by_default, f.name) == f.default for f in fields(Caps))


def test_the_terms_come_from_the_settings() -> None:
    settings = Settings(
        max_event_bytes=2_000, max_chunks=3, max_text=4_000, default_app="support",
        releases_per_app=5, id_window_s=6, max_case_bytes=70_000,
        sampling_secret=SecretStr("k" * 80),
    )  # fmt: skip
    terms = build(settings).terms()
    limits = terms.limits
    assert (limits.max_bytes, limits.max_chunks, limits.max_text) == (2_000, 3, 4_000)
    assert (terms.default_app, terms.releases_per_app) == ("support", 5)
    assert (terms.id_window_ms, terms.case_bytes) == (6_000, 70_000)
    # The hash takes keys of 64 bytes at most.
    assert terms.secret == b"k" * 64


def test_without_a_secret_the_store_makes_one_and_keeps_it() -> None:
    parts = build(Settings())
    assert len(parts.terms().secret) >= 16
    assert parts.terms().secret == parts.store.checkpoints.secret()
    assert parts.terms().secret != build(Settings()).terms().secret


def test_a_given_policy_needs_no_file(tmp_path: Path) -> None:
    policy = Policy(apps={"support": AppPolicy()})
    settings = Settings(policy=tmp_path / "absent.yaml")
    assert build(settings, policy).terms().policy is policy
    with pytest.raises(SettingsError, match="absent"):
        build(settings)


def test_a_changed_policy_takes_effect_with_the_next_batch(write: Write) -> None:
    settings = Settings(policy=write("apps: {support: {}}"))
    terms = PolicyTerms(settings, b"s")
    first = terms()
    assert set(first.policy.apps) == {"support"}
    assert terms() is first
    write("apps: {support: {}, sales: {citations: {base: 0}}}")
    assert set(terms().policy.apps) == {"support", "sales"}
    assert terms().secret == b"s"


def test_a_broken_policy_is_reported_once_and_the_last_good_one_stays(write: Write) -> None:
    settings = Settings(policy=write("apps: {support: {}}"))
    terms = PolicyTerms(settings, b"s")
    good = terms()
    write("apps: {support: {citations: {base: 9}}}")
    with structlog.testing.capture_logs() as logs:
        assert terms() is good
        assert terms() is good
    [said] = logs
    assert said["event"] == "policy_refused"
    assert "apps.support.citations.base" in said["error"]
    write("apps: {sales: {}}")
    assert set(terms().policy.apps) == {"sales"}


def test_a_policy_file_that_vanishes_leaves_the_last_one(write: Write) -> None:
    file = write("apps: {support: {}}")
    terms = PolicyTerms(Settings(policy=file), b"s")
    good = terms()
    file.unlink()
    with structlog.testing.capture_logs() as logs:
        assert terms() is good
        assert terms() is good
    assert len(logs) == 1
    write("apps: {sales: {}}")
    assert set(terms().policy.apps) == {"sales"}
