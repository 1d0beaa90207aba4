"""The labelled answers of the store, in the order of their last change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from service.exporting.cursor import Cursor, Place, place_of
from service.review.cases import Case
from service.review.desk import ChangePage
from service.review.labels import Change, Label
from service.review.standing import standing
from service.review.tasks import Task

CHANGES_AT_ONCE = 500
OPEN = "open"


class Histories(Protocol):
    """The part of :class:`service.review.desk.ReviewDesk` that is read here."""

    def changes(
        self, *, reviewer: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> ChangePage: ...

    def history(self, subject: str) -> list[Change]: ...


class Cases(Protocol):
    def case(self, case_id: str) -> Case | None: ...


class Tasks(Protocol):
    def get(self, task_id: str) -> Task | None: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """What an export reads; each raises ``service.outage.Outage`` when the store is away."""

    desk: Histories
    cases: Cases
    tasks: Tasks


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer's event as it was stored; ``reduced``: parts are missing."""

    event: Mapping[str, Any]
    reduced: bool


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """``labels``: the changes whose labels stand, of its case and of its task; ``changes``: all of
    them; ``stored``: reads the answer itself, None where it has expired."""

    answer_id: str
    labels: tuple[Change, ...]
    changes: tuple[Change, ...]
    stored: Callable[[], Stored | None]

    @property
    def app(self) -> str:
        """Empty where the changes have gone."""
        return next((str(change.context.get("app", "")) for change in self.changes), "")

    @property
    def judged(self) -> list[Label]:
        """What people said who opened it: no skips, nothing of a group's bulk label."""
        return [
            change.label
            for change in self.labels
            if change.label is not None and not change.label.skipped and not change.group
        ]


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of an export. ``answer``: None for one that is held back; ``new``: it was changed
    since the cursor that the export began at, or held back then; ``cursor``: to go on after it;
    ``done`` of ``total`` answers."""

    answer: LabelledAnswer | None
    new: bool
    cursor: Cursor
    done: int
    total: int


def labelled_answers(
    sources: Sources, after: Cursor, *, app: str | None = None, old_too: bool = False
) -> Iterator[Step]:
    """Every answer (of ``app``, if given) that was labelled since ``after``, each once; with
    ``old_too`` the earlier ones as well."""
    places = _last_places(sources.desk, None if old_too else after)
    again = [answer_id for answer_id in after.held if answer_id not in places]
    order = [*again, *sorted(places, key=lambda answer_id: places[answer_id])]
    place, held = after.place, set(after.held)
    for done, answer_id in enumerate(order, 1):
        changed = places.get(answer_id, place)
        new = changed > after.place or answer_id in after.held
        place = max(place, changed)
        answer = _answer(sources, answer_id)
        held = held | {answer_id} if answer is None else held - {answer_id}
        if answer is not None and app not in (None, answer.app):
            continue
        yield Step(answer, new, Cursor(place, tuple(sorted(held))), done, len(order))


def _last_places(desk: Histories, after: Cursor | None) -> dict[str, Place]:
    """Answer id → its last change, of those since ``after`` (None: of all)."""
    places: dict[str, Place] = {}
    cursor = None
    while True:
        page = desk.changes(cursor=cursor, limit=CHANGES_AT_ONCE)
        for change in page.changes:
            if after is not None and change.at_ms < after.place[0]:
                return places
            kind, _, answer_id = change.subject.partition(":")
            place = place_of(change)
            if kind != "group" and (after is None or place > after.place):
                places[answer_id] = max(place, places.get(answer_id, place))
        cursor = page.next_cursor
        if cursor is None:
            return places


def _answer(sources: Sources, answer_id: str) -> LabelledAnswer | None:
    """None while its audit is open: neither the first of two labels nor the case's may be known."""
    task = sources.tasks.get(answer_id)
    if task is not None and task.status == OPEN:
        return None
    histories = [sources.desk.history(f"{kind}:{answer_id}") for kind in ("case", "task")]

    def stored() -> Stored | None:
        kept = [found for found in (sources.cases.case(answer_id), task) if found is not None]
        return min(
            (Stored(found.event, found.reduced) for found in kept),
            key=lambda one: one.reduced,
            default=None,
        )

    return LabelledAnswer(
        answer_id,
        tuple(change for history in histories for change in standing(history)),
        tuple(change for history in histories for change in history),
        stored,
    )
