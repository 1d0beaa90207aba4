"""How often the checks were right: counts and shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar


@dataclass(slots=True)
class Tally:
    """``tp``: expected things found; ``fp``: findings that are wrong; ``fn``: expected things
    missed; ``unscored``: findings on numbers that the labels leave open; ``skipped``: lines whose
    check was ``not_evaluated`` or ``disabled`` (what they expect is missed all the same)."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    lines: int = 0
    unscored: int = 0
    skipped: int = 0

    def add(self, other: Tally) -> None:
        self.tp += other.tp
        self.fp += other.fp
        self.fn += other.fn
        self.lines += other.lines
        self.unscored += other.unscored
        self.skipped += other.skipped

    @property
    def precision(self) -> float | None:
        """None without a scored finding."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        """None where nothing was expected."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def f1(self) -> float | None:
        errors = self.fp + self.fn
        return 2 * self.tp / (2 * self.tp + errors) if self.tp or errors else None


@dataclass(slots=True)
class Accuracy:
    """``right`` of ``total`` values (a label, or one measure) are as expected; the rest as in
    :class:`Tally`."""

    right: int = 0
    total: int = 0
    lines: int = 0
    skipped: int = 0

    def add(self, other: Accuracy) -> None:
        self.right += other.right
        self.total += other.total
        self.lines += other.lines
        self.skipped += other.skipped

    @property
    def accuracy(self) -> float | None:
        return self.right / self.total if self.total else None


Score = TypeVar("Score", Tally, Accuracy)


@dataclass(slots=True)
class Scores(Generic[Score]):
    """By check, by (check, kind or data set) and by (check, language)."""

    checks: dict[str, Score] = field(default_factory=dict)
    kinds: dict[tuple[str, str], Score] = field(default_factory=dict)
    languages: dict[tuple[str, str], Score] = field(default_factory=dict)

    def add(self, check: str, kind: str, language: str, score: Score) -> None:
        new = type(score)
        self.checks.setdefault(check, new()).add(score)
        self.kinds.setdefault((check, kind), new()).add(score)
        self.languages.setdefault((check, language), new()).add(score)
