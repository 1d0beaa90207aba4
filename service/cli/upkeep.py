"""Accounting and repair: books, checkpoints, dead letters, rebuild, erase, corpus."""

from __future__ import annotations

import contextlib
import json
import time
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Column, Table

from service.bootstrap import build
from service.cli.printing import print_books, print_books_line, print_rebuild
from service.cli.shared import (
    err,
    fail,
    need_redis,
    out,
    progress,
    settings_of,
    start_of,
    topic_facts,
)
from service.documents import BadChunk, read_chunks
from service.health import Health
from service.outage import Outage
from service.outbox import flush
from service.rebuild import rebuild
from service.settings import Settings
from service.store import Store
from service.store.erasure import Erasure

if TYPE_CHECKING:
    from consumers.kafka.topics import Start


def books(
    format: Annotated[Literal["text", "json"], typer.Option(help="json: one object.")] = "text",
) -> None:
    """The equations that account for every record.

    Exit code 1 when one does not hold: then records were lost or counted twice, and somebody should
    know. In the embedded default the books live with the running `serve`: see its `/books`.
    """
    settings = settings_of(quiet=True)
    need_redis(settings)
    store = build(settings).store
    found = store.archive.books()
    unknown = _unknown_to_the_store(store, settings)
    if format == "json":
        equations = [
            {"name": e.name, "left": dict(e.left), "right": dict(e.right), "imbalance": e.imbalance}
            for e in found.equations
        ]
        typer.echo(
            json.dumps({"balanced": found.balanced, "equations": equations}, ensure_ascii=False)
        )
    else:
        print_books(found)
        if not found.partitions:
            out.print("The store is empty: nothing was received yet, or it was lost.")
        for partition, committed in unknown.items():
            out.print(
                f"[bold red]{settings.topic_answers}/{partition}[/bold red]: the group has "
                f"committed offset {committed}, the store does not know it: "
                "run `groundwatch rebuild`"
            )
    raise typer.Exit(0 if found.balanced and not unknown else 1)


def _unknown_to_the_store(store: Store, settings: Settings) -> dict[int, int]:
    """{partition: committed offset} beyond what the store has: it was lost, or is an older one.
    Empty without Kafka, or while Kafka cannot be asked."""
    if settings.embedded:
        return {}
    try:
        with topic_facts(settings) as facts:
            committed = facts.committed(settings.group, settings.topic_answers)
    except Outage as outage:
        err.print(f"[yellow]the group's commits could not be compared:[/yellow] {outage}")
        return {}
    known = {
        book.partition: book.next
        for book in store.checkpoints.books()
        if book.source == settings.topic_answers
    }
    return {p: offset for p, offset in sorted(committed.items()) if known.get(p, -1) < offset}


def checkpoints(context: typer.Context) -> None:
    """Where each partition stands: offset, account, what was received, skipped and lost."""
    if context.invoked_subcommand is not None:
        return
    settings = settings_of(quiet=True)
    need_redis(settings)
    table = Table("source", "partition", "segment", "first", "next", "received", "gaps", "lost")
    for book in build(settings).store.checkpoints.books():
        counts = book.counts
        table.add_row(
            book.source, str(book.partition), str(book.segment), str(book.first), str(book.next),
            *(str(counts.get(name, 0)) for name in ("received", "gaps", "lost")),
        )  # fmt: skip
    out.print(table)


