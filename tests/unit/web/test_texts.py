"""Both languages say everything, and each reader gets the one that was asked for."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from service.checks import CHECKS, REASONS
from service.checks.model import NotEvaluated
from service.feedback import NEGATIVE
from service.judging import findings
from service.web.rendering import TEMPLATES
from service.web.texts import LANGUAGES, TABLES, Tongue, language_of, safe_return, texts
from tests.unit.web.test_pages import Elements, page
from tests.unit.web.world import MemoryCases, MemoryTasks, World, case, task

CALLED = re.compile(r"""\bt(?:\.say)?\(\s*"([a-z_0-9.]+)"\s*[,)]""")
TAG = re.compile(r"</?(\w+)[^>]*>")
WEB = TEMPLATES.parent


def holes(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_each_key_stands_once_in_both_languages() -> None:
    keys = [key for table in TABLES for key in table]
    assert len(keys) == len(set(keys))
    for lang in LANGUAGES:
        assert set(texts(lang)) == set(keys)
        assert [key for key in keys if not texts(lang)[key].strip()] == []


@pytest.mark.parametrize("key", sorted(texts("en")))
def test_both_languages_have_the_same_holes_and_tags(key: str) -> None:
    english, german = texts("en")[key], texts("de")[key]
    assert holes(english) == holes(german)
    assert sorted(TAG.findall(english)) == sorted(TAG.findall(german))
    assert set(TAG.findall(english)) <= {"code", "em", "kbd"}


def test_every_text_that_is_called_for_exists() -> None:
    sources = [*TEMPLATES.glob("*.html"), *WEB.glob("*.py")]
    called = {key for path in sources for key in CALLED.findall(path.read_text())}
    assert len(called) > 50
    assert called - set(texts("en")) == set()


def test_a_language_that_we_do_not_speak_is_english() -> None:
    assert texts("fr") == texts("en")
    assert texts("de")["nav.queue"] == "Warteschlange"


@pytest.mark.parametrize(
    ("cookie", "accepted", "lang"),
    [
        (None, "", "en"),
        (None, "de-DE,de;q=0.9,en;q=0.8", "de"),
        (None, "fr, en;q=0.7, de;q=0.8", "de"),
        (None, "en-GB, de", "en"),
        (None, "de;q=0, en;q=0.1", "en"),
        (None, "de;q=0", "en"),
        (None, "de;q=x, ;;,, en", "en"),
        (None, "DE-at", "de"),
        ("de", "en", "de"),
        ("en", "de", "en"),
        ("xx", "de", "de"),
        (None, "de;q=nan", "en"),
    ],
)
def test_the_choice_comes_before_the_browser(cookie: str, accepted: str, lang: str) -> None:
    assert language_of(cookie, accepted) == lang


def test_values_are_escaped_and_counted() -> None:
    english, german = Tongue("en"), Tongue("de")
    assert english("judge.asks", model="<b>\x1b") == "asks &lt;b&gt;␛"
    assert english.say("judge.asks", model="<b>") == "asks <b>"
    assert (english.count(12345), german.count(12345)) == ("12,345", "12.345")
    assert german("queue.alike", n=1234) == "1.234 gleiche"
    assert (english.percent(0.0123), german.percent(0.0123)) == ("1.2\xa0%", "1,2\xa0%")


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(-5, "now"), (0, "now"), (1, "1 min"), (59, "59 min"), (60, "1 h"), (2879, "47 h"),
     (2880, "2 d"), (14_400, "10 d")],
)  # fmt: skip
def test_ages_are_short(minutes: int, told: str) -> None:
    assert Tongue().age(1_000_000_000_000, 1_000_000_000_000 + minutes * 60_000) == told


@pytest.mark.parametrize(
    ("address", "to"),
    [
        ("/queue?app=a%26b", "/queue?app=a%26b"),
        ("//elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
        ("https://elsewhere.example", "/"),
        ("/a\r\nSet-Cookie: x", "/"),
        ("/a\\b", "/"),
        ("", "/"),
    ],
)
def test_nobody_is_sent_elsewhere(address: str, to: str) -> None:
    assert safe_return(address) == to


def test_pages_speak_the_language_of_the_browser() -> None:
    world = World(cases=MemoryCases(case()), tasks=MemoryTasks(task()))
    german = {"accept-language": "de"}
    shown = Elements(world.get("/queue?app=support", headers=german).text)
    assert shown.of("html")[0]["attrs"]["lang"] == "de"
    assert shown.of("h1")[0]["text"] == "Warteschlange"
    assert "▲ hoch" in " ".join(shown.of("a", **{"class": "row"})[0]["text"].split())
    assert "Stichproben" in Elements(world.get("/tasks", headers=german).text).of("h1")[0]["text"]
    books = Elements(world.get("/books", headers=german).text).of("h1")[0]["text"]
    assert books == "✓ Die Bücher gehen auf"
    lost = world.get("/cases/none", headers=german)
    assert lost.status_code == 404
    assert "Nicht gefunden" in lost.text


def test_the_language_can_be_switched_and_stays() -> None:
    world = World(cases=MemoryCases(case()))
    (link,) = page(world, "/queue?app=a%26b").of("a", **{"class": "tongue"})
    assert (link["text"], link["attrs"]["lang"]) == ("Deutsch", "de")
    answer = world.get(link["attrs"]["href"])
    assert (answer.status_code, answer.headers["location"]) == (303, "/queue?app=a%26b")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("language=de;")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    shown = world.get("/queue", headers={"cookie": "language=de", "accept-language": "en"})
    assert "Warteschlange" in shown.text
    assert world.get("/language?to=fr").status_code == 422
    assert world.get("/language?to=en&back=//elsewhere").headers["location"] == "/"


def test_every_check_and_reason_has_a_word() -> None:
    named = [("check", name) for name in (*CHECKS, findings.NAME, "feedback")]
    reasons = {reason for check in REASONS.values() for reason in check} | set(findings.REASONS)
    named += [("reason", name) for name in sorted(reasons | set(NotEvaluated) | {NEGATIVE})]
    assert [name for kind, name in named if f"{kind}.{name}" not in texts("de")] == []
