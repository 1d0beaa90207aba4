"""`groundwatch probe`: the question set through the live system, once or again and again."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import structlog
import typer

from service import bootstrap
from service.cli.measuring import (
    Corpus,
    K,
    MappingFile,
    OfApp,
    Questions,
    Split,
    header_of,
    in_a_folder,
    known_refs,
    printable_lines,
    read_question_set,
    write_run_file,
)
from service.cli.measuring_answers import TargetName, ask, release_of, tell_failures
from service.cli.shared import fail, printable, settings_of, stop_on_signals
from service.outage import Outage
from service.settings import Settings
from service.store import MEMORY_URL

if TYPE_CHECKING:
    from service.measuring.answered import Answered, Expectation
    from service.measuring.probed import ProbeResult
    from service.measuring.questions import Question, QuestionSet, Selection
    from service.measuring.runs import Run

log = structlog.get_logger(__name__)

_EVERY = re.compile(r"([1-9]\d{0,5})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def probe(
    questions: Questions,
    target: TargetName,
    every: Annotated[
        str | None, typer.Option(help="Again after so long, until stopped: 30m, 1h, 1d.")
    ] = None,
    k: K = 5,
    mapping: MappingFile = None,
    corpus: Corpus = None,
    split: Split = None,
    app: OfApp = None,
    judge: Annotated[
        bool, typer.Option("--judge/--no-judge", help="Ask the configured judge, which costs.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the run here; with --every a folder, for a file a probe.",
            show_default=False,
            callback=in_a_folder,
        ),
    ] = None,
) -> None:
    """Sends the labelled questions through the live system, after a release or every night.

    What it finds becomes metrics and stands on the overview, where `serve` uses the same Redis.
    The requests carry `purpose=probe` and an `event_id`: let the app copy both into its answer
    event, so that no probe enters a live rate. Try it once, without a server:

    `groundwatch probe --questions examples/target/relevance.jsonl --target examples.target:answer`

    Once, its exit code is 1 when a critical question has no hit, an unanswerable one got an answer,
    or a question got none.
    """
    pause_s = _seconds(every) if every is not None else None
    if pause_s is not None and out is not None and not out.is_dir():
        raise fail(f"--out {out}: with --every it is a folder that exists")
    settings = settings_of(quiet=True)
    asked = read_question_set(questions, mapping)
    of_app = app or _app_of(asked, settings)
    parts = bootstrap.build(settings)
    probing = _Probing(parts, asked, target, k, corpus, split, of_app, judge, out)
    if pause_s is not None:
        _again_and_again(probing, pause_s)
        return
    result = probing.turn()
    raise typer.Exit(1 if result.lost or result.answered or result.failed else 0)


def _seconds(every: str) -> int:
    found = _EVERY.fullmatch(every)
    if found is None:
        raise fail(f"--every {printable(every)}: write a number and s, m, h or d, such as 1h")
    return int(found[1]) * _SECONDS[found[2]]


def _app_of(asked: QuestionSet, settings: Settings) -> str:
    """The one that all questions name, as those of an export do."""
    apps = {question.app for question in asked.questions if question.app is not None}
    if len(apps) > 1:
        raise fail(f"the questions are of {len(apps)} apps: choose one by --app")
    return apps.pop() if apps else settings.default_app


def _again_and_again(probing: _Probing, pause_s: int) -> None:
    """A turn that fails is told, and the next one comes all the same."""
    stop: threading.Event = stop_on_signals()
    while not stop.is_set():
        try:
            probing.turn()
        except (Outage, OSError) as failure:  # OSError: the run cannot be written
            log.error("probe_failed", error=str(failure))
        stop.wait(pause_s)


@dataclass(frozen=True, slots=True)
class _Probing:
    """Everything of a probe that stays from turn to turn."""

    parts: bootstrap.Parts
    asked: QuestionSet
    target: str
    k: int
    corpus: Path | None
    split: str | None
    app: str
    judge: bool
    out: Path | None

    def turn(self) -> ProbeResult:
        """Ask, report, keep. Raises :class:`Outage` while the store is away."""
        from service.measuring.probe_report import probe_text
        from service.measuring.probed import result_of

        started = datetime.now(UTC)
        run, selection = self._run(started)
        label = self.parts.terms().policy.label(self.app)
        release = str(run.header.release.get("id") or "")
        ended_ms = int(datetime.now(UTC).timestamp() * 1000)
        result = result_of(run, label, release, ended_ms, self.k)
        typer.echo(printable_lines(probe_text(run, selection, result)))
        self._write(run, started)
        self._keep(result)
        return result

    def _run(self, started: datetime) -> tuple[Run, Selection]:
        """Every question is asked: which corpus their refs are looked up in, the answers tell."""
        from service.measuring.runs import QuestionsUsed, Run
        from service.measuring.system import measured

        marker = f"probe-{started:%Y-%m-%dT%H:%M:%SZ}"
        questions = self._selected(None).measured
        answered, judged_by = self._answers(questions, marker)
        corpora = {one.event.release.corpus or "" for one in answered if one.event is not None}
        documents = self.parts.documents
        selection = self._selected(
            known_refs(self.parts.settings, self.asked, self.corpus, corpora, documents)
        )
        kept = {question.query_id for question in selection.measured}
        found = [one.outcome for one in measured(questions, answered, self.k)]
        header = header_of(
            "probe",
            app=self.app,
            release=release_of(answered),
            k=self.k,
            questions=QuestionsUsed.of(self.asked, selection),
            started=started,
        )
        outcomes = tuple(outcome for outcome in found if outcome.query_id in kept)
        return Run(replace(header, run=marker, judge=judged_by), outcomes), selection

    def _selected(self, known: set[str] | None) -> Selection:
        from service.measuring.questions import select

        return select(
            self.asked.questions, split=self.split, app=self.app, corpus=known, answerable=False
        )

    def _answers(
        self, questions: Sequence[Question], marker: str
    ) -> tuple[Sequence[Answered], Mapping[str, Any] | None]:
        from service.measuring.answered import Answering
        from service.measuring.system import expectation_of

        terms = self.parts.terms()
        answering = Answering(
            [
                _marked(expectation_of(one, self.app, self.k, marker), terms.secret)
                for one in questions
            ],
            terms.policy,
        )
        target = bootstrap.target(self.target, terms.policy)
        judged_by = ask(answering, target, self.parts.settings, self.judge, len(questions))
        tell_failures(answering.answered)
        return answering.answered, judged_by

    def _write(self, run: Run, started: datetime) -> None:
        if self.out is None:
            return
        name = f"probe-{started:%Y%m%dT%H%M%SZ}.jsonl"
        write_run_file(self.out / name if self.out.is_dir() else self.out, run)

    def _keep(self, result: ProbeResult) -> None:
        """Without one answer nothing was found out: what the last probe found stays."""
        if self.parts.settings.redis_url == MEMORY_URL:
            typer.echo(
                "note: no metrics and no overview, as no Redis is configured "
                "(GROUNDWATCH_REDIS_URL)",
                err=True,
            )
        elif result.failed == result.questions:
            typer.echo("note: no question was answered; the last probe's result stays", err=True)
        else:
            self.parts.store.probes.keep(result)


def _marked(expected: Expectation, secret: bytes) -> Expectation:
    """With an id of event that the consumer knows for a probe's."""
    from service.measuring.probe_ids import NONCE_BYTES, probe_id

    event_id = probe_id(secret, secrets.token_bytes(NONCE_BYTES))
    return replace(expected, request=replace(expected.request, event_id=event_id))
