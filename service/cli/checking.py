"""Checking and measuring files: check, evaluate, replay."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from service.bootstrap import build
from service.checking import check_line
from service.cli.printing import print_books_line, print_verdict, summary_table
from service.cli.shared import (
    embedded_intake,
    fail,
    out,
    print_warning,
    progress,
    settings_of,
    topic_facts,
    utf8_lines,
)
from service.replay import replay
from service.settings import (
    Settings,
    load_policy,
)

if TYPE_CHECKING:
    pass


def check(
    file: Annotated[
        typer.FileBinaryRead,
        typer.Argument(help="A file with one event a line; - is standard input."),
    ],
    format: Annotated[
        Literal["text", "json"], typer.Option(help="json: one object a line.")
    ] = "text",
) -> None:
    """Checks the answers of a file or of standard input and prints outcomes and findings.

    Each line is an event, or an object with an `event`. Exit code 1 when a line could not be read.
    The policy file applies; chunk texts must be in the events.
    """
    policy = load_policy(settings_of(quiet=True).policy)
    unread = 0
    for line in utf8_lines(file):
        if not line.strip():
            continue
        verdict = check_line(line, policy)
        unread += "error" in verdict
        if format == "json":
            typer.echo(json.dumps(verdict, ensure_ascii=False))
        else:
            print_verdict(verdict)
    raise typer.Exit(1 if unread else 0)


def evaluate_command(
    cases: Annotated[
        typer.FileBinaryRead,
        typer.Argument(help="Labelled cases, one a line; - is standard input."),
    ],
    quiet: Annotated[bool, typer.Option("--quiet", help="Without the wrong lines.")] = False,
) -> None:
    """Precision and recall of the checks on labelled cases.

    A line has an `event` and either `expect` (surfaces by the name of a check, or of
    `unsupported_numbers` or `unresolved_citations`; `<check>_label`; `<check>_measures`) or
    `numbers` with a `gold` label each. Prints
    tables by kind and language, each wrong line, and one line of totals a check; warns of an
    expected surface that does not stand in the answer. The policy file applies.
    """
    from service.evaluation import EvaluationError, evaluate, render

    lines = list(utf8_lines(cases))
    policy = load_policy(settings_of(quiet=True).policy)
    try:
        with progress("evaluating") as tell:
            evaluation = evaluate(lines, lambda done: tell(f"{done} of {len(lines)} lines"), policy)
    except EvaluationError as error:
        raise fail(f"{cases.name}: {error}") from None
    if evaluation.is_empty:
        raise fail(f"{cases.name}: nothing to score: it holds no labelled line")
    for doubt in evaluation.doubts:
        print_warning(f"{cases.name}: {doubt}")
    typer.echo(render(evaluation, quiet))


def replay_command(
    file: Annotated[
        typer.FileBinaryRead | None, typer.Argument(help="Events, one a line; - is standard input.")
    ] = None,
    topic: Annotated[
        bool, typer.Option("--topic", help="Replay the answers topic instead of a file.")
    ] = False,
    commit: Annotated[
        bool, typer.Option("--commit", help="Into the configured store instead of a throwaway one.")
    ] = False,
) -> None:
    """Runs a file or a topic through a throwaway store and reports.

    Shows what today's checks would say of yesterday's answers. With `--commit` the effects stay, as
    if the events had come over HTTP (events that were seen lately count as duplicates).
    """
    if (file is None) == (not topic):
        raise fail("give a FILE, or --topic")
    settings = settings_of()
    if commit and not settings.embedded:
        raise fail(
            "with Kafka configured, effects come from the topic alone: send the file to "
            "POST /v1/answers, or move the checkpoints back (groundwatch checkpoints reset)"
        )
    store = settings if commit else settings.model_copy(update={"redis_url": "memory://"})
    parts = build(store)
    with contextlib.ExitStack() as stack:
        folder = (
            settings.data_dir
            if commit
            else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        )
        intake = stack.enter_context(embedded_intake(parts, folder, source="replay"))
        events = _file_events(file) if file is not None else _topic_events(stack, settings)
        tell = stack.enter_context(progress("replaying"))
        summary = replay(events, intake, lambda seen, _: tell(f"{seen.events} events"))
    out.print(summary_table(summary))
    print_books_line(parts.store.archive.books())


def _file_events(file: Any) -> Iterator[bytes]:
    for line in file:
        stripped = line.strip()
        if stripped:
            yield stripped


def _topic_events(stack: contextlib.ExitStack, settings: Settings) -> Iterator[bytes]:
    from consumers import upkeep

    facts = stack.enter_context(topic_facts(settings))
    for value in upkeep.verdict_values(facts, settings.topic_answers):
        yield value or b""
