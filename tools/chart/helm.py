"""Helm: from PATH, else built once by Go into the project's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.kafka.jars import cache_directory

VERSION = "v3.22.0"
MODULE = f"helm.sh/helm/v3/cmd/helm@{VERSION}"
HOW_TO_GET = "The chart needs Helm 3: put helm on PATH, or Go, which builds it (about two minutes)."


class HelmMissing(Exception):
    """This machine has no Helm and cannot build one; the message says what to install."""


def helm_program() -> str:
    """The path of helm. Raises :class:`HelmMissing`."""
    if found := shutil.which("helm"):
        return found
    built = cache_directory() / "go-bin" / f"helm-{VERSION}"
    if not built.exists():
        _build(built)
    return str(built)


def _build(target: Path) -> None:
    if shutil.which("go") is None:
        raise HelmMissing(HOW_TO_GET)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Renamed into place when complete, so that two at once are not in each other's way.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="helm-build-") as scratch:
        done = subprocess.run(
            ["go", "install", MODULE],
            env={**os.environ, "GOBIN": scratch},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise HelmMissing(f"Go could not build helm. {HOW_TO_GET}\n{done.stderr[-2000:]}")
        Path(scratch, "helm").rename(target)
