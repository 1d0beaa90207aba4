"""The command line: composes everything, imported by nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import structlog
import typer
from rich.console import Console
from rich.live import Live
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from service.accounting import SEPARATOR, Books
from service.bootstrap import Parts, build, controller, desk
from service.checking import check_line
from service.contract_schema import schema_text
from service.controller import ControllerKeeper
from service.documents import BadChunk, read_chunks
from service.embedded import EmbeddedFeedback, EmbeddedIntake
from service.health import Health
from service.intake import Intake
from service.joining import FeedbackJoin
from service.logs import configure_logging
from service.outage import Misconfiguration, Outage
from service.outbox import Sink, flush
from service.rebuild import Report, rebuild
from service.replay import Summary, replay
from service.review_outbox import ReviewOutbox, ReviewOutboxKeeper
from service.settings import (
    Settings,
    SettingsError,
    describe,
    load_policy,
    load_settings,
    parse_policy,
)
from service.store import SchemaError, Store
from service.store.reviews import Desk

if TYPE_CHECKING:
    from consumers.judge import JudgeThread
    from consumers.kafka import TopicFacts
    from consumers.kafka.topics import Start
    from service.exporting.answers import Sources
    from service.exporting.part import Export
    from service.web.ports import JudgeState

# Kafka's client and the web framework are imported by the commands that need them: the others
# should answer at once.
log = structlog.get_logger(__name__)
out = Console()
err = Console(stderr=True)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Watches the answers of RAG systems: every answer checked, every verdict accounted for."
    "\n\n"
    "Try it: `groundwatch demo`. Settings come from `GROUNDWATCH_*` (see `groundwatch config`).",
)
checkpoints_app = typer.Typer(
    no_args_is_help=False,
    invoke_without_command=True,
    help="Where each partition stands; resets them.",
)
dead_letters_app = typer.Typer(
    no_args_is_help=True, help="Lists records that could not be taken; sends them again."
)
corpus_app = typer.Typer(no_args_is_help=True, help="Loads chunk texts into the document store.")
app.add_typer(checkpoints_app, name="checkpoints")
app.add_typer(dead_letters_app, name="dead-letters")
app.add_typer(corpus_app, name="corpus")
export_app = typer.Typer(no_args_is_help=True, help="Writes what people said about answers.")
app.add_typer(export_app, name="export")


# Running.


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Where to listen [default: 127.0.0.1].")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port [default: 8321]; 0 takes any free one.")
    ] = None,
) -> None:
    """Pages and HTTP API; with no Kafka configured also the monitor itself (embedded).

    Send an event to `POST /v1/answers`, look at it under `/queue`. `/metrics`, `/healthz` and
    `/readyz` are for Prometheus and the orchestrator.
    """
    settings = _settings(host=host, port=port)
    parts = build(settings)
    with contextlib.ExitStack() as stack:
        intake: Intake
        if settings.embedded:
            intake = stack.enter_context(_embedded(parts, settings.data_dir))
            log.info("embedded", data_dir=str(settings.data_dir))
            sink: EmbeddedIntake | None = intake
        else:
            from consumers import runtime

            intake, sink = stack.enter_context(runtime.kafka_intake(parts)), None
        _serve(parts, intake, settings, sink)


@app.command()
def consume(
    start: Annotated[
        str,
        typer.Option(
            "--from",
            help="Where a first start begins: earliest, latest, or a time such as "
            "2026-11-30T08:00:00Z. Later starts go on from the checkpoint.",
        ),
    ] = "earliest",
    metrics_port: Annotated[
        int | None, typer.Option(help="Port of /metrics, /healthz and /readyz [default: 9464].")
    ] = None,
) -> None:
    """Reads answers from Kafka, checks them, stores the effects. One process, one consumer.

    Run as many as the topic has partitions; they share them. SIGTERM drains, flushes and commits.
    """
    from consumers import runtime
    from service.probes import serve_probes

    settings = _settings(metrics_port=metrics_port)
    begin = _start(start)
    stop = _stop_on_signals()
    health = Health(expects=("group", "kafka", "redis"))
    parts = _patiently(lambda: build(settings), stop)
    if parts is None:
        return
    probes = serve_probes(settings.metrics_host, settings.metrics_port, health, parts.metrics)
    log.info("probes", port=probes.port)
    try:
        with runtime.feedback_thread(parts, health):
            _consume(parts, health, begin, stop)
    finally:
        probes.close()
    log.info("stopped")


def _consume(parts: Parts, health: Health, begin: Start, stop: threading.Event) -> None:
    """Until ``stop`` is set, however often Kafka is away at the start."""
    from consumers import runtime

    settings = parts.settings
    while not stop.is_set():
        try:
            with runtime.answers_consumer(parts, health, begin) as consumer:
                log.info("consuming", topic=settings.topic_answers, group=settings.group)
                consumer.run(stop)
        except Outage as outage:
            health.set("kafka", False, str(outage))
            log.error("outage", dependency="kafka", error=str(outage))
            health.tick()
            stop.wait(2.0)


@app.command()
def judge(
    metrics_port: Annotated[
        int | None, typer.Option(help="Port of /metrics, /healthz and /readyz [default: 9464].")
    ] = None,
) -> None:
    """Rules on the answers that were drawn for the judge, claim by claim.

    Asks the OpenAI-compatible endpoint `GROUNDWATCH_JUDGE_BASE_URL` for the model
    `GROUNDWATCH_JUDGE_MODEL`. Run as many as you like; they share the jobs and the budget. Without
    Kafka, `serve` does this itself.
    """
    from consumers import runtime
    from consumers.judge import run_judge
    from service.probes import serve_probes

    settings = _settings(metrics_port=metrics_port)
    _require_judge(settings)
    stop = _stop_on_signals()
    health = Health(expects=("judge",))
    parts = _patiently(lambda: build(settings), stop)
    if parts is None:
        return
    probes = serve_probes(settings.metrics_host, settings.metrics_port, health, parts.metrics)
    keeper = ControllerKeeper(controller(parts))
    keeper.start()
    log.info("probes", port=probes.port)
    log.info("judging", model=settings.judge_model)
    try:
        with runtime.verdict_sink(parts, health) as sink:
            asyncio.run(run_judge(parts, sink, health, stop))
    finally:
        keeper.close()
        probes.close()
    log.info("stopped")


def _require_judge(settings: Settings) -> None:
    if not settings.judging:
        raise Misconfiguration(
            "the judge is off: set GROUNDWATCH_JUDGE_BASE_URL and GROUNDWATCH_JUDGE_MODEL"
        )
    if settings.embedded:
        raise Misconfiguration(
            "without Kafka the judge runs in `groundwatch serve`; else set "
            "GROUNDWATCH_KAFKA_BOOTSTRAP=host:port"
        )


@app.command()
def demo(
    port: Annotated[
        int | None, typer.Option(help="Port [default: 8321]; 0 takes any free one.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Print the summary and end, without serving.")
    ] = False,
    delay_ms: Annotated[
        int, typer.Option(help="Pause between two events, so that one can watch.", min=0)
    ] = 15,
    with_scripted_judge: Annotated[
        bool,
        typer.Option(
            "--with-scripted-judge",
            help="Show judged cases too. No model rules: a script does, and each page says so.",
        ),
    ] = False,
) -> None:
    """Streams the bundled answers and serves the filled queue.

    Two days of an invented product's support answers, German and English, two releases. Needs no
    Kafka, no Redis, no key, and keeps nothing.
    """
    from service import demo as bundled

    configure_logging("warning")
    policy = parse_policy(bundled.policy(judged=with_scripted_judge), "of the demo")
    with contextlib.ExitStack() as stack:
        settings = _demo_settings(port, stack if with_scripted_judge else None)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="groundwatch-demo-"))
        parts = build(settings, policy)
        chunks = bundled.load_knowledge_base()
        parts.documents.load((chunk["ref"], chunk["text"]) for chunk in chunks)
        intake = stack.enter_context(_embedded(parts, Path(folder), clock_ms=lambda: DEMO_NOW_MS))
        _stream_demo(intake, bundled.load_events(), 0.0 if once else delay_ms / 1000)
        if settings.judging:
            _judge_demo(parts, intake)
        _print_books_line(parts.store.archive.books())
        _print_waiting(parts.store)
        if not once:
            out.print("Ctrl-C ends the demo; nothing is kept.")
            sink = intake if settings.judging else None
            _serve(parts, intake, settings, sink, settings.judging, now=lambda: DEMO_NOW_MS / 1000)


DEMO_NOW_MS = int(datetime(2026, 11, 30, 9, tzinfo=UTC).timestamp() * 1000)
"""The bundled events are of fixed days; "now" is the hour after the last one."""
DEMO_JUDGING_S = 120.0


def _demo_settings(port: int | None, judged: contextlib.ExitStack | None) -> Settings:
    """``judged``: where the scripted judge lives; None for a demo without one."""
    from service.demo import SAMPLING_SECRET

    fixed: dict[str, Any] = {"port": port, "sampling_secret": SAMPLING_SECRET}
    if judged is not None:
        from service.demo.scripted_judge import MODEL, demo_judge

        judge = judged.enter_context(demo_judge())
        fixed |= {"judge_base_url": judge.base_url, "judge_model": MODEL, "judge_concurrency": 8}
    return load_settings({}, **fixed)


def _stream_demo(intake: EmbeddedIntake, events: list[bytes], pause_s: float) -> None:
    summary = Summary()
    with Live(_summary_table(summary), console=out, refresh_per_second=12) as live:
        for event in events:
            for receipt in intake.submit([event]):
                summary.add(receipt)
            live.update(_summary_table(summary))
            time.sleep(pause_s)


def _judge_demo(parts: Parts, intake: EmbeddedIntake) -> None:
    """Let the script rule on everything that was drawn."""
    judging = _judge_thread(parts, intake, Health(), scripted=True)
    until = time.monotonic() + DEMO_JUDGING_S
    try:
        with _progress("judging") as tell:
            while (waiting := parts.store.jobs.pending()) and time.monotonic() < until:
                tell(f"{waiting} answers wait")
                time.sleep(0.1)
    finally:
        judging.close()
    _print_judged(parts.store)


# Checking and measuring.


@app.command()
def check(
    file: Annotated[
        typer.FileText, typer.Argument(help="A file with one event a line; - is standard input.")
    ],
    format: Annotated[
        Literal["text", "json"], typer.Option(help="json: one object a line.")
    ] = "text",
) -> None:
    """Checks the answers of a file or of standard input and prints outcomes and findings.

    Each line is an event, or an object with an `event`. Exit code 1 when a line could not be read.
    The policy file applies; chunk texts must be in the events.
    """
    policy = load_policy(_settings(quiet=True).policy)
    unread = 0
    for line in file:
        if not line.strip():
            continue
        verdict = check_line(line, policy)
        unread += "error" in verdict
        if format == "json":
            typer.echo(json.dumps(verdict, ensure_ascii=False))
        else:
            _print_verdict(verdict)
    raise typer.Exit(1 if unread else 0)


@app.command("evaluate")
def evaluate_command(
    cases: Annotated[
        typer.FileText, typer.Argument(help="Labelled cases, one a line; - is standard input.")
    ],
    quiet: Annotated[bool, typer.Option("--quiet", help="Without the wrong lines.")] = False,
) -> None:
    """Precision and recall of the checks on labelled cases.

    A line has an `event` and either `expect` (surfaces by the name of a check, or of
    `unsupported_numbers` or `unresolved_citations`; `<check>_label`; `<check>_measures`) or
    `numbers` with a `gold` label each. Prints
    tables by kind and language, each wrong line, and one line of totals a check. The policy file
    applies.
    """
    from service.evaluation import EvaluationError, evaluate, render

    lines = list(cases)
    policy = load_policy(_settings(quiet=True).policy)
    try:
        with _progress("evaluating") as tell:
            evaluation = evaluate(lines, lambda done: tell(f"{done} of {len(lines)} lines"), policy)
    except EvaluationError as error:
        raise _fail(str(error)) from None
    typer.echo(render(evaluation, quiet))


@app.command("replay")
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
        raise _fail("give a FILE, or --topic")
    settings = _settings()
    if commit and not settings.embedded:
        raise _fail(
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
        intake = stack.enter_context(_embedded(parts, folder, source="replay"))
        events = _file_events(file) if file is not None else _topic_events(stack, settings)
        tell = stack.enter_context(_progress("replaying"))
        summary = replay(events, intake, lambda seen, _: tell(f"{seen.events} events"))
    out.print(_summary_table(summary))
    _print_books_line(parts.store.archive.books())


# Accounting and repair.


@app.command()
def books(
    format: Annotated[Literal["text", "json"], typer.Option(help="json: one object.")] = "text",
) -> None:
    """The equations that account for every record.

    Exit code 1 when one does not hold: then records were lost or counted twice, and somebody should
    know. In the embedded default the books live with the running `serve`: see its `/books`.
    """
    settings = _settings(quiet=True)
    _need_redis(settings)
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
        _print_books(found)
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
        with _topic_facts(settings) as facts:
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


@checkpoints_app.callback(invoke_without_command=True)
def checkpoints(context: typer.Context) -> None:
    """Where each partition stands: offset, account, what was received, skipped and lost."""
    if context.invoked_subcommand is not None:
        return
    settings = _settings(quiet=True)
    _need_redis(settings)
    table = Table("source", "partition", "segment", "first", "next", "received", "gaps", "lost")
    for book in build(settings).store.checkpoints.books():
        counts = book.counts
        table.add_row(
            book.source, str(book.partition), str(book.segment), str(book.first), str(book.next),
            *(str(counts.get(name, 0)) for name in ("received", "gaps", "lost")),
        )  # fmt: skip
    out.print(table)


@checkpoints_app.command("reset")
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
    settings = _settings()
    _need_redis(settings)
    from consumers import upkeep

    target: Start | int = int(to) if to.isdigit() else _start(to)
    if not yes:
        typer.confirm(f"Move the checkpoints of {settings.topic_answers} to {to}?", abort=True)
    parts = build(settings)
    with _topic_facts(settings) as facts:
        moved = upkeep.reset_checkpoints(
            parts.store, facts, settings.topic_answers, target, partition
        )
    for number, offset in moved.items():
        out.print(f"{settings.topic_answers}/{number}: next offset {offset}")


@dead_letters_app.command("list")
def list_dead_letters(
    reason: Annotated[str | None, typer.Option(help="Only this reason.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many rows.", min=1)] = 100,
) -> None:
    """What could not be taken: reason, message, where it came from. Never the payload itself."""
    from consumers import upkeep

    settings = _settings(quiet=True)
    table = Table("at", "reason", "source", "bytes", "message")
    shown = total = 0
    with _topic_facts(settings) as facts:
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


@dead_letters_app.command("redrive")
def redrive_dead_letters(
    reason: Annotated[str | None, typer.Option(help="Only this reason.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Sends the raw bytes to the answers topic again, after whatever refused them was mended.

    The letters stay where they are. What was cut to fit, or was never readable, is passed over.
    """
    settings = _settings()
    from consumers import runtime, upkeep
    from consumers.kafka import RecordProducer

    options = runtime.kafka_options(settings)
    if not yes:
        typer.confirm(f"Send dead letters to {settings.topic_answers} again?", abort=True)
    with (
        _topic_facts(settings) as facts,
        contextlib.closing(RecordProducer(options)) as producer,
    ):
        sent, passed = upkeep.redrive(
            facts, producer, settings.topic_dead_letters, settings.topic_answers,
            lambda letter: reason is None or letter.reason == reason, settings.topic_feedback,
        )  # fmt: skip
    out.print(f"{sent} sent again, {passed} passed over")


