"""Audit tasks: a uniform sample of all live answers, for people to label blind."""

from __future__ import annotations

import zlib
from typing import Any

import orjson

from service.accounting import TASK_STATES
from service.review.tasks import Task
from service.store.connection import Connection, text

EXPIRED_AT_ONCE = 200


class Tasks:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def counts(self) -> dict[str, int]:
        """Tasks by state."""
        with self._c.guard():
            return {
                state: int(self._c.client.zcard(self._c.keys.tasks(state))) for state in TASK_STATES
            }

    def list(self, limit: int = 50, after: int = 0) -> list[Task]:
        """Open tasks, those that are due first before the others; ``after``: how many to skip."""
        with self._c.guard():
            ids = self._c.client.zrange(self._c.keys.tasks("open"), after, after + limit - 1)
            pipe = self._c.client.pipeline(transaction=False)
            for task_id in ids:
                pipe.hmget(self._c.keys.task(text(task_id)), "record", "status", "due")
            stored = pipe.execute() if ids else []
        return [_task(*fields) for fields in stored if fields[0] is not None]

    def get(self, task_id: str) -> Task | None:
        with self._c.guard():
            fields = self._c.client.hmget(self._c.keys.task(task_id), "record", "status", "due")
        return None if fields[0] is None else _task(*fields)

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
    body: dict[str, Any] = orjson.loads(zlib.decompress(record))
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
