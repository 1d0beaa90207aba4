"""Judge jobs: a Redis Stream with one consumer group. A job stays until its judgement is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import redis

from service.judging.jobs import Job, decode_job
from service.store.connection import Connection, text
from service.store.deflate import DeflateError, inflate

GROUP = "judges"
_BEGINNING = "0-0"


@dataclass(frozen=True, slots=True)
class Taken:
    """A job in this worker's hands. ``entry``: its place in the stream (its first part is when it
    was written, ms since 1970). ``job`` is None when its payload cannot be read."""

    entry: str
    job_id: str
    job: Job | None

    @property
    def written_ms(self) -> int:
        return int(self.entry.partition("-")[0])


class Jobs:
    """Every method raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection
        self._searched = _BEGINNING

    def open(self) -> None:
        """Create the stream and its group where they are missing."""
        with self._c.guard():
            try:
                self._c.client.xgroup_create(self._c.keys.jobs, GROUP, id="0", mkstream=True)
            except redis.ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    def take(self, worker: str, count: int) -> list[Taken]:
        """Up to ``count`` jobs that no worker has yet. Does not wait. A stream that a rebuild wiped
        is made anew."""
        keys = self._c.keys
        with self._c.guard():
            try:
                reply = self._c.client.xreadgroup(GROUP, worker, {keys.jobs: ">"}, count=count)
            except redis.ResponseError as error:
                if not _is_missing(error):
                    raise
                reply = None
        if reply is None:
            self.open()
            return []
        return _taken(_entries(reply))

    def take_over(self, worker: str, idle_ms: int, count: int) -> list[Taken]:
        """Up to ``count`` jobs that their worker has not renewed for ``idle_ms``: it is dead.

        One call looks at ten times as many; the next one goes on behind these, or the jobs of the
        living would hide those of the dead.
        """
        with self._c.guard():
            try:
                reply = self._c.client.xautoclaim(
                    self._c.keys.jobs, GROUP, worker, min_idle_time=idle_ms,
                    start_id=self._searched, count=count,
                )  # fmt: skip
            except redis.ResponseError as error:
                if not _is_missing(error):
                    raise
                return []
        self._searched = text(reply[0])
        return _taken(reply[1])

    def renew(self, worker: str, entries: Sequence[str]) -> None:
        """Say that these are still being worked on."""
        if not entries:
            return
        with self._c.guard():
            self._c.client.xclaim(
                self._c.keys.jobs, GROUP, worker, min_idle_time=0, message_ids=list(entries),
                justid=True,
            )  # fmt: skip

    def pending(self) -> int:
        """Jobs that wait or are being judged."""
        with self._c.guard():
            return int(self._c.client.xlen(self._c.keys.jobs))

    def oldest_ms(self) -> int | None:
        """When the oldest job was written, ms since 1970."""
        with self._c.guard():
            first = self._c.client.xrange(self._c.keys.jobs, count=1)
        return int(text(first[0][0]).partition("-")[0]) if first else None


def _is_missing(error: redis.ResponseError) -> bool:
    """There is no stream or no group: Redis and the embedded store say so in different words."""
    return "NOGROUP" in str(error) or "requires the key to exist" in str(error)


def _entries(reply: Any) -> list[Any]:
    """RESP2 answers with pairs of stream and entries, RESP3 with a mapping."""
    if not reply:
        return []
    if isinstance(reply, dict):
        (found,) = reply.values()
        return list(found[0] if found and isinstance(found[0], list) else found)
    return list(reply[0][1])


def _taken(entries: Sequence[Any]) -> list[Taken]:
    # An entry that was deleted while it was pending has no fields.
    return [
        Taken(text(entry), text(fields[b"id"]), _job(fields[b"job"]))
        for entry, fields in entries
        if fields
    ]


def _job(payload: bytes) -> Job | None:
    try:
        return decode_job(inflate(payload))
    except (KeyError, TypeError, ValueError, DeflateError):
        return None