@app.command("rebuild")
def rebuild_command(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Restores a lost store from `rag.verdicts` and `rag.reviews`.

    Consumers are fenced off meanwhile and go on by themselves afterwards. Documents stay. If it is
    interrupted, run it again.
    """
    from consumers import upkeep

    settings = _settings()
    _need_redis(settings)
    if not yes:
        typer.confirm("Wipe the store and restore it from its topics?", abort=True)
    parts = build(settings)
    with contextlib.ExitStack() as stack:
        facts = stack.enter_context(_topic_facts(settings))
        tell = stack.enter_context(_progress("rebuilding"))
        report = rebuild(
            parts.store,
            chain(
                upkeep.verdict_values(facts, settings.topic_verdicts),
                upkeep.review_values(facts, settings.topic_reviews),
            ),
            lambda seen: tell(f"{seen.records} records read, {seen.batches} batches restored"),
        )
    _print_rebuild(report)
    _print_books_line(parts.store.archive.books())


@app.command("erase")
def erase_command(
    user_hash: Annotated[str, typer.Option(help="`user.id_hash`, as the events carry it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erases what a user's answers left behind: cases, audits, judge jobs and judgements.

    Counters and people's labels stay. What stands in the topics ages out with their retention; a
    rebuild leaves it out.
    """
    from consumers import runtime

    settings = _settings()
    _need_redis(settings)
    if not yes:
        typer.confirm("Erase everything of this user's answers?", abort=True)
    parts = build(settings)
    found = parts.store.erasure.erase(user_hash, int(time.time() * 1000))
    with runtime.verdict_sink(parts, Health()) as sink:
        flush(parts.store, sink)
    out.print(f"{found.cases} cases, {found.tasks} audits and {found.jobs} judge jobs erased")


@corpus_app.command("load")
def load_corpus(
    file: Annotated[
        typer.FileText, typer.Argument(help='Lines of {"ref": …, "text": …}; - is standard input.')
    ],
    corpus: Annotated[
        str, typer.Option(help="Name, as in the events' release.corpus; unnamed by default.")
    ] = "",
) -> None:
    """Loads chunk texts, so that events may come without them."""
    settings = _settings()
    _need_redis(settings)
    try:
        with _progress("loading") as tell:
            stored = build(settings).documents.load(
                read_chunks(file), corpus, lambda done: tell(f"{done} chunks")
            )
    except BadChunk as error:
        raise _fail(str(error)) from None
    out.print(f"{stored} chunks stored")


# Exports.

After = Annotated[
    str | None,
    typer.Option(help="Only what changed since this cursor, which an earlier export printed."),
]
ToFile = Annotated[
    Path | None,
    typer.Option("--output", help="Into this file; one that is there goes on where it stopped."),
]
OfApp = Annotated[str | None, typer.Option("--app", help="Only this app's answers.")]


@export_app.command("relevance")
def export_relevance(after: After = None, output: ToFile = None, of_app: OfApp = None) -> None:
    """Which chunks each question needs, as people ticked them: one JSON line a question.

    What retrieval is measured against. The formats are in `docs/review/exports.md`.
    """
    from service.exporting.relevance import relevance_export

    _export("relevance", lambda _, old: relevance_export(resumed=old), after, output, of_app)


@export_app.command("cases")
def export_cases(after: After = None, output: ToFile = None, of_app: OfApp = None) -> None:
    """Test cases of the answer step: the question, its chunks as they were, what people expect.

    `groundwatch check` reads the lines; put new answers in to see whether they are better.
    """
    from service.exporting.answer_cases import cases_export

    _export("cases", lambda *_: cases_export(), after, output, of_app)


@export_app.command("labels")
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
    settings = _settings(quiet=True)
    _need_redis(settings)
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
        tell = (lambda _: None) if watched else stack.enter_context(_progress("exporting"))
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


@app.command()
def schema() -> None:
    """The contract of an answer event as JSON Schema."""
    typer.echo(schema_text(), nl=False)


@app.command()
def config() -> None:
    """Every setting with its value and meaning; those that differ from the default are marked."""
    table = Table("setting", "value", "meaning")
    for name, value, meaning, changed in describe(_settings(quiet=True)):
        table.add_row(f"[bold]{name}[/bold]" if changed else name, value or "–", meaning)
    out.print(table)


# What the commands share.


def _settings(*, quiet: bool = False, **overrides: Any) -> Settings:
    settings = load_settings(**overrides)
    configure_logging("warning" if quiet else settings.log_level)
    return settings


def _need_redis(settings: Settings) -> None:
    if settings.redis_url == "memory://":
        raise Misconfiguration(
            "this command works on a Redis store: set GROUNDWATCH_REDIS_URL=redis://host:6379/0 "
            "(the memory:// store lives inside the process that serves)"
        )


@contextlib.contextmanager
def _topic_facts(settings: Settings) -> Iterator[TopicFacts]:
    from consumers import runtime
    from consumers.kafka import TopicFacts

    facts = TopicFacts(runtime.kafka_options(settings))
    try:
        yield facts
    finally:
        facts.close()


def _start(text: str) -> Start:
    if text in ("earliest", "latest"):
        return text  # type: ignore[return-value]
    try:
        time_ = datetime.fromisoformat(text)
    except ValueError:
        raise _fail(
            f"{text!r} is neither earliest, latest nor a time like 2026-11-30T08:00:00Z"
        ) from None
    return time_ if time_.tzinfo else time_.replace(tzinfo=UTC)


def _fail(message: str) -> typer.Exit:
    err.print(f"[red]error:[/red] {message}", highlight=False, markup=True)
    return typer.Exit(2)


def _stop_on_signals() -> threading.Event:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _patiently(make: Any, stop: threading.Event) -> Parts | None:
    """Wait for a dependency that is not up yet: things start in any order."""
    while not stop.is_set():
        try:
            parts: Parts = make()
        except Outage as outage:
            log.error("outage", error=str(outage))
            stop.wait(2.0)
        else:
            return parts
    return None


@contextlib.contextmanager
def _embedded(parts: Parts, data_dir: Path, **options: Any) -> Iterator[EmbeddedIntake]:
    intake = EmbeddedIntake(parts.store, parts.ingest, data_dir, **options)
    intake.open()
    try:
        yield intake
    finally:
        intake.close()


def _serve(
    parts: Parts,
    intake: Intake,
    settings: Settings,
    sink: EmbeddedIntake | None = None,
    scripted: bool = False,
    now: Callable[[], float] = time.time,
) -> None:
    """``sink``: where judgements go, when this process is to judge as well; ``scripted``: what
    judges is no model; ``now``: seconds since 1970 that answers are aged by."""
    from service.gauges import GaugeKeeper

    # Answers are taken in, whatever ails the judge's endpoint.
    health = Health(expects=("redis",), tolerates=("endpoint",))
    with contextlib.ExitStack() as stack:
        for keeper in (GaugeKeeper(parts, health, now), ControllerKeeper(controller(parts))):
            keeper.start()
            stack.callback(keeper.close)
        _introduce_judge(settings, health, scripted)
        if settings.judging and sink is not None:
            stack.callback(_judge_thread(parts, sink, health, scripted).close)
        reviews = stack.enter_context(_desk(parts, intake, health))
        feedback = stack.enter_context(_feedback(parts, sink))
        _run_web(parts, intake, feedback, reviews, settings, health, scripted, now)


JUDGE_OFF = "off: GROUNDWATCH_JUDGE_BASE_URL is not set"


def _judge_thread(
    parts: Parts, sink: EmbeddedIntake, health: Health, scripted: bool = False
) -> JudgeThread:
    from consumers.judge import JudgeThread

    return JudgeThread(parts, sink, health, scripted)


def _introduce_judge(settings: Settings, health: Health, scripted: bool) -> None:
    state = f"asks {settings.judge_model}" if settings.judging else JUDGE_OFF
    state += " (scripted: no model rules)" if scripted else ""
    health.set("judge", True, state)
    log.info("judge", state=state)


@contextlib.contextmanager
def _desk(parts: Parts, intake: Intake, health: Health) -> Iterator[Desk]:
    """Embedded, what a person said is in the journal before anybody is told that it is saved; else
    it is in Redis, and a thread produces it."""
    with contextlib.ExitStack() as stack:
        where: Sink
        if isinstance(intake, EmbeddedIntake):
            where = intake.reviews
        else:
            from consumers import runtime

            where = stack.enter_context(runtime.review_sink(parts, health))
        outbox = ReviewOutbox(parts.store, where)
        keeper = ReviewOutboxKeeper(outbox)
        keeper.start()
        stack.callback(keeper.close)
        embedded = isinstance(intake, EmbeddedIntake)
        yield desk(parts, outbox.flush if embedded else keeper.wake)


@contextlib.contextmanager
def _feedback(parts: Parts, sink: EmbeddedIntake | None) -> Iterator[Intake | None]:
    """Where feedback goes that comes over HTTP; None where it is off."""
    if not parts.settings.feedback_window_s:
        yield None
    elif not parts.settings.embedded:
        from consumers import runtime

        with runtime.kafka_feedback(parts) as intake:
            yield intake
    elif sink is None:
        yield None
    else:
        join = FeedbackJoin(parts.store, parts.documents, parts.terms)
        yield EmbeddedFeedback(parts.store, join, sink, parts.metrics)


def _run_web(
    parts: Parts,
    intake: Intake,
    feedback: Intake | None,
    reviews: Desk,
    settings: Settings,
    health: Health,
    scripted: bool,
    now: Callable[[], float],
) -> None:
    import uvicorn

    from service.web.app import create_app
    from service.web.options import WebOptions

    address = f"http://{settings.host}:{settings.port}"
    web = create_app(
        intake=intake,
        feedback=feedback,
        cases=parts.store.archive,
        tasks=parts.store.tasks,
        books=parts.store.archive.books,
        judge=_judge_state(parts, scripted),
        counters=parts.store.archive,
        desk=reviews,
        secret=parts.terms().secret,
        policy=lambda: parts.terms().policy,
        health=health,
        metrics=parts.metrics,
        settings=WebOptions(
            public_url=address, max_body_bytes=max(16 << 20, settings.max_event_bytes)
        ),
        now=now,
    )
    web.state.desk = reviews
    server = uvicorn.Server(
        uvicorn.Config(
            web, host=settings.host, port=settings.port, log_level="warning", access_log=False
        )
    )
    err.print(f"groundwatch serves on [bold]{address}[/bold]  (queue, books, API, metrics)")
    server.run()


def _judge_state(parts: Parts, scripted: bool) -> Callable[[], JudgeState]:
    from service.web.ports import JudgeState

    budget = controller(parts)

    def state() -> JudgeState:
        if not parts.settings.judging:
            return JudgeState()
        waiting, now_ms = parts.store.jobs.pending(), int(time.time() * 1000)
        return JudgeState(parts.settings.judge_model, scripted, waiting, budget.state(now_ms))

    return state


def _file_events(file: Any) -> Iterator[bytes]:
    for line in file:
        stripped = line.strip()
        if stripped:
            yield stripped


def _topic_events(stack: contextlib.ExitStack, settings: Settings) -> Iterator[bytes]:
    from consumers import upkeep

    facts = stack.enter_context(_topic_facts(settings))
    for value in upkeep.verdict_values(facts, settings.topic_answers):
        yield value or b""


@contextlib.contextmanager
def _progress(what: str) -> Iterator[Any]:
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), console=err, transient=True
    ) as bar:
        task = bar.add_task(what)
        yield lambda text: bar.update(task, description=f"{what}: {text}")


