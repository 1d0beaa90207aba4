"""What the bench found, as text."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.bench.throughput import Throughput


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns aligned; the first to the left, the others to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def machine(facts: Mapping[str, str]) -> str:
    return "\n".join(f"{name:<9} {value}" for name, value in facts.items())


def checks(rows: Sequence[Mapping[str, Any]]) -> str:
    steps = [name for name in rows[0] if name not in {"event", "flagged"}]
    return table(
        ["µs an answer", *steps, "flagged"],
        [
            [str(row["event"]), *(f"{row[s]:.0f}" for s in steps), f"{row['flagged']:.0%}"]
            for row in rows
        ],
    )


def rates(bare: Sequence[Mapping[str, float]], runs: Sequence[Throughput]) -> str:
    """``bare``: the bare loops run beside these runs; the ratios are to their medians."""
    bare_per_s = statistics.median(run["per_s"] for run in bare)
    bare_ms = statistics.median(run["cpu_ms"] for run in bare)
    lines = [
        ["bare loop", f"{bare_per_s:,.0f}", "", "1.00",
         f"{1_000 / bare_ms:,.0f}", "1.00", f"{bare_ms:.3f}", "", ""],
    ]  # fmt: skip
    for run in runs:
        consumers = sum(ms for name, ms in run.cpu_ms.items() if name.startswith("consumer"))
        lines.append([
            f"{run.consumers} consumer{'s' * (run.consumers > 1)}",
            f"{run.per_s:,.0f}",
            f"{run.steady_per_s:,.0f}",
            f"{run.per_s / bare_per_s:.2f}",
            f"{1_000 / consumers:,.0f}",
            f"{bare_ms / consumers:.2f}",
            f"{consumers:.3f}",
            f"{run.cpu_ms['redis']:.3f}",
            f"{run.cpu_ms['broker']:.3f}",
        ])  # fmt: skip
    head = ["", "answers/s", "steady", "ratio", "a CPU-second", "ratio",
            "consumer", "redis", "broker"]  # fmt: skip
    return table(head, lines)


def stages(staged: Mapping[str, Any], clock: Mapping[str, float]) -> str:
    spent = sorted(staged["stages"].items(), key=lambda item: -item[1])
    lines = [[name, f"{ms:.3f}", f"{ms / staged['cpu_ms']:.0%}"] for name, ms in spent]
    cpu = table(["stage", "CPU", "share"], [*lines, ["all", f"{staged['cpu_ms']:.3f}", ""]])
    wall = ", ".join(f"{name} {ms:.3f}" for name, ms in clock.items())
    return f"{cpu}\non the clock, from /metrics (produce runs beside the rest): {wall}"


def memory(run: Throughput, ids: float) -> str:
    """``ids``: bytes an identity in a window of a million."""
    parts = {name: size for name, size in run.memory.items() if name != "used_memory"}
    rest = sum(size for name, size in parts.items() if name != "id window")
    shown = ", ".join(f"{name} {size:,.0f}" for name, size in parts.items())
    return (
        f"{rest + ids:,.0f} MB a million answers, {ids:,.0f} of them for the identities while the "
        f"window holds them\nin this run, bytes an answer by key: {shown}; "
        f"used_memory {run.memory['used_memory']:,.0f}"
    )
