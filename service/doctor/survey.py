"""What a sample of events says about an application: which fields it sends, how it cites, from
where its numbers count. Counts and names of ours only, but for the names of apps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.checking import read_line
from service.checks import citations
from service.checks.citation_targets import is_url
from service.checks.reading.language import detect
from service.events import AnswerEvent, Chunk, EventLimits, Rejection
from service.mapping import parse_mapped
from service.policy import AppPolicy, CitationPolicy, Policy

SEPARATORS = ("#", "::", "|", "@", ":", "/")
"""What may stand between a document and its chunk, the surest first."""
MOST_DOCUMENTS = 20_000
"""Refs remembered of an app, to see which documents have several chunks."""
EVERYONE = frozenset({"public", "everyone", "all", "anyone", "world", "*"})
"""Names that applications write into an acl for "no restriction"."""

OPTIONAL: Mapping[str, tuple[str, Callable[[AnswerEvent], bool]]] = {
    "occurred_at": ("answers count in the hour they arrive", lambda e: e.occurred_at is not None),
    "app": ("they go by GROUNDWATCH_DEFAULT_APP", lambda e: e.app != "default"),
    "release.id": ("releases cannot be compared", lambda e: e.release.id is not None),
    "release.model": ("a change of the model is not seen", lambda e: e.release.model is not None),
    "query_id": ("exports find repeated questions by text", lambda e: e.query_id is not None),
    "user.id_hash": (
        "`erase` cannot find a user's answers",
        lambda e: e.user is not None and e.user.id_hash is not None,
    ),
    "trace_id": ("no way from a case to its trace", lambda e: e.trace_id is not None),
    "usage": ("no figures of tokens and costs", lambda e: e.usage is not None),
    "latency_ms": ("no figures of latency", lambda e: e.latency_ms is not None),
}
"""Optional fields of an event: what does not work without, and whether an event has it."""

OF_CHUNKS: Mapping[str, tuple[str, Callable[[Chunk], bool]]] = {
    "text": ("looked up by ref, else numbers are not evaluated", lambda c: c.text is not None),
    "url": ("links are not read as citations", lambda c: c.url is not None),
    "acl": ("access is not checked", lambda c: c.acl is not None),
}

FOREIGN = {
    "resourceSpans": "OTLP spans",
    "child_runs": "a LangChain run",
    "choices": "an OpenAI response",
    "attributes": "a span with flat attributes",
}
"""Shapes that docs/mapping.md has an example for, by a field at the top."""


@dataclass(slots=True)
class AppSurvey:
    """Of one app. ``resolved``: citations that resolve, by (base, separator); ``cited``: all, so
    that ``resolved / cited`` is the share. ``documents``: by separator, refs that it splits, and
    how many of them share their document with another."""

    events: int = 0
    citing: int = 0
    citations: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    by_number: int = 0
    resolved: Counter[tuple[int, str]] = field(default_factory=Counter)
    cited: Counter[tuple[int, str]] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    everyone: Counter[str] = field(default_factory=Counter)
    with_urls: int = 0
    refs: set[str] = field(default_factory=set)

    def share(self, base: int, separator: str) -> float:
        """Of its citations, those that resolve; 0 where there are none."""
        cited = self.cited[base, separator]
        return self.resolved[base, separator] / cited if cited else 0.0

    @property
    def separator(self) -> str:
        """The one under which most citations resolve; among equals, the one that most often
        joins several chunks of one document; else the default."""
        usable = {sep: several for sep in SEPARATORS if (several := self._several(sep))}
        best = max((self._best_share(sep) for sep in usable), default=0.0)
        usable = {sep: n for sep, n in usable.items() if self._best_share(sep) == best}
        return max(usable, key=lambda sep: usable[sep], default="#")

    @property
    def base(self) -> int:
        """From where numbers count: that under which more resolve, 1 among equals."""
        separator = self.separator
        return 0 if self.share(0, separator) > self.share(1, separator) else 1

    def _best_share(self, separator: str) -> float:
        return max(self.share(0, separator), self.share(1, separator))

    def _several(self, separator: str) -> int:
        """Refs that share their document with another one under this separator, when at least half
        of all refs are so made: a slash in a path is no mark of a chunk."""
        documents = Counter(
            ref.partition(separator)[0] for ref in self.refs if separator in ref and not is_url(ref)
        )
        if sum(documents.values()) * 2 < len(self.refs):
            return 0
        return sum(n for n in documents.values() if n > 1)


@dataclass(slots=True)
class Survey:
    """``lacking``: events without the field, ``chunks_lacking``: chunks. ``refused``: by reason and
    field; ``foreign``: objects of another shape, by what they look like."""

    lines: int = 0
    events: int = 0
    mapped: int = 0
    chunks: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    foreign: Counter[str] = field(default_factory=Counter)
    lacking: Counter[str] = field(default_factory=Counter)
    chunks_lacking: Counter[str] = field(default_factory=Counter)
    textless: int = 0
    empty: int = 0
    apps: dict[str, AppSurvey] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def add(self, line: str, policy: Policy, limits: EventLimits = EventLimits()) -> None:
        """Take one line into account: an event, or an object with an ``event``."""
        if not line.strip():
            return
        self.lines += 1
        raw = line.encode("utf-8", "replace")
        data, event = read_line(line)
        if isinstance(event, Rejection):
            mapped = parse_mapped(raw, event, policy, limits)
            if isinstance(mapped, Rejection):
                self._refuse(data, mapped)
                return
            self.mapped += 1
            event = mapped
        self._take(event, len(raw), policy)

    def _refuse(self, data: dict[str, Any], refusal: Rejection) -> None:
        if data and "event" not in data and not ("event_id" in data and "retrieved" in data):
            seen = next((FOREIGN[name] for name in FOREIGN if name in data), "another shape")
            self.foreign[seen] += 1
        else:
            self.refused[f"{refusal.reason.value}: {refusal.message}"] += 1

    def _take(self, event: AnswerEvent, size: int, policy: Policy) -> None:
        self.events += 1
        self.sizes.append(size)
        self.chunks += len(event.retrieved)
        self.lacking.update(n for n, (_, has) in OPTIONAL.items() if not has(event))
        for chunk in event.retrieved:
            self.chunks_lacking.update(n for n, (_, has) in OF_CHUNKS.items() if not has(chunk))
        self.textless += any(chunk.text is None for chunk in event.retrieved)
        self.empty += not event.retrieved
        app = self.apps.setdefault(event.app, AppSurvey())
        _add(app, event, policy.of(event.app))


def _add(app: AppSurvey, event: AnswerEvent, policy: AppPolicy) -> None:
    app.events += 1
    app.languages[event.language or detect(event.answer)] += 1
    app.with_urls += any(chunk.url for chunk in event.retrieved)
    for chunk in event.retrieved:
        app.everyone.update(EVERYONE.intersection(chunk.acl or ()))
        if len(app.refs) < MOST_DOCUMENTS:
            app.refs.add(chunk.ref)
    asked = {*SEPARATORS, policy.citations.separator}
    separators = tuple(s for s in asked if any(s in chunk.ref for chunk in event.retrieved))
    alike = policy.citations.model_copy(update={"forms": None})
    _read(app, event, alike, 0, separators)
    reading = _read(app, event, alike, 1, separators)
    app.citing += bool(reading.citations)
    app.citations += len(reading.citations)
    app.forms.update(citation.form for citation in reading.citations)


def _read(
    app: AppSurvey,
    event: AnswerEvent,
    policy: CitationPolicy,
    base: int,
    separators: tuple[str, ...],
) -> citations.CitationReading:
    """Count what resolves under ``base``, by separator; those that stand in no ref of this event
    resolve alike."""
    plain = citations.read(event, policy.model_copy(update={"base": base, "separator": "\0"}))
    for separator in {*SEPARATORS, policy.separator}:
        read = plain
        if separator in separators:
            read = citations.read(
                event, policy.model_copy(update={"base": base, "separator": separator})
            )
        app.cited[base, separator] += len(read.citations)
        app.resolved[base, separator] += sum(
            all(member.ref is not None for member in citation.members)
            for citation in read.citations
        )
    return plain
