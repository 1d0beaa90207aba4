"""The JSON API of the review desk: leases, labels, decisions."""

# Annotations are evaluated here: those of the routes name what their loop turn made.

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi import Path as InPath

from service.review.cases import Case, CaseFilter
from service.review.desk import (
    Group,
    GroupPage,
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
from service.review.labels import Change
from service.review.tasks import Task
from service.web.api import (
    EXAMPLE_CASE,
    EXAMPLE_CURSOR,
    EXAMPLE_FULL_TASK,
    Cursor,
    Limit,
    Name,
    cursor_fault,
    json_response,
    problems,
    task_body,
)
from service.web.body import JSON
from service.web.desk_bodies import (
    ALL_ALIKE,
    CHANGE,
    DECIDED,
    DECISION,
    GROUP,
    LABEL,
    LEASE,
    Bulk,
    DealtCase,
    DealtTask,
    DecisionBody,
    History,
    IncompleteProblem,
    LabelBody,
    NextCase,
    Nothing,
    Said,
    StaleProblem,
    TakenProblem,
    Undo,
)
from service.web.guarding import guarded
from service.web.identity import Reader, Reviewer
from service.web.ports import CaseReader, TaskReader
from service.web.problems import Problem
from service.web.sight import Sight

Token = Annotated[
    str,
    Header(
        alias="X-Lease-Token",
        pattern=r"^[0-9]{1,15}\.[A-Za-z0-9_-]{1,100}$",
        description="`token` of the lease, as it was handed out.",
        examples=[LEASE["token"]],
    ),
]
IfMatch = Annotated[
    str,
    Header(
        alias="If-Match",
        pattern=r'^(W/)?"[0-9]{1,9}"$',
        description="The ETag of the label that you saw. One version; no list, no `*`.",
        examples=['"0"'],
    ),
]
Severity = Annotated[str | None, Query(pattern="^(low|medium|high)?$")]
WRITES = (400, 403, 404, 413, 415, 422, 503)
ETAG = {"ETag": {"description": "The version, quoted.", "schema": {"type": "string"}}}


class FrontDesk:
    """The desk as the routes use it: what it refuses is a :class:`Problem`."""

    def __init__(
        self, desk: ReviewDesk, cases: CaseReader, tasks: TaskReader, now: Callable[[], float]
    ) -> None:
        self.desk = desk
        self.cases = cases
        self.tasks = tasks
        self.sight = Sight(tasks)
        self._now = now

    @property
    def now_ms(self) -> int:
        return int(self._now() * 1000)

    def find(self, subject: str) -> Case | Task | Group:
        """Raises :class:`Problem` 404 when it is not there, or is not to be seen."""
        kind, _, subject_id = subject.partition(":")
        find: dict[str, Callable[[str], Case | Task | Group | None]] = {
            "case": self.cases.case, "task": self.tasks.get, "group": self.desk.group,
        }  # fmt: skip
        found = find[kind](subject_id)
        if found is None:
            raise _unknown()
        return found

    def known(self, subject: str) -> str:
        """The subject. Raises :class:`Problem` 404 as :meth:`find`."""
        self.find(subject)
        return subject

    @contextmanager
    def refusals(
        self, reviewer: str, stale: int = 409, done: Callable[[], int] | None = None
    ) -> Iterator[None]:
        """``stale``: the status of a write over another version; ``done``: how many cases a bulk
        label has labelled."""
        try:
            yield
        except UnknownSubject:
            raise _unknown() from None
        except LeaseTaken as taken:
            more: dict[str, Any] = {"holder": taken.holder, "until_ms": taken.until_ms}
            raise Problem(409, "lease_taken", "somebody else is at it", more=more) from None
        except LeaseLost as lost:
            detail = "the lease is not held any more; nothing was written"
            more = {"change": self.sight.one(lost.change, reviewer)}
            if done is not None:
                detail, more["labelled"] = "the lease was lost on the way", done()
            raise Problem(409, "lease_lost", detail, more=more) from None
        except Stale as fault:
            more = {"change": self.sight.one(fault.change, reviewer)}
            detail = "something else stands by now; nothing was written"
            raise Problem(stale, "stale", detail, more=more) from None
        except UnknownParts:
            detail = "the label speaks of findings or chunks that are not there by now; look again"
            raise Problem(409, "changed", detail) from None
        except Incomplete as lacking:
            detail = f"the label lacks {', '.join(lacking.parts)}"
            more = {"parts": list(lacking.parts)}
            raise Problem(422, "incomplete", detail, more=more) from None


def desk_routes(
    desk: ReviewDesk,
    cases: CaseReader,
    tasks: TaskReader,
    now: Callable[[], float],
) -> APIRouter:
    """``now``: seconds since 1970."""
    router = APIRouter(tags=["review"], route_class=guarded())
    front = FrontDesk(desk, cases, tasks, now)
    _dealing(router, front)
    for kind in ("case", "task", "group"):
        _leases(router, front, kind)
    for kind in ("case", "task"):
        _labels(router, front, kind)
    _groups(router, front)
    _decisions(router, front)
    return router


def answer(
    model: Any, example: Any, description: str = "Done", headers: Any = None, status: int = 200
) -> dict[int | str, dict[str, Any]]:
    said: dict[str, Any] = {
        "model": model, "description": description, "content": {JSON: {"example": example}},
    }  # fmt: skip
    return {status: said | ({"headers": headers} if headers else {})}


def _unknown() -> Problem:
    return Problem(404, "not_found", "nothing has this id, or nothing that may be seen now")


def _subject(kind: str) -> Any:
    def subject(id: Annotated[str, InPath(description=f"Of the {kind}.")]) -> str:
        return f"{kind}:{id}"

    return Depends(subject)


def _lease(subject: str, reviewer: str, token: str) -> Lease:
    fence, _, secret = token.partition(".")
    return Lease(subject, reviewer, secret, int(fence), 0)


def _told(lease: Lease) -> Lease:
    """With the fence in its token: clients hand back one word."""
    return replace(lease, token=f"{lease.fence}.{lease.token}")


def _versioned(body: object, version: int) -> Response:
    response = json_response(body)
    response.headers["ETag"] = f'"{version}"'
    return response


TAKEN: dict[int | str, dict[str, Any]] = problems(409, model=TakenProblem)
INCOMPLETE: dict[int | str, dict[str, Any]] = problems(422, model=IncompleteProblem)


def _dealing(router: APIRouter, front: FrontDesk) -> None:
    case: dict[str, Any] = {"lease": LEASE, "case": EXAMPLE_CASE}
    task: dict[str, Any] = {
        "lease": LEASE | {"subject": "task:5f0c6a1e"},
        "task": EXAMPLE_FULL_TASK,
    }

    @router.post(
        "/v1/cases/next",
        summary="Take the next case",
        responses=answer(DealtCase, case, "Claimed, or none left")
        | problems(400, 403, 413, 415, 422, 503),
    )
    def next_case(reviewer: Reviewer, body: NextCase) -> Response:
        """The open case of highest priority that nobody holds and that you neither labelled nor
        skipped, claimed for you. Reviewers who work at the same time get different groups."""
        found = front.desk.next_case(
            reviewer, body.filter.filter(), front.now_ms, tuple(body.passed)
        )
        if found is None:
            return json_response({"lease": None, "case": None})
        case = front.cases.case(found.subject.partition(":")[2])
        return json_response({"lease": _told(found), "case": case})

    for path in ("/v1/cases/next", "/v1/tasks/next"):
        router.add_api_route(path, _only_post, methods=_OTHER_METHODS, include_in_schema=False)

    @router.post(
        "/v1/tasks/next",
        summary="Take the next audit task",
        responses=answer(DealtTask, task, "Claimed, or none left")
        | problems(400, 403, 413, 415, 422, 503),
    )
    def next_task(reviewer: Reviewer, body: Nothing) -> Response:
        """The open task that is due first, claimed for you, blind. Of one that two people label,
        never the second time for the same person."""
        found = front.desk.next_task(reviewer, front.now_ms)
        if found is None:
            return json_response({"lease": None, "task": None})
        task = front.tasks.get(found.subject.partition(":")[2])
        return json_response({"lease": _told(found), "task": task and task_body(task)})


async def _only_post() -> Response:
    """Else `next` would be read as the id of a case."""
    detail = "this address takes POST"
    raise Problem(405, "method_not_allowed", detail, headers={"Allow": "POST"})


_OTHER_METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]


