"""The package with its hot path compiled to C by mypyc: ``python -m tools.compiled DIRECTORY``.

The source stays the truth and runs everywhere; the copy in the directory finds the same things, in
less time (docs/decisions/0009-compiled-checks.md). It runs where the directory comes first on
PYTHONPATH. Needs a C compiler; what has not changed since the last time is not compiled again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import Distribution
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parents[1]
PACKAGES = ("service", "consumers")
COMPILED = (
    "service/checks/**/*.py",
    "service/pipeline.py",
    "service/accounting.py",
    "service/makeup.py",
    "service/sampling.py",
    "service/drafts.py",
    "service/json_constants.py",
    "service/measuring/probe_ids.py",
    "service/metrics/told.py",
    "service/questions.py",
    "service/redaction/answers.py",
    "service/redaction/mask.py",
    "service/redaction/plain.py",
    "service/redaction/redactor.py",
)
OPTIMIZATION = "3"


def sources() -> list[str]:
    """What is compiled: the checks, and what is done with every answer around them. The packages'
    ``__init__`` stay Python, where the bench puts its stop-watches."""
    found = {path.relative_to(ROOT) for pattern in COMPILED for path in ROOT.glob(pattern)}
    return sorted(str(path) for path in found if path.name != "__init__.py")


def compile_into(target: Path) -> None:
    """Write the packages and the extensions to ``target``, C files and objects beside it."""
    target = target.resolve()
    work = target.with_name(f"{target.name}-work")
    os.chdir(ROOT)  # mypyc names modules by their paths from here
    extensions = mypycify(
        ["--config-file=pyproject.toml", *sources()],
        target_dir=str(work),
        opt_level=OPTIMIZATION,
        debug_level="0",
        multi_file=True,
    )
    command = build_ext(Distribution({"name": "groundwatch", "ext_modules": extensions}))
    command.build_lib = str(work / "lib")
    command.build_temp = str(work / "objects")
    command.ensure_finalized()
    command.run()
    shutil.rmtree(target, ignore_errors=True)
    for package in PACKAGES:
        shutil.copytree(package, target / package, ignore=shutil.ignore_patterns("__pycache__"))
    for built in map(Path, command.get_outputs()):  # not what earlier builds left beside it
        shutil.copy2(built, target / built.relative_to(work / "lib"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.compiled", description=__doc__)
    parser.add_argument("directory", type=Path)
    compile_into(parser.parse_args().directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
