"""`groundwatch measure system` and `measure answers` as a new user runs them: over the example
target, whose truth is known, with and without a judge, and over targets that fail."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from examples.target.__main__ import serve
from service import cli
from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Oracle
from service.measuring.lines import BadLine
from service.measuring.runs import Run, read_run
from service.outage import Misconfiguration
from tests.servers.llm import Answer, LlmServer, failure

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "target"
QUESTIONS = str(EXAMPLE / "relevance.jsonl")
CASES = str(EXAMPLE / "cases.jsonl")
CALLABLE = "examples.target:answer"

SUCCESS = dict.fromkeys(
    ("download-link", "priority-support", "failed-attempts", "inbound-port", "rest-limit", "trial",
     "api-v4", "universities", "bitcoin", "iphone", "other-customer"),
    "success",
)  # fmt: skip
KNOWN = SUCCESS | {
    "scale-seat": "generation_failure",
    "warehouse-tables": "generation_failure",
    "viewer-seat": "retrieval_failure",
    "old-agents": "retrieval_failure",
    "run-logs": "correct_without_evidence",
    "team-uptime": "source_wrong",
    "windows-memory": "invented_answer",
}
"""The truth about each question of the example."""


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    for name in list(os.environ):
        if name.startswith("GROUNDWATCH_"):
            monkeypatch.delenv(name)


@pytest.fixture
def judged_by(monkeypatch) -> Callable[[str], None]:
    def configure(base_url: str) -> None:
        monkeypatch.setenv("GROUNDWATCH_JUDGE_BASE_URL", base_url)
        monkeypatch.setenv("GROUNDWATCH_JUDGE_MODEL", "oracle")
        monkeypatch.setenv("GROUNDWATCH_JUDGE_PRICE_INPUT", "1")

    return configure


def measure(*arguments: str, code: int = 0):
    result = CliRunner().invoke(cli.app, ["measure", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def kept(path: Path) -> Run:
    with path.open("rb") as lines:
        return read_run(lines, path.name)


def diagnoses(run: Run) -> dict[str, str | None]:
    return {outcome.query_id: outcome.diagnosis for outcome in run.outcomes}


# ── the whole ─────────────────────────────────────────────────────────────────────────────────


def unfounded(watched: Mapping[str, Any], number: int) -> bool:
    return "Version 4.9" in str(watched["sentences"][number - 1]["text"])


def test_an_oracle_finds_every_diagnosis_of_the_example(tmp_path, judged_by):
    out = tmp_path / "run.jsonl"
    with ScriptedJudge(Oracle(unfounded)) as judge:
        judged_by(judge.base_url)
        result = measure(
            "system", "--questions", QUESTIONS, "--target", CALLABLE, "--out", str(out)
        )
    run = kept(out)
    assert diagnoses(run) == KNOWN
    measures = {one.query_id: one.measures for one in run.outcomes}
    assert measures["team-uptime"]["faithful"] == 1.0
    assert measures["team-uptime"]["correct"] == 0.0
    assert measures["windows-memory"]["faithful"] == 0.0
    assert measures["viewer-seat"]["recall@5"] == 0.0
    assert measures["run-logs"]["recall@5"] == 0.5
    assert measures["bitcoin"]["recall@5"] is None
    assert run.header.judge is not None
    assert run.header.judge["model"] == "oracle"
    assert run.header.release["id"] == "example-1"
    shown = result.stdout
    assert "Of 5 unanswerable questions 1 got an answer: 0.200 [" in shown
    assert "The judge: 0." in shown
    assert shown.index("* windows-memory: invented answer (severe)") < shown.index("* team-uptime")
    assert "source:    no chunk in the context says so" in shown


def test_without_a_judge_the_facts_decide_and_faithful_reads_not_judged(tmp_path):
    out = tmp_path / "run.jsonl"
    result = measure("system", "--questions", QUESTIONS, "--target", CALLABLE, "--out", str(out))
    run = kept(out)
    assert diagnoses(run) == KNOWN | {"team-uptime": "generation_failure"}
    assert run.header.judge is None
    assert {one.measures["faithful"] for one in run.outcomes} == {None}
    assert result.stdout.count("not judged") == len(KNOWN)
    assert "Without a judge, a wrong source reads as a generation failure." in result.stdout


@pytest.fixture
def policy_of(tmp_path, monkeypatch) -> Callable[[str], None]:
    """The example's policy file, with the target at another address."""

    def write(url: str, **more: Any) -> None:
        data = yaml.safe_load((EXAMPLE / "policy.yaml").read_text())
        data["targets"]["example"] |= {"url": url, **more}
        path = tmp_path / "policy.yaml"
        path.write_text(yaml.safe_dump(data))
        monkeypatch.setenv("GROUNDWATCH_POLICY", str(path))

    return write


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = serve(0)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/ask"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_same_comes_over_http_by_the_mapping_of_the_example(tmp_path, endpoint, policy_of):
    policy_of(endpoint)
    out = tmp_path / "run.jsonl"
    told = measure("system", "--questions", QUESTIONS, "--target", "example", "--format", "json",
                   "--out", str(out), "--run", "by-http")  # fmt: skip
    found = json.loads(told.stdout)
    run = kept(out)
    assert diagnoses(run) == KNOWN | {"team-uptime": "generation_failure"}
    assert found["diagnoses"]["retrieval_failure"] == 2
    assert found["worst"][0] == "windows-memory"
    assert (found["run"]["run"], run.header.run) == ("by-http", "by-http")
    measure("answers", "--cases", CASES, "--target", "example")


