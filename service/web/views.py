"""What the templates show, computed: ages, links, a case with its marks in place.

An event in the store may be reduced or old: everything here reads it as untrusted data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

from service.accounting import Books, Kind
from service.judging.findings import NAME as JUDGE
from service.review.cases import SEVERITY_ORDER, Case, CaseFilter, CaseSummary, Priority, Thumbs
from service.review.tasks import Task, blind
from service.web.caller import caller
from service.web.judging import JudgeView, judge_view
from service.web.labelling import Shown, finding_key, ref_key
from service.web.marking import (
    Mark,
    MarkKind,
    Segment,
    abridged,
    segments_of,
    span,
)
from service.web.prose import Part, prose_of
from service.web.texts import Tongue

LONG_TEXT = 4000
"""A chunk longer than this (characters) shows the stretches around its marks first."""
MARGIN = 500
"""Characters shown before and after a mark in a long chunk."""


def utc(then_ms: int) -> str:
    """ISO 8601 to the second; empty for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(then_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return ""


def moment(then_ms: int) -> str:
    """``2026-11-30 09:15 UTC``, for people."""
    return f"{utc(then_ms)[:16].replace('T', ' ')} UTC".strip()


def queue_url(filter: CaseFilter, cursor: str | None = None, **changes: Any) -> str:
    """The address of a filtered queue; the open queue is the default and needs no status."""
    return "/queue" + query_of(filter, cursor, **changes)


def query_of(filter: CaseFilter, cursor: str | None = None, **changes: Any) -> str:
    """The query string of a filter, with its question mark; empty for the open queue."""
    changed = replace(filter, **changes)
    terms = [(name, value) for name, value in changed.indexes() if (name, value) != _OPEN]
    if changed.status is None:
        terms.append(("status", "any"))
    if changed.since_ms is not None:
        terms.append(("since", utc(changed.since_ms)[:10]))
    if cursor is not None:
        terms.append(("cursor", cursor))
    return f"?{urlencode(terms, errors='replace')}" if terms else ""


def with_terms(query: str, **terms: str) -> str:
    """A query string with more terms; empty ones are left out."""
    more = urlencode({name: value for name, value in terms.items() if value})
    return f"{query}{'&' if query else '?'}{more}" if more else query


_OPEN = ("status", "open")


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """``count``: what it lists now, None where to count that is not cheap; ``here``: it is the one
    that is shown."""

    name: str
    url: str
    count: int | None
    here: bool = False


def saved_filters(
    shown: CaseFilter,
    by_severity: Mapping[str, int],
    given_today: int,
    today: date,
    tasks: Mapping[str, int],
    claimed: int,
) -> list[SavedFilter]:
    """``given_today``: open cases of answers of today; ``tasks``: audit tasks by state;
    ``claimed``: cases that somebody holds."""
    counts = {"all": sum(by_severity.values())}
    counts |= {name: by_severity.get(name, 0) for name in SEVERITY_ORDER}
    since_ms = int(datetime(today.year, today.month, today.day, tzinfo=UTC).timestamp() * 1000)
    filters = {"all": CaseFilter()}
    filters |= {name: CaseFilter(severity=name) for name in SEVERITY_ORDER}
    filters["today"], counts["today"] = CaseFilter(since_ms=since_ms), given_today
    filters["claimed"], counts["claimed"] = CaseFilter(status="claimed"), claimed
    saved = [
        SavedFilter(name, queue_url(filter), counts[name], filter == shown)
        for name, filter in filters.items()
    ]
    return [
        *saved,
        SavedFilter("groups", "/groups", None),
        SavedFilter("tasks", "/tasks", tasks.get("open", 0)),
    ]


@dataclass(frozen=True, slots=True)
class BooksLine:
    """The account in one sentence."""

    received: int
    parts: tuple[tuple[str, int], ...]
    balanced: bool


def books_line(books: Books) -> BooksLine | None:
    """None for somebody who may not see all apps: the books are of all."""
    if not caller().grant.everything:
        return None
    received = sum(book.counts.get("received", 0) for book in books.partitions)
    parts = tuple((kind.value, books.totals.get(kind.value, 0)) for kind in Kind)
    return BooksLine(received, parts, books.balanced)


@dataclass(frozen=True, slots=True)
class FindingRow:
    """``key`` names it in a form."""

    number: int
    key: str
    check: str
    reason: str
    surface: str
    detail: str
    severity: str
    in_answer: bool


@dataclass(frozen=True, slots=True)
class ChunkPanel:
    """A retrieved chunk. ``segments`` is None when its text is not known; ``whole`` is the full
    text when ``segments`` shows only stretches of it. ``link`` is a URL that is safe to follow;
    ``key`` names the chunk in a form; ``notes``: what is known of it, by name."""

    ref: str
    key: str
    notes: tuple[tuple[str, str | int | float], ...]
    link: str | None
    segments: list[Segment] | None
    whole: str | None
    marked: bool


@dataclass(frozen=True, slots=True)
class ContextPanel:
    """What else the model saw. ``evidence``: False for the system's own earlier answers."""

    name: str
    kind: str
    segments: list[Segment]
    marked: bool
    evidence: bool


@dataclass(frozen=True, slots=True)
class CaseView:
    """``answer``: as Markdown, ``raw``: as it was written; ``judged``: the numbers of the findings
    that are the judge's; ``judged_headline``: the headline is one of them."""

    summary: CaseSummary
    headline: str
    question: list[Segment]
    answer: list[Part]
    raw: list[Segment]
    findings: list[FindingRow]
    judge: JudgeView | None
    judged: frozenset[int]
    judged_headline: bool
    chunks: list[ChunkPanel]
    linked: frozenset[int]
    context: list[ContextPanel]
    outcomes: list[tuple[str, str]]
    not_evaluated: list[tuple[str, str]]
    about: list[tuple[str, str]]
    reduced: bool
    feedback: Thumbs | None
    priority: Priority | None


def case_view(case: Case, t: Tongue) -> CaseView:
    event = case.event
    answer, query = _text(event.get("answer")), _text(event.get("query"))
    chunks, context = _dicts(event.get("retrieved")), _dicts(event.get("context"))
    texts = [(_text(chunk.get("ref")), _text(chunk.get("text"))) for chunk in chunks]
    texts += [(_text(item.get("name")), _text(item.get("text"))) for item in context]
    sources = _source_marks(case.evidence, texts, query)
    _mark_nearest(case.findings, texts, sources)
    judge = judge_view(case.judgement, answer, texts, t)
    marks = [
        *_marks("finding", case.findings, answer),
        *_marks("evidence", case.evidence, answer),
    ]
    if judge is not None:
        marks = [*judge.sentence_marks, *marks]
        for index, quotes in judge.quote_marks.items():
            sources.setdefault(index, []).extend(quotes)
    return CaseView(
        summary=case.summary,
        headline=case.summary.headline,
        question=segments_of(query, sources.get(_QUERY, ())),
        answer=prose_of(answer, marks),
        raw=segments_of(answer, marks),
        findings=[
            _finding_row(number, finding, answer) for number, finding in _numbered(case.findings)
        ],
        judge=judge,
        judged=frozenset(
            number for number, item in _numbered(case.findings) if item.get("check") == JUDGE
        ),
        judged_headline=any(
            item.get("check") == JUDGE and _text(item.get("detail"))[:500] == case.summary.headline
            for item in case.findings
        ),
        chunks=[_panel(chunk, sources.get(index, [])) for index, chunk in enumerate(chunks)],
        linked=frozenset(
            mark.number for marks in sources.values() for mark in marks if mark.kind == "evidence"
        ),
        context=[
            _context_panel(item, sources.get(index, []))
            for index, item in enumerate(context, len(chunks))
        ],
        outcomes=sorted(case.outcomes.items()),
        not_evaluated=sorted(case.not_evaluated.items()),
        about=[*_about(case), *(judge.about if judge is not None else ())],
        reduced=case.reduced,
        feedback=case.feedback,
        priority=case.priority,
    )


_QUERY = -1
"""Stands for the question among the indexes of the sources: chunks, then context."""
Texts = Sequence[tuple[str, str]]
"""Ref (a context's name) and text of every source."""


def _source_marks(
    evidence: list[dict[str, Any]], texts: Texts, query: str
) -> dict[int, list[Mark]]:
    """Where each evidence stands: index of the source (or the question) → marks in its text."""
    marks: dict[int, list[Mark]] = {}
    for number, item in _numbered(evidence):
        for index, text in _candidates(item, texts, query):
            place = span(item.get("chunk_start"), item.get("chunk_end"), text)
            if place is not None:
                marks.setdefault(index, []).append(Mark("evidence", number, *place))
                break
    return marks


def _mark_nearest(
    findings: list[dict[str, Any]], texts: Texts, marks: dict[int, list[Mark]]
) -> None:
    """Add where the nearest thing to each finding stands, under the finding's number."""
    for number, finding in _numbered(findings):
        for index, (ref, text) in enumerate(texts):
            near = span(finding.get("near_start"), finding.get("near_end"), text)
            if near is not None and ref == finding.get("near_ref"):
                marks.setdefault(index, []).append(Mark("finding", number, *near))
                break


def _candidates(item: dict[str, Any], texts: Texts, query: str) -> Iterable[tuple[int, str]]:
    ref = item.get("ref")
    if ref is None:
        if item.get("kind") == "from_query":
            yield _QUERY, query
        return
    for index, (name, text) in enumerate(texts):
        if name == ref:
            yield index, text


def _marks(kind: MarkKind, items: list[dict[str, Any]], answer: str) -> list[Mark]:
    return [
        Mark(kind, number, *place)
        for number, item in _numbered(items)
        if (place := span(item.get("start"), item.get("end"), answer)) is not None
    ]


def _finding_row(number: int, finding: dict[str, Any], answer: str) -> FindingRow:
    return FindingRow(
        number=number,
        key=finding_key(finding),
        check=_text(finding.get("check")),
        reason=_text(finding.get("reason")),
        surface=_text(finding.get("surface")),
        detail=_text(finding.get("detail")),
        severity=_text(finding.get("severity")),
        in_answer=span(finding.get("start"), finding.get("end"), answer) is not None,
    )


def _panel(chunk: dict[str, Any], marks: list[Mark]) -> ChunkPanel:
    text, url = chunk.get("text"), _text(chunk.get("url"))
    segments = segments_of(text, marks) if isinstance(text, str) else None
    whole = None
    if segments is not None and isinstance(text, str) and len(text) > LONG_TEXT:
        segments, whole = abridged(segments, MARGIN), text
    ref = _text(chunk.get("ref"))
    return ChunkPanel(
        ref=ref,
        key=ref_key(ref),
        notes=tuple(_chunk_notes(chunk)),
        link=url if url.startswith(("https://", "http://")) else None,
        segments=segments,
        whole=whole,
        marked=bool(marks),
    )


def _context_panel(item: dict[str, Any], marks: list[Mark]) -> ContextPanel:
    kind = _text(item.get("kind"))
    return ContextPanel(
        _text(item.get("name")),
        kind,
        segments_of(_text(item.get("text")), marks),
        bool(marks),
        kind != "assistant",
    )


def _chunk_notes(chunk: Mapping[str, Any]) -> Iterable[tuple[str, str | int | float]]:
    if chunk.get("title"):
        yield "title", _text(chunk["title"])
    if isinstance(chunk.get("rank"), int):
        yield "rank", chunk["rank"]
    if isinstance(chunk.get("score"), float | int):
        yield "score", chunk["score"]
    if chunk.get("in_prompt") is False:
        yield "not_in_prompt", ""


@dataclass(frozen=True, slots=True)
class TaskView:
    """An audit task: question, answer and sources, nothing else. ``raw``: the answer as it was
    written."""

    task: Task
    question: str
    answer: list[Part]
    raw: list[Segment]
    chunks: list[ChunkPanel]
    context: list[tuple[str, str, str]]


def task_view(task: Task) -> TaskView:
    event = blind(task.event)
    answer = _text(event.get("answer"))
    return TaskView(
        task,
        _text(event.get("query")),
        prose_of(answer, ()),
        segments_of(answer, ()),
        [_panel(chunk, []) for chunk in event["retrieved"]],
        [
            (_text(item.get("name")), _text(item.get("kind")), _text(item.get("text")))
            for item in _dicts(event.get("context"))
        ],
    )


def shown_of(event: Mapping[str, Any], findings: Sequence[Mapping[str, Any]] = ()) -> Shown:
    """What a label may speak of."""
    return Shown(findings, [_text(chunk.get("ref")) for chunk in _dicts(event.get("retrieved"))])


def _about(case: Case) -> list[tuple[str, str]]:
    release = case.event.get("release")
    parts = release.items() if isinstance(release, dict) else ()
    source, partition, offset = case.position
    return [
        ("app", case.summary.app),
        ("event id", case.summary.event_id),
        ("occurred", moment(case.summary.occurred_ms)),
        *((f"release {name}", str(value)) for name, value in parts if value is not None),
        ("ruleset", case.ruleset),
        ("stratum", case.stratum),
        ("inclusion probability", f"{case.pi:g}"),
        ("position", f"{source} · partition {partition} · offset {offset}"),
    ]


def _numbered(items: list[dict[str, Any]]) -> Iterable[tuple[int, dict[str, Any]]]:
    return enumerate(items, start=1)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dicts(value: object) -> list[dict[str, Any]]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]
