"""`groundwatch measure answers` and `groundwatch measure system`: a target is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from service import bootstrap
from service.cli.measuring import (
    Corpus,
    K,
    MappingFile,
    OfApp,
    Questions,
    Split,
    TextOrJson,
    ToRun,
    header_of,
    known_refs,
    printable_lines,
    read_question_set,
    tell_replaced,
    write_run_file,
)
from service.cli.shared import printable, progress, settings_of
from service.settings import Settings, load_policy

if TYPE_CHECKING:
    from service.measuring.answered import Answered, Answering
    from service.measuring.targets.port import Target

TargetName = Annotated[
    str,
    typer.Option(
        "--target",
        help="The system to ask: a name under `targets` of the policy file, a Python "
        "`module:function`, or an http(s) address.",
    ),
]
WithJudge = Annotated[
    bool,
    typer.Option(
        "--judge/--no-judge", help="Ask the configured judge. Without one, facts and checks decide."
    ),
]
RunName = Annotated[
    str | None, typer.Option("--run", help="The run's name [default: kind and release, or time].")
]


def measure_system(
    questions: Questions,
    target: TargetName,
    k: K = 5,
    mapping: MappingFile = None,
    corpus: Corpus = None,
    split: Split = None,
    app: OfApp = None,
    judge: WithJudge = True,
    run: RunName = None,
    out: ToRun = None,
    format: TextOrJson = "text",
) -> None:
    """Asks the real system and says, question by question, whose fault a wrong answer is.

    Success, retrieval failure, generation failure, correct without evidence; with a judge also a
    wrong or outdated source. Put unanswerable questions (`"behaviour": "no_answer"`) into the set:
    an answer to one is invented. What an answer has to say stands in `facts` of a question. Try it:

    `groundwatch measure system --questions examples/target/relevance.jsonl --target
    examples.target:answer`

    Exit code 1 when a question got no answer; what came until then is in the report and in --out.
    """
    from service.measuring.answered import Answering
    from service.measuring.questions import select
    from service.measuring.runs import QuestionsUsed, Run
    from service.measuring.system import expectation_of, measured
    from service.measuring.system_report import system_json, system_text

    settings = settings_of(quiet=True)
    policy = load_policy(settings.policy)
    started = datetime.now(UTC)
    asked = read_question_set(questions, mapping)
    known = known_refs(settings, asked, corpus, set())
    selection = select(asked.questions, split=split, app=app, corpus=known, answerable=False)
    of_app = app or settings.default_app
    marker = run or f"system-{started:%Y-%m-%dT%H:%M:%SZ}"
    expected = [expectation_of(one, of_app, k, marker) for one in selection.measured]
    answering = Answering(expected, policy)
    judged_by = ask(answering, bootstrap.target(target, policy), settings, judge, len(expected))
    found = measured(selection.measured, answering.answered, k)
    header = header_of(
        "system",
        app=of_app,
        release=release_of(answering.answered),
        k=k,
        questions=QuestionsUsed.of(asked, selection),
        started=started,
    )
    header = replace(header, run=run or header.run, judge=judged_by)
    whole = Run(header, tuple(one.outcome for one in found))
    if format == "json":
        typer.echo(orjson.dumps(system_json(whole, selection, found)))
    else:
        typer.echo(printable_lines(system_text(whole, selection, found)))
    if out is not None:
        write_run_file(out, whole)
    _end(answering.answered)


def measure_answers(
    cases: Annotated[
        Path,
        typer.Option(
            help="Cases, one a line, as `groundwatch export cases` writes them; `facts` added.",
            exists=True,
            dir_okay=False,
        ),
    ],
    target: TargetName,
    judge: WithJudge = True,
    run: RunName = None,
    out: ToRun = None,
    format: TextOrJson = "text",
) -> None:
    """The answer step alone: each case's own chunks go to the answer endpoint.

    Free checks, expected facts and, where one is configured, the judge rule. The pass rate is the
    ceiling of the whole on these questions: it is taken over cases whose chunks hold all that is
    needed. The target has to answer from the `retrieved` that it is sent. Try it:

    `groundwatch measure answers --cases examples/target/cases.jsonl --target
    examples.target:answer`

    Exit code 1 when a case got no answer, or none could be measured.
    """
    from service.measuring.answered import Answering
    from service.measuring.answering import expectation_of, ruled
    from service.measuring.answers_report import answers_json, answers_text
    from service.measuring.cases import read_cases
    from service.measuring.runs import QuestionsUsed, Run

    settings = settings_of(quiet=True)
    policy = load_policy(settings.policy)
    started = datetime.now(UTC)
    asked = read_cases(cases.read_bytes(), cases.name)
    tell_replaced(asked.file, asked.replaced, "case")
    marker = run or f"answers-{started:%Y-%m-%dT%H:%M:%SZ}"
    answering = Answering([expectation_of(case, marker) for case in asked.measured], policy)
    total = len(asked.measured)
    judged_by = ask(answering, bootstrap.target(target, policy), settings, judge, total)
    found = ruled(asked.measured, answering.answered)
    apps = {case.event.app for case in asked.cases}
    header = header_of(
        "answers",
        app=apps.pop() if len(apps) == 1 else settings.default_app,
        release=release_of(answering.answered),
        k=None,
        questions=QuestionsUsed(
            asked.file, asked.sha256, len(asked.cases), len(found), asked.excluded
        ),
        started=started,
    )
    header = replace(header, run=run or header.run, judge=judged_by)
    whole = Run(header, tuple(one.outcome for one in found))
    if format == "json":
        typer.echo(orjson.dumps(answers_json(whole, found)))
    else:
        typer.echo(printable_lines(answers_text(whole, found)))
    if out is not None:
        write_run_file(out, whole)
    _end(answering.answered)


# ──────────────────────────────────────────────────────────────────────────────────── asking


def ask(
    answering: Answering, target: Target, settings: Settings, judge: bool, total: int
) -> Mapping[str, Any] | None:
    """Runs it, Ctrl-C included: what was answered until then is not thrown away. Returns who
    judged, as a run file has it."""
    judged = judge and settings.judging
    who: list[Mapping[str, Any]] = []
    with progress("asking") as tell:

        def told(through: int) -> None:
            tell(f"{through} of {total} questions")

        async def run() -> None:
            if not judged:
                await answering.run(target, None, told)
                return
            async with bootstrap.answer_judge(settings) as ruling:
                who.append(ruling.header)
                await answering.run(target, ruling, told)

        try:
            asyncio.run(run())
        except KeyboardInterrupt:
            typer.echo("note: broken off; what is not answered yet counts as not asked", err=True)
    return who[0] if who else None


def release_of(answered: Sequence[Answered]) -> Mapping[str, Any]:
    """The release that all answers tell, {} where they tell none or several."""
    from service.measuring.lists import told_release

    told = [told_release(one.event) for one in answered if one.event is not None]
    if any(release != told[0] for release in told):
        typer.echo("note: the answers are of several releases: the run names none", err=True)
        return {}
    return told[0] if told else {}


def _end(answered: Sequence[Answered]) -> None:
    """Exit code 1 where a question has no answer."""
    raise typer.Exit(1 if tell_failures(answered) or not answered else 0)


def tell_failures(answered: Sequence[Answered]) -> bool:
    """The first reason of each kind why a question has no answer; whether there is any."""
    failures: dict[str, str] = {}
    for one in answered:
        if one.event is None:
            failure: Any = one.got
            failures.setdefault(failure.reason.value, failure.message)
    for reason, message in failures.items():
        typer.echo(f"no answer ({reason}): {printable(message)}", err=True)
    return bool(failures)
