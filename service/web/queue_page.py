"""The queue: what waits for a person, answers with one cause as one row, and several rows labelled
at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.accounting import Books
from service.review.cases import DAY_MS, CaseFilter, CaseSummary
from service.review.desk import (
    Incomplete,
    Lease,
    LeaseLost,
    LeaseTaken,
    ReviewDesk,
    UnknownSubject,
)
from service.review.labels import Label
from service.web.api import Cursor, Filter, day_ms, json_response, page_of
from service.web.forms import Sent
from service.web.groups_page import GroupRow, group_row
from service.web.judging import judge_line
from service.web.labelling import CHOICES, Shown, label_of
from service.web.ports import CaseReader, JudgeState
from service.web.reviewing import Review
from service.web.texts import Speaking
from service.web.views import (
    SavedFilter,
    books_line,
    query_of,
    saved_filters,
    utc,
    with_terms,
)

PAGE_SIZE = 50
ENOUGH = PAGE_SIZE // 2
"""Rows with which a page is full, where folding made fewer of them."""
MOST_READ = 4
"""Pages of cases that one page of the queue reads at most."""
AGES = (("today", 0), ("yesterday", 1), ("week", 6), ("month", 29))
"""Choices of age, and how many days back each begins."""
Told = Annotated[int | None, Query(ge=0)]


@dataclass(frozen=True, slots=True)
class Row:
    """A case; or a group, standing where its first case stood, with ``here`` cases of it on this
    page. ``holder``: who has it open."""

    case: CaseSummary
    group: GroupRow | None = None
    here: int = 1
    holder: Lease | None = None

    @property
    def subject(self) -> str:
        return f"group:{self.case.group}" if self.group else f"case:{self.case.case_id}"


def queue_routes(
    review: Review,
    books: Callable[[], Books],
    judge: Callable[[], JudgeState],
    public_url: str,
) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    cases, desk = review.cases, review.desk

    def today() -> date:
        return datetime.fromtimestamp(review.now_ms / 1000, UTC).date()

    def saved(filter: CaseFilter) -> list[SavedFilter]:
        return saved_filters(
            filter,
            cases.open_by_severity(),
            cases.open_since(day_ms(today())),
            today(),
            review.tasks.counts(),
            cases.case_counts().get("claimed", 0),
        )

    @router.api_route("/queue", methods=["GET", "HEAD"])
    def queue(
        request: Request,
        t: Speaking,
        filter: Filter,
        cursor: Cursor = None,
        done: Told = None,
        left: Told = None,
    ) -> Response:
        visitor = review.identity.visitor(request)

        def group_of(group_id: str) -> GroupRow | None:
            group = desk.group(group_id)
            return None if group is None else group_row(group, review.now_ms // DAY_MS, t)

        rows, next_cursor = _read(cases, Groups(group_of), filter, cursor)
        held = desk.holders([row.subject for row in rows])
        return review.render(
            request,
            t,
            "queue.html",
            visitor=visitor,
            rows=[_held(row, held) for row in rows],
            next_cursor=next_cursor,
            saved=saved(filter),
            oldest_ms=cases.oldest_open_ms(),
            ages=[(name, (today() - timedelta(days=back)).isoformat()) for name, back in AGES],
            since="" if filter.since_ms is None else utc(filter.since_ms)[:10],
            filter=filter,
            unfiltered=CaseFilter(),
            cursor=cursor,
            counts=cases.case_counts(),
            facets=cases.facets(),
            choices={name: [word.value for word in words] for name, words in CHOICES.items()},
            done=done,
            left=left,
            books=books_line(books()),
            judge=judge_line(judge(), t),
            public_url=public_url,
        )

    @router.get("/queue/counts")
    def counts(t: Speaking) -> Response:
        """For the script: the saved filters' counts, as they stand on the page."""
        now = {one.name: t.count(one.count) for one in saved(CaseFilter()) if one.count is not None}
        return json_response(now)

    @router.post("/review/selected")
    def label_selected(t: Speaking, filter: Filter, sent: Sent) -> Response:
        said = label_of(sent.form, Shown())
        picked = list(dict.fromkeys(sent.form.many("pick")))
        done, left = label_picked(desk, picked, sent.reviewer, said, review.now_ms)
        query = with_terms(query_of(filter), done=str(done), left=str(left))
        return RedirectResponse(f"/queue{query}", 303)

    return router


def _read(
    cases: CaseReader, groups: Groups, filter: CaseFilter, cursor: str | None
) -> tuple[list[Row], str | None]:
    """Rows for one page, and the cursor after them. Where many cases share a cause, more are
    read."""
    found: list[CaseSummary] = []
    for _ in range(MOST_READ):
        page = page_of(cases, filter, cursor, PAGE_SIZE)
        found += page.cases
        cursor = page.next_cursor
        rows = folded(found, groups.of(found) if _folds(filter) else {})
        if cursor is None or len(rows) >= ENOUGH:
            break
    return rows, cursor


class Groups:
    """Groups that hold more than one of some cases, as rows; each is asked for once."""

    def __init__(self, row: Callable[[str], GroupRow | None]) -> None:
        self._row = row
        self._known: dict[str, GroupRow | None] = {}

    def of(self, cases: Sequence[CaseSummary]) -> dict[str, GroupRow]:
        """Those of them that may be seen, by their ids."""
        numbers = Counter(case.group for case in cases if case.group is not None)
        names = [name for name, number in numbers.items() if number > 1]
        for name in names:
            if name not in self._known:
                self._known[name] = self._row(name)
        return {name: row for name in names if (row := self._known[name]) is not None}


def _folds(filter: CaseFilter) -> bool:
    """The cases of one group are shown one by one, and so is what nobody can label at once."""
    return filter.status == "open" and filter.group is None


def folded(cases: Sequence[CaseSummary], groups: Mapping[str, GroupRow]) -> list[Row]:
    """One row for each of the groups, where its first case stands, and one for any other case."""
    numbers = Counter(case.group for case in cases)
    rows: dict[str, Row] = {}
    for case in cases:
        group = groups.get(case.group or "")
        row = Row(case, group, numbers[case.group] if group is not None else 1)
        rows.setdefault(row.subject, row)
    return list(rows.values())


def _held(row: Row, held: Mapping[str, Lease]) -> Row:
    return Row(row.case, row.group, row.here, held.get(row.subject))


def label_picked(
    desk: ReviewDesk, picked: Sequence[str], reviewer: str, said: Label, now_ms: int
) -> tuple[int, int]:
    """(labelled cases, cases and groups that were left alone). ``picked``: ``case:<id>`` and
    ``group:<id>``; of a group, all its open cases."""
    case_ids = [one.removeprefix("case:") for one in picked if one.startswith("case:")]
    done = desk.label_cases(case_ids, reviewer, said, now_ms)
    left = len(case_ids) - done
    for subject in (one for one in picked if one.startswith("group:")):
        try:
            lease = desk.claim(subject, reviewer, now_ms)
            done += desk.label_group(lease, said, now_ms, lambda _: None)
            desk.release(lease)
        except (Incomplete, LeaseLost, LeaseTaken, UnknownSubject):
            left += 1
    return done, left
