"""Where people label: cases, audit tasks, groups. Forms first; the script only makes them faster.

Opening takes the lease, saving gives it back and deals the next one. What stands in the way is said
in full: who holds it, what the other label was, what to do now.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.review.cases import Case, CaseFilter
from service.review.desk import (
    Incomplete,
    Labelled,
    Lease,
    LeaseLost,
    LeaseTaken,
    ReviewDesk,
    Stale,
    UnknownParts,
    UnknownSubject,
)
from service.review.labels import Change, Label
from service.review.tasks import Task
from service.web.api import Filter, json_response
from service.web.bench import Bench, draft_before, has_said, label_line, take_seat
from service.web.forms import Posted, Sent
from service.web.groups import bars_of, decision_of, decision_view
from service.web.groups_page import cause_words
from service.web.labelling import changed, label_of
from service.web.ports import CaseReader, TaskReader
from service.web.problems import Problem
from service.web.rendering import Renderer
from service.web.reviewer import Identity, Visitor, clean_name, from_elsewhere
from service.web.sight import Sight
from service.web.texts import Speaking, Tongue, safe_return
from service.web.views import (
    case_view,
    moment,
    query_of,
    queue_url,
    shown_of,
    task_view,
    with_terms,
)

SAMPLES = 5
"""Cases that the page of a group shows."""
Parts = Callable[[str, str], Sequence[str]]
"""(app, "case" or "task") → the parts of a label that its policy requires."""
Saved = Annotated[str, Query(max_length=300, description="subject.number of the label just made")]
Back = Annotated[str, Query(max_length=4096)]
Refusal = LeaseTaken | LeaseLost | Stale


@dataclass(frozen=True, slots=True)
class Review:
    """What the routes are made of."""

    page: Renderer
    cases: CaseReader
    tasks: TaskReader
    desk: ReviewDesk
    identity: Identity
    required: Parts

    @property
    def now_ms(self) -> int:
        return self.page.now_ms

    @property
    def sight(self) -> Sight:
        return Sight(self.tasks)

    def render(
        self, request: Request, t: Tongue, template: str, status: int = 200, **shown: Any
    ) -> Response:
        visitor: Visitor = shown.pop("visitor", None) or self.identity.visitor(request)
        response = self.page(
            t,
            template,
            visitor=visitor,
            token=self.identity.token(visitor),
            # A browser that hid its cookie from us is asked to come once more by itself.
            elsewhere=not visitor.known and from_elsewhere(request),
            label_line=lambda label: label_line(t, label),
            **shown,
        )
        response.status_code = status
        self.identity.keep(request, response, visitor)
        return response

    def bench(
        self,
        request: Request,
        subject: str,
        app: str,
        query: str,
        visitor: Visitor,
        *,
        said: Label | None = None,
        missing: tuple[str, ...] = (),
    ) -> Bench:
        """Claims the subject, where it is looked at to be labelled."""
        kind, _, name = subject.partition(":")
        own = visitor.name if kind == "task" else None
        try:
            stands, history = self.desk.labelled(subject, own), self.desk.history(subject)
        except UnknownSubject:
            stands, history = Labelled(), []
        lease, taken = None, None
        looked_at = request.method != "HEAD" and "sec-purpose" not in request.headers
        if looked_at and not (kind == "task" and has_said(stands)):
            lease, taken = take_seat(self.desk, subject, visitor, self.now_ms)
        return Bench(
            visitor=visitor,
            token=self.identity.token(visitor),
            address=f"/{kind}s/{quote(name, safe='')}",
            query=query,
            stands=stands,
            history=history,
            required=self.required(app, kind),
            draft=draft_before(stands, said),
            lease=lease,
            taken=taken,
            missing=missing,
        )

    def save(self, subject: str, sent: Posted, label: Label) -> Change:
        """Raises what stands in the way. An expired lease that nobody took is taken again: the
        version proves that nothing came between."""
        try:
            return self._save(subject, sent, label)
        except UnknownParts:
            raise changed() from None

    def _save(self, subject: str, sent: Posted, label: Label) -> Change:
        form, now_ms = sent.form, self.now_ms
        lease = Lease(subject, sent.reviewer, form.one("lease"), form.number("fence"), 0)
        version = form.number("version")
        try:
            return self.desk.save(lease, label, version, now_ms)
        except LeaseLost as lost:
            if lost.change is not None:
                return _said_twice(lost.change, sent.reviewer, label, lost)
            again = self.desk.claim(subject, sent.reviewer, now_ms)
            return self.desk.save(again, label, version, now_ms)
        except Stale as stale:
            return _said_twice(stale.change, sent.reviewer, label, stale)

    def refuse(
        self,
        request: Request,
        t: Tongue,
        error: Refusal,
        address: str,
        onward: str,
        said: Label | None = None,
    ) -> Response:
        """Nothing was saved: who is in the way, what they said (unless it is an audit that this
        person is to label blind), what to do now."""
        me = self.identity.visitor(request).name
        change = None if isinstance(error, LeaseTaken) else self.sight.one(error.change, me)
        return self.render(
            request, t, "refused.html", 409,
            taken=error if isinstance(error, LeaseTaken) else None,
            lost=isinstance(error, LeaseLost),
            change=change,
            said=said, address=address, onward=onward,
        )  # fmt: skip


def _said_twice(
    change: Change | None, reviewer: str, label: Label, error: LeaseLost | Stale
) -> Change:
    """The same label by the same person is a form that was sent twice. Raises ``error`` else."""
    if change is not None and (change.reviewer, change.label) == (reviewer, label):
        return change
    raise error


def _see_other(address: str) -> Response:
    return RedirectResponse(address, 303)


def _mark(change: Change) -> str:
    return f"{change.subject}.{change.number}"


def review_routes(review: Review) -> APIRouter:
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    for add in (_name_routes, _desk_routes, _case_routes, _task_routes, _group_routes):
        add(router, review)
    return router


def _name_routes(router: APIRouter, review: Review) -> None:
    @router.api_route("/review/name", methods=["GET", "HEAD"])
    def who(request: Request, t: Speaking, back: Back = "/") -> Response:
        if review.identity.visitor(request).signed_in and not from_elsewhere(request):
            return _see_other(safe_return(back))
        return review.render(request, t, "who.html", back=safe_return(back), bad=False)

    @router.post("/review/name")
    def name(request: Request, t: Speaking, sent: Sent) -> Response:
        back = safe_return(sent.form.one("back"))
        if sent.visitor.signed_in:
            return _see_other(back)
        said = clean_name(sent.form.one("name"))
        if said is None:
            return review.render(request, t, "who.html", 422, back=back, bad=True)
        response = _see_other(back)
        review.identity.keep(request, response, review.identity.named(sent.visitor, said))
        return response


def _desk_routes(router: APIRouter, review: Review) -> None:
    desk, identity = review.desk, review.identity

    def nameless(request: Request) -> Response:
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return _see_other(f"/review/name?back={quote(here, safe='')}")

    @router.get("/review/next")
    def next_case(request: Request, t: Speaking, filter: Filter, saved: Saved = "") -> Response:
        visitor = identity.visitor(request)
        if not visitor.name:
            return nameless(request)
        dealt = _dealt(review, visitor.name, filter, saved)
        if dealt is not None:
            return _see_other(dealt)
        return review.render(
            request, t, "done.html", tasks=False, queue=queue_url(filter),
            left=review.cases.case_counts().get("open", 0),
            saved=_last(desk, saved, visitor), query=query_of(filter),
        )  # fmt: skip

    @router.get("/review/next-task")
    def next_task(request: Request, t: Speaking) -> Response:
        visitor = identity.visitor(request)
        if not visitor.name:
            return nameless(request)
        lease = desk.next_task(visitor.name, review.now_ms)
        if lease is not None:
            return _see_other(f"/tasks/{quote(lease.subject.removeprefix('task:'), safe='')}")
        return review.render(
            request, t, "done.html", tasks=True, queue="/tasks", left=0, saved=None, query=""
        )

    @router.post("/review/undo")
    def undo(request: Request, t: Speaking, filter: Filter, sent: Sent) -> Response:
        subject, number = sent.form.one("subject"), sent.form.number("number")
        kind, _, name = subject.partition(":")
        if kind not in ("case", "group") or not name:
            raise Problem(422, "parameter", "nothing that can be taken back", field="subject")
        address = f"/{kind}s/{quote(name, safe='')}{query_of(filter)}"
        try:
            desk.undo(subject, sent.reviewer, number, review.now_ms)
        except Stale as stale:
            onward = f"/review/next{query_of(filter)}"
            return review.refuse(request, t, stale, address, onward)
        except UnknownSubject:
            raise _gone() from None
        return _see_other(address)

    @router.post("/review/renew")
    def renew(t: Speaking, sent: Sent) -> Response:
        """For the script: a page that is open keeps its lease."""
        form = sent.form
        lease = Lease(
            form.one("subject"), sent.reviewer, form.one("lease"), form.number("fence"), 0
        )
        try:
            until_ms = desk.renew(lease, review.now_ms).until_ms
        except (LeaseLost, UnknownSubject):
            return json_response({"held": False}, 409)
        return json_response(
            {"held": True, "until_ms": until_ms, "told": t.say("lease.yours", time=_hour(until_ms))}
        )

    @router.post("/review/release")
    def release(sent: Sent) -> Response:
        form = sent.form
        desk.release(
            Lease(form.one("subject"), sent.reviewer, form.one("lease"), form.number("fence"), 0)
        )
        return _see_other(safe_return(form.one("back")))


def _dealt(review: Review, reviewer: str, filter: CaseFilter, saved: str = "") -> str | None:
    """The address of this reviewer's next case, claimed; None where there is none. ``saved``: the
    label just made, which its page tells."""
    lease = review.desk.next_case(reviewer, filter, review.now_ms)
    if lease is None:
        return None
    case_id = quote(lease.subject.removeprefix("case:"), safe="")
    return f"/cases/{case_id}{with_terms(query_of(filter), saved=saved)}"


def _hour(then_ms: int) -> str:
    return moment(then_ms)[11:]


def _last(desk: ReviewDesk, saved: str, visitor: Visitor) -> Change | None:
    """The label just made, as far as it is still the visitor's to take back."""
    subject, _, number = saved.rpartition(".")
    if not subject.startswith(("case:", "group:")) or not number.isdecimal():
        return None
    try:
        last = desk.labelled(subject).last
    except UnknownSubject:
        return None
    mine = last is not None and (last.number, last.reviewer) == (int(number), visitor.name)
    return last if mine else None


