"""A text and the spans in it → a flat run of segments, so that marks may overlap and never nest."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeGuard, get_args

MarkKind = Literal["finding", "evidence", "quote", "sentence"]
KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
_LONGEST_PIECE = 30
"""Characters: a longer run without a space is no word that was cut."""


@dataclass(frozen=True, slots=True)
class Mark:
    """``number``: which finding, evidence, quote of the judge or sentence it is, from 1;
    ``start``/``end``: character offsets, end exclusive. Offsets outside the text are clamped."""

    kind: MarkKind
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text under the same marks. ``finding``, ``evidence``, ``quote``, ``sentence``:
    the number of the innermost mark of that kind over it, or None. ``opens``: marks whose first
    segment this is. ``omitted``: characters left out after the text. ``styles``: of Markdown."""

    text: str
    finding: int | None = None
    evidence: int | None = None
    quote: int | None = None
    sentence: int | None = None
    opens: tuple[Mark, ...] = ()
    omitted: int = 0
    styles: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Nothing to see in it: a sentence is only a place."""
        return self.finding is None and self.evidence is None and self.quote is None


def span(start: object, end: object, text: str) -> tuple[int, int] | None:
    """Stored offsets, clamped to ``text``; None when they are none or nothing is left."""
    if not _is_offset(start) or not _is_offset(end):
        return None
    first, last = max(0, start), min(end, len(text))
    return (first, last) if first < last else None


def _is_offset(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def segments_of(text: str, marks: Iterable[Mark]) -> list[Segment]:
    """Cut ``text`` at every border of a mark. n log n in the number of marks."""
    opening: dict[int, list[Mark]] = {}
    closing: dict[int, list[Mark]] = {}
    for mark in marks:
        clamped = span(mark.start, mark.end, text)
        if clamped is not None:
            opening.setdefault(clamped[0], []).append(mark)
            closing.setdefault(clamped[1], []).append(mark)
    borders = sorted({0, len(text), *opening, *closing})
    # Insertion order = order of opening: the last one that is still open is the innermost.
    open_marks: dict[MarkKind, dict[int, None]] = {kind: {} for kind in KINDS}
    segments = []
    for start, end in itertools.pairwise(borders):
        for mark in closing.get(start, ()):
            open_marks[mark.kind].pop(mark.number, None)
        opens = tuple(sorted(opening.get(start, ()), key=lambda mark: -mark.end))
        for mark in opens:
            open_marks[mark.kind][mark.number] = None
        over = {kind: next(reversed(numbers), None) for kind, numbers in open_marks.items()}
        segments.append(
            Segment(
                text[start:end],
                over["finding"],
                over["evidence"],
                over["quote"],
                over["sentence"],
                opens,
            )
        )
    return segments


def by_sentence(segments: Iterable[Segment]) -> list[tuple[int | None, list[Segment]]]:
    """Runs of segments under the same sentence mark, or under none."""
    runs = itertools.groupby(segments, key=lambda segment: segment.sentence)
    return [(sentence, list(run)) for sentence, run in runs]


def abridged(segments: list[Segment], margin: int) -> list[Segment]:
    """Keep marked stretches whole and ``margin`` characters of the plain text around them."""
    shorter: list[Segment] = []
    for index, segment in enumerate(segments):
        before = margin if index > 0 else 0
        after = margin if index < len(segments) - 1 else 0
        shorter.extend(_trimmed(segment, before or (0 if after else margin), after))
    return shorter


def _trimmed(segment: Segment, head: int, tail: int) -> Iterator[Segment]:
    if not segment.plain or len(segment.text) <= head + tail:
        yield segment
        return
    first = _whole_words(segment.text[:head][::-1])[::-1]
    last = _whole_words(segment.text[-tail:]) if tail else ""
    yield replace(segment, text=first, omitted=len(segment.text) - len(first) - len(last))
    if last:
        yield Segment(last)


def _whole_words(cut: str) -> str:
    """Without the piece of a word at its start, where it is one that people would miss."""
    piece, space, rest = cut.partition(" ")
    return rest if space and len(piece) < _LONGEST_PIECE else cut
