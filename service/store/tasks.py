"""Audit tasks: a uniform sample of all live answers, for people to label blind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import orjson

from service.access.roles import ALL, Grant
from service.accounting import TASK_STATES
from service.review.tasks import Task, TaskPage
from service.store.connection import Connection, text
from service.store.cursors import decode_cursor, encode_cursor
from service.store.deflate import inflate
from service.store.reach import Reach

EXPIRED_AT_ONCE = 200


class Tasks:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection, grant: Grant = ALL) -> None:
        self._c = connection
        self._grant = grant
        self._reach = Reach(connection, grant)

    def within(self, grant: Grant) -> Tasks:
        return Tasks(self._c, grant)

    def counts(self) -> dict[str, int]:
        """Tasks by state, those whose answers are no longer kept included. Of some apps alone: the
        open ones, one by one."""
        keys = self._c.keys
        if not self._grant.everything:
            with self._c.guard():
                ids = [text(one) for one in self._c.client.zrange(keys.tasks("open"), 0, -1)]
            return dict.fromkeys(TASK_STATES, 0) | {"open": len(self._reach.tasks(ids))}
        with self._c.guard():
            gone = self._c.client.hmget(keys.totals, *(f"tasks:{state}" for state in TASK_STATES))
            return {
                state: int(self._c.client.zcard(keys.tasks(state))) + int(number or 0)
                for state, number in zip(TASK_STATES, gone, strict=True)
            }

    def list_tasks(self, cursor: str | None = None, limit: int = 50) -> TaskPage:
        """Up to ``limit`` open tasks, those that are due first before the others. ValueError for a
        cursor that is not ours."""
        after, found = decode_cursor(cursor), list[tuple[str, float]]()
        while True:
            with self._c.guard():
                walked = self._walk(after, limit + 1)
            reached = self._reach.tasks([task_id for task_id, _ in walked])
            found += [place for place in walked if place[0] in reached]
            if len(found) > limit or len(walked) <= limit:
                break
            after = walked[-1]
        with self._c.guard():
            tasks = self._tasks([task_id for task_id, _ in found[:limit]])
        more = len(found) > limit
        return TaskPage(tasks, encode_cursor(found[limit - 1]) if more else None)

    def _walk(self, after: tuple[str, float] | None, want: int) -> list[tuple[str, float]]:
        """Ids of open tasks by rising (due, id), after ``after``."""
        found: list[tuple[str, float]] = []
        floor: Any = after[1] if after else "-inf"
        skip = 0
        while len(found) < want:
            page = self._c.client.zrangebyscore(
                self._c.keys.tasks("open"), floor, "+inf", start=skip, num=want, withscores=True
            )
            skip += len(page)
            ids = [(text(task_id), score) for task_id, score in page]
            found += [item for item in ids if after is None or item[::-1] > after[::-1]]
            if len(page) < want:
                break
        return found[:want]

    def _tasks(self, task_ids: Sequence[str]) -> list[Task]:
        pipe = self._c.client.pipeline(transaction=False)
        for task_id in task_ids:
            pipe.hmget(self._c.keys.task(task_id), "record", "status", "due")
        stored = pipe.execute() if task_ids else []
        return [_task(*fields) for fields in stored if fields[0] is not None]

    def done_since(self, since_ms: int, most: int) -> list[str]:
        """Ids of the tasks that were done since then, the last ones first, at most so many."""
        with self._c.guard():
            found = self._c.client.zrevrangebyscore(
                self._c.keys.tasks("done"), "+inf", since_ms, start=0, num=most
            )
        return list(map(text, found))

    def get(self, task_id: str) -> Task | None:
        with self._c.guard():
            fields = self._c.client.hmget(self._c.keys.task(task_id), "record", "status", "due")
        task = None if fields[0] is None else _task(*fields)
        return task if task is not None and self._grant.covers(task.app) else None

    def sealed(self, task_ids: Collection[str], reviewer: str) -> frozenset[str]:
        """Those that somebody may yet label blind, and of which this reviewer has not said anything
        himself: of these he is shown nothing that others said."""
        ids = list(task_ids)
        pipe = self._c.client.pipeline(transaction=False)
        for task_id in ids:
            pipe.hmget(self._c.keys.task(task_id), "status", f"by:{reviewer}")
        with self._c.guard():
            found = pipe.execute() if ids else []
        return frozenset(
            task_id
            for task_id, (status, said) in zip(ids, found, strict=True)
            if status == b"open" and said != b"labelled"
        )

    def expire(self, now_ms: int) -> int:
        """End what is due as missing, and free the cases of the same answers. Returns how many."""
        keys, expired = self._c.keys, 0
        while True:
            count = int(
                self._c.run(
                    "expire_tasks", [keys.tasks("open")], [keys.prefix, now_ms, EXPIRED_AT_ONCE]
                )
            )
            expired += count
            if count < EXPIRED_AT_ONCE:
                return expired


def _task(record: bytes, status: Any, due_ms: Any) -> Task:
    body: dict[str, Any] = orjson.loads(inflate(record))
    return Task(
        task_id=body["case_id"],
        app=body["app"],
        event_id=body["event_id"],
        release=body["release"],
        language=body["language"],
        occurred_ms=body["occurred_ms"],
        query=body["query"],
        event=body["event"],
        status=text(status),
        due_ms=int(due_ms),
        reduced=body["reduced"],
    )
