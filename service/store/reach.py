"""What a grant of some apps reaches: which cases, audit tasks and groups are of those apps."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import orjson

from service.access.roles import Grant
from service.review.labels import Change
from service.store.connection import Connection, text
from service.store.deflate import inflate


class Reach:
    """An app of anything never changes, so what was looked up stays true. Every method raises
    :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, grant: Grant) -> None:
        self._c = connection
        self._grant = grant

    def covers(self, subject: str) -> bool:
        """``case:<id>``, ``task:<id>`` or ``group:<id>``."""
        return bool(self.subjects([subject]))

    def subjects(self, names: Collection[str]) -> frozenset[str]:
        """Those of them that are reached."""
        if self._grant.everything:
            return frozenset(names)
        kinds = {"case": self.cases, "task": self.tasks, "group": self._groups}
        return frozenset(
            f"{kind}:{name}"
            for kind, reached in kinds.items()
            for name in reached(_of_kind(kind, names))
        )

    def cases(self, ids: Sequence[str]) -> frozenset[str]:
        if self._grant.everything or not ids:
            return frozenset(ids)
        pipe = self._c.client.pipeline(transaction=False)
        for app in self._grant.apps or ():
            pipe.zmscore(self._c.keys.index("app", app), ids)
        with self._c.guard():
            found = pipe.execute()
        return frozenset(
            name
            for scores in found
            for name, score in zip(ids, scores, strict=True)
            if score is not None
        )

    def tasks(self, ids: Sequence[str]) -> frozenset[str]:
        if self._grant.everything or not ids:
            return frozenset(ids)
        pipe = self._c.client.pipeline(transaction=False)
        for name in ids:
            pipe.hget(self._c.keys.task(name), "app")
        with self._c.guard():
            apps = pipe.execute()
        return frozenset(
            name
            for name, app in zip(ids, apps, strict=True)
            if self._grant.covers(self._app_written(name) if app is None else text(app))
        )

    def _app_written(self, task_id: str) -> str:
        """Of a task that an earlier version made: its app stands in its record alone."""
        with self._c.guard():
            record = self._c.client.hget(self._c.keys.task(task_id), "record")
        return "" if record is None else str(orjson.loads(inflate(record))["app"])

    def _groups(self, ids: Sequence[str]) -> frozenset[str]:
        pipe = self._c.client.pipeline(transaction=False)
        for name in ids:
            pipe.hget(self._c.keys.group(name), "app")
        with self._c.guard():
            apps = pipe.execute() if ids else []
        return frozenset(
            name
            for name, app in zip(ids, apps, strict=True)
            if app is not None and self._grant.covers(text(app))
        )

    def changes(self, changes: Sequence[Change]) -> list[Change]:
        """Those that speak of its apps. A label carries its app, also once its case is gone."""
        if self._grant.everything:
            return list(changes)
        unsaid = {change.subject for change in changes if "app" not in change.context}
        reached = self.subjects(unsaid)
        return [
            change
            for change in changes
            if change.subject in reached
            or ("app" in change.context and self._grant.covers(str(change.context["app"])))
        ]


def _of_kind(kind: str, names: Collection[str]) -> list[str]:
    return [name.removeprefix(f"{kind}:") for name in names if name.startswith(f"{kind}:")]
