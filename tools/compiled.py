"""The package with its hot path compiled to C by mypyc: ``python -m tools.compiled DIRECTORY``.

The source stays the truth and runs everywhere; the copy in the directory finds the same things, in
less time (docs/decisions/0009-compiled-checks.md). It runs where the directory comes first on
PYTHONPATH. Needs a C compiler; what has not changed since the last time is not compiled again, and
where nothing has, the directory stays as it is.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

from mypy.version import __version__
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


def digest_of_all() -> str:
    """Of everything that the directory depends on."""
    digest = hashlib.sha256(f"{sys.version} {__version__} {OPTIMIZATION}".encode())
    files = [Path(__file__), ROOT / "pyproject.toml"]
    for package in PACKAGES:
        files += (ROOT / package).rglob("*")
    for file in sorted(files):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"\n{file}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def compile_into(target: Path) -> None:
    """Write the packages and the extensions to ``target``, C files and objects beside it."""
    target = target.resolve()
    work = target.with_name(f"{target.name}-work")
    made_of = work / "made-of"
    os.chdir(ROOT)  # mypyc names modules by their paths from here
    digest = digest_of_all()
    if target.is_dir() and made_of.exists() and made_of.read_text() == digest:
        return
    made_of.unlink(missing_ok=True)
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
    made_of.write_text(digest)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.compiled", description=__doc__)
    parser.add_argument("directory", type=Path)
    compile_into(parser.parse_args().directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
