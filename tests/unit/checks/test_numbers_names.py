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


@pytest.mark.parametrize(
    ("text", "answer", "surface", "reason", "near"),
    [
        ("Das Gehäuse hat IP67.", "Es ist nach IP44 geschützt.", "IP44", "absent", "IP67"),
        ("The IP67 case.", "The IP76-rated case.", "IP76", "transposed", "IP67"),
        ("Memory: LPDDR5, 16 GB.", "It has 16 GB of LPDDR4.", "LPDDR4", "absent", "LPDDR5"),
        ("An RJ45 jack.", "It has an RJ11 jack.", "RJ11", "absent", "RJ45"),
        ("Units of class A100.", "It is class A200.", "A200", "absent", "A100"),
        ("Der Automat C16.", "Verbaut ist ein C20.", "C20", "absent", "C16"),
        ("It takes a B2C form.", "It takes a B3C form.", "B3C", "absent", "B2C"),
    ],
)
def test_a_short_name_beside_another_of_its_letters(
    text: str, answer: str, surface: str, reason: str, near: str
) -> None:
    result = decide(answer, text)

    (finding,) = result.findings
    assert (finding.surface, finding.reason, finding.near_ref) == (surface, reason, "doc#0")
    assert answer[finding.start : finding.end] == surface
    assert finding.near_start is not None
    assert text[finding.near_start : finding.near_end] == near
    assert (finding.start, finding.end) in result.owned
    assert result.failed == 1
    assert result.evaluated == result.failed + len(result.evidence)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It plays MP3.", "It plays MP3, is B2B and of H2O."),
        ("It has IP-67.", "It has IP67."),
        ("It has IP 67.", "It has IP67-proof walls."),
        ("An ip67-rated case.", "It has IP67."),
        ("Rooms A1 to A5 are free.", "Room A3 is free."),
        ("Memory: LPDDR4/5.", "Memory: LPDDR5."),
        ("Rated IP44 and 67.", "Rated IP67."),
        ("Shops for B2C.", "Shops for B2B."),
        ("A case of IP67.", "See `x = IP44` and https://example.org/IP44."),
    ],
)
def test_a_short_name_of_which_nothing_is_known(text: str, answer: str) -> None:
    assert decide(answer, text).findings == ()


def test_a_short_name_may_come_from_query_or_ref() -> None:
    assert decide("It is no IP44.", "It is IP67.", query="Is it IP44?").findings == ()
    assert decide("Room C20.", "Room C16, see C20.").findings == ()
    assert decide("It is IP44.", "It is IP67.", None).outcome is Outcome.NOT_EVALUATED
