"""Measuring on labelled questions: `measure retrieval`, and what it shares with its siblings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
import typer

from service.bootstrap import build
from service.checking import read_event
from service.cli.shared import fail, printable, settings_of
from service.cli.target_lists import TargetLists
from service.documents import BadChunk, Documents, read_chunks
from service.events import AnswerEvent, Rejection
from service.settings import Settings, load_policy
from service.store import MEMORY_URL

if TYPE_CHECKING:
    from service.measuring.lists import Joined, RetrievedList
    from service.measuring.questions import QuestionSet, Selection
    from service.measuring.runs import Kind, Run, RunHeader

measure = typer.Typer(
    no_args_is_help=True, help="Measures a RAG system on labelled questions: its parts, the whole."
)


def in_a_folder(file: Path | None) -> Path | None:
    """Told before anything is asked: what was answered should not be lost for want of a folder."""
    if file is not None and not file.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {file.parent}")
    return file


Questions = Annotated[
    Path,
    typer.Option(
        help='Labelled questions, one a line: {"query_id": …, "query": …, "relevant": ["ref", …]}.',
        exists=True, dir_okay=False,
    ),
]  # fmt: skip
MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        help='Of questions that name evidence: {"evidence id": ["ref", …]}.',
        exists=True, dir_okay=False,
    ),
]  # fmt: skip
Corpus = Annotated[
    Path | None,
    typer.Option(
        help='Every chunk there is, one {"ref": …, "text": …} a line, to tell stale labels '
        "[default: what was loaded into the configured Redis].",
        exists=True, dir_okay=False,
    ),
]  # fmt: skip
Split = Annotated[str | None, typer.Option(help="Only questions of this split.")]
OfApp = Annotated[str | None, typer.Option("--app", help="Only questions and answers of this app.")]
ToRun = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Write the run here, to compare it and to gate by it.",
        dir_okay=False, writable=True, callback=in_a_folder,
    ),
]  # fmt: skip
TextOrJson = Annotated[Literal["text", "json"], typer.Option("--format", help="json: one object.")]
K = Annotated[int, typer.Option("-k", min=1, help="How many refs of a list count.")]


@measure.command("retrieval")
def measure_retrieval(
    questions: Questions,
    events: Annotated[
        Path | None,
        typer.Option(help="Answer events, one a line: their retrieved chunks.", exists=True),
    ] = None,
    retrieved: Annotated[
        Path | None,
        typer.Option(
            help='Lists of refs, one a line: {"query_id": …, "retrieved": ["ref", …]}.', exists=True
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="A system to ask, as `measure system` takes it.")
    ] = None,
    k: K = 5,
    mapping: MappingFile = None,
    corpus: Corpus = None,
    split: Split = None,
    app: OfApp = None,
    release: Annotated[
        str | None, typer.Option(help="Only events of the release with this id.")
    ] = None,
    out: ToRun = None,
    format: TextOrJson = "text",
) -> None:
    """Hit rate, precision, recall, MRR and nDCG of retrieval, on labelled questions.

    Lists come from answer events or from a file, and are joined by `query_id`, else by the words of
    the question; or from a system that is asked. Prints what is missing question by question, means
    with 95 % intervals, by tag, and which questions are in no mean. Try it with what `groundwatch
    export relevance` writes.
    Exit code 1 when nothing could be measured, a line of the events could not be read, or the
    system gave no list for a question.
    """
    from service.measuring.lists import join, read_lists
    from service.measuring.questions import select
    from service.measuring.retrieval import outcome_of, with_lists
    from service.measuring.runs import QuestionsUsed, Run

    if sum(source is not None for source in (events, retrieved, target)) != 1:
        raise fail("give one of --events, --retrieved and --target: where retrieved lists are")
    settings = settings_of(quiet=True)
    started = datetime.now(UTC)
    asked = read_question_set(questions, mapping)
    taken: _Events | TargetLists | None = None
    if events is not None:
        taken = _Events(settings, events, app, release)
    elif target is not None:
        wanted = select(asked.questions, split=split, app=app).measured
        taken = TargetLists(settings, target, wanted, k, f"retrieval-{started:%Y-%m-%dT%H:%M:%SZ}")
    lists = taken or read_lists(_bytes(retrieved), str(retrieved))
    joined = join(asked.questions, lists)
    known = known_refs(settings, asked, corpus, _corpora(joined))
    selected = select(asked.questions, split=split, app=app, corpus=known)
    selection = with_lists(selected, joined.lists)
    outcomes = tuple(
        outcome_of(question, joined.lists[question.query_id], k) for question in selection.measured
    )
    told = joined.releases
    header = header_of(
        "retrieval",
        app=app or _app_of(joined) or settings.default_app,
        release=told[0] if len(told) == 1 else {},
        k=k,
        questions=QuestionsUsed.of(asked, selection),
        started=started,
    )
    run = Run(header, outcomes)
    for note in (*_notes(joined), *(taken.notes if taken else ())):
        typer.echo(f"note: {note}", err=True)
    print_retrieval(run, selection, k, format)
    if out is not None:
        write_run_file(out, run)
    raise typer.Exit(1 if not outcomes or (taken and taken.unread) else 0)


# ------------------------------------------------------------------------------- what is read


def read_question_set(file: Path, mapping: Path | None = None) -> QuestionSet:
    from service.measuring.questions import read_mapping, read_questions

    mapped = read_mapping(_bytes(mapping), str(mapping)) if mapping is not None else None
    asked = read_questions(file.read_bytes(), file.name, mapped)
    tell_replaced(asked.file, asked.replaced, "question")
    return asked


def tell_replaced(file: str, lines: int, of: str) -> None:
    if lines:
        typer.echo(
            f"note: lines of {file} that a later one of their {of} replaced: {lines}", err=True
        )


def _bytes(file: Path | None) -> bytes:
    return file.read_bytes() if file is not None else b""


def known_refs(
    settings: Settings,
    asked: QuestionSet,
    corpus: Path | None,
    corpora: set[str],
    documents: Documents | None = None,
) -> set[str] | None:
    """Of the refs that labels name, those that exist: in the file, or in what was loaded into the
    configured Redis as one of ``corpora``, the unnamed one where none is given. None where neither
    is there to ask. ``documents``: of that Redis, where they are built already."""
    if corpus is not None:
        with corpus.open(encoding="utf-8") as lines:
            try:
                return {ref for ref, _ in read_chunks(lines)}
            except BadChunk as error:
                raise BadChunk(f"{corpus.name}, {error}") from None
    if settings.redis_url == MEMORY_URL:
        return None
    refs = {ref for question in asked.questions for ref in question.relevant}
    documents = documents or build(settings).documents
    loaded = [documents.loaded(name, refs) for name in sorted(corpora or {""})]
    there = [found for found in loaded if found is not None]
    return set().union(*there) if there else None


def _corpora(joined: Joined) -> set[str]:
    return {str(release.get("corpus") or "") for release in joined.releases}


class _Events:
    """The retrieved lists of the events of a file, and what became of its other lines."""

    def __init__(
        self, settings: Settings, file: Path, app: str | None, release: str | None
    ) -> None:
        self._file, self._app, self._release = file, app, release
        self._policy = load_policy(settings.policy)
        self.unread: list[str] = []
        self.passed_over = {"of status error": 0, "of shadow traffic": 0}

    def __iter__(self) -> Iterator[RetrievedList]:
        from service.measuring.lists import of_event

        with self._file.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                event = read_event(line, self._policy)
                if isinstance(event, Rejection):
                    self.unread.append(f"line {number}: {event.reason.value}: {event.message}")
                elif self._wanted(event):
                    yield of_event(event)

    def _wanted(self, event: AnswerEvent) -> bool:
        if event.status == "error" or event.purpose == "shadow":
            kind = "of status error" if event.status == "error" else "of shadow traffic"
            self.passed_over[kind] += 1
            return False
        return (self._app in (None, event.app)) and (self._release in (None, event.release.id))

    @property
    def notes(self) -> list[str]:
        told = [f"events {kind}, passed over: {n}" for kind, n in self.passed_over.items() if n]
        if self.unread:
            told.append(f"lines of {self._file} that are no answer event: {len(self.unread)}")
            told += self.unread[:_SHOWN]
        return told


_SHOWN = 5


def _notes(joined: Joined) -> Iterator[str]:
    if joined.repeated:
        yield f"lists before a later one of their question, and the last counts: {joined.repeated}"
    if joined.by_words:
        yield f"lists joined by the words of their question: {joined.by_words}"
    if joined.unasked:
        yield f"lists of no question of the set: {joined.unasked}"
    if len(joined.releases) > 1:
        names = ", ".join(printable(str(each.get("id", "–"))) for each in joined.releases[:_SHOWN])
        yield f"the lists are of {len(joined.releases)} releases ({names}): choose one by --release"


def _app_of(joined: Joined) -> str | None:
    apps = {each.app for each in joined.lists.values()}
    return apps.pop() if len(apps) == 1 else None


# ---------------------------------------------------------------------------------- what is told


def header_of(
    kind: Kind, *, app: str, release: Any, k: int | None, questions: Any, started: datetime
) -> RunHeader:
    """Its name: the kind with the release's id, else with the time."""
    from service.measuring.runs import RunHeader

    at = started.strftime("%Y-%m-%dT%H:%M:%SZ")
    return RunHeader(
        kind=kind,
        run=f"{kind}-{release.get('id') or at}",
        app=app,
        release=release,
        k=k,
        questions=questions,
        started_at=at,
        groundwatch=version("groundwatch"),
    )


def write_run_file(file: Path, run: Run) -> None:
    from service.measuring.runs import write_run

    file.write_bytes(b"".join(write_run(run)))
    typer.echo(f"written: {file}", err=True)


def print_retrieval(run: Run, selection: Selection, k: int, format: str) -> None:
    from service.measuring.report import retrieval_json, retrieval_text

    if format == "json":
        typer.echo(orjson.dumps(retrieval_json(run, selection, k)))
    else:
        typer.echo(printable_lines(retrieval_text(run, selection, k)))


def printable_lines(lines: list[str]) -> str:
    """Ids, refs and tags come from files: what would steer a terminal is shown, not obeyed."""
    return "\n".join(map(printable, lines))
