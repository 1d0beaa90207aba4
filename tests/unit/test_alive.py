"""The health check of the image; that it asks rightly is tests/integration/test_image.py's."""

from __future__ import annotations

import subprocess
import sys

from service.alive import answers_well


def test_no_port_answers_well() -> None:
    assert not answers_well([])


def test_it_imports_little() -> None:
    """It runs every few seconds beside the process that it asks."""
    listed = "import sys, service.alive; print(*sorted(sys.modules))"
    command = [sys.executable, "-c", listed]
    modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "service.alive" in modules
    assert not {"pydantic", "typer", "httpx", "service.settings"} & set(modules)
