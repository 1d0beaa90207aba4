"""What the judge rules on: the answer's sentences and its sources, numbered. Pure.

The sentences are those of the checks (:mod:`service.checks.reading.sentences`), without code and
without what holds no word or is nothing but citations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from service.checks.reading import sentences
from service.checks.reading.marks import says_nothing, touched
from service.checks.reading.sentences import Kind
from service.judging.jobs import RETRIEVED, Job, JobCitation, Source


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence ``number`` (from 1), at the character offsets [start, end) of the raw answer.

    ``cited``: numbers of the passages that its citations resolve to, None when it has no citation.
    ``unseen``: it also cites a chunk that is not among the passages.
    """

    number: int
    start: int
    end: int
    text: str
    cited: frozenset[int] | None
    unseen: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """What may support a claim, ``number`` from 1; ``ref`` and ``kind`` as in
    :class:`~service.judging.jobs.Source`. Two passages may share a ref."""

    number: int
    ref: str
    text: str
    kind: str

    @property
    def retrieved(self) -> bool:
        return self.kind == RETRIEVED


@dataclass(frozen=True, slots=True)
class Material:
    """``partial``: the model saw sources that the judge does not see, so that nobody can say here
    that a claim has no support. ``label``: the class that ``abstention`` gave the answer."""

    query: str
    answer: str
    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]
    said_before: tuple[str, ...]
    language: str
    partial: bool
    label: str


def material_of(job: Job, max_chars: int | None = None) -> Material:
    """The material of one job. With ``max_chars``, retrieved chunks are left out from the last one
    on until all texts together have at most so many characters, or none is left."""
    said_before = job.said_before
    sources = job.sources
    if max_chars is not None:
        room = max_chars - len(job.query) - len(job.answer_text) - sum(map(len, said_before))
        sources = _fitting(sources, room)
    passages = tuple(
        Passage(number, source.ref, source.text, source.kind)
        for number, source in enumerate(sources, start=1)
    )
    return Material(
        query=job.query,
        answer=job.answer_text,
        sentences=tuple(_sentences(job.answer_text, job.citations, passages)),
        passages=passages,
        said_before=said_before,
        language=job.answer.language,
        partial=len(sources) < len(job.sources) or job.texts_missing > 0,
        label=job.answer.label,
    )


def _fitting(sources: Sequence[Source], room: int) -> tuple[Source, ...]:
    size = sum(len(source.text) for source in sources)
    kept = list(sources)
    for at in range(len(kept) - 1, -1, -1):
        if size <= room:
            break
        if kept[at].kind == RETRIEVED:
            size -= len(kept.pop(at).text)
    return tuple(kept)


_OPENS = ("[", "【", "［", "<", "^")


@dataclass(slots=True)
class _Line:
    """A sentence of the checks' reading, and the citations that belong to it."""

    start: int
    end: int
    kind: Kind
    block: int
    cited: list[JobCitation] = field(default_factory=list)
    is_source: bool = False
    """It is nothing but citations."""


def _sentences(
    answer: str, citations: Sequence[JobCitation], passages: Sequence[Passage]
) -> Iterator[Sentence]:
    lines = _lines(answer, citations)
    numbers: dict[str, set[int]] = {}
    for passage in passages:
        if passage.retrieved:
            numbers.setdefault(passage.ref, set()).add(passage.number)
    number = 0
    for line in lines:
        text = answer[line.start : line.end]
        if line.kind is Kind.CODE or line.is_source or not any(map(str.isalnum, text)):
            continue
        number += 1
        refs = {ref for one in line.cited for ref in one.refs}
        cited = frozenset().union(*(numbers.get(ref, ()) for ref in refs)) if refs else None
        yield Sentence(number, line.start, line.end, text, cited, not refs <= numbers.keys())


def _lines(answer: str, citations: Iterable[JobCitation]) -> list[_Line]:
    lines = [_Line(one.start, one.end, one.kind, one.block) for one in sentences.read(answer)]
    starts = [line.start for line in lines]
    for one in sorted(citations, key=lambda one: one.start):
        for at in touched(starts, one.start, one.end):
            lines[at].cited.append(one)
    for line in lines:
        marks = [(one.start, one.end) for one in line.cited if _is_marker(answer, one)]
        line.is_source = bool(marks) and says_nothing(answer, line.start, line.end, marks)
    _hand_over(lines)
    return lines


def _is_marker(answer: str, one: JobCitation) -> bool:
    """``[1]``, ``Source: kb-101``: not the words that a structured citation is for."""
    words = answer[one.start : one.end].strip()
    if words.startswith(_OPENS):
        return True
    for ref in one.refs:
        words = words.replace(ref, "")
    return says_nothing(words, 0, len(words), ())


def _hand_over(lines: Sequence[_Line]) -> None:
    """Citations that stand alone belong to the sentence that they directly follow: within a
    paragraph the one before, behind a blank line the only one of the paragraph above. Under a
    longer paragraph they say of no sentence which of them supports it, and belong to none."""
    for at, line in enumerate(lines):
        if not line.is_source:
            continue
        said = at - 1
        while said >= 0 and lines[said].is_source and lines[said].block == line.block:
            said -= 1
        if said < 0 or lines[said].is_source:
            continue
        apart = lines[said].block != line.block
        if not (apart and said and lines[said - 1].block == lines[said].block):
            lines[said].cited += line.cited
