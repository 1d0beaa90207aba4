"""What the pieces of a text say is read once, and forgotten within a bound."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.checks.reading import pieces
from service.checks.reading.folding import LONG
from service.checks.reading.pieces import HEAD, Pieces, split


class Capitals:
    """Reads the capitals of a piece, and keeps count of what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, piece: str) -> str | None:
        self.asked.append(piece)
        return "".join(filter(str.isupper, piece)) or None


@given(st.text("a \n\x1c\u3000", max_size=40), st.integers(HEAD - 20, HEAD))
@example(text="a", before=LONG)
def test_the_pieces_of_a_head_and_of_all(text: str, before: int) -> None:
    text = "a" * (before // 2) + " " + "b" * (before // 2) + text
    assert split(text) == (text[:HEAD].split(), text.split())


def test_only_pieces_that_say_something_are_told_in_order() -> None:
    assert Pieces(Capitals()).told("The plan Pro and PLUS, The".split()) == ["T", "P", "PLUS", "T"]
    assert Pieces(Capitals()).told([]) == []


def test_a_piece_is_read_once() -> None:
    capitals = Capitals()
    read = Pieces(capitals)
    for _ in range(3):
        read.told(["the", "Plan"])
    assert capitals.asked == ["the", "Plan"]


def test_long_pieces_are_read_anew_and_many_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MOST_REMEMBERED", 4)
    capitals = Capitals()
    read = Pieces(capitals)
    read.told(["x" * 101])
    read.told(["x" * 101])
    assert len(capitals.asked) == 2
    for number in range(50):
        assert read.told([f"A{number}"]) == ["A"]
        assert len(read._plain) + len(read._telling) <= 4
    assert read.told(["A0", "A49"]) == ["A", "A"]
