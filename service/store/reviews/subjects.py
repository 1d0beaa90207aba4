"""Cases and tasks as the desk reads them: what they hold, and what was said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from service.review.fitting import Material, material_of
from service.review.labels import Change
from service.store.casefile import BODY_FIELDS, body_of
from service.store.connection import Connection
from service.store.deflate import inflate
from service.store.reviews.changes import history_of


@dataclass(frozen=True, slots=True)
class Subject:
    """``body``: None for one that is not there, or that may not be seen."""

    name: str
    body: dict[str, Any] | None
    history: list[Change]

    @property
    def kind(self) -> str:
        return self.name.partition(":")[0]

    @property
    def version(self) -> int:
        return self.history[-1].number if self.history else 0

    @property
    def material(self) -> Material:
        """What a label may speak of."""
        return material_of(self.body, blind=self.kind == "task") if self.body else Material()


class Subjects:
    """Raises :class:`Outage` when the store is away."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def read(self, names: Sequence[str]) -> list[Subject]:
        """``names``: ``case:<id>`` or ``task:<id>``. One round trip."""
        pipe, keys = self._c.client.pipeline(transaction=False), self._c.keys
        for name in names:
            kind, _, subject_id = name.partition(":")
            if kind == "case":
                pipe.hmget(keys.case(subject_id), "status", *BODY_FIELDS)
            else:
                pipe.hmget(keys.task(subject_id), "status", "record")
            pipe.lrange(keys.history(name), 0, -1)
        with self._c.guard():
            found = pipe.execute() if names else []
        return [
            Subject(name, _body(*fields), history_of(records))
            for name, fields, records in zip(names, found[::2], found[1::2], strict=True)
        ]


def _body(status: Any, record: Any, *more: Any) -> dict[str, Any] | None:
    if record is None or status == b"withheld":
        return None
    if more:
        return body_of(record, *more)
    body: dict[str, Any] = orjson.loads(inflate(record))
    return body
