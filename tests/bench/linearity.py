"""Cost of the checks that read every word, by length of the answer or of the texts: 1 KB to 1 MB,
worst cases included. ``python -m tests.bench.linearity`` prints the table alone."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from operator import truediv
from typing import Any

from service.checks import citations, numbers, overlap
from service.checks.model import CheckInput
from service.events import AnswerEvent, Chunk
from service.ingest import COLLECT_AFTER
from service.policy import AppPolicy

SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""Characters. Past ``numbers.MAX_ANSWER`` an answer is ``too_large``, so the largest size shows the
texts; for answers it shows that refusing is cheap."""
_ROUNDS = 3
_POLICY = AppPolicy()
_PROSE = (
    "A seat costs 45 € a month and is billed yearly. Der Vertrag läuft vierundzwanzig Monate. "
    "Exports are kept for 30 days [kb-1#a] and then removed from the regional storage. "
)


def _filled(piece: str) -> Callable[[int], str]:
    return lambda size: (piece * (size // len(piece) + 1))[:size]


def _counting(size: int) -> str:
    """Other numbers for another length: what a number means is remembered, too."""
    first = size % 10 * 100_000
    return " ".join(f"{first + number} items" for number in range(size // 11 + 1))[:size]


def _spelled(size: int) -> str:
    """One number word in ever other capitals: each is a piece of its own, and all begin alike."""
    word = "siebenundzwanzig"
    return " ".join(
        "".join(char.upper() if number >> at & 1 else char for at, char in enumerate(word))
        for number in range(size, size + size // len(word) + 1)
    )[:size]


TEXTS: dict[str, Callable[[int], str]] = {
    "prose": _filled(_PROSE),
    "1,1,1,…": _filled("1,"),
    "1 1 1 …": _filled("1 "),
    "[[[[…": _filled("["),
    "((((…": _filled("("),
    "different numbers": _counting,
    "digits": _filled("7"),
    "1.1.1…": _filled("1."),
    "number words": _filled("zweiundsiebzig hundred and "),
    "spellings": _spelled,
    "【1†": _filled("【1†"),
    "superscripts": _filled("a¹,"),
    "- - -": _filled("- "),
}


def measure() -> list[dict[str, Any]]:
    """One row a kind of text and place: milliseconds of CPU at each size, and ``growth``: the most
    that a text of ten times the length cost, as a factor. Linear is about 10, or less."""
    threshold = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER)  # as in the consumer
    try:
        _milliseconds(_in_answer(_PROSE))  # what is made at the first use
        return _rows()
    finally:
        gc.set_threshold(*threshold)


def _rows() -> list[dict[str, Any]]:
    rows = []
    for name, text in TEXTS.items():
        for place, given in (("answer", _in_answer), ("texts", _in_texts)):
            row: dict[str, Any] = {"text": name, "in": place}
            spent = [
                # one character less each time: a text that was read before is not read again
                min(_milliseconds(given(text(size - less))) for less in range(_ROUNDS))
                for size in SIZES
            ]
            row |= {f"{size // 1000} KB ms": ms for size, ms in zip(SIZES, spent, strict=True)}
            rows.append({**row, "growth": max(map(truediv, spent[1:], spent))})
    rows.append({"text": "10,000 numbers", "in": "answer", **_once(_in_answer(_counting(110_000)))})
    rows.append({"text": "200 chunks of 20 KB", "in": "texts", **_once(_many_chunks())})
    return rows


def _once(given: CheckInput) -> dict[str, float]:
    return {"ms": _milliseconds(given)}


def _in_answer(text: str) -> CheckInput:
    return _input(text, (_PROSE,))


def _in_texts(text: str) -> CheckInput:
    return _input("It costs 46 € [1] and lasts 31 days [9].", (text,))


def _many_chunks() -> CheckInput:
    texts = tuple(f"Chunk {place}. " + _filled(_PROSE)(20_000) for place in range(200))
    return _input("It costs 46 € [1] and lasts 31 days [201].", texts)


def _input(answer: str, texts: tuple[str, ...]) -> CheckInput:
    chunks = [Chunk(ref=f"kb-{place}#a", text=text) for place, text in enumerate(texts, 1)]
    event = AnswerEvent(event_id="e", query="What does it cost?", answer=answer, retrieved=chunks)
    return CheckInput(event, texts, _POLICY)


def _milliseconds(given: CheckInput) -> float:
    began = time.process_time()
    reading = citations.read(given.event, _POLICY.citations)
    result = citations.check(given, reading)
    overlap.check(given, reading)
    numbers.check(given, result.owned, reading)
    return (time.process_time() - began) * 1e3


def main() -> None:
    from tests.bench import report

    print(report.linearity(measure()))


if __name__ == "__main__":
    main()