# What they print.


def _summary_table(summary: Summary) -> Table:
    table = Table(
        title=f"{summary.events} events, {summary.flagged} answers flagged", title_justify="left"
    )
    for column in ("check", "pass", "fail", "not applicable", "not evaluated"):
        table.add_column(column, justify="left" if column == "check" else "right")
    for name, outcomes in sorted(summary.outcomes.items()):
        table.add_row(
            name, *(str(outcomes[o]) for o in ("pass", "fail", "not_applicable", "not_evaluated"))
        )
    table.caption = "  ".join(
        [f"{state} {n}" for state, n in sorted(summary.states.items())]
        + [f"{check}/{reason} {n}" for (check, reason), n in summary.reasons.most_common(8)]
    )
    table.caption_justify = "left"
    return table


def _print_verdict(verdict: dict[str, Any]) -> None:
    if "error" in verdict:
        error = verdict["error"]
        out.print(f"[red]refused[/red]  {error['reason']}: {error['message']}", highlight=False)
        return
    outcomes = "  ".join(
        f"{name} {outcome}"
        for name, outcome in verdict["checks"].items()
        if outcome != "not_applicable"
    )
    out.print(f"{_printable(verdict['event_id'])}  {outcomes}", highlight=False, markup=False)
    for name, reason in verdict.get("not_evaluated", {}).items():
        out.print(f"    not evaluated {name}: {reason}", highlight=False, markup=False)
    for finding in verdict["findings"]:
        out.print(
            f"    {finding['severity']:6} {finding['check']}/{finding['reason']}: "
            f"{_printable(finding['detail'])}",
            highlight=False, markup=False,
        )  # fmt: skip


