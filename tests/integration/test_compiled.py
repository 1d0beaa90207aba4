"""The compiled hot path finds, to the letter, what its source finds, and makes the same of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from itertools import islice
from pathlib import Path

import orjson
import pytest

from tests.bench.events import EventStream
from tests.servers import unavailable

ROOT = Path(__file__).parents[2]
COMPILED = ROOT / "build" / "compiled"
CASES = sorted((ROOT / "tests" / "cases").glob("*.jsonl"))

pytestmark = pytest.mark.timeout(1_800)  # minutes of a C compiler, the first time


@pytest.fixture(scope="session")
def compiled() -> Path:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        unavailable("no C compiler here: apt-get install gcc")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        unavailable("no Python.h here: apt-get install python3-dev")
    command = [sys.executable, "-m", "tools.compiled", str(COMPILED)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return COMPILED


def _python(path: Path, *arguments: str, given: bytes = b"") -> str:
    """Standard output of Python with the packages of ``path``; ``given``: its standard input."""
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONSAFEPATH": "1"}
    run = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, input=given, check=False
    )
    assert run.returncode in (0, 1), run.stderr.decode()  # 1: something was found
    return run.stdout.decode()


def test_all_modules_of_the_hot_path_are_compiled(compiled: Path) -> None:
    said = (
        "import sys, service.cli, service.checks\n"
        "around = ('accounting', 'drafts', 'makeup', 'pipeline', 'questions', 'sampling',\n"
        "    *('redaction.' + name for name in ('answers', 'mask', 'plain', 'redactor')))\n"
        "for name, module in sorted(sys.modules.items()):\n"
        "    checks = name.startswith('service.checks.') and not hasattr(module, '__path__')\n"
        "    if checks or name.removeprefix('service.') in around:\n"
        "        print(module.__file__)\n"
    )
    files = _python(compiled, "-c", said).split()
    assert len(files) > 30
    assert [one for one in files if not (one.startswith(str(compiled)) and one[-3:] == ".so")] == []


@pytest.fixture(scope="session")
def found(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Path, list[str]]:
    """By case file, what the compiled package and its source say of it. Each reads all of them in
    one process: a start takes longer than a file."""
    together = tmp_path_factory.mktemp("cases") / "all.jsonl"
    together.write_bytes(b"".join(cases.read_bytes() for cases in CASES))
    command = ("-m", "service.cli", "check", str(together), "--format", "json")
    said = [iter(_python(path, *command).splitlines(keepends=True)) for path in (compiled, ROOT)]
    by_file = {
        cases: ["".join(islice(lines, _count_of_lines(cases))) for lines in said] for cases in CASES
    }
    assert [list(lines) for lines in said] == [[], []]
    return by_file


def _count_of_lines(cases: Path) -> int:
    lines = cases.read_bytes().split(b"\n")
    assert lines.pop() == b"", f"{cases.name} must end its last line"
    assert all(map(bytes.strip, lines)), f"{cases.name} must hold no empty line"
    return len(lines)


@pytest.mark.parametrize("cases", CASES, ids=lambda path: path.stem)
def test_it_finds_what_the_source_finds(found: dict[Path, list[str]], cases: Path) -> None:
    compiled, source = found[cases]
    assert compiled.count("\n") == _count_of_lines(cases) > 20
    assert compiled == source


EFFECTS = """
import sys
from dataclasses import fields
from service.accounting import counters_of, encode_row, totals_of
from service.pipeline import Batch, Seen, Terms, look_again, process, read_items
from service.policy import AppPolicy, Policy
from service.records import Record

policy = Policy(default=AppPolicy(dimensions={"channel": ["web"]}))
terms = Terms(policy, b"secret", judge=True, releases_per_app=3)
records = [
    Record(0, number, 1_764_000_000_000, None, line)
    for number, line in enumerate(sys.stdin.buffer.read().split(b"\\n"))
]
items = read_items(records, terms)
batch = Batch("topic", 0, "", 0, 0, len(records), len(records), 0, {}, items)
effects = process(batch, {}, Seen(), terms)
for name in (field.name for field in fields(effects)):
    if name not in ("batch", "rows", "results"):
        print(name, getattr(effects, name))
for row in effects.rows:
    print(encode_row(row))
print(sorted(totals_of(effects.rows).items()))
print(sorted((place, sorted(sums.items())) for place, sums in counters_of(effects.rows).items()))
one = Batch("topic", 0, "", 0, 0, 1, 1, 0, {}, items[:1])
print(encode_row(look_again(one, {}, terms).row))
"""


def test_it_makes_the_same_rows_cases_and_jobs(compiled: Path) -> None:
    events = [event for _, event in zip(range(400), EventStream("zipf").take(400), strict=True)]
    event = orjson.loads(events[0])
    odd = [
        event | {"event_id": "app", "app": "nobody's"},
        event | {"event_id": "error", "status": "error"},
        event | {"event_id": "probe", "purpose": "probe", "language": "fr-CA"},
        event | {"event_id": "late", "occurred_at": "0001-01-01T00:00:00Z"},
        *(
            event | {"event_id": f"r{n}", "release": {"id": f"r{n}", "model": "m"}}
            for n in range(5)
        ),
    ]
    poison = [b"", b"{", b'{"schema_version": 9}', events[0]]
    lines = b"\n".join([*events, *map(orjson.dumps, odd), *poison])
    made = _python(compiled, "-c", EFFECTS, given=lines)
    assert "sampled_out" in made
    assert made.count("CaseDraft(") > 10
    assert made == _python(ROOT, "-c", EFFECTS, given=lines)
