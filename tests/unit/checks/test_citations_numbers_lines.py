"""Our own labelled lines (tests/cases): every one is decided as its label says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.unit.checks.labelled import CASES, score


@pytest.mark.parametrize(("check", "at_least"), [("numbers", 400), ("citations", 300)])
def test_every_line_is_decided_as_labelled(check: str, at_least: int) -> None:
    tally, wrong = score(check)
    assert wrong == []
    assert tally.lines >= at_least


@pytest.mark.parametrize("check", ["numbers", "citations"])
def test_half_are_clean_and_a_third_german(check: str) -> None:
    lines = [
        json.loads(line)
        for line in (CASES / f"{check}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    clean = sum(not any(line["expect"].values()) for line in lines)
    assert 0.45 < clean / len(lines) < 0.55
    assert Counter(line["lang"] for line in lines)["de"] >= len(lines) / 3
