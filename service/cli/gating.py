"""gate: rules that have to hold, decided for CI."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from service.bootstrap import build
from service.cli.shared import need_redis, printable, settings_of
from service.estimates.bounds import Outcome, worst
from service.gating import Gatekeeper, LiveCounts
from service.measuring.gate_reports import junit, markdown, verdict_lines
from service.measuring.rules import RateRule

EXIT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.UNDECIDED: 3}
"""2 is a usage error, as everywhere."""


def gate(
    rules: Annotated[Path, typer.Argument(help="The rules file (YAML).")],
    names: Annotated[
        list[str] | None, typer.Option("--gate", help="Only this gate; may be given again.")
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(help="The new release; else the one that was first seen last."),
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")
    ] = None,
    markdown_file: Annotated[
        Path | None, typer.Option("--markdown", help="Write Markdown to this file.")
    ] = None,
    format: Annotated[
        Literal["text", "json"], typer.Option(help="json: one object a gate and line.")
    ] = "text",
) -> None:
    """Decides gates: exit code 0 pass, 1 fail, 3 undecided, 2 for a usage error.

    A gate passes when all of its rules hold, fails when one does not, and is undecided when one
    cannot be decided: too few questions, or an interval that spans the bound.

        gates:
          nightly:
            - {measure: recall@5, of: run.jsonl, at_least: 0.9, min_n: 30}
            - {no_regression_of: hit@5, questions: critical, of: run.jsonl, against: last.jsonl}
          release:
            - {rate: unresolved, at_most_ratio: 1.1, margin: 0.002, against: previous}

    Run files (`groundwatch measure`, `groundwatch probe`) lie beside the rules file. Rules of live
    rates read the store.
    """
    keeper = Gatekeeper(rules, None, time.time)
    gates = keeper.read().gates
    chosen = names or list(gates)
    if any(isinstance(rule, RateRule) for name in chosen for rule in gates.get(name, ())):
        keeper = Gatekeeper(rules, _live(), time.time)
    verdicts = [keeper.decide(name, release) for name in chosen]
    if junit_file is not None:
        junit_file.write_bytes(junit(verdicts))
    if markdown_file is not None:
        markdown_file.write_text(markdown(verdicts), encoding="utf-8")
    if format == "json":
        _echo(json.dumps(asdict(verdict), ensure_ascii=False) for verdict in verdicts)
    else:
        _echo(map(printable, verdict_lines(verdicts)))
    raise typer.Exit(EXIT_CODES[worst([verdict.state for verdict in verdicts])])


def _live() -> LiveCounts:
    settings = settings_of(quiet=True)
    need_redis(settings)
    return build(settings).store.archive


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)