def test_a_target_that_goes_away_leaves_what_it_said(tmp_path, policy_of):
    out = tmp_path / "run.jsonl"
    good = Answer(b'{"text": "72 hours.", "sources": []}')
    with LlmServer() as server:
        server.play(*[good] * 5, Answer(status=503))
        policy_of(f"{server.base_url}/ask", concurrency=1)
        result = measure(
            "system", "--questions", QUESTIONS, "--target", "example", "--out", str(out), code=1
        )
    errors = [one.error for one in kept(out).outcomes]
    assert errors[:5] == [None] * 5
    assert errors[5:8] == ["http_status"] * 3
    assert set(errors[8:]) == {"not_asked"}
    assert f"no answer (http_status): {server.base_url}/ask: status 503" in result.stderr
    assert "no answer came" in result.stdout


def test_a_judge_that_cannot_be_asked_ends_it_before_the_target_is_asked(judged_by, tmp_path):
    with LlmServer() as server:
        server.play(failure(401))
        judged_by(server.base_url)
        result = measure("system", "--questions", QUESTIONS, "--target", CALLABLE, code=1)
    assert isinstance(result.exception, Misconfiguration)
    assert "--no-judge does without" in str(result.exception)
    measure("system", "--questions", QUESTIONS, "--target", CALLABLE, "--no-judge")


FIVE_LINES = """\
{"query_id": "q-1", "query": "How long?", "relevant": ["a"], "facts": [{"value": "72 hours"}]}
{"query_id": "q-2", "query": "How many?", "relevant": ["b"], "facts": [{"value": "3"}]}
{"query_id": "q-3", "query": "Who?", "relevant": ["c"], "facts": [{"text": "Only owners may."}]}
{"query_id": "q-4", "query": "Why?", "relevant": ["d"]}
{"query": "Wann?", "relevant": ["e"], "facts": [{"value": "morgens um 8 Uhr"}]}
"""
MY_RAG = """\
SAID = {"How long?": "For three days [a].", "How many?": "Not 3 [b].", "Who?": "Only owners may.",
        "Why?": "So.", "Wann?": "Um 8:00 Uhr [e]."}

def answer(request):
    assert request["purpose"] == "probe"
    chunks = [{"ref": ref, "text": "…"} for ref in "abcde"]
    return {"answer": SAID[request["query"]], "retrieved": chunks}
"""


