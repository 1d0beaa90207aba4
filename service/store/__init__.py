"""The store: every Redis key and script. ``memory://`` runs the same scripts in the process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.store.api_keys import ApiKeys
from service.store.archive import Archive
from service.store.audits import Audits
from service.store.checkpoints import Checkpoint, Checkpoints, SchemaError, SourceStart
from service.store.connection import MEMORY_URL, Access, Connection, Denied, StoreOutage, connect
from service.store.erasure import Erasure
from service.store.feedback import Changed, Feedback, Repeated
from service.store.jobs import Jobs, Taken
from service.store.judgements import Gone, Judgements
from service.store.ledger import (
    Applied,
    Applying,
    Caps,
    Decided,
    Duplicates,
    Fenced,
    Ledger,
    LookUp,
    Moved,
    Outbox,
    OutboxPending,
    Refused,
)
from service.store.probes import Probes
from service.store.questions import Questions
from service.store.reviews.changes import Changes
from service.store.tasks import Tasks

__all__ = [
    "MEMORY_URL", "Access", "ApiKeys", "Applied", "Applying", "Archive", "Audits", "Caps",
    "Changed", "Changes", "Checkpoint", "Checkpoints", "Connection", "Decided", "Denied",
    "Duplicates", "Erasure", "Feedback", "Fenced", "Gone", "Jobs", "Judgements", "Ledger",
    "LookUp", "Moved", "Outbox", "OutboxPending", "Probes", "Questions", "Refused", "Repeated",
    "SchemaError", "SourceStart", "Store", "StoreOutage", "Taken", "Tasks", "connect",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Store:
    """One store, by what it is used for."""

    connection: Connection
    checkpoints: Checkpoints
    ledger: Ledger
    archive: Archive
    jobs: Jobs
    judgements: Judgements
    tasks: Tasks
    audits: Audits
    feedback: Feedback
    reviews: Changes
    erasure: Erasure
    api_keys: ApiKeys
    questions: Questions
    probes: Probes

    @classmethod
    def over(cls, connection: Connection, caps: Caps, checks: Sequence[str]) -> Store:
        return cls(
            connection,
            Checkpoints(connection),
            Ledger(connection, caps),
            Archive(connection, checks),
            Jobs(connection),
            Judgements(connection, caps),
            Tasks(connection),
            Audits(connection),
            Feedback(connection, caps),
            Changes(connection),
            Erasure(connection),
            ApiKeys(connection),
            Questions(connection),
            Probes(connection),
        )
