"""``groundwatch judge-check``: the judge against people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING, Annotated, Literal

import orjson
import typer
from rich.markup import escape
from rich.table import Table

from service import bootstrap
from service.bootstrap import Parts, build
from service.cli.shared import err, need_redis, out, printable, progress, settings_of
from service.estimates.bounds import Outcome, at_least, worst
from service.estimates.confusion import CLASSES, Confusion
from service.estimates.estimate import Estimate

if TYPE_CHECKING:
    from service.calibrations import Calibrations, JudgeFigures, JudgeScope
    from service.judging.calibration import Calibration
    from service.judging.drift import Drift, Twice
    from service.rejudging import Labelled

CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.UNDECIDED: 3}


def judge_check(
    app: Annotated[str | None, typer.Option(help="Only this app's answers.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Only answers in this language, such as de.")
    ] = None,
    min_sensitivity: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Of the bad answers, the share that it has to find."),
    ] = None,
    min_specificity: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Of the fine answers, the share that it has to pass."),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(min=1, max=90, help="So many, today's included [default: CALIBRATION_DAYS]."),
    ] = None,
    format: Annotated[
        Literal["text", "json"], typer.Option(help="json: all figures as one object.")
    ] = "text",
    rejudge: Annotated[
        bool,
        typer.Option(
            "--rejudge",
            help="Ask the judge as it is configured now about the labelled audits once more, and "
            "say what changed. Costs budget; stores nothing. Bounds hold for it.",
        ),
    ] = False,
    most: Annotated[
        int, typer.Option(min=1, max=5_000, help="Audits that --rejudge asks about, at most.")
    ] = 200,
) -> None:
    """How good the judge is, by people's audits: table, sensitivity, specificity, κ, AC1.

    Exit code 0: every bound that is set holds, with 95 % confidence. 1: one surely does not.
    3: too few labels to tell. `docs/measuring/judge-check.md` says how to read the rest.
    """
    from service.calibrations import JudgeScope, calibrations_over

    settings = settings_of(quiet=True)
    need_redis(settings)
    parts = build(settings)
    reader = calibrations_over(parts.store, days or settings.calibration_days, time, monotonic)
    scope = JudgeScope(app, language)
    figures = reader.of(scope)
    drift = _rejudged(parts, reader, scope, most) if rejudge else None
    checked = figures.calibration.confusion if drift is None else drift.now
    outcome = worst(
        [
            at_least(estimate, bound)
            for estimate, bound in (
                (checked.sensitivity, min_sensitivity), (checked.specificity, min_specificity),
            )
            if bound is not None
        ]
    )  # fmt: skip
    if format == "json":
        _print_json(figures, drift, outcome)
    else:
        _print_text(figures, drift)
        if min_sensitivity is not None or min_specificity is not None:
            out.print(_said(outcome), highlight=False)
    raise typer.Exit(CODES[outcome])


def _said(outcome: Outcome) -> str:
    return {
        Outcome.PASS: "[green]pass[/green]: every bound holds",
        Outcome.FAIL: "[bold red]fail[/bold red]: a bound surely does not hold",
        Outcome.UNDECIDED: "[yellow]undecided[/yellow]: too few labels to tell; label more audits",
    }[outcome]


# ── once more ─────────────────────────────────────────────────────────────────────────────────


def _rejudged(parts: Parts, reader: Calibrations, scope: JudgeScope, most: int) -> Drift:
    from service.judging.drift import drift_of
    from service.rejudging import Labelled

    answers = [
        Labelled(task, audit.said or "", ruled)
        for ruled, audit in reader.labelled(scope)[:most]
        if (task := parts.store.tasks.get(audit.answer_id)) is not None
    ]
    twice = asyncio.run(_ask(parts, answers))
    if missing := len(answers) - len(twice):
        err.print(f"{missing} of {len(answers)} left out: not kept whole, or no call was possible")
    return drift_of(twice)


async def _ask(parts: Parts, answers: Sequence[Labelled]) -> list[Twice]:
    from service.judging.corpora import Corpora
    from service.rejudging import rejudged

    settings, corpora = parts.settings, Corpora(parts.documents)
    judge, client = bootstrap.judge(parts, corpora)
    try:
        with progress("judging again") as tell:
            return await rejudged(
                answers,
                parts.terms().policy,
                judge,
                settings.judge_deadline_s,
                settings.judge_concurrency,
                lambda done: tell(f"{done} of {len(answers)} answers"),
            )
    finally:
        await client.close()


# ── printing ──────────────────────────────────────────────────────────────────────────────────


def _print_text(figures: JudgeFigures, drift: Drift | None) -> None:
    found = figures.calibration
    if not found.version:
        out.print("Nothing was judged in these days.")
        return
    out.print(
        f"Judge version {printable(found.version)}, {figures.days} days",
        highlight=False, markup=False,
    )  # fmt: skip
    if figures.family:
        out.print(
            f"[yellow]warning:[/yellow] judge and generator are both of the family "
            f"{figures.family}: models prefer what their own family wrote"
        )
    out.print(
        f"{found.judged} answers judged, {found.undecided} undecided; {found.labels} labels, "
        f"{found.unsaid} audits say nothing of grounding, {found.unmatched} are of answers that "
        "this version did not judge",
        highlight=False,
    )
    if not found.calibrated:
        out.print("[yellow]uncalibrated:[/yellow] no label for this judge version yet")
    else:
        _print_table("judge and people", found.confusion)
        _print_rate(found)
    for title, cuts in (("app", figures.by_app), ("language", figures.by_language)):
        if cuts:
            out.print(_cut_table(title, cuts))
    for earlier in figures.earlier:
        out.print(
            f"earlier version {printable(earlier.version)}: {_told(earlier.confusion)}, "
            f"{earlier.labels} labels",
            highlight=False, markup=False,
        )  # fmt: skip
    if drift is not None:
        _print_drift(drift)


def _print_table(title: str, table: Confusion) -> None:
    shown = Table("", "people: not grounded", "people: grounded", title=title, title_justify="left")
    for verdict in CLASSES:
        shown.add_row(f"judge: {verdict}", *(str(table.count(verdict, said)) for said in CLASSES))
    out.print(shown)
    agreed = table.agreement
    out.print(
        f"{_told(table)}, κ {_number(agreed.kappa)}, AC1 {_number(agreed.ac1)}", highlight=False
    )


def _print_rate(found: Calibration) -> None:
    needed = (
        "too few judged answers for ± 2 points"
        if found.needed is None
        else f"{found.needed} labels more for ± 2 points"
    )
    out.print(
        f"answers with a bad claim: {_percent(found.corrected)} corrected; "
        f"{_percent(found.judge_says)} by the judge alone, {_percent(found.people_say)} by the "
        f"labels alone; {needed}",
        highlight=False,
    )


def _cut_table(title: str, cuts: Mapping[str, Calibration]) -> Table:
    table = Table(title, "labels", "sensitivity", "specificity", "κ", "AC1", title_justify="left")
    for name, one in cuts.items():
        agreed = one.confusion.agreement
        table.add_row(
            escape(printable(name)), str(one.labels), _percent(one.confusion.sensitivity),
            _percent(one.confusion.specificity), _number(agreed.kappa), _number(agreed.ac1),
        )  # fmt: skip
    return table


def _print_drift(drift: Drift) -> None:
    out.print(
        f"judged again: {drift.answers} answers, {drift.undecided} undecided, "
        f"{len(drift.changed)} verdicts changed; both agree on "
        f"{_percent(drift.agreement.observed)}",
        highlight=False,
    )
    _print_table("now, on these answers", drift.now)
    out.print(f"before, on these answers: {_told(drift.before)}", highlight=False)
    for one in drift.changed:
        out.print(
            f"  {one.answer_id}  {one.before} → {one.now}, people: {one.said}", highlight=False
        )


def _told(table: Confusion) -> str:
    return f"sensitivity {_percent(table.sensitivity)}, specificity {_percent(table.specificity)}"


def _percent(estimate: Estimate) -> str:
    return _shown(estimate, lambda value: f"{100 * value:.1f} %")


def _number(estimate: Estimate) -> str:
    return _shown(estimate, lambda value: f"{value:.2f}")


def _shown(estimate: Estimate, told: Callable[[float], str]) -> str:
    if estimate.value is None:
        return "no data"
    if estimate.low is None or estimate.high is None:
        return told(estimate.value)
    return f"{told(estimate.value)} ({told(estimate.low)} to {told(estimate.high)})"


def _print_json(figures: JudgeFigures, drift: Drift | None, outcome: Outcome) -> None:
    from service.web.judged_api import drift_body, figures_body

    body = figures_body(figures) | {
        "outcome": outcome.value,
        "rejudged": None if drift is None else drift_body(drift),
    }
    typer.echo(orjson.dumps(body).decode())
