"""What holds of every text: lengths, offsets, redacting twice, and work in proportion."""

from __future__ import annotations

import re

import phonenumbers
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.checks.reading.cache import ReadingCache
from service.checks.reading.folding import beyond_ascii
from service.policy import PatternPolicy, RedactionPolicy
from service.redaction import phones, redactor
from service.redaction.kinds import Kind
from service.redaction.mask import MASK
from service.redaction.redactor import Redactor, _is_dense
from tests.unit.timing import cpu_seconds

POLICY = RedactionPolicy(
    patterns=(
        PatternPolicy(name="customer", matches=r"\bKD-\d{6}\b"),
        PatternPolicy(name="word", matches=r"(?i)geheim[a-z]{0,8}"),
    )
)
REDACTOR = Redactor(POLICY)
VALUES = (
    "jane.doe@example.com", "+49 30 901820", "030/901820", "(415) 555-2671", "10.20.30.40",
    "2001:db8::1", "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1111", "KD-123456",
    "Geheimnis", "Tel.", "Nr.", "Version", " ", ".", "-", "1", "0", "+", "@", "\n", ":", "█",
)  # fmt: skip
JOINED = st.lists(st.sampled_from(VALUES), max_size=14).map("".join)
HOSTILE = st.text(alphabet="0123456789 +-()./:@%ab.DEé٣\u200b\u00a0█", max_size=80)


@given(st.one_of(JOINED, HOSTILE, st.text(max_size=80)))
@example("1.2.3.4.5.6.7.8.10.20.30.40")
@example("+49 30 901820+49 30 901820")
@example("a@b.de@c.de@d.de")
@example("█4111111111111111█")
@example("2001:db8::1:2001:db8::1:2001:db8::1")
def test_nothing_is_found_anew_and_offsets_hold(text: str) -> None:
    found = REDACTOR.redact(text)
    assert len(found.text) == len(text)
    assert REDACTOR.redact(found.text).secrets == ()
    assert REDACTOR(found.text) == found.text
    for before, after in zip(text, found.text, strict=True):
        assert after == before or (after == MASK and before.isalnum())


@given(st.sampled_from(VALUES[:10]), st.sampled_from(["", "See ", "a\n", "█", "„"]))
def test_a_planted_value_is_gone(value: str, before: str) -> None:
    assert not any(map(str.isalnum, REDACTOR(f"{before}{value}")[len(before) :]))


CLEAN = "Geheimnisse stehen nicht darin, und was darin steht, darf ein jeder gerne lesen. – " * 3


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> ReadingCache[tuple[str, bool]]:
    """Those of this test alone."""
    empty = ReadingCache(redactor.CACHE_BYTES, redactor._read, redactor._bytes)
    monkeypatch.setattr(redactor, "_READINGS", empty)
    return empty


def test_a_long_text_that_comes_again_is_redacted_as_at_first(
    readings: ReadingCache[tuple[str, bool]],
) -> None:
    for text in (CLEAN, f"{CLEAN}Tel. +49 30 901820, KD-123456", f"{CLEAN}jane.doe@example.com"):
        again = "".join([*text])
        assert REDACTOR.redact(text) == REDACTOR.redact(again) == Redactor(POLICY).redact(text)
        assert Kind.CUSTOM in {secret.kind for secret in REDACTOR.redact(again).secrets}
    assert readings.known(CLEAN) == (CLEAN.replace("–", "-"), False)


def test_policies_share_no_masks(readings: ReadingCache[tuple[str, bool]]) -> None:
    plain, email = Redactor(RedactionPolicy()), Redactor(RedactionPolicy(email=False))
    text = f"{CLEAN}jane.doe@example.com"
    for _ in range(2):
        assert REDACTOR(CLEAN) != CLEAN == plain(CLEAN)
        assert plain(text) != text == email(text)


def test_no_text_that_may_hold_personal_data_is_remembered(
    readings: ReadingCache[tuple[str, bool]],
) -> None:
    for value in VALUES[:8]:
        REDACTOR.redact(CLEAN + value)
        assert readings.known(CLEAN + value) is None


def test_what_is_remembered_of_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    small = ReadingCache(20_000, redactor._read, redactor._bytes)
    monkeypatch.setattr(redactor, "_READINGS", small)
    for n in range(100):
        REDACTOR.redact(f"{CLEAN}{n}")
    assert 0 < small._held <= 20_000
    assert small.known(f"{CLEAN}0") is None
    assert small.known(f"{CLEAN}99") is not None


def test_what_a_mask_lays_bare_is_masked_too() -> None:
    # The customer's number made the other digits part of a word.
    policy = RedactionPolicy(patterns=(PatternPolicy(name="tail", matches=r"x[a-z]{3}"),))
    assert Redactor(policy)("xabc4111111111111111") == MASK * 20


def test_a_text_in_which_there_is_always_something_more_is_masked_whole() -> None:
    policy = RedactionPolicy(patterns=(PatternPolicy(name="first", matches="(?<![a-z])[a-z]"),))
    found = Redactor(policy).redact("abcdefghij, 12")
    assert found.text == MASK * 10 + ", " + MASK * 2
    assert found.kinds == {Kind.UNREADABLE: 1}


@pytest.mark.parametrize(
    "piece",
    ["1 ", "+4 ", "0", "0-", "(0)", "a@", "@a.", "1.1.", "a:b:", ":", "DE89 ", "DE89", "4111 ",
     "0171 1234567 ", "Tel. ", "KD-", "a", "1234-", "00 ", "%40", '"@', "\u200b1"],
)  # fmt: skip
def test_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    short, long = (piece * (size // len(piece)) for size in (4_000, 32_000))
    redactor = Redactor(RedactionPolicy())
    least = max(cpu_seconds(lambda: redactor.redact(short)), 0.001)
    assert cpu_seconds(lambda: redactor.redact(long), times=1) < 40 * least


def test_a_text_full_of_numbers_is_looked_up_so_often_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []

    def no(number: object) -> bool:
        asked.append(number)
        return False

    monkeypatch.setattr(phonenumbers, "is_valid_number", no)
    monkeypatch.setattr(phones, "MOST_ASKED", 20)
    rows = "\n".join(f"030 {number} 55" for number in range(100_000, 100_500))
    assert len(list(phones.find(rows, ("DE",)))) == 480
    assert len(asked) == 20


DENSE = re.compile(r"\d(?:\W{0,5}\d){4}")
"""Five digits, at most five characters that are no letters between two."""


@given(st.text(alphabet="0123456789 -.,/_abäß²–—€ΑЖ٣०１𝟘😀\ud800?", max_size=40))
@example("1-2Ж3-4-5")
@example("1—2—3—4—5")
def test_bytes_tell_what_a_search_for_digits_tells(text: str) -> None:
    assert _is_dense(text, beyond_ascii(text)) == (DENSE.search(text) is not None)
