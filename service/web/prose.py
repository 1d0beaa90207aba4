"""An answer as Markdown with its marks in place: blocks of segments, every mark where its text is.

Marks are offsets in the raw text. What Markdown hides (its own characters, the target of a link)
shows no mark; a mark that lies wholly in it keeps its place at what is shown next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from service.web.markdown import Close, Open, Token, pieces
from service.web.marking import Mark, Segment, by_sentence, segments_of


@dataclass(frozen=True, slots=True)
class Stretch:
    """Segments of one block under the same sentence mark. ``first``: the sentence begins here."""

    sentence: int | None
    first: bool
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class Run:
    """What stands between two tags."""

    stretches: list[Stretch]


Part = Open | Close | Run


def prose_of(text: str, marks: Iterable[Mark]) -> list[Part]:
    """Parse ``text`` and put the marks into it. n log n in the number of marks and tokens."""
    woven = _Weaver(segments_of(text, marks))
    parts: list[Part] = []
    run: list[Segment] = []
    for piece in pieces(text):
        if isinstance(piece, Token):
            run += woven.take(piece)
            continue
        if run:
            parts.append(woven.run(run))
            run = []
        parts.append(piece)
    lost = woven.rest()
    if lost is not None:
        parts += [Open("p"), woven.run([lost]), Close("p")]
    return parts


class _Weaver:
    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._next = 0
        self._start = 0
        self._opens: list[Mark] = []
        self._seen: set[int] = set()

    def take(self, token: Token) -> list[Segment]:
        """The segments of a token; each mark opens at the first that is shown."""
        over = list(self._over(token))
        if not over:
            return []
        if token.shown is not None:
            opens = tuple(mark for _, segment in over for mark in segment.opens)
            whole = _merged([segment for _, segment in over])
            return [replace(whole, text=token.shown, opens=opens, styles=token.styles)]
        return [replace(segment, text=text, styles=token.styles) for text, segment in over]

    def _over(self, token: Token) -> Iterator[tuple[str, Segment]]:
        """(text within the token, segment with the marks that open there)."""
        while self._next < len(self._segments):
            segment = self._segments[self._next]
            end = self._start + len(segment.text)
            first, last = max(token.start, self._start), min(token.end, end)
            if self._start >= token.end:
                return
            self._opens += segment.opens
            if first < last:
                shown = replace(segment, opens=tuple(self._opens))
                self._opens = []
                yield segment.text[first - self._start : last - self._start], shown
            if end > token.end:
                # The rest of it belongs to the next token, which opens nothing again.
                self._segments[self._next] = replace(segment, opens=())
                return
            self._next += 1
            self._start = end

    def run(self, segments: list[Segment]) -> Run:
        stretches = []
        for sentence, together in by_sentence(segments):
            first = sentence is not None and sentence not in self._seen
            if sentence is not None:
                self._seen.add(sentence)
            stretches.append(Stretch(sentence, first, together))
        return Run(stretches)

    def rest(self) -> Segment | None:
        """The marks that nothing shown was left for."""
        for segment in self._segments[self._next :]:
            self._opens += segment.opens
        return Segment("", opens=tuple(self._opens)) if self._opens else None


def _merged(segments: list[Segment]) -> Segment:
    """One segment under all the marks of several."""
    merged = segments[0]
    for segment in segments[1:]:
        merged = replace(
            merged,
            finding=merged.finding or segment.finding,
            evidence=merged.evidence or segment.evidence,
            quote=merged.quote or segment.quote,
            sentence=merged.sentence or segment.sentence,
        )
    return merged