def _leases(router: APIRouter, front: FrontDesk, kind: str) -> None:
    path = f"/v1/{kind}s/{{id}}/lease"
    subject_of = _subject(kind)
    example = LEASE | {"subject": f"{kind}:5f0c6a1e"}
    responses = answer(Lease, example, "Held by you") | problems(*WRITES) | TAKEN

    @router.post(path, summary=f"Claim a {kind}", responses=responses)
    def claim(reviewer: Reviewer, subject: Annotated[str, subject_of], body: Nothing) -> Response:
        """Nobody else can save while you hold it. Claiming again renews your own lease. `fence`
        grows with every new holder; `token` is your secret."""
        with front.refusals(reviewer):
            return json_response(_told(front.desk.claim(subject, reviewer, front.now_ms)))

    @router.put(path, summary=f"Keep a {kind} for longer", responses=responses)
    def renew(
        reviewer: Reviewer, subject: Annotated[str, subject_of], token: Token, body: Nothing
    ) -> Response:
        """Renew while somebody is at it. 409 `lease_lost` with what somebody saved since."""
        with front.refusals(reviewer):
            held = _lease(front.known(subject), reviewer, token)
            return json_response(_told(front.desk.renew(held, front.now_ms)))

    @router.delete(
        path,
        summary=f"Give a {kind} back",
        status_code=204,
        responses=problems(*WRITES) | {204: {"description": "Not held by you any more"}},
    )
    def release(reviewer: Reviewer, subject: Annotated[str, subject_of], token: Token) -> Response:
        """Without a label. Safe to repeat; a lease that somebody else holds by now stays his."""
        front.desk.release(_lease(front.known(subject), reviewer, token))
        return Response(status_code=204)


