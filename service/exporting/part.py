"""What every export is made of: parts of lines, each with where to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from service.exporting.answers import LabelledAnswer, Sources, Step, labelled_answers
from service.exporting.cursor import Cursor

HELD = "held back, their audit is open"
EXPIRED = "without a line, as the answer has expired"


@dataclass(frozen=True, slots=True)
class Part:
    """``lines``: without newlines at their ends; ``cursor``: to go on after them, None where what
    was read so far is still to come; ``done`` of ``total`` answers."""

    lines: list[str]
    cursor: Cursor | None
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Export:
    """``name``: of the format; ``head``: a first line, empty for none; ``parts``: of the answers;
    ``old_too``: it needs the answers before the cursor as well; ``left``: how many answers gave no
    line, by why."""

    name: str
    parts: Callable[[Iterable[Step]], Iterator[Part]]
    head: str = ""
    old_too: bool = False
    left: Counter[str] = field(default_factory=Counter)

    def run(self, sources: Sources, after: Cursor, app: str | None = None) -> Iterator[Part]:
        """What was labelled since ``after``. ``app``: only this one's answers. Raises
        ``service.outage.Outage`` when the store is away."""
        return self.parts(labelled_answers(sources, after, app=app, old_too=self.old_too))


def answer_by_answer(
    name: str,
    lines_of: Callable[[LabelledAnswer, Counter[str]], list[str]],
    head: str = "",
) -> Export:
    """An export of lines that each answer has by itself."""
    left: Counter[str] = Counter()

    def parts(steps: Iterable[Step]) -> Iterator[Part]:
        for step in steps:
            left[HELD] += step.answer is None
            lines = [] if step.answer is None else lines_of(step.answer, left)
            yield Part(lines, step.cursor, step.done, step.total)

    return Export(name, parts, head, left=left)
