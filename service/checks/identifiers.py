"""Check ``identifiers``: every code-like name of the answer stands in what the model saw. Pure.

Names with a digit belong to ``numbers``, addresses to ``links``. What is decided, and what is no
identifier, stands in docs/checks/identifiers.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from service.checks.model import (
    CheckInput,
    CheckResult,
    Evidence,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
    Span,
)
from service.checks.reading import sources
from service.checks.reading.folding import lower
from service.checks.reading.grounding import Source
from service.checks.reading.identifiers import (
    Identifier,
    Kind,
    identifiers,
    may_hold_identifier,
)
from service.checks.reading.spans import Spans
from service.checks.reading.telling import Telling

NAME = "identifiers"
MAX_ANSWER = 200_000
"""Characters of an answer past which it is ``too_large``."""
MAX_IDENTIFIERS = 200
"""Different identifiers of an answer past which it is ``too_large``."""

UNKNOWN_IDENTIFIER = "unknown_identifier"
REASONS: tuple[str, ...] = (UNKNOWN_IDENTIFIER,)


class _Text(NamedTuple):
    """A source in lower case. ``has_places``: offsets into it are offsets into a chunk."""

    source: Source
    lowered: str
    has_places: bool


def check(given: CheckInput, owned: Sequence[Span] = ()) -> CheckResult:
    """Decide every identifier of the answer; the same one is one finding, however often it stands.

    ``owned``: what citations, links, quotes and numbers claim.
    """
    answer = given.event.answer
    if not may_hold_identifier(answer):
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(answer) > MAX_ANSWER:
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    asked, spans = _asked(given, owned)
    if not asked:
        return CheckResult(Outcome.NOT_APPLICABLE)
    if len(asked) > MAX_IDENTIFIERS or sources.is_too_large(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)
    chunks = sources.chunk_texts(given)
    library: _Library | None = None
    evidence: list[Evidence] = []
    missing: list[Identifier] = []
    for identifier in asked:
        found = _literally(identifier, chunks)
        if found is None:
            library = library or _Library(given, chunks)
            found = library.find(identifier)
        if found is None:
            missing.append(identifier)
        else:
            evidence.append(_evidence(answer, identifier, *found))
    if missing and sources.lacks_text(given):
        return CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.MISSING_TEXT)
    findings: tuple[Finding, ...] = ()
    if missing and library is not None:
        findings = tuple(map(_Explain(given, library), missing))
    return CheckResult(
        Outcome.FAIL if findings else Outcome.PASS,
        findings,
        tuple(evidence),
        evaluated=len(asked),
        failed=len(findings),
        owned=spans,
    )


def _asked(given: CheckInput, owned: Sequence[Span]) -> tuple[list[Identifier], tuple[Span, ...]]:
    """Every identifier once, in the order of its first place; and the places of all."""
    allowed = {name.lower() for name in given.policy.identifiers.allowed}
    claimed = Spans(owned)
    first: dict[str, Identifier] = {}
    spans: list[Span] = []
    for identifier in sorted(identifiers(given.event.answer), key=lambda one: one.start):
        name = identifier.name.lower()
        if name in allowed or claimed.touches(identifier.start, identifier.end):
            continue
        spans.append((identifier.start, identifier.end))
        first.setdefault(name, identifier)
        if len(first) > MAX_IDENTIFIERS:
            break
    return list(first.values()), tuple(spans)


def _evidence(answer: str, identifier: Identifier, text: _Text, at: int) -> Evidence:
    start, end = identifier.start, identifier.end
    surface = answer[start:end]
    source = text.source
    if not text.has_places:
        return Evidence(NAME, source.kind, surface, start, end, source.ref)
    stop = at + len(identifier.name.removeprefix("--"))
    return Evidence(NAME, source.kind, surface, start, end, source.ref, at, stop)


# ------------------------------------------------------------------------------------ what is known


def _literally(identifier: Identifier, chunks: Sequence[Source]) -> tuple[_Text, int] | None:
    """The first chunk that holds the name as it is spelled; most do, and none need be folded."""
    name = identifier.name.removeprefix("--").rstrip("/")
    for chunk in chunks:
        at = _find(chunk.text, name, identifier.kind)
        if at >= 0:
            return _Text(chunk, "", True), at
    return None


class _Library:
    """The sources of one answer, searched in lower case."""

    def __init__(self, given: CheckInput, chunks: Sequence[Source]) -> None:
        self._texts = [
            *(_Text(source, lower(source.text), True) for source in chunks),
            *(
                _Text(source, lower(source.text), False)
                for source in chain(sources.other_texts(given), sources.chunk_names(given))
            ),
        ]

    def find(self, identifier: Identifier) -> tuple[_Text, int] | None:
        """Where the name stands, bounded on both sides."""
        name = identifier.name.lower().removeprefix("--").rstrip("/")
        for text in chain(self._texts, self._unescaped):
            at = _find(text.lowered, name, identifier.kind)
            if at >= 0:
                return text, at
        if identifier.kind is Kind.KEY:
            return self._nested(name.split("."))
        return None

    @cached_property
    def _unescaped(self) -> list[_Text]:
        """Texts that write ``max\\_retries``, as they show."""
        return [
            _Text(text.source, text.lowered.replace("\\", ""), False)
            for text in self._texts
            if "\\" in text.lowered
        ]

    def _nested(self, parts: Sequence[str]) -> tuple[_Text, int] | None:
        """``retention.max_days`` where YAML or a table writes one part below the other."""
        for text in (*self._texts, *self._unescaped):
            first, at = -1, 0
            for part in parts:
                at = _find(text.lowered, part, Kind.SNAKE, at)
                if at < 0:
                    break
                first = at if first < 0 else first
                at += len(part)
            else:
                return text._replace(has_places=False), first
        return None

    @cached_property
    def names(self) -> dict[str, tuple[Source, str]]:
        """Identifiers of the sources, in lower case, as they are spelled there; bounded."""
        found: dict[str, tuple[Source, str]] = {}
        for source, _, _ in self._texts:
            for name in dict.fromkeys(islice(_matches(source.text), _MOST_COMPARED)):
                found.setdefault(name.lower(), (source, name))
            if len(found) > _MOST_COMPARED:
                break
        return found


def _matches(text: str) -> Iterator[str]:
    return (match[0] for match in _NAME_LIKE.finditer(text))


_NAME_LIKE = re.compile(
    r"--[A-Za-z][A-Za-z-]{1,60}|/?[A-Za-z]\w{0,60}(?:[_:/.-]\w{1,60}){1,12}|[a-z]{2,40}[A-Z]\w{1,60}"
)
"""Good enough to name the nearest; what is checked is read with more care."""
_MOST_TRIES = 64
_JOINS = {
    # what may not follow a name when a letter follows in turn: the name goes on
    Kind.FLAG: "-",
    Kind.SCOPE: ":-_",
    Kind.PATH: ".-",
    Kind.KEBAB: "-",
    Kind.KEY: "-",
}
_LEFT_JOINS = {Kind.SCOPE: ":-_", Kind.KEBAB: "-"}


def _find(text: str, name: str, kind: Kind, after: int = 0) -> int:
    """Where ``name`` stands as a whole; -1 when nowhere. Both are folded alike."""
    at = text.find(name, after)
    for _ in range(_MOST_TRIES):
        if at < 0 or _is_bounded(text, at, at + len(name), kind):
            return at
        at = text.find(name, at + 1)
    return -1


def _is_bounded(text: str, start: int, end: int, kind: Kind) -> bool:
    before = text[start - 1] if start else " "
    if kind is Kind.FLAG:
        if before not in "-–—−":
            return False
    elif before.isalnum() or before == "_" or before in _LEFT_JOINS.get(kind, ""):
        return False
    after = text[end : end + 2]
    if after[:1].isalnum() or after[:1] == "_":
        return False
    return not (after[:1] in _JOINS.get(kind, "") and after[1:].isalnum()) if after else True


# ------------------------------------------------------------------------------------ the findings

_MOST_COMPARED = 400
_LIKENESS = 0.75


class _Explain:
    """A name that is nearly one of the sources is worse: a reader takes it for copied."""

    def __init__(self, given: CheckInput, library: _Library) -> None:
        self._answer = given.event.answer
        self._library = library
        self._telling = Telling(given)

    def __call__(self, identifier: Identifier) -> Finding:
        start, end = identifier.start, identifier.end
        surface = self._answer[start:end]
        near = self._nearest(identifier) if self._telling.may_seek() else None
        detail = self._telling.absent(surface, near and (*near, _ANOTHER_NAME))
        severity = Severity.MEDIUM if near is None else Severity.HIGH
        cause = identifier.name.lower()[:200]
        return Finding(NAME, UNKNOWN_IDENTIFIER, surface, start, end, detail, severity, cause)

    def _nearest(self, identifier: Identifier) -> tuple[Source, str] | None:
        names = self._library.names
        close = get_close_matches(identifier.name.lower(), names, 1, _LIKENESS)
        return names[close[0]] if close else None


_ANOTHER_NAME = ("another name", "anders benannt")
