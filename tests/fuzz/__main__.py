"""``python -m tests.fuzz SECONDS``: fuzz :func:`tests.fuzz.target.one_input`, seeded by our cases.

Ends with status 0 when nothing was found; a crashing input is kept under .cache/fuzz.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["service.checks", "service.events"]):
    from tests.fuzz.target import one_input

ROOT = Path(__file__).parents[2]
FOUND = ROOT / ".cache" / "fuzz"
LONGEST = 6_000
"""Bytes of an input: enough for every form, few enough for thousands of runs a second."""


SEEDS_A_SECOND = 30
"""Few enough that most of the time is left for inputs of its own, on a busy machine too."""


def write_seeds(folder: Path, most: int) -> None:
    """Labelled events twice: as JSON, and as answer, text and query. Of more than ``most``, some of
    each file."""
    files = sorted((ROOT / "tests" / "cases").glob("*.jsonl"))
    lines = {file: file.read_text(encoding="utf-8").splitlines() for file in files}
    step = 1 + 2 * sum(map(len, lines.values())) // most
    for cases in files:
        for number, line in enumerate(lines[cases][::step]):
            event = json.loads(line).get("event")
            if event is None:
                continue  # an attack on the judge is no event
            text = "\n".join(chunk.get("text") or "" for chunk in event["retrieved"])
            seed = "\0".join((event["answer"], text, event["query"]))
            whole = json.dumps({"event_id": "seed", **event}, ensure_ascii=False)
            (folder / f"{cases.stem}-{number}-text").write_bytes(seed.encode())
            (folder / f"{cases.stem}-{number}-event").write_bytes(whole.encode())


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    FOUND.mkdir(parents=True, exist_ok=True)
    # libFuzzer ends the process past every finally, so this folder lies where `make clean` looks
    seeds = FOUND / "seeds"
    shutil.rmtree(seeds, ignore_errors=True)
    seeds.mkdir()
    write_seeds(seeds, SEEDS_A_SECOND * seconds)
    arguments = [
        sys.argv[0], f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=20",
        "-print_final_stats=1", f"-artifact_prefix={FOUND}/", str(seeds),
    ]  # fmt: skip
    atheris.Setup(arguments, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
