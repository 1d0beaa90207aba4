"""What the commands print."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.table import Table

from service.accounting import SEPARATOR, Books
from service.cli.shared import out, printable
from service.rebuild import Report
from service.replay import Summary
from service.store import Store

if TYPE_CHECKING:
    pass


def summary_table(summary: Summary) -> Table:
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


def print_verdict(verdict: dict[str, Any]) -> None:
    if "error" in verdict:
        error = verdict["error"]
        out.print(f"[red]refused[/red]  {error['reason']}: {error['message']}", highlight=False)
        return
    outcomes = "  ".join(
        f"{name} {outcome}"
        for name, outcome in verdict["checks"].items()
        if outcome != "not_applicable"
    )
    out.print(f"{printable(verdict['event_id'])}  {outcomes}", highlight=False, markup=False)
    for name, reason in verdict.get("not_evaluated", {}).items():
        out.print(f"    not evaluated {name}: {reason}", highlight=False, markup=False)
    for finding in verdict["findings"]:
        out.print(
            f"    {finding['severity']:6} {finding['check']}/{finding['reason']}: "
            f"{printable(finding['detail'])}",
            highlight=False, markup=False,
        )  # fmt: skip


def print_books(found: Books) -> None:
    table = Table("equation", "left", "right", "imbalance")
    for equation in found.equations:
        left = " + ".join(f"{term} {n}" for term, n in equation.left.items())
        right = " + ".join(f"{term} {n}" for term, n in equation.right.items())
        colour = "green" if equation.imbalance == 0 else "bold red"
        table.add_row(equation.name, left, right, f"[{colour}]{equation.imbalance}[/{colour}]")
    out.print(table)
    print_books_line(found)


def print_books_line(found: Books) -> None:
    if found.balanced:
        out.print("The books balance.")
        return
    wrong = ", ".join(f"{e.name} by {e.imbalance}" for e in found.equations if e.imbalance)
    out.print(f"[bold red]The books do not balance:[/bold red] {wrong}")


def print_judged(store: Store) -> None:
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


def print_waiting(store: Store) -> None:
    states = store.archive.states()
    out.print(
        f"Waiting in the queue: {states.cases['open']} cases. Audit tasks, under /tasks: "
        f"{states.tasks['open']}; cases that they withhold: {states.cases['withheld']}."
    )


def print_rebuild(report: Report) -> None:
    out.print(
        f"{report.records} records read "
        f"({report.unknown} of other kinds, {report.repeated} repeated); "
        f"{report.batches} batches, {report.cases} cases and {report.changes} changes of labels "
        "restored; "
        f"{report.holes} stretches of offsets that no batch covers; "
        f"{report.orphans} cases of batches that never closed (their events are read again); "
        f"{report.without_case} flagged answers whose case has aged out"
    )
