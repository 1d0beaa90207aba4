"""The last tagged release, built as its own wheel and unpacked, to run beside today's code. Its
dependencies are today's."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def last_tag() -> str | None:
    """The newest ``v…`` tag that this commit descends from; None without one, or without git."""
    try:
        told = _git("describe", "--tags", "--abbrev=0", "--match", "v*").decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    return told or None


def unpack(tag: str, folder: Path) -> Path:
    """Build the wheel of ``tag``; the folder in return that is to stand first on ``PYTHONPATH``."""
    source, installed = folder / "source", folder / "installed"
    with tarfile.open(fileobj=io.BytesIO(_git("archive", tag))) as archive:
        archive.extractall(source, filter="data")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(installed)  # noqa: S202 (a wheel that was just built from our own tag)
    return installed


def running(code: Path) -> dict[str, str]:
    """The environment of a process that runs the code in this folder, wherever it is started."""
    return {"PYTHONPATH": str(code), "PYTHONSAFEPATH": "1"}


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout
