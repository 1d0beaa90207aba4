"""`groundwatch measure retrieval` as a new user runs it: two files, no settings, no server."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from service import cli
from service.measuring.lines import BadLine
from service.measuring.runs import read_run

QUESTIONS: list[dict[str, Any]] = [
    {"query_id": "q-1", "query": "What does a seat cost?", "relevant": ["pricing#plans"],
     "tags": ["billing"]},
    {"query_id": "q-2", "query": "Wie lange?", "relevant": ["retention#logs", "gone#old"]},
    {"query_id": "q-3", "query": "Who may export?",
     "relevant": ["export#formats", "roles#admin", "export#permissions"]},
    {"query_id": "q-4", "query": "Wie wird das Wetter?", "behaviour": "no_answer"},
    {"query": "  Where is data STORED? ", "relevant": {"regions#eu": 2}},
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("GROUNDWATCH_"):
            monkeypatch.delenv(name)

    def write(name: str, lines: list[Any]) -> str:
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)

    return write


def run(*arguments: str, code: int = 0):
    result = CliRunner().invoke(cli.app, ["measure", "retrieval", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def event(name: str, query_id: str | None, query: str, *refs: str, **more: Any) -> dict[str, Any]:
    return {"event_id": name, "query": query, "query_id": query_id, "answer": "",
            "retrieved": [{"ref": ref} for ref in refs]} | more  # fmt: skip


EVENTS = [
    event("1", "q-1", "", "x", release={"id": "r1"}),
    event("2", "q-1", "", "pricing#plans", release={"id": "r1"}),
    event("3", "q-2", "", "retention#logs", "gone#old", release={"id": "r1"}),
    event("4", "q-3", "", "export#formats", "x", "roles#admin", purpose="probe",
          release={"id": "r1"}),
    event("5", None, "where is data stored?", "regions#eu", release={"id": "r1"}),
    event("6", "q-3", "", purpose="shadow"),
    event("7", "q-3", "", status="error"),
    event("8", None, "What else?"),
]  # fmt: skip


def test_events_give_a_report_and_a_run(files, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    result = run("--questions", files("q", QUESTIONS), "--events", files("e", EVENTS),
                 "--out", str(out))  # fmt: skip
    assert "5 questions, 4 measured, 1 excluded: 1 behaviour not answer." in result.stdout
    assert "q-3 2/3 missing: export#permissions" in result.stdout
    for note in (
        "lists before a later one of their question, and the last counts: 1",
        "lists joined by the words of their question: 1",
        "lists of no question of the set: 1",
        "events of status error, passed over: 1",
        "events of shadow traffic, passed over: 1",
    ):
        assert f"note: {note}" in result.stderr
    with out.open("rb") as lines:
        told = read_run(lines, "run")
    assert (told.header.run, told.header.release) == ("retrieval-r1", {"id": "r1"})
    assert told.header.questions.measured == len(told.outcomes) == 4
    assert told.by_id["q-1"].measures["recall@5"] == 1


def test_a_bad_line_of_the_corpus_is_named_with_its_file(files) -> None:
    corpus = files("corpus.jsonl", [{"ref": "pricing#plans", "text": "…"}, {"ref": "roles#admin"}])
    found = run("--questions", files("q", QUESTIONS), "--events", files("e", EVENTS),
                "--corpus", corpus, code=1)  # fmt: skip
    assert "corpus.jsonl, line 2: wanted" in str(found.exception)


def test_a_corpus_tells_stale_labels(files) -> None:
    refs = {ref for question in QUESTIONS for ref in question.get("relevant", ())} - {"gone#old"}
    corpus = files("c", [{"ref": ref, "text": "…"} for ref in sorted(refs)])
    result = run("--questions", files("q", QUESTIONS), "--events", files("e", EVENTS),
                 "--corpus", corpus, "--format", "json")  # fmt: skip
    told = json.loads(result.stdout)
    assert told["stale"] == {"q-2": ["gone#old"]}
    assert told["run"]["questions"]["excluded"] == {"behaviour": 1, "ref not in corpus": 1}


def test_evidence_is_measured_through_its_mapping(files, tmp_path: Path) -> None:
    asked = [{"query_id": "q-1", "query": "?", "evidence": ["ev-1", "ev-2"]},
             {"query_id": "q-2", "query": "??", "evidence": ["ev-9"]}]  # fmt: skip
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"ev-1": ["a"], "ev-2": ["b"]}))
    lists = files("r", [{"query_id": "q-1", "retrieved": ["b", "x"]}])
    result = run("--questions", files("q", asked), "--mapping", str(mapping), "--retrieved", lists,
                 "-k", "2")  # fmt: skip
    assert "2 questions, 1 measured, 1 excluded: 1 no mapping." in result.stdout
    assert "q-1 1/2 missing: a" in result.stdout


def test_lists_of_several_releases_are_told_and_one_can_be_chosen(files) -> None:
    events = files("e", [*EVENTS, event("9", "q-2", "", "y", release={"id": "r2"})])
    asked = files("q", QUESTIONS)
    assert "of 2 releases (r1, r2): choose one" in run(
        "--questions", asked, "--events", events
    ).stderr.replace("\n", " ")
    chosen = run("--questions", asked, "--events", events, "--release", "r2", "--format", "json")
    assert json.loads(chosen.stdout)["run"]["run"] == "retrieval-r2"


def test_a_line_that_is_no_event_is_told_by_its_number(files) -> None:
    events = files("e", [*EVENTS, {"event_id": "9", "answer": "geheim"}])
    result = run("--questions", files("q", QUESTIONS), "--events", events, code=1)
    assert "line 9: schema: query: required, but missing" in result.stderr
    assert "geheim" not in result.output


def test_nothing_to_measure_ends_with_code_1(files) -> None:
    result = run("--questions", files("q", QUESTIONS), "--retrieved", files("r", []), code=1)
    assert "Nothing retrieved for q-1, q-2, q-3" in result.stdout
    assert "nothing measured" in result.stdout


def test_one_source_of_lists_is_needed_and_one_only(files) -> None:
    asked = files("q", QUESTIONS)
    assert (
        "give one of --events, --retrieved and --target" in run("--questions", asked, code=2).stderr
    )


def test_a_bad_question_ends_with_its_file_and_line(files) -> None:
    asked = files("q", [*QUESTIONS, {"query": "?", "relevent": []}])
    failed = CliRunner().invoke(
        cli.app, ["measure", "retrieval", "--questions", asked, "--events", files("e", EVENTS)]
    )
    assert isinstance(failed.exception, BadLine)
    assert str(failed.exception).startswith("q, line 6: unknown field 'relevent'; did you mean")


def test_what_would_steer_the_terminal_is_shown(files) -> None:
    asked = files("q", [{"query_id": "\x1b[31mq", "query": "?", "relevant": ["\x07a"]}])
    lists = files("r", [{"query_id": "\x1b[31mq", "retrieved": []}])
    result = run("--questions", asked, "--retrieved", lists)
    assert "\x1b" not in result.output
    assert "\x07" not in result.output
    assert r"\x1b[31mq 0/1 missing: \x07a" in result.stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [(("--every", "soon"), "write a number and s, m, h or d"),
     (("--every", "1h", "--out", "run.jsonl"), "a folder that exists")],
    ids=["every", "out"],
)  # fmt: skip
def test_a_probe_that_cannot_work_says_so_at_once(files, more, message: str) -> None:
    asked = files("q", QUESTIONS)
    arguments = ["probe", "--questions", asked, "--target", "nowhere:answer", *more]
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_probe_of_several_apps_wants_one(files) -> None:
    asked = files("q", [QUESTIONS[0] | {"app": "a"}, QUESTIONS[2] | {"app": "b"}])
    arguments = ["probe", "--questions", asked, "--target", "nowhere:answer"]
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 2
    assert "of 2 apps: choose one by --app" in result.stderr


def test_a_folder_that_is_not_there_is_told_before_anything_is_measured(files, tmp_path) -> None:
    gone = tmp_path / "gone" / "run.jsonl"
    result = run(
        "--questions", files("q.jsonl", QUESTIONS), "--events", files("e.jsonl", EVENTS),
        "--out", str(gone), code=2,
    )  # fmt: skip
    assert "there is no folder" in result.stderr
    assert not result.stdout


def test_an_error_steers_no_terminal_and_stays_in_one_line(files, monkeypatch, capsys) -> None:
    questions = files("q.jsonl", [{"query": "x", "relevant": {"[/red]\x1b[31m" + "r" * 80: -1}}])
    monkeypatch.setattr(
        "sys.argv",
        ["groundwatch", "measure", "retrieval", "--questions", questions, "--retrieved", questions],
    )
    with pytest.raises(SystemExit):
        cli.main()
    (told,) = capsys.readouterr().err.splitlines()
    assert "relevant.[/red]\\x1b[31mrrr" in told
    assert told.endswith("Input should be greater than or equal to 0")
