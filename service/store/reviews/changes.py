"""The history of what people said: written with its effects in one script, and read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import orjson

from service.outage import Outage
from service.review.desk import (
    ChangePage,
    Disagreement,
    DisagreementPage,
    Lease,
    LeaseLost,
    Stale,
    UnknownSubject,
)
from service.review.labels import Change
from service.review.records import decode_record, encode_record
from service.review.state import State, state_of
from service.store.connection import Connection, text
from service.store.cursors import decode_cursor, encode_cursor
from service.store.ledger import Fenced
from service.store.reach import Reach

FLUSHED_AT_ONCE = 50
Item = TypeVar("Item")


class Changes:
    """Every method raises :class:`Outage` when the store is away. ``on_stored``: told each change
    that a person made, once it is stored."""

    def __init__(
        self,
        connection: Connection,
        on_stored: Callable[[Change], object] = lambda change: None,
    ) -> None:
        self._c = connection
        self._on_stored = on_stored

    def history(self, subject: str) -> list[Change]:
        return self.histories([subject])[0]

    def histories(self, subjects: Sequence[str]) -> list[list[Change]]:
        pipe = self._c.client.pipeline(transaction=False)
        for subject in subjects:
            pipe.lrange(self._c.keys.history(subject), 0, -1)
        with self._c.guard():
            found = pipe.execute() if subjects else []
        return [history_of(records) for records in found]

    def append(
        self,
        history: Sequence[Change],
        change: Change,
        *,
        lease: Lease | None = None,
        keep: bool = False,
    ) -> Change:
        """``history``: as it was read; ``lease``: that the change needs, given back unless
        ``keep``; None for a change that needs none. Raises :class:`LeaseLost`, :class:`Stale` and
        :class:`UnknownSubject`."""
        spec = self._spec([*history, change], history[-1].number if history else 0)
        spec |= _under(lease) | {"release": lease is not None and not keep}
        status = text(self._c.run("review", *self._call(spec, [change], lease))[0])
        if status == "ok":
            self._on_stored(change)
            return change
        _go_on(status)
        if status == "unknown":
            raise UnknownSubject(change.subject)
        now = self.history(change.subject)
        newer = now[-1] if len(now) > len(history) else None
        raise LeaseLost(newer) if status == "lost" else Stale(newer)

    def append_free(
        self, changes: Sequence[tuple[Sequence[Change], Change]], lease: Lease
    ) -> tuple[int, bool]:
        """(history, change) of several cases under their group's lease, in one round trip: those
        that somebody is at, that changed meanwhile or that are gone are left alone. Returns how
        many were written, and whether the lease was still held."""
        calls = []
        for history, change in changes:
            spec = self._spec([*history, change], history[-1].number if history else 0)
            spec |= _under(lease) | {"free": True}
            calls.append(self._call(spec, [change], lease))
        statuses = [text(reply[0]) for reply in self._c.run_each("review", calls)]
        for (_, change), status in zip(changes, statuses, strict=True):
            if status == "ok":
                self._on_stored(change)
        for status in statuses:
            _go_on(status)
        return statuses.count("ok"), "lost" not in statuses

    def restore(self, history: Sequence[Change], epoch: str) -> None:
        """A subject's whole history, after a rebuild put the subject itself there."""
        spec = self._spec(history, 0) | {
            "repeated": True,
            "epoch": epoch,
            "listed": [_listed(change) for change in history],
        }
        if text(self._c.run("review", *self._call(spec, history, None))[0]) == "fenced":
            raise Fenced

    def _call(
        self, spec: dict[str, Any], changes: Sequence[Change], lease: Lease | None
    ) -> tuple[list[str], list[Any]]:
        keys, subject = self._c.keys, spec["subject"]
        leased = keys.lease(lease.subject if lease is not None else subject)
        return (
            [keys.history(subject), keys.review_outbox, keys.meta, leased],
            [orjson.dumps(spec), *(encode_record(change) for change in changes)],
        )

    def _spec(self, history: Sequence[Change], version: int) -> dict[str, Any]:
        last, now = history[-1], state_of(history)
        kind, _, subject_id = last.subject.partition(":")
        return {
            "prefix": self._c.keys.prefix,
            "repeated": False,
            "leased": False,
            "free": False,
            "release": False,
            "subject": last.subject,
            "kind": kind,
            "id": subject_id,
            "version": version,
            "at": str(last.at_ms),
            "listed": [_listed(last)],
            "settled": now.settled,
            "marks": _marks(kind, now),
            "disagree": kind == "task" and now.differing() is not None,
            "decision": orjson.dumps(now.decision).decode() if now.decision else "",
        }

    # The labels page.

    def page(
        self, reviewer: str | None, cursor: str | None, limit: int, reach: Reach
    ) -> ChangePage:
        """ValueError for a cursor that is not ours."""

        def read(names: Sequence[str]) -> list[Change | None]:
            listed = [name.rpartition("#") for name in names]
            histories = self.histories([subject for subject, _, _ in listed])
            found = [
                next((change for change in history if change.number == int(number)), None)
                for (_, _, number), history in zip(listed, histories, strict=True)
            ]
            seen = reach.changes([change for change in found if change is not None])
            kept = {(change.subject, change.number) for change in seen}
            return [one if one and (one.subject, one.number) in kept else None for one in found]

        return ChangePage(*self._page(self._c.keys.changes(reviewer), cursor, limit, read))

    def disagreements(self, cursor: str | None, limit: int, reach: Reach) -> DisagreementPage:
        """ValueError for a cursor that is not ours."""

        def read(ids: Sequence[str]) -> list[Disagreement | None]:
            histories = self.histories([f"task:{task_id}" for task_id in ids])
            pairs = [state_of(history).differing() for history in histories]
            return [
                Disagreement(task_id, *pair) if pair and reach.changes(pair[:1]) else None
                for task_id, pair in zip(ids, pairs, strict=True)
            ]

        return DisagreementPage(*self._page(self._c.keys.disagreements, cursor, limit, read))

    def _page(
        self,
        key: str,
        cursor: str | None,
        limit: int,
        read: Callable[[Sequence[str]], Sequence[Item | None]],
    ) -> tuple[list[Item], str | None]:
        """``read``: members to what they stand for, None for what is not there or not to be
        seen."""
        after, found = decode_cursor(cursor), list[tuple[tuple[str, float], Item]]()
        while True:
            walked = self._newest(key, after, limit + 1)
            items = read([name for name, _ in walked])
            found += [(at, one) for at, one in zip(walked, items, strict=True) if one is not None]
            if len(found) > limit or len(walked) <= limit:
                break
            after = walked[-1]
        more = len(found) > limit
        return [one for _, one in found[:limit]], encode_cursor(
            found[limit - 1][0]
        ) if more else None

    def _newest(
        self, key: str, after: tuple[str, float] | None, want: int
    ) -> list[tuple[str, float]]:
        """Members by falling (score, name), after ``after``."""
        found: list[tuple[str, float]] = []
        top: Any = after[1] if after else "+inf"
        skip = 0
        while len(found) < want:
            with self._c.guard():
                page = self._c.client.zrevrangebyscore(
                    key, top, "-inf", start=skip, num=want, withscores=True
                )
            skip += len(page)
            items = [(text(name), score) for name, score in page]
            found += [item for item in items if after is None or item[::-1] < after[::-1]]
            if len(page) < want:
                break
        return found[:want]

    # The outbox.

    def unflushed(self, most: int = FLUSHED_AT_ONCE) -> list[bytes]:
        """The oldest records that are not yet known to be in ``rag.reviews``; all with -1."""
        with self._c.guard():
            return list(
                self._c.client.lrange(self._c.keys.review_outbox, 0, most - 1 if most > 0 else -1)
            )

    def flushed(self, records: Sequence[bytes]) -> bool:
        """Drop these once they are produced. False when they are not the first ones any more."""
        return bool(self._c.run("trim_outbox", [self._c.keys.review_outbox], list(records)))


def history_of(records: Sequence[bytes]) -> list[Change]:
    return [decode_record(record) for record in records]


def _under(lease: Lease | None) -> dict[str, Any]:
    """That a change needs a lease is said in so many words: an empty token is a wrong one."""
    if lease is None:
        return {"leased": False}
    return {"leased": True, "token": lease.token, "reviewer": lease.reviewer}


def _go_on(status: str) -> None:
    if status == "rebuilding":
        raise Outage("the store is being rebuilt; nothing was written, try again later")


def _marks(kind: str, now: State) -> Mapping[str, str]:
    """Who is not to get the subject again, and why."""
    if kind == "task":
        return dict.fromkeys(now.skipped, "skipped") | dict.fromkeys(now.labels, "labelled")
    return dict.fromkeys(now.skipped, "skipped") if kind == "case" else {}


def _listed(change: Change) -> list[str]:
    return [f"{change.subject}#{change.number}", str(change.at_ms), change.reviewer]
