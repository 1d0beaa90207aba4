"""What is configured: schema, config."""

from __future__ import annotations

import typer
from rich.padding import Padding
from rich.text import Text

from service.cli.shared import out, settings_of
from service.contract_schema import schema_text
from service.settings import describe


def schema() -> None:
    """The contract of an answer event as JSON Schema."""
    typer.echo(schema_text(), nl=False)


def config() -> None:
    """Every setting with its value and meaning; those that differ from the default are bold."""
    for name, value, meaning, changed in describe(settings_of(quiet=True)):
        line = Text(f"{name}={value}", style="bold" if changed else "", overflow="fold")
        out.print(line, highlight=False)
        out.print(Padding(Text(meaning), (0, 0, 0, 4)))
