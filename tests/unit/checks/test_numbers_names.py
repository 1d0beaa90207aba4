"""Releases, and short names with a digit: what grounds them, and which of them are wrong."""

from __future__ import annotations

import pytest

from service.checks.model import Outcome
from tests.unit.checks.test_numbers import decide

RELEASES = [
    ("The dock has two USB-C ports and HDMI 2.1.", "The dock offers HDMI 2.0.", "2.1"),
    ("There are 3 servers. The software is version 2.4.", "It is version 3.0.", "2.4"),
    ("Two nodes run version 5.1 of it.", "They run version 2.0 of it.", "5.1"),
    ("Bluetooth 4.2 for 5 devices.", "It has Bluetooth 5.0.", "4.2"),
    ("Es hat 5 Eingänge und Bluetooth 4.2.", "Es hat Bluetooth 5.0.", "4.2"),
    ("It costs 3 €. It is release 2.", "It is release 3.0.", "2"),
]


@pytest.mark.parametrize(("text", "answer", "near"), RELEASES)
def test_what_is_counted_grounds_no_release(text: str, answer: str, near: str) -> None:
    (finding,) = decide(answer, text).findings

    assert finding.reason == "absent"
    assert finding.near_start is not None
    assert text[finding.near_start : finding.near_end] == near


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The software is version 3.", "It is version 3.0."),
        ("Release 3 adds a log.", "It came with v3.0."),
        ("HDMI 2 and HDMI 2.1 are there.", "It has HDMI 2.0."),
        ("It runs under Python 3.", "You need Python 3.0."),
        ("Windows 11 and 10 are supported.", "Version 10.0 is supported."),
        ("Die Jury gab 4 Sterne.", "Sie bekam die Note 4.0."),
        ("The price is 2 euro.", "The price is 2.0 euro."),
        ('{"version": 3}', "It is version 3.0."),
        ("The scores were 3 and 4 points.", "The Score was 3.0."),
    ],
)
def test_a_whole_number_may_be_the_release(text: str, answer: str) -> None:
    assert decide(answer, text).outcome is Outcome.PASS
