"""Spans become flat segments; whatever they are, the text comes out whole and in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.web.marking import Mark, Segment, abridged, segments_of, span

marks = st.builds(
    Mark,
    kind=st.sampled_from(["finding", "evidence"]),
    number=st.integers(1, 6),
    start=st.integers(-5, 30),
    end=st.integers(-5, 30),
)


def told(segments: list[Segment]) -> list[tuple[str, int | None, int | None]]:
    return [(part.text, part.finding, part.evidence) for part in segments]


@given(st.text(max_size=25), st.lists(marks, max_size=8, unique_by=lambda m: (m.kind, m.number)))
def test_the_text_is_kept_and_marked_exactly_where_the_marks_are(
    text: str, marks: list[Mark]
) -> None:
    segments = segments_of(text, marks)
    assert "".join(part.text for part in segments) == text
    at = 0
    for part in segments:
        for kind, number in (("finding", part.finding), ("evidence", part.evidence)):
            over = {m.number for m in marks if m.kind == kind and m.start <= at < m.end}
            assert (number in over) if over else (number is None)
        at += len(part.text)
    opened = [mark for part in segments for mark in part.opens]
    assert sorted(opened, key=repr) == sorted(
        (m for m in marks if max(m.start, 0) < min(m.end, len(text))), key=repr
    )


def test_overlapping_marks_share_a_segment() -> None:
    marks = [Mark("finding", 1, 0, 4), Mark("evidence", 1, 2, 6)]
    assert told(segments_of("abcdefgh", marks)) == [
        ("ab", 1, None),
        ("cd", 1, 1),
        ("ef", None, 1),
        ("gh", None, None),
    ]


def test_the_innermost_mark_wins_and_the_outer_one_goes_on() -> None:
    marks = [Mark("finding", 2, 2, 3), Mark("finding", 1, 0, 5)]
    assert told(segments_of("abcde", marks)) == [("ab", 1, None), ("c", 2, None), ("de", 1, None)]


def test_a_span_that_is_none_is_no_span() -> None:
    text = "abc"
    assert span(None, 2, text) is None
    assert span("0", 2, text) is None
    assert span(True, 2, text) is None
    assert span(2, 2, text) is None
    assert span(3, 9, text) is None
    assert span(-4, 99, text) == (0, 3)


def test_a_long_text_keeps_what_is_around_its_marks() -> None:
    text = "a" * 100 + "MARK" + "b" * 100 + "MARK" + "c" * 100
    marks = [Mark("evidence", 1, 100, 104), Mark("evidence", 2, 204, 208)]
    shorter = abridged(segments_of(text, marks), 10)
    assert [(part.text, part.omitted) for part in shorter] == [
        ("", 90),
        ("a" * 10, 0),
        ("MARK", 0),
        ("b" * 10, 80),
        ("b" * 10, 0),
        ("MARK", 0),
        ("c" * 10, 90),
    ]


def test_a_long_text_without_marks_keeps_its_beginning() -> None:
    assert abridged(segments_of("a" * 100, []), 10) == [Segment("a" * 10, omitted=90)]


def test_an_excerpt_begins_and_ends_with_a_whole_word() -> None:
    text = "Nichts davon " * 20 + "45 €" + " und weiter" * 20
    at = text.index("45 €")
    shorter = abridged(segments_of(text, [Mark("finding", 1, at, at + 4)]), 20)
    assert [segment.text for segment in shorter] == [
        "", "davon Nichts davon ", "45 €", " und weiter und",
    ]  # fmt: skip
    assert sum(len(segment.text) + segment.omitted for segment in shorter) == len(text)


def test_ten_thousand_marks_are_cut_once_each() -> None:
    text = "1 " * 10_000
    marks = [Mark("evidence", number + 1, 2 * number, 2 * number + 1) for number in range(10_000)]
    assert len(segments_of(text, marks)) == 20_000
    nested = [Mark("finding", number + 1, number, 20_000 - number) for number in range(9_999)]
    assert len(segments_of(text, nested)) == 2 * 9_999 - 1
