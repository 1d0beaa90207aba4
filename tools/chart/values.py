"""The table of values in the chart's README, from the comments in ``values.yaml``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

CHART = Path(__file__).parents[2] / "helm" / "groundwatch"
README = CHART / "README.md"
BEGIN = "<!-- values: written by `make chart` from values.yaml -->\n"
END = "<!-- end of values -->\n"


@dataclass(frozen=True, slots=True)
class Value:
    """``path``: with dots; ``default``: as JSON; ``meaning``: its comment."""

    path: str
    default: str
    meaning: str


def values(text: str) -> list[Value]:
    """Every value that has no values of its own; a mapping with a comment counts as one."""
    return list(_walk(yaml.compose(text, yaml.SafeLoader), text.splitlines(), ""))


def _walk(mapping: yaml.Node | None, lines: list[str], prefix: str) -> Iterator[Value]:
    for key, node in mapping.value if mapping else ():
        path, meaning = f"{prefix}{key.value}", _comment_above(lines, key.start_mark.line)
        if isinstance(node, yaml.MappingNode) and not node.flow_style and not meaning:
            yield from _walk(node, lines, f"{path}.")
        else:
            yield Value(path, _as_json(node), meaning)


def _comment_above(lines: list[str], line: int) -> str:
    found = []
    while line and (match := re.fullmatch(r"\s*# ?(.*)", lines[line - 1])):
        found.append(match[1])
        line -= 1
    return " ".join(reversed(found))


def _as_json(node: yaml.Node) -> str:
    loader = yaml.SafeLoader("")
    try:
        return json.dumps(loader.construct_document(node), ensure_ascii=False)
    finally:
        loader.dispose()


def table(text: str) -> str:
    rows = [f"| `{row.path}` | `{row.default}` | {row.meaning} |" for row in values(text)]
    return "\n".join(["| value | default | meaning |", "|---|---|---|", *rows]) + "\n"


def with_table(readme: str, text: str) -> str:
    """The README with the table of these values."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table(text)}{END}{after}"


def write() -> None:
    text = (CHART / "values.yaml").read_text(encoding="utf-8")
    README.write_text(with_table(README.read_text(encoding="utf-8"), text), encoding="utf-8")
