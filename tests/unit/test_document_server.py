"""The cache of chunk texts, and the setting that says where they are."""

from __future__ import annotations

import pytest

from service.document_server import KEPT_S, TextCache
from service.settings import SettingsError, load_settings


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def texts(cache: TextCache, *refs: str) -> list[str | None]:
    return [entry.text if (entry := cache.get(("", ref))) else None for ref in refs]


def test_the_least_recently_used_go_first() -> None:
    cache = TextCache(3 * 1_500, Clock())
    for ref in "abc":
        cache.put(("", ref), ref * 1_000)
    cache.get(("", "a"))
    cache.put(("", "d"), "d" * 1_000)
    assert [bool(text) for text in texts(cache, "a", "b", "c", "d")] == [True, False, True, True]
    assert cache.size <= 3 * 1_500


def test_bytes_are_those_in_memory() -> None:
    cache = TextCache(10_000, Clock())
    cache.put(("", "narrow"), "a" * 3_000)
    narrow = cache.size
    cache.put(("", "wide"), "🙂" * 3_000)  # four bytes each: more than there may be
    assert cache.size == narrow
    assert texts(cache, "wide") == [None]


def test_a_new_text_replaces_the_old_one_in_size_too() -> None:
    cache = TextCache(10_000, Clock())
    cache.put(("", "a"), "a" * 5_000)
    cache.put(("", "a"), "b")
    once = TextCache(10_000, Clock())
    once.put(("", "a"), "b")
    assert cache.size == once.size
    assert texts(cache, "a") == ["b"]


def test_what_is_old_is_dropped() -> None:
    clock = Clock()
    cache = TextCache(10_000, clock)
    cache.put(("", "a"), "a")
    clock.now = KEPT_S
    assert texts(cache, "a") == [None]
    assert cache.size == 0


def test_corpora_are_kept_apart() -> None:
    cache = TextCache(10_000, Clock())
    cache.put(("x", "a"), "a")
    assert cache.get(("y", "a")) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example/c/{ref}",
        "http://user:pass@docs:8080/{corpus}/c/{ref}/text",
        "http://docs/text?corpus={corpus}&ref={ref}",
    ],
)
def test_good_addresses(url: str) -> None:
    assert load_settings({"GROUNDWATCH_DOCUMENTS_URL": url}).documents_url == url


@pytest.mark.parametrize(
    "url",
    [
        "docs.example/{ref}",
        "ftp://docs.example/{ref}",
        "http:///{ref}",
        "http://docs.example/c",
        "http://{ref}/c",
        "http://{ref}@docs.example/{ref}",
        "http://docs.example/{ref}#{ref}",
        "http://docs.example/{ref}/{tenant}",
        "http://docs.example:port/{ref}",
        "http://[::1/{ref}",
    ],
)
def test_bad_addresses_are_refused_by_name(url: str) -> None:
    with pytest.raises(SettingsError, match=r"GROUNDWATCH_DOCUMENTS_URL: .*\{ref\}"):
        load_settings({"GROUNDWATCH_DOCUMENTS_URL": url})


@pytest.mark.parametrize(
    ("name", "value"), [("TIMEOUT_S", "0"), ("TIMEOUT_S", "31"), ("CACHE_BYTES", "-1")]
)
def test_limits_are_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"GROUNDWATCH_DOCUMENTS_{name}"):
        load_settings({f"GROUNDWATCH_DOCUMENTS_{name}": value})