def _labels(router: APIRouter, front: FrontDesk, kind: str) -> None:
    path = f"/v1/{kind}s/{{id}}"
    subject_of = _subject(kind)
    change = CHANGE | {"subject": f"{kind}:5f0c6a1e"}
    stands = {"label": LABEL, "version": 1, "last": change}

    @router.get(
        f"{path}/label",
        summary=f"Read the label of a {kind}",
        responses=answer(Labelled, stands, "What stands", ETAG) | problems(403, 404, 422, 503),
    )
    def read(reader: Reader, subject: Annotated[str, subject_of]) -> Response:
        """`label` is null and `version` 0 until somebody says something. The label of an audit task
        is your own; what others say of it you see once you have labelled it."""
        said = front.desk.labelled(front.known(subject), reader or "")
        last = front.sight.one(said.last, reader)
        return _versioned(replace(said, last=last), said.version)

    @router.put(
        f"{path}/label",
        summary=f"Label a {kind}",
        responses=answer(Change, change, "Saved, and the lease given back", ETAG)
        | problems(*WRITES, 428)
        | problems(409, model=TakenProblem)
        | problems(412, model=StaleProblem)
        | INCOMPLETE,
        openapi_extra={"requestBody": {"content": {JSON: {"example": LABEL}}}},
    )
    def save(
        reviewer: Reviewer,
        subject: Annotated[str, subject_of],
        token: Token,
        if_match: IfMatch,
        body: LabelBody,
    ) -> Response:
        """A label or a skip, over the version that you saw. Nothing is overwritten unseen: 409
        `lease_lost` and 412 `stale` hold what stands now; 409 `changed`: of a finding or chunk that
        is not there (any more)."""
        version = int(if_match.removeprefix("W/").strip('"'))
        with front.refusals(reviewer, stale=412):
            held = _lease(front.known(subject), reviewer, token)
            saved = front.desk.save(held, body.label(), version, front.now_ms)
            return _versioned(saved, saved.number)

    @router.post(
        f"{path}/undo",
        summary=f"Take back your last change of a {kind}",
        responses=answer(Change, change | {"action": "undone", "number": 2, "undoes": 1},
                         "Undone", ETAG)
        | problems(*WRITES) | TAKEN,
        openapi_extra={"requestBody": {"content": {JSON: {"example": {"number": 1}}}}},
    )  # fmt: skip
    def undo(reviewer: Reviewer, subject: Annotated[str, subject_of], body: Undo) -> Response:
        """A change of its own; needs no lease. Undoing an undo puts the label back. 409 `stale`
        when something came after, or when it was somebody else's."""
        with front.refusals(reviewer):
            undone = front.desk.undo(front.known(subject), reviewer, body.number, front.now_ms)
            return _versioned(undone, undone.number)

    @router.get(
        f"{path}/history",
        summary=f"Read the history of a {kind}",
        responses=answer(History, {"changes": [change]}, "Every change, the oldest first")
        | problems(403, 404, 422, 503),
    )
    def history(reader: Reader, subject: Annotated[str, subject_of]) -> Response:
        """Append-only: who did what when. Of an audit task your own changes alone, until you have
        labelled it or enough others have."""
        changes = front.desk.history(front.known(subject))
        return json_response({"changes": front.sight.of(changes, reader)})


