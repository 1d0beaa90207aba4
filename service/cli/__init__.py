"""The command line: composes everything, imported by nothing.

Kafka's client and the web framework are imported by the commands that need them: the others should
answer at once.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from service.cli import (
    checking,
    comparing,
    demo,
    doctor,
    exports,
    gating,
    judge_check,
    keys,
    measuring,
    measuring_answers,
    probing,
    reporting,
    running,
    showing,
    upkeep,
)
from service.cli.shared import print_error
from service.logs import log_what_nobody_caught
from service.outage import Misconfiguration, Outage
from service.settings import SettingsError
from service.store import SchemaError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"groundwatch {version('groundwatch')}")
        raise typer.Exit


@app.callback()
def groundwatch(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """Watches the answers of RAG systems: every answer checked, every verdict accounted for.

    Try it: `groundwatch demo`. Settings come from `GROUNDWATCH_*` (see `groundwatch config`).
    """


RUNNING = "Running"
app.command(rich_help_panel=RUNNING)(running.serve)
app.command(rich_help_panel=RUNNING)(running.consume)
app.command(rich_help_panel=RUNNING)(running.judge)
app.command(rich_help_panel=RUNNING)(demo.demo)

CHECKING = "Checking and measuring"
app.command(rich_help_panel=CHECKING)(checking.check)
app.command("evaluate", rich_help_panel=CHECKING)(checking.evaluate_command)
app.command("replay", rich_help_panel=CHECKING)(checking.replay_command)
app.command("judge-check", rich_help_panel=CHECKING)(judge_check.judge_check)

MEASURE = "Measure"
measuring.measure.command("answers")(measuring_answers.measure_answers)
measuring.measure.command("system")(measuring_answers.measure_system)
app.add_typer(measuring.measure, name="measure", rich_help_panel=MEASURE)
app.command(rich_help_panel=MEASURE)(probing.probe)
app.command(rich_help_panel=MEASURE)(comparing.compare)
app.command(rich_help_panel=MEASURE)(gating.gate)
app.command(rich_help_panel=MEASURE)(reporting.report)

UPKEEP = "Accounting and repair"
app.command(rich_help_panel=UPKEEP)(doctor.doctor)
app.command(rich_help_panel=UPKEEP)(upkeep.books)

checkpoints = typer.Typer(
    no_args_is_help=False,
    invoke_without_command=True,
    help="Where each partition stands; resets them.",
)
checkpoints.callback(invoke_without_command=True)(upkeep.checkpoints)
checkpoints.command("reset")(upkeep.reset_checkpoints)
app.add_typer(checkpoints, name="checkpoints", rich_help_panel=UPKEEP)

dead_letters = typer.Typer(
    no_args_is_help=True, help="Lists records that could not be taken; sends them again."
)
dead_letters.command("list")(upkeep.list_dead_letters)
dead_letters.command("redrive")(upkeep.redrive_dead_letters)
app.add_typer(dead_letters, name="dead-letters", rich_help_panel=UPKEEP)

api_keys = typer.Typer(no_args_is_help=True, help="Makes, lists and revokes keys of machines.")
api_keys.command("create")(keys.create_key)
api_keys.command("list")(keys.list_keys)
api_keys.command("revoke")(keys.revoke_key)
app.add_typer(api_keys, name="keys", rich_help_panel=UPKEEP)

app.command("rebuild", rich_help_panel=UPKEEP)(upkeep.rebuild_command)
app.command("erase", rich_help_panel=UPKEEP)(upkeep.erase_command)

corpus = typer.Typer(no_args_is_help=True, help="Loads chunk texts into the document store.")
corpus.command("load")(upkeep.load_corpus)
app.add_typer(corpus, name="corpus", rich_help_panel=UPKEEP)

TELLING = "Exports and settings"
export = typer.Typer(
    no_args_is_help=True,
    help="Writes what people said about answers, and what nobody could answer.",
)
export.command("relevance")(exports.export_relevance)
export.command("cases")(exports.export_cases)
export.command("labels")(exports.export_labels)
export.command("gaps")(exports.export_gaps)
app.add_typer(export, name="export", rich_help_panel=TELLING)
app.command(rich_help_panel=TELLING)(showing.schema)
app.command(rich_help_panel=TELLING)(showing.config)


def main() -> None:
    """Run a command. What an operator can mend ends with one clear line and exit code 2."""
    log_what_nobody_caught()
    try:
        app()
    except (SettingsError, Misconfiguration, SchemaError, Outage, OSError, ValueError) as error:
        print_error(str(error))
        sys.exit(2)