@pytest.fixture
def five_lines(tmp_path, monkeypatch) -> str:
    (tmp_path / "my_rag.py").write_text(MY_RAG)
    (tmp_path / "relevance.jsonl").write_text(FIVE_LINES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_rag", raising=False)
    return str(tmp_path / "relevance.jsonl")


def test_from_five_lines_to_a_report(five_lines, tmp_path):
    told = measure("system", "--questions", five_lines, "--target", "my_rag:answer", "--out", "run")
    correct = [one.measures["correct"] for one in kept(tmp_path / "run").outcomes]
    assert correct == [1.0, None, None, None, 1.0]
    assert "Warning: no question of the set is unanswerable" in told.stdout
    assert "Warning: no expected facts for q-4:" in told.stdout


def test_the_judge_rules_on_what_code_leaves_undetermined(five_lines, judged_by, tmp_path):
    with ScriptedJudge() as judge:
        judged_by(judge.base_url)
        measure("system", "--questions", five_lines, "--target", "my_rag:answer", "--out", "run")
        # The probe, five rulings, and one call each for q-2 (a negation) and q-3 (words).
        assert judge.requests == 1 + 5 + 2
    correct = [one.measures["correct"] for one in kept(tmp_path / "run").outcomes]
    assert correct == [1.0, 0.0, 1.0, None, 1.0]


def test_a_fact_that_cannot_be_used_is_named_by_file_and_line(five_lines):
    path = Path(five_lines)
    path.write_text(path.read_text().replace('"3"', '"a few"'))
    result = measure("system", "--questions", five_lines, "--target", "my_rag:answer", code=1)
    assert isinstance(result.exception, BadLine)
    assert str(result.exception).startswith("relevance.jsonl, line 2: facts: fact 1: value 'a few'")


# ── retrieval alone ───────────────────────────────────────────────────────────────────────────


def test_retrieval_may_be_measured_on_what_a_target_retrieves(tmp_path):
    out = tmp_path / "run.jsonl"
    measure("retrieval", "--questions", QUESTIONS, "--target", CALLABLE, "--out", str(out))
    recalls = {one.query_id: one.measures["recall@5"] for one in kept(out).outcomes}
    assert len(recalls) == 13
    assert {name for name, recall in recalls.items() if recall != 1.0} == {
        "viewer-seat", "old-agents", "run-logs",
    }  # fmt: skip


def test_what_was_retrieved_before_it_was_broken_off_is_measured(tmp_path, monkeypatch):
    (tmp_path / "impatient.py").write_text(
        "def answer(request):\n"
        "    if request['query_id'] == 'priority-support':\n"
        "        raise KeyboardInterrupt\n"
        "    return {'answer': '', 'retrieved': [{'ref': 'exports#formats'}]}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = measure("retrieval", "--questions", QUESTIONS, "--target", "impatient:answer", code=1)
    assert "18 questions, 1 measured, 17 excluded" in result.stdout
    assert "broken off" in result.stderr


def test_a_target_that_only_searches_is_mapped_without_an_answer(tmp_path, policy_of):
    with LlmServer() as server:
        server.play(Answer(b'{"hits": [{"id": "grenzen#api"}]}'))
        response = {"answer": "''", "retrieved": {"each": "hits", "ref": "id"}}
        policy_of(f"{server.base_url}/search", response=response)
        shown = measure("retrieval", "--questions", QUESTIONS, "--target", "example").stdout
        assert "download-link 0/1 missing" in shown
        server.play(Answer(b"{}"))
        policy_of(f"{server.base_url}/search", response={"answer": "''"})
        told = measure("retrieval", "--questions", QUESTIONS, "--target", "example", code=1).stderr
        assert told.count("note: no list: the target does not say what it retrieved") == 1


# ── the documentation ─────────────────────────────────────────────────────────────────────────

COMMAND = re.compile(r"^groundwatch (measure (?:system|answers) .*examples\.target:answer)$", re.M)


@pytest.mark.parametrize(
    "page", ["README.md", "docs/measuring/answers.md", "docs/measuring/system.md"]
)
def test_what_the_page_shows_is_what_its_command_prints(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text(encoding="utf-8")
    printed = [measure(*command.split()[1:]).stdout for command in COMMAND.findall(text)]
    assert printed
    shown = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    for line in "".join(shown).splitlines():
        assert line == "…" or any(line in told.splitlines() for told in printed), line


# ── the answer step ───────────────────────────────────────────────────────────────────────────


def test_the_pass_rate_is_the_ceiling_over_cases_whose_chunks_suffice(tmp_path):
    out = tmp_path / "run.jsonl"
    told = measure("answers", "--cases", CASES, "--target", CALLABLE, "--out", str(out)).stdout
    run = kept(out)
    passed = {one.query_id: one.measures["passed"] for one in run.outcomes}
    failed = {"scale-seat", "warehouse-tables"}
    assert passed == {name: float(name not in failed) for name in passed}
    assert "viewer-seat" not in passed
    assert "8 cases, 7 measured, 1 apart: 1 chunks lack a needed ref." in told
    assert "5 of 7 passed: 0.714 [0.359,0.918] (95 % interval, Wilson)." in told
    assert "That is the ceiling of the whole system on these questions" in told
    assert "scale-seat        failed        not judged  lacks: 59 €" in told
    assert (run.header.kind, run.header.app, run.header.k) == ("answers", "nimmerwerk", None)


def test_a_judge_may_fail_a_case_that_code_passes(tmp_path, judged_by):
    with ScriptedJudge(Oracle(lambda watched, number: "TLS" in watched["question"])) as judge:
        judged_by(judge.base_url)
        told = measure("answers", "--cases", CASES, "--target", CALLABLE, "--format", "json").stdout
    why = {case["outcome"]["query_id"]: case["why"] for case in json.loads(told)["cases"]}
    assert why["tls"] == ["not faithful to its chunks"]
    assert why["download-link"] == []