def _printable(text: str) -> str:
    """Text under watch, for a terminal: what would steer it is shown, not obeyed."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _print_books(found: Books) -> None:
    table = Table("equation", "left", "right", "imbalance")
    for equation in found.equations:
        left = " + ".join(f"{term} {n}" for term, n in equation.left.items())
        right = " + ".join(f"{term} {n}" for term, n in equation.right.items())
        colour = "green" if equation.imbalance == 0 else "bold red"
        table.add_row(equation.name, left, right, f"[{colour}]{equation.imbalance}[/{colour}]")
    out.print(table)
    _print_books_line(found)


def _print_books_line(found: Books) -> None:
    if found.balanced:
        out.print("The books balance.")
        return
    wrong = ", ".join(f"{e.name} by {e.imbalance}" for e in found.equations if e.imbalance)
    out.print(f"[bold red]The books do not balance:[/bold red] {wrong}")


def _print_judged(store: Store) -> None:
    """What a script said in the place of a model; claims are those of live answers."""
    totals, claims = store.archive.totals(), Counter[str]()
    for counter in store.archive.counters().values():
        for field, number in counter.items():
            measure = field.rpartition(SEPARATOR)[2]
            if measure.startswith("judge:claims:"):
                claims[measure.removeprefix("judge:claims:")] += number
    ruled = ", ".join(f"{verdict.replace('_', ' ')} {n}" for verdict, n in claims.most_common())
    out.print(
        f"Judge (scripted: no model ruled): judged {totals.get('judge:judged', 0)}, "
        f"undetermined {totals.get('judge:undetermined', 0)}, "
        f"failed {totals.get('judge:failed', 0)}; claims: {ruled or 'none'}"
    )


def _print_waiting(store: Store) -> None:
    states = store.archive.states()
    out.print(
        f"Waiting in the queue: {states.cases['open']} cases. Audit tasks, under /tasks: "
        f"{states.tasks['open']}; cases that they withhold: {states.cases['withheld']}."
    )


def _print_rebuild(report: Report) -> None:
    out.print(
        f"{report.records} records read "
        f"({report.unknown} of other kinds, {report.repeated} repeated); "
        f"{report.batches} batches, {report.cases} cases and {report.changes} changes of labels "
        "restored; "
        f"{report.holes} stretches of offsets that no batch covers; "
        f"{report.orphans} cases of batches that never closed (their events are read again); "
        f"{report.without_case} flagged answers whose case has aged out"
    )


def main() -> None:
    """Run a command. What an operator can mend ends with one clear line and exit code 2."""
    try:
        app()
    except (SettingsError, Misconfiguration, SchemaError, Outage, OSError, ValueError) as error:
        err.print("[red]error:[/red]", end=" ")
        err.print(str(error), highlight=False, markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
