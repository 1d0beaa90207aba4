"""Number words of four languages, CJK and Roman numerals."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from service.checks.reading import words


def value(text: str) -> float | None:
    matches = list(re.finditer(r"[^\W\d_]+", text.lower()))
    links = [text[a.end() : b.start()] for a, b in pairwise(matches)]
    joined = words.join([match.group() for match in matches], links)
    return joined.value if joined is not None and joined.taken == len(matches) else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zweiundsiebzig", 72),
        ("dreihundertachtundfünfzigtausendzweihundertvierundneunzig", 358_294),
        ("fuenfzehn", 15),
        ("dreissig", 30),
        ("zwölfhundert", 1200),
        ("zweieinhalb", 2.5),
        ("anderthalb", 1.5),
        ("zehnfach", 10),
        ("zwanzigste", 20),
        ("seventy-two", 72),
        ("two hundred and five", 205),
        ("three hundred thousand", 300_000),
        ("nineteen eighty-seven", 1987),
        ("hundred", 100),
        ("twenty-first", 21),
        ("two and a half", 2.5),
        ("three quarters", 0.75),
        ("quatre-vingt-douze", 92),
        ("quatre-vingts", 80),
        ("soixante et onze", 71),
        ("mille deux cents", 1200),
        ("treinta y cinco", 35),
        ("quinientos", 500),
        ("mil doscientos", 1200),
    ],
)
def test_words(text: str, expected: float) -> None:
    assert value(text) == expected


@pytest.mark.parametrize("text", ["und", "hund", "stunde", "einfach", "zeitraum", "often", "table"])
def test_other_words_are_none(text: str) -> None:
    assert value(text) is None


def test_two_numbers_side_by_side_stay_two() -> None:
    joined = words.join(["two", "three"], [" "])
    assert joined is not None
    assert (joined.value, joined.taken) == (2, 1)


@pytest.mark.parametrize(
    ("run", "expected"),
    [("三十", 30), ("十二", 12), ("二〇二六", 2026), ("一亿二千万", 120_000_000), ("三万", 30_000)],
)
def test_cjk(run: str, expected: int) -> None:
    assert words.cjk(run) == expected


@pytest.mark.parametrize(
    ("numeral", "expected"), [("VI", 6), ("XIV", 14), ("IIX", None), ("", None)]
)
def test_roman(numeral: str, expected: int | None) -> None:
    assert words.roman(numeral) == expected
