"""Exports of what people said about answers."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.bootstrap import Parts, build, desk
from service.cli.shared import need_redis, progress, settings_of

if TYPE_CHECKING:
    from service.exporting.answers import Sources
    from service.exporting.part import Export


After = Annotated[
    str | None,
    typer.Option(help="Only what changed since this cursor, which an earlier export printed."),
]
ToFile = Annotated[
    Path | None,
    typer.Option("--output", help="Into this file; one that is there goes on where it stopped."),
]
OfApp = Annotated[str | None, typer.Option("--app", help="Only this app's answers.")]


def export_relevance(after: After = None, output: ToFile = None, of_app: OfApp = None) -> None:
    """Which chunks each question needs, as people ticked them: one JSON line a question.

    What retrieval is measured against. The formats are in `docs/review/exports.md`.
    """
    from service.exporting.relevance import relevance_export

    _export("relevance", lambda _, old: relevance_export(resumed=old), after, output, of_app)


def export_cases(after: After = None, output: ToFile = None, of_app: OfApp = None) -> None:
    """Test cases of the answer step: the question, its chunks as they were, what people expect.

    `groundwatch check` reads the lines; put new answers in to see whether they are better.
    """
    from service.exporting.answer_cases import cases_export

    _export("cases", lambda *_: cases_export(), after, output, of_app)


def export_labels(
    after: After = None,
    output: ToFile = None,
    of_app: OfApp = None,
    format: Annotated[
        Literal["jsonl", "csv"], typer.Option(help="csv: for spreadsheets, one column a part.")
    ] = "jsonl",
) -> None:
    """The labels that stand, with stratum, π and ruleset; who gave them only as a keyed hash.

    Notes are in there as people wrote them.
    """
    from service.exporting.label_rows import labels_csv_export, labels_export

    make = labels_csv_export if format == "csv" else labels_export
    name = f"labels.{format}"
    _export(name, lambda secret, old: make(secret, resumed=old), after, output, of_app)


def export_gaps(
    of_app: OfApp = None,
    days: Annotated[int, typer.Option(min=1, max=30, help="Of so many days, until now.")] = 30,
    format: Annotated[
        Literal["jsonl", "csv"], typer.Option(help="csv: for spreadsheets.")
    ] = "jsonl",
) -> None:
    """Knowledge gaps: questions that retrieval did not serve, alike ones together, the most first.

    Empty or unused retrievals, abstentions, negative feedback. `docs/measuring/gaps.md` has the
    format.
    """
    from service.exporting.gap_rows import csv_lines, json_lines
    from service.knowledge_gaps import KnowledgeGaps

    settings = settings_of(quiet=True)
    need_redis(settings)
    store = build(settings).store
    gaps = KnowledgeGaps(store.questions, store.archive, time).of(of_app, days)
    for line in csv_lines(gaps) if format == "csv" else json_lines(gaps):
        # As bytes: what stands in a question is nobody's to encode again.
        typer.echo(line.encode())
    typer.echo(f"{len(gaps)} gaps, {sum(gap.questions for gap in gaps)} questions", err=True)


def _export(
    name: str,
    make: Callable[[bytes, bool], Export],
    after: str | None,
    output: Path | None,
    of_app: str | None,
) -> None:
    """``make``: from the store's secret, and whether an earlier export is gone on with."""
    from service.exporting.cursor import START, decode_cursor, encode_cursor
    from service.exporting.output import Kept, Output, Printed

    begin = decode_cursor(after) if after is not None else START
    settings = settings_of(quiet=True)
    need_redis(settings)
    parts = build(settings)
    watched = output is None and sys.stdout.isatty()
    with contextlib.ExitStack() as stack:
        target: Output
        if output is None:
            # As bytes: text that is printed past a progress bar goes where the bar is.
            target = Printed(lambda line: typer.echo(line.encode()), begin)
        else:
            target = stack.enter_context(Kept(output, _of(name, of_app), begin))
        export = make(parts.terms().secret, not target.cursor.at_start)
        tell = (lambda _: None) if watched else stack.enter_context(progress("exporting"))
        try:
            target.write_head(export.head)
            for part in export.run(_review_sources(parts), target.cursor, of_app):
                target.write(part)
                tell(f"{part.done} of {part.total} answers")
        finally:
            for why, count in (+export.left).items():
                typer.echo(f"{count} {why}", err=True)
            typer.echo(f"cursor: {encode_cursor(target.cursor)}", err=True)


def _of(name: str, of_app: str | None) -> str:
    return name if of_app is None else f"{name} of {of_app}"


def _review_sources(parts: Parts) -> Sources:
    from service.exporting.answers import Sources

    return Sources(desk(parts, lambda: None), parts.store.archive, parts.store.tasks)
