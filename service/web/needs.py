"""What each route needs: the one table. A route that does not stand here opens to nobody, and
``tests/unit/web/test_needs.py`` walks them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.access.roles import Role

_SEND = frozenset({Role.SENDER, Role.ADMIN})
_LOOK = frozenset({Role.VIEWER, Role.REVIEWER, Role.ADMIN})
_JUDGE = frozenset({Role.REVIEWER, Role.ADMIN})
_EVERYBODY = frozenset(Role)


@dataclass(frozen=True, slots=True)
class Need:
    """The roles that may read (GET, HEAD) and those that may do anything else. ``every_app``: it
    tells of all apps together, so it needs a grant of all. ``is_open``: nobody is asked."""

    read: frozenset[Role]
    write: frozenset[Role]
    every_app: bool = False
    is_open: bool = False


OPEN = Need(_EVERYBODY, _EVERYBODY, is_open=True)
SIGNED_IN = Need(_EVERYBODY, _EVERYBODY)
"""What no route answers: only strangers are kept from learning which addresses there are."""
_SENDS = Need(_SEND, _SEND)
_LOOKS = Need(_LOOK, _LOOK)
_LOOKS_EVERYWHERE = Need(_LOOK, _LOOK, every_app=True)
_LOOKS_OR_JUDGES = Need(_LOOK, _JUDGE)
_JUDGES = Need(_JUDGE, _JUDGE)

NEEDS: Mapping[str, Need] = {
    # Probes, and files of ours.
    "/healthz": OPEN,
    "/readyz": OPEN,
    "/static": OPEN,
    # Open by a setting; else a viewer's.
    "/metrics": _LOOKS_EVERYWHERE,
    # What a RAG app sends.
    "/v1/answers": _SENDS,
    "/v1/feedback": _SENDS,
    # The JSON API.
    "/openapi.json": _LOOKS,
    "/v1/agreement": _LOOKS,
    "/v1/books": _LOOKS_EVERYWHERE,
    "/v1/cases": _LOOKS,
    "/v1/cases/next": _JUDGES,
    "/v1/cases/{case_id}": _LOOKS,
    "/v1/cases/{id}/history": _LOOKS,
    "/v1/cases/{id}/label": _LOOKS_OR_JUDGES,
    "/v1/cases/{id}/lease": _JUDGES,
    "/v1/cases/{id}/undo": _JUDGES,
    "/v1/disagreements": _LOOKS,
    "/v1/groups": _LOOKS,
    "/v1/groups/{id}": _LOOKS,
    "/v1/groups/{id}/decision": _JUDGES,
    "/v1/groups/{id}/labels": _JUDGES,
    "/v1/groups/{id}/lease": _JUDGES,
    "/v1/gaps": _LOOKS,
    # Its rules may be about any app, and about run files of all of them.
    "/v1/gates/{name}": _LOOKS_EVERYWHERE,
    "/v1/incident": _LOOKS,
    "/v1/judged-rates": _LOOKS,
    "/v1/labels": _LOOKS,
    "/v1/precision": _LOOKS,
    "/v1/rates": _LOOKS,
    "/v1/tasks": _LOOKS,
    "/v1/tasks/next": _JUDGES,
    "/v1/tasks/{id}/history": _LOOKS,
    "/v1/tasks/{id}/label": _LOOKS_OR_JUDGES,
    "/v1/tasks/{id}/lease": _JUDGES,
    "/v1/tasks/{id}/undo": _JUDGES,
    "/v1/tasks/{task_id}": _LOOKS,
    # Pages.
    "/": _LOOKS,
    "/books": _LOOKS_EVERYWHERE,
    "/cases/{case_id}": _LOOKS,
    "/cases/{case_id}/event": _LOOKS,
    "/cases/{case_id}/label": _JUDGES,
    "/compare": _LOOKS,
    "/gaps": _LOOKS,
    "/groups": _LOOKS,
    "/groups/{group_id}": _LOOKS,
    "/groups/{group_id}/decide": _JUDGES,
    "/groups/{group_id}/label": _JUDGES,
    "/groups/{group_id}/reopen": _JUDGES,
    "/incident": _LOOKS,
    "/judge": _LOOKS,
    "/labels": _LOOKS,
    "/language": _LOOKS,
    "/overview": _LOOKS,
    "/queue": _LOOKS,
    "/queue/counts": _LOOKS,
    "/review/name": _JUDGES,
    "/review/next": _JUDGES,
    "/review/next-task": _JUDGES,
    "/review/release": _JUDGES,
    "/review/renew": _JUDGES,
    "/review/selected": _JUDGES,
    "/review/undo": _JUDGES,
    "/tasks": _LOOKS,
    "/tasks/{task_id}": _LOOKS,
    "/tasks/{task_id}/label": _JUDGES,
    # Writes nothing: what is pasted is checked and forgotten.
    "/try": _LOOKS,
}