def reset_checkpoints(
    to: Annotated[str, typer.Option(help="earliest, latest, a time, or an offset.")],
    partition: Annotated[
        list[int] | None, typer.Option(help="Only this one (repeatable); all by default.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Moves checkpoints and opens new accounts; halted consumers go on from there by themselves.

    What lies between the old and the new offset is read again or never: this is the operator's
    decision, and it is on record in the books as a new segment.
    """
    settings = settings_of()
    need_redis(settings)
    from consumers import upkeep

    target: Start | int = int(to) if to.isdigit() else start_of(to)
    if not yes:
        typer.confirm(f"Move the checkpoints of {settings.topic_answers} to {to}?", abort=True)
    parts = build(settings)
    with topic_facts(settings) as facts:
        moved = upkeep.reset_checkpoints(
            parts.store, facts, settings.topic_answers, target, partition
        )
    for number, offset in moved.items():
        out.print(f"{settings.topic_answers}/{number}: next offset {offset}")


def list_dead_letters(
    reason: Annotated[str | None, typer.Option(help="Only this reason.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many rows.", min=1)] = 100,
) -> None:
    """What could not be taken: reason, message, where it came from. Never the payload itself."""
    from consumers import upkeep

    settings = settings_of(quiet=True)
    table = Table("at", "reason", "source", "bytes", Column("message", overflow="fold"))
    shown = total = 0
    with topic_facts(settings) as facts:
        for letter in upkeep.list_dead_letters(facts, settings.topic_dead_letters):
            if reason is not None and letter.reason != reason:
                continue
            total += 1
            if shown < limit:
                shown += 1
                at = datetime.fromtimestamp(letter.failed_at_ms / 1000, UTC).isoformat(
                    timespec="seconds"
                )
                table.add_row(at, letter.reason, letter.source, str(letter.size), letter.message)
    out.print(table)
    out.print(f"{total} dead letters" + (f", {shown} shown" if shown < total else ""))


def redrive_dead_letters(
    reason: Annotated[str | None, typer.Option(help="Only this reason.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Sends the raw bytes to the answers topic again, after whatever refused them was mended.

    The letters stay where they are. What was cut to fit, or was never readable, is passed over.
    """
    settings = settings_of()
    from consumers import runtime, upkeep
    from consumers.kafka import RecordProducer

    options = runtime.kafka_options(settings)
    if not yes:
        typer.confirm(f"Send dead letters to {settings.topic_answers} again?", abort=True)
    with (
        topic_facts(settings) as facts,
        contextlib.closing(RecordProducer(options)) as producer,
    ):
        sent, passed = upkeep.redrive(
            facts, producer, settings.topic_dead_letters, settings.topic_answers,
            lambda letter: reason is None or letter.reason == reason, settings.topic_feedback,
        )  # fmt: skip
    out.print(f"{sent} sent again, {passed} passed over")


def rebuild_command(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Restores a lost store from `rag.verdicts` and `rag.reviews`.

    Consumers are fenced off meanwhile and go on by themselves afterwards. Documents stay. If it is
    interrupted, run it again.
    """
    from consumers import upkeep

    settings = settings_of()
    need_redis(settings)
    if not yes:
        typer.confirm("Wipe the store and restore it from its topics?", abort=True)
    parts = build(settings)
    with contextlib.ExitStack() as stack:
        facts = stack.enter_context(topic_facts(settings))
        tell = stack.enter_context(progress("rebuilding"))
        report = rebuild(
            parts.store,
            chain(
                upkeep.verdict_values(facts, settings.topic_verdicts),
                upkeep.review_values(facts, settings.topic_reviews),
            ),
            lambda seen: tell(f"{seen.records} records read, {seen.batches} batches restored"),
        )
    print_rebuild(report)
    print_books_line(parts.store.archive.books())


def erase_command(
    user_hash: Annotated[str, typer.Option(help="`user.id_hash`, as the events carry it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erases what a user's answers left behind: cases, audits, judge jobs and judgements, and what
    people wrote in notes on them.

    Counters and people's calls stay. What stands in the topics ages out with their retention; a
    rebuild leaves it out. Broken off, it can be run again.
    """
    from consumers import runtime

    settings = settings_of()
    need_redis(settings)
    if not yes:
        typer.confirm("Erase everything of this user's answers?", abort=True)
    parts = build(settings)
    with progress("erasing") as tell:
        erasure = Erasure(parts.store.connection, lambda seen: tell(f"{seen} records looked at"))
        found = erasure.erase(user_hash, int(time.time() * 1000))
    with runtime.verdict_sink(parts, Health()) as sink:
        flush(parts.store, sink)
    out.print(
        f"{found.cases} cases, {found.tasks} audits and {found.jobs} judge jobs erased; "
        f"{found.judgements} judgements, words of {found.labels} labels, "
        f"{found.unproduced} records on their way to the topic"
    )
    if not any((found.cases, found.tasks, found.jobs)):
        out.print("Nothing was found: is it user.id_hash exactly as the events carry it?")
    out.print(
        "The topics still hold what was produced before, until their retention ends: "
        "docs/privacy.md says how long, and what to do about dead letters."
    )


def load_corpus(
    file: Annotated[
        typer.FileText, typer.Argument(help='Lines of {"ref": …, "text": …}; - is standard input.')
    ],
    corpus: Annotated[
        str, typer.Option(help="Name, as in the events' release.corpus; unnamed by default.")
    ] = "",
) -> None:
    """Loads chunk texts, so that events may come without them."""
    settings = settings_of()
    need_redis(settings)
    try:
        with progress("loading") as tell:
            stored = build(settings).documents.load(
                read_chunks(file), corpus, lambda done: tell(f"{done} chunks")
            )
    except BadChunk as error:
        raise fail(str(error)) from None
    out.print(f"{stored} chunks stored")