def _gone() -> Problem:
    return Problem(404, "not_found", "nothing has this id; it may have expired")


def _case_routes(router: APIRouter, review: Review) -> None:
    desk, identity = review.desk, review.identity

    def read(case_id: str) -> Case:
        case = review.cases.case(case_id)
        if case is None:
            raise Problem(404, "not_found", "no case has this id; it may have expired")
        return case

    def show(
        request: Request, t: Tongue, case: Case, filter: CaseFilter, bench: Bench, saved: str
    ) -> Response:
        return review.render(
            request, t, "case.html", 422 if bench.missing else 200,
            view=case_view(case, t), bench=bench, visitor=bench.visitor, filter=filter,
            saved=_last(desk, saved, bench.visitor),
            place=review.cases.place(case.summary.case_id, filter),
            left=review.cases.case_counts().get("open", 0),
        )  # fmt: skip

    @router.api_route("/cases/{case_id}", methods=["GET", "HEAD"])
    def case_page(
        request: Request, t: Speaking, case_id: str, filter: Filter, saved: Saved = ""
    ) -> Response:
        case = read(case_id)
        bench = review.bench(
            request, f"case:{case_id}", case.summary.app, query_of(filter),
            identity.visitor(request),
        )  # fmt: skip
        return show(request, t, case, filter, bench, saved)

    @router.api_route("/cases/{case_id}/event", methods=["GET", "HEAD"])
    def event_page(request: Request, t: Speaking, case_id: str) -> Response:
        case = read(case_id)
        return review.render(
            request, t, "event.html", event=_pretty(case.event),
            address=f"/cases/{quote(case_id, safe='')}", reduced=case.reduced,
        )  # fmt: skip

    @router.post("/cases/{case_id}/label")
    def label_case(
        request: Request, t: Speaking, case_id: str, filter: Filter, sent: Sent
    ) -> Response:
        case, subject = read(case_id), f"case:{case_id}"
        said = label_of(sent.form, shown_of(case.event, case.findings))
        try:
            change = review.save(subject, sent, said)
        except Incomplete as incomplete:
            bench = review.bench(
                request, subject, case.summary.app, query_of(filter), sent.visitor,
                said=said, missing=incomplete.parts,
            )  # fmt: skip
            return show(request, t, case, filter, bench, "")
        except (LeaseTaken, LeaseLost, Stale) as error:
            address = f"/cases/{quote(case_id, safe='')}{query_of(filter)}"
            return review.refuse(
                request, t, error, address, f"/review/next{query_of(filter)}", said
            )
        except UnknownSubject:
            raise _gone() from None
        # The next case is dealt with the save: one round trip less until it is read.
        saved = _mark(change)
        nothing = f"/review/next{with_terms(query_of(filter), saved=saved)}"
        return _see_other(_dealt(review, sent.reviewer, filter, saved) or nothing)