def _groups(router: APIRouter, front: FrontDesk) -> None:
    path = "/v1/groups/{id}"
    subject_of = _subject("group")

    @router.get(
        "/v1/groups",
        summary="List groups, the last seen first",
        responses=answer(GroupPage, {"groups": [GROUP], "next_cursor": EXAMPLE_CURSOR}, "A page")
        | problems(422, 503),
    )
    def list_groups(
        app: Name = None,
        check: Name = None,
        reason: Name = None,
        severity: Severity = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Response:
        """Flagged answers with one cause, counted. All given filters must hold. Follow
        `next_cursor` until it is null."""
        filter = CaseFilter(app or None, None, check or None, reason or None, severity or None)
        with cursor_fault(cursor):
            return json_response(front.desk.groups(filter, cursor or None, limit))

    @router.get(
        "/v1/groups/{id}",
        summary="Read one group",
        responses=answer(Group, GROUP, "The group") | problems(404, 503),
    )
    def read_group(id: str) -> Response:
        """`by_day`: days since 1970 and members; `sample`: the id of a case of it."""
        group = front.desk.group(id)
        if group is None:
            raise _unknown()
        return json_response(group)

    @router.post(
        f"{path}/labels",
        summary="Label all open cases of a group alike",
        responses=answer(Bulk, {"labelled": 240}, "How many were labelled")
        | problems(*WRITES) | TAKEN | INCOMPLETE,
        openapi_extra={"requestBody": {"content": {JSON: {"example": ALL_ALIKE}}}},
    )  # fmt: skip
    def label_group(
        reviewer: Reviewer, subject: Annotated[str, subject_of], token: Token, body: Said
    ) -> Response:
        """Needs the group's lease and keeps it. Cases that somebody holds are left alone. Of the
        called findings each case's label keeps its own; 409 `changed`, and nothing written, for a
        finding or chunk that none of them has. Send again after another 409 or a 503: what was
        labelled stays labelled."""
        done = 0

        def on_progress(labelled: int) -> None:
            nonlocal done
            done = labelled

        with front.refusals(reviewer, done=lambda: done):
            held = _lease(front.known(subject), reviewer, token)
            labelled = front.desk.label_group(held, body.label(), front.now_ms, on_progress)
            return json_response({"labelled": labelled})


def _decisions(router: APIRouter, front: FrontDesk) -> None:
    path = "/v1/groups/{id}/decision"
    subject_of = _subject("group")

    @router.put(
        path,
        summary="Decide what becomes of a group's later members",
        responses=answer(Change, DECIDED, "Decided; the lease is kept")
        | problems(*WRITES) | TAKEN,
        openapi_extra={"requestBody": {"content": {JSON: {"example": DECISION}}}},
    )  # fmt: skip
    def decide(
        reviewer: Reviewer, subject: Annotated[str, subject_of], token: Token, body: DecisionBody
    ) -> Response:
        """A known cause or a false alarm: later members are counted without a case. It ends by
        itself when the group's rate doubles."""
        with front.refusals(reviewer):
            held = _lease(front.known(subject), reviewer, token)
            return json_response(front.desk.decide(held, body.decision(), front.now_ms))

    @router.delete(
        path,
        summary="End a group's decision",
        responses=answer(Change, DECIDED | {"action": "reopened", "decision": None},
                         "Open again; the lease is kept")
        | problems(*WRITES) | TAKEN,
    )  # fmt: skip
    def reopen(reviewer: Reviewer, subject: Annotated[str, subject_of], token: Token) -> Response:
        """Later members get cases again. 409 `stale` when there is no decision."""
        with front.refusals(reviewer):
            held = _lease(front.known(subject), reviewer, token)
            return json_response(front.desk.reopen(held, front.now_ms))
