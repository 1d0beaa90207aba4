"""What a text speaks about: folding, small words, numbers, pairs of characters; the cache."""

from __future__ import annotations

from sys import getsizeof

import pytest

from service.checks.reading import content_words as reading
from service.checks.reading.cache import ReadingCache, Twins, some_letters
from service.checks.reading.content_words import content_words, share, vocabulary
from service.checks.reading.spoken import MOST_SOUGHT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Öffnungszeiten", "Oeffnungszeit"),
        ("Réservations", "reservation"),
        ("12,000", "12.000"),
        ("1'250", "1250"),
        ("TICKETS", "tickets"),
        ("Sicherungskopie", "Sicherungen"),
        ("４５", "45"),
    ],
)
def test_spellings_of_one_word(one: str, other: str) -> None:
    assert content_words(one) == content_words(other) != frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "Wann wird das und wie?",
        "What is it that they are?",
        "Où est-ce que c'est ?",
        "¿Qué es lo que hay?",
        "€ – … !",
    ],
)
def test_small_words_say_nothing(text: str) -> None:
    assert content_words(text) == frozenset()


def test_numbers_and_names_count() -> None:
    assert content_words("Team costs 34 € in v3.2") == {"team", "costs", "34", "v3.2"}


def test_chinese_counts_by_pairs() -> None:
    assert content_words("每月费用") == {"每月", "月费", "费用"}


def test_a_word_is_read_the_same_the_second_time() -> None:
    text = "Zwetschgenkuchen 98.765 unbekannt 标准版"

    assert content_words(text) == content_words(text)


def test_share() -> None:
    assert share({"a", "b", "c", "d"}, frozenset({"a", "c", "x"})) == 0.5


def vocabularies(max_bytes: int) -> ReadingCache[reading.Vocabulary]:
    return ReadingCache(max_bytes, vocabulary, reading._bytes)


def test_the_cache_holds_no_more_than_its_bytes() -> None:
    cache = vocabularies(20_000)
    texts = [f"word{n} " * 20 for n in range(100)]
    for text in texts:
        assert cache.of(text) == vocabulary(text)

    assert 0 < cache._held <= 20_000
    assert cache.known(texts[-1]) == vocabulary(texts[-1])
    assert cache.known(texts[0]) is None


def test_a_text_that_is_too_large_is_not_kept() -> None:
    cache = vocabularies(20_000)
    text = "word " * 2_000

    assert cache.of(text).words == {"word": None}
    assert cache._held == 0


def test_a_text_that_came_before_is_told_as_the_object_that_came_then() -> None:
    twins = Twins(20_000)
    first = "word " * 40
    assert twins.of(first) is first
    assert twins.of("".join(["word ", first[5:]])) is first


def test_texts_that_are_alike_at_a_glance_are_kept_apart() -> None:
    """Of a long text a few letters are looked at first: these two differ between them."""
    twins = Twins(20_000)
    one, other = ("word " * 40 + f"{end} " + "word " * 40 for end in ("aaaa", "bbbb"))
    assert some_letters(one) == some_letters(other)
    for text in (one, other, one):
        assert twins.of(text) == text


def test_texts_are_remembered_within_a_bound() -> None:
    twins = Twins(20_000)
    for n in range(1_000):
        text = f"word{n} " * 20
        assert twins.of(text) is text
        assert sum(map(getsizeof, twins._texts.values())) <= twins._held <= 20_000
    assert twins.of("".join(text)) is text

    long = "word " * 2_000
    assert twins.of(long) is long
    assert long not in twins._texts.values()


def test_a_word_is_one_object_however_it_was_written() -> None:
    (one,), (other,) = (list(reading.gather(piece)) for piece in ("Preise", "preise,"))
    assert one is other


def test_what_stands_between_white_space_may_be_several_words() -> None:
    for _ in range(2):
        assert content_words("(read-only,\nGröße=1’000)") == {
            "read",
            "groess",
            "1000",
        }


def test_what_is_remembered_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_REMEMBERED", 100)
    monkeypatch.setattr(reading, "_LEXICON", reading._Lexicon())
    text = " ".join(f"word{n} re-word{n}" for n in range(1_000))

    assert content_words(text) >= {"word0", "word99", "re"}
    assert len(reading._LEXICON.known) + len(reading._LEXICON.more) <= 100


@pytest.mark.parametrize("text", ["three", "drei-zehn.", "Annex V", "half-past", "Siebzehn,"])
def test_a_text_that_says_a_number_counts(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(reading, "_REMEMBERED", 20)
    for _ in range(3):
        for n in range(15):
            content_words(f"word{n} re-word{n}")
        assert vocabulary(f"{text} and the others").hint is not None
        assert vocabulary("the others").hint is None


def test_many_spellings_of_a_number_are_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a piece of its own; what a text keeps of them must not grow with their number."""
    monkeypatch.setattr(reading, "_LEXICON", reading._Lexicon())
    word = "siebenundzwanzig"
    spelled = [
        "".join(char.upper() if n >> at & 1 else char for at, char in enumerate(word))
        for n in range(1_000)
    ]

    found = vocabulary(" ".join(spelled))

    assert found.words == {"sieben": None}
    assert found.hint is not None
    assert len(found.hint.number_words) == MOST_SOUGHT + 1


def test_whoever_is_still_reading_keeps_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may begin a new lexicon between two looks at the old one."""
    monkeypatch.setattr(reading, "_REMEMBERED", 20)
    monkeypatch.setattr(reading, "_LEXICON", reading._Lexicon())
    vocabulary("three weeks")
    old = reading._LEXICON
    for n in range(50):
        content_words(f"word{n}")

    assert reading._LEXICON is not old
    assert old.more["three"].hint == vocabulary("three").hint


def test_a_sigma_is_one_letter_wherever_it_stands() -> None:
    assert set(content_words("ΟΔΟΣ")) == set(content_words("οδος")) == set(content_words("οδοσ"))


def test_pairs_that_no_other_text_holds_are_counted() -> None:
    text = "".join(chr(0x4E00 + 7919 * n % 20_000) for n in range(1_500))
    found = vocabulary(text)

    assert reading._bytes(text, found) > getsizeof(text) + sum(map(getsizeof, found.words))