def _pretty(event: object) -> str:
    try:
        return orjson.dumps(event, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:
        # Half a surrogate pair or a number past 64 bits.
        return json.dumps(event, indent=2, ensure_ascii=False, default=str)


def _task_routes(router: APIRouter, review: Review) -> None:
    desk, identity = review.desk, review.identity

    def read(task_id: str) -> Task:
        task = review.tasks.get(task_id)
        if task is None:
            raise Problem(404, "not_found", "no audit task has this id")
        return task

    def show(request: Request, t: Tongue, task: Task, bench: Bench) -> Response:
        # Blind until this person has said something.
        own = bench.stands.label if bench.visitor.name else None
        revealed = bool(bench.visitor.name) and has_said(bench.stands)
        # A task has the id of the case of its answer; until the task is done it is withheld.
        twin = review.cases.case(task.task_id) if revealed else None
        return review.render(
            request, t, "task.html", 422 if bench.missing else 200,
            view=task_view(task), bench=bench, visitor=bench.visitor, own=own,
            revealed=revealed, found=case_view(twin, t) if twin is not None else None,
        )  # fmt: skip

    @router.api_route("/tasks/{task_id}", methods=["GET", "HEAD"])
    def task_page(request: Request, t: Speaking, task_id: str) -> Response:
        task = read(task_id)
        visitor = identity.visitor(request)
        return show(
            request, t, task, review.bench(request, f"task:{task_id}", task.app, "", visitor)
        )

    @router.post("/tasks/{task_id}/label")
    def label_task(request: Request, t: Speaking, task_id: str, sent: Sent) -> Response:
        task, subject = read(task_id), f"task:{task_id}"
        address = f"/tasks/{quote(task_id, safe='')}"
        said = label_of(sent.form, shown_of(task.event))
        if has_said(desk.labelled(subject, sent.reviewer)):
            return _see_other(address)  # it has been shown since; the label stays
        try:
            review.save(subject, sent, said)
        except Incomplete as incomplete:
            bench = review.bench(
                request, subject, task.app, "", sent.visitor, said=said, missing=incomplete.parts
            )
            return show(request, t, task, bench)
        except (LeaseTaken, LeaseLost, Stale) as error:
            return review.refuse(request, t, error, address, "/review/next-task", said)
        except UnknownSubject:
            raise _gone() from None
        return _see_other("/review/next-task" if said.skipped else address)


def _group_routes(router: APIRouter, review: Review) -> None:
    desk, identity = review.desk, review.identity

    def show(
        request: Request,
        t: Tongue,
        group_id: str,
        visitor: Visitor,
        *,
        done: int | None = None,
        said: Label | None = None,
        missing: tuple[str, ...] = (),
        bad_date: bool = False,
    ) -> Response:
        group = desk.group(group_id)
        if group is None:
            raise _gone()
        bench = review.bench(
            request, f"group:{group_id}", group.app, "", visitor, said=said, missing=missing
        )
        sample = review.cases.case(group.sample) if group.sample is not None else None
        of_group = CaseFilter(group=group_id)
        return review.render(
            request, t, "group.html", 422 if missing or bad_date else 200,
            group=group, headline=cause_words(group, t), bench=bench, visitor=visitor,
            sample=sample, done=done,
            samples=review.cases.list_cases(of_group, None, SAMPLES).cases,
            queue=queue_url(of_group),
            bars=bars_of(group.by_day, review.now_ms // 86_400_000),
            decision=decision_view(group.decision), bad_date=bad_date,
            required=review.required(group.app, "case"),
        )  # fmt: skip

    def lease_of(group_id: str, sent: Posted) -> Lease:
        form = sent.form
        return Lease(f"group:{group_id}", sent.reviewer, form.one("lease"), form.number("fence"), 0)

    def attempt(
        request: Request, t: Tongue, group_id: str, act: Callable[[], Response]
    ) -> Response:
        try:
            return act()
        except (LeaseTaken, LeaseLost, Stale) as error:
            address = f"/groups/{quote(group_id, safe='')}"
            return review.refuse(request, t, error, address, "/review/next")
        except UnknownSubject:
            raise _gone() from None

    @router.api_route("/groups/{group_id}", methods=["GET", "HEAD"])
    def group_page(
        request: Request, t: Speaking, group_id: str, done: Annotated[int | None, Query()] = None
    ) -> Response:
        return show(request, t, group_id, identity.visitor(request), done=done)

    @router.post("/groups/{group_id}/label")
    def label_group(request: Request, t: Speaking, group_id: str, sent: Sent) -> Response:
        def act() -> Response:
            said = label_of(sent.form, shown_of({}))
            try:
                lease = lease_of(group_id, sent)
                done = desk.label_group(lease, said, review.now_ms, lambda _: None)
            except Incomplete as incomplete:
                return show(request, t, group_id, sent.visitor, said=said, missing=incomplete.parts)
            return _see_other(f"/groups/{quote(group_id, safe='')}?done={done}")

        return attempt(request, t, group_id, act)

    @router.post("/groups/{group_id}/decide")
    def decide(request: Request, t: Speaking, group_id: str, sent: Sent) -> Response:
        def act() -> Response:
            decision = decision_of(sent.form, review.now_ms)
            if decision is None:
                return show(request, t, group_id, sent.visitor, bad_date=True)
            desk.decide(lease_of(group_id, sent), decision, review.now_ms)
            return _see_other(f"/groups/{quote(group_id, safe='')}")

        return attempt(request, t, group_id, act)

    @router.post("/groups/{group_id}/reopen")
    def reopen(request: Request, t: Speaking, group_id: str, sent: Sent) -> Response:
        def act() -> Response:
            desk.reopen(lease_of(group_id, sent), review.now_ms)
            return _see_other(f"/groups/{quote(group_id, safe='')}")

        return attempt(request, t, group_id, act)
