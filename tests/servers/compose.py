"""compose.yaml, read as far as this project uses the format."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "compose.yaml"
OURS = ("serve", "consume", "judge")
VARIABLE = re.compile(r"\$\{(\w+):-(\w*)\}")


@cache
def services() -> dict[str, dict[str, Any]]:
    """By name, merge keys resolved."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(FILE.read_text())["services"]
    return found


def environment(service: str, shell: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the container gets, where the shell that starts compose has these variables."""

    def value(found: re.Match[str]) -> str:
        return (shell or {}).get(found[1]) or found[2]

    given = services()[service].get("environment", {})
    return {name: VARIABLE.sub(value, str(text)) for name, text in given.items()}


def mounts(service: str) -> dict[str, str]:
    """Path in the container → file or folder of the project, or name of a volume."""
    split = [text.split(":") for text in services()[service].get("volumes", ())]
    return {parts[1]: parts[0] for parts in split}


def topics() -> dict[str, tuple[int, dict[str, str]]]:
    """Name → partitions and configuration, as the one-shot creates them."""
    [script] = services()["topics"]["command"]
    return dict(_topic(line) for line in script.splitlines() if line.startswith("create --topic"))


def _topic(line: str) -> tuple[str, tuple[int, dict[str, str]]]:
    words = shlex.split(line)[1:]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    once = dict(pairs)
    configs = dict(value.split("=") for option, value in pairs if option == "--config")
    assert once.keys() <= {"--topic", "--partitions", "--config"}
    return once["--topic"], (int(once["--partitions"]), configs)
