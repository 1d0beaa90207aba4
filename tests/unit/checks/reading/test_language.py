"""Cheap language detection."""

from __future__ import annotations

import pytest

from service.checks.reading.language import detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Vertrag läuft drei Jahre und wird nicht verlängert.", "de"),
        ("The contract runs for three years and is not extended.", "en"),
        ("Le contrat dure trois ans et n'est pas renouvelé.", "fr"),
        ("El contrato dura tres años y no se renueva.", "es"),
        ("合同期限为三年。", "zh"),
        ("契約は三年間です。", "ja"),
        ("12345", "und"),
        ("", "und"),
    ],
)
def test_detect(text: str, language: str) -> None:
    assert detect(text) == language
