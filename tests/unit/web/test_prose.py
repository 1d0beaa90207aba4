"""Marks stay where their text is, whatever Markdown makes of it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from service.web.markdown import Open, Token, pieces
from service.web.marking import Mark, Segment
from service.web.prose import Run, prose_of
from tests.unit.web.test_markdown import ANSWER, markdown


def mark(text: str, surface: str, number: int = 1, kind: str = "finding") -> Mark:
    start = text.index(surface)
    return Mark(kind, number, start, start + len(surface))  # type: ignore[arg-type]


def segments(text: str, *marks: Mark) -> list[Segment]:
    runs = [part for part in prose_of(text, marks) if isinstance(part, Run)]
    return [segment for run in runs for stretch in run.stretches for segment in stretch.segments]


def found(text: str, surface: str) -> list[str]:
    return [part.text for part in segments(text, mark(text, surface)) if part.finding == 1]


def test_a_mark_is_where_its_text_is() -> None:
    assert found(ANSWER, "54 €") == ["54 €"]
    assert found(ANSWER, "45 €") == ["45 €"]
    assert found(ANSWER, "a = 1") == ["a = 1"]
    assert found("x **a** y", "x **a**") == ["x ", "a"]
    assert found("> a\n> b", "a\n> b") == ["a\n", "b"]


def test_a_mark_in_the_target_of_a_link_marks_its_host() -> None:
    assert found("see [it](https://wiki.example/old)", "https://wiki.example/old") == [
        " (wiki.example)"
    ]


def test_a_mark_that_nothing_is_shown_of_keeps_its_place() -> None:
    text = "a\n\n```python\nb\n```"
    opened = [part for part in segments(text, mark(text, "python")) if part.opens]
    assert [part.text for part in opened] == ["b"]
    last = segments("a\n\n---", mark("a\n\n---", "---"))[-1]
    assert (last.text, [one.number for one in last.opens]) == ("", [1])


def test_a_sentence_over_two_blocks_begins_once() -> None:
    text = "# One\ntwo *three*"
    runs = [
        part for part in prose_of(text, [mark(text, "One\ntwo", 7, "sentence")])
        if isinstance(part, Run)
    ]  # fmt: skip
    told = [
        (stretch.sentence, stretch.first, "".join(part.text for part in stretch.segments))
        for run in runs
        for stretch in run.stretches
    ]
    assert told == [(7, True, "One"), (7, False, "two"), (None, False, " three")]


marks = st.lists(
    st.builds(
        Mark,
        kind=st.sampled_from(["finding", "evidence", "quote"]),
        number=st.integers(1, 9),
        start=st.integers(-2, 70),
        end=st.integers(-2, 70),
    ),
    max_size=6,
    unique_by=lambda m: (m.kind, m.number),
)


@given(markdown, marks)
@example(ANSWER, [Mark("finding", 1, 0, 300), Mark("evidence", 1, 10, 20)])
def test_every_mark_opens_once_and_the_text_is_that_of_the_tokens(
    text: str, marks: list[Mark]
) -> None:
    parts = prose_of(text, marks)
    shown = segments(text, *marks)
    assert "".join(part.text for part in shown) == "".join(
        text[piece.start : piece.end] if piece.shown is None else piece.shown
        for piece in pieces(text)
        if isinstance(piece, Token)
    )
    opened = [one for part in shown for one in part.opens]
    kept = [m for m in marks if max(m.start, 0) < min(m.end, len(text))]
    assert sorted(opened, key=repr) == sorted(kept, key=repr)
    assert all(isinstance(part, Run) or part.tag for part in parts)
    assert not any(isinstance(part, Open) and not part.tag for part in parts)


@given(markdown, st.integers(0, 60), st.integers(1, 10))
def test_exactly_the_marked_characters_are_marked(text: str, start: int, length: int) -> None:
    for piece in (p for p in pieces(text) if isinstance(p, Token) and p.shown is None):
        over = range(max(piece.start, start), min(piece.end, start + length, len(text)))
        if over:
            break
    else:
        return
    marked = [p for p in segments(text, Mark("finding", 1, start, start + length)) if p.finding]
    count = sum(
        len(range(max(p.start, start), min(p.end, start + length)))
        for p in pieces(text)
        if isinstance(p, Token) and p.shown is None
    )
    replaced = sum(
        len(p.shown)
        for p in pieces(text)
        if isinstance(p, Token) and p.shown is not None
        and max(p.start, start) < min(p.end, start + length)
    )  # fmt: skip
    assert sum(len(part.text) for part in marked) == count + replaced
