"""A look at the marks alone tells where a name like those in code may stand."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from service.checks.reading.identifiers import _NEEDLE, may_hold_identifier


@given(st.text("aé_:/.\\(-)*~ 1", max_size=12))
@example("a.b")
@example("z.B. ab.cd")
@example("read-only (or so): ab. Cd --")
@example("flush()")
def test_marks_tell_what_a_search_tells(text: str) -> None:
    assert may_hold_identifier(text) == (_NEEDLE.search(text) is not None)
