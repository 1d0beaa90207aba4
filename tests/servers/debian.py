"""Programs from PATH, else from Debian's packages when we may install them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from tests.servers import one_at_a_time


def find_program(names: Sequence[str], package: str) -> str | None:
    """The path of the first of ``names`` that is there, or is after installing ``package``."""
    if found := _on_path(names):
        return found
    with one_at_a_time():
        return _on_path(names) or (_on_path(names) if _install(package) else None)


def _on_path(names: Sequence[str]) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)


def _install(package: str) -> bool:
    if shutil.which("apt-get") is None:
        return False
    prefix: tuple[str, ...] = ()
    if os.geteuid() != 0:
        prefix = ("sudo", "-n")
        if shutil.which("sudo") is None or not _succeeds(*prefix, "true"):
            return False
    install = ("apt-get", "install", "-y", "--no-install-recommends", package)
    return _succeeds(*prefix, "apt-get", "update") and _succeeds(*prefix, *install)


def _succeeds(*command: str) -> bool:
    # Debian's packages would start daemons of their own; ours are private.
    environment = {**os.environ, "RUNLEVEL": "1", "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, capture_output=True, timeout=600, check=False, env=environment)
    return done.returncode == 0
