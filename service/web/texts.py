"""The interface in German and English: which language a reader wants, and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from fastapi import Depends, Request
from markupsafe import Markup

from service.web.showing import showable
from service.web.words import (
    Words,
    access,
    books,
    case,
    frame,
    gaps,
    group,
    groups,
    incident,
    judge,
    judged,
    labelling,
    labels,
    overview,
    probes,
    queue,
    reasons,
    report,
    tasks,
    tree,
    trying,
)

LANGUAGES = ("en", "de")
COOKIE = "language"
TABLES: tuple[Words, ...] = (
    frame.WORDS, queue.WORDS, tasks.WORDS, books.WORDS, overview.WORDS, probes.WORDS, labels.WORDS,
    trying.WORDS, tree.WORDS, case.WORDS, labelling.WORDS, group.WORDS,
    groups.WORDS,
    gaps.WORDS,
    judge.WORDS,
    judged.WORDS,
    incident.WORDS,
    access.WORDS,
    reasons.WORDS,
    report.WORDS,
)  # fmt: skip


@cache
def texts(lang: str) -> Mapping[str, str]:
    """Key → text in ``lang``; in English where we do not speak it."""
    place = LANGUAGES.index(lang) if lang in LANGUAGES else 0
    return MappingProxyType({key: said[place] for table in TABLES for key, said in table.items()})


def language_of(cookie: str | None, accepted: str) -> str:
    """The language that was chosen, else the one of ours that the browser likes best (the header
    Accept-Language, RFC 9110 section 12.5.4), else English."""
    if cookie in LANGUAGES:
        return cookie
    liked = [(-quality, place, lang) for place, (lang, quality) in enumerate(_liked(accepted))]
    return next((lang for quality, _, lang in sorted(liked) if quality < 0), LANGUAGES[0])


def _liked(accepted: str) -> list[tuple[str, float]]:
    """(language of ours, quality), as they stand in the header; what makes no sense is left out."""
    found = []
    for part in accepted[:500].split(","):
        tag, _, quality = part.strip().partition(";")
        lang = tag.split("-")[0].strip().lower()
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if lang in LANGUAGES and 0 <= weight <= 1:
            found.append((lang, weight))
    return found


@dataclass(frozen=True, slots=True)
class Tongue:
    """How a page speaks: ``t("queue.title")`` in a template. ``here``: path and query of the page
    itself, to come back to it in the other language."""

    lang: str = LANGUAGES[0]
    here: str = "/"

    def __call__(self, key: str, **values: Any) -> Markup:
        """The text under ``key`` with ``values`` escaped into it; whole numbers are grouped."""
        # The text is one of ours; Markup.format escapes what goes into it.
        return Markup(self._text(key, values)).format(**self._shown(values))  # noqa: S704 (ours)

    def say(self, key: str, **values: Any) -> str:
        """The same as a plain string, to be escaped later."""
        return self._text(key, values).format(**self._shown(values))

    def word(self, kind: str, name: str) -> str:
        """A name that the program uses, in words; those without a text are the field's terms."""
        return texts(self.lang).get(f"{kind}.{name}", name.replace("_", " "))

    def knows(self, key: str) -> bool:
        return key in texts(self.lang)

    def count(self, number: int) -> str:
        """``12,345``; in German ``12.345``."""
        return self._points(f"{number:,}")

    def decimal(self, number: float, digits: int = 1) -> str:
        return self._points(f"{number:,.{digits}f}").replace("-", "\N{MINUS SIGN}")

    def percent(self, share: float, digits: int = 1) -> str:
        """``1.2 %`` with a space that does not break."""
        return f"{self.decimal(100 * share, digits)}\N{NO-BREAK SPACE}%"

    def age(self, then_ms: int, now_ms: int) -> str:
        """``3 min``, ``5 h``, ``12 d``; a time to come is ``now``."""
        minutes = (now_ms - then_ms) // 60_000
        if minutes < 1:
            return self.say("age.now")
        if minutes < 60:
            return self.say("age.min", n=minutes)
        if minutes < 48 * 60:
            return self.say("age.h", n=minutes // 60)
        return self.say("age.d", n=minutes // (24 * 60))

    def until(self, then_ms: int, now_ms: int) -> str:
        """``in 3 min``, ``in 5 h``, ``in 2 d``; a time that is past is ``now``."""
        left = self.age(now_ms, then_ms)
        return left if left == self.say("age.now") else self.say("age.until", age=left)

    @property
    def other(self) -> str:
        """The language that is not this one."""
        return LANGUAGES[1 - LANGUAGES.index(self.lang)]

    def _text(self, key: str, values: Mapping[str, Any]) -> str:
        words = texts(self.lang)
        return words.get(f"{key}.one", words[key]) if values.get("n") == 1 else words[key]

    def _shown(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self.count(value)
            if type(value) is int
            else showable(value)
            if isinstance(value, str) and not isinstance(value, Markup)
            else value
            for name, value in values.items()
        }

    def _points(self, number: str) -> str:
        return number.translate(_GERMAN_POINTS) if self.lang == "de" else number


_GERMAN_POINTS = str.maketrans(",.", ".,")


def tongue(request: Request) -> Tongue:
    lang = language_of(request.cookies.get(COOKIE), request.headers.get("accept-language", ""))
    query = request.url.query
    return Tongue(lang, request.url.path + (f"?{query}" if query else ""))


Speaking = Annotated[Tongue, Depends(tongue)]


def safe_return(address: str) -> str:
    """``address`` where it is a path of ours, else the front page: nobody is sent elsewhere."""
    ours = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if ours and address.isprintable() and "\\" not in address else "/"
