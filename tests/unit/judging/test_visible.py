"""Format characters are gone, everything that shows stays."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from service.judging.visible import visible


def test_every_format_character_of_unicode_goes() -> None:
    formats = [
        chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"
    ]
    assert len(formats) > 100
    assert visible("".join(formats)) == ""


def test_no_letter_digit_or_space_goes() -> None:
    """But for the Hangul fillers, which are letters by name only."""
    shown = "".join(
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code))[0] in "LNPZS"
        and "FILLER" not in unicodedata.name(chr(code), "")
    )
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Grö\u00dfe", "Größe"),
        ("soft\u00adhyphen", "softhyphen"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert visible(text) == shown
