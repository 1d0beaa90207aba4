"""What the bench found, as text."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service.checks import CHECKS
from tests.bench.checks import MAIN, TARGET_ALL, TARGETS_MAIN, all_checks, main_checks
from tests.bench.linearity import SIZES
from tests.bench.throughput import TARGET_PER_S, Throughput

SMALL_CHECK_MS = 0.010
"""A check that costs less an answer is shown as ``check:other``."""


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


def checks(rows: Sequence[dict[str, Any]]) -> str:
    """A line a check; the clean answers' two halves stand below, for the main checks alone."""
    halves = [row for row in rows if row["event"] in {"literal", "respelled"}]
    columns = [row for row in rows if row not in halves]
    head = ["µs an answer"]
    for before, row in zip([None, *columns], columns, strict=False):
        first = before is None or before["chunks"] != row["chunks"]
        head.append(f"{row['chunks']}: {row['event']}" if first else row["event"])
    lines = [[name, *(f"{row[name]:.0f}" for row in columns)] for name in ("parse", *CHECKS)]
    lines.append(["all checks", *(_against(all_checks(row), _target_all(row)) for row in columns)])
    lines.append([" + ".join(MAIN), *map(_main, columns)])
    lines.append(["flagged", *(f"{row['flagged']:.0%}" for row in columns)])
    below = "; ".join(f"{row['chunks']} {row['event']} {_main(row)}" for row in halves)
    return f"{table(head, lines)}\n{' + '.join(MAIN)} of the clean answers: {below}"


def _main(row: dict[str, Any]) -> str:
    return _against(main_checks(row), TARGETS_MAIN.get(row["event"]))


def _target_all(row: Mapping[str, Any]) -> float | None:
    return TARGET_ALL if (row["event"], row["chunks"]) == ("run", "zipf") else None


def _against(found: float, target: float | None) -> str:
    if target is None:
        return f"{found:.0f}"
    return f"{found:.0f} {'≤' if found <= target else '>'} {target:.0f}"


def linearity(rows: Sequence[Mapping[str, Any]]) -> str:
    sizes = [f"{size // 1000} KB ms" for size in SIZES]
    shown = [row for row in rows if sizes[0] in row]
    lines = [
        [row["text"], row["in"], *(f"{row[size]:.2f}" for size in sizes), f"{row['growth']:.1f}"]
        for row in shown
    ]
    single = "; ".join(
        f"{row['text']} in the {row['in']}: {row['ms']:.1f} ms" for row in rows if "ms" in row
    )
    return (
        "citations + overlap + numbers by length; growth: the most that ten times the text cost, "
        "in times\n"
        f"{table(['text', 'in', *sizes, 'growth'], lines)}\n{single}"
    )


def rates(
    bare: Sequence[Mapping[str, float]], runs: Sequence[Throughput], *, targeted: bool
) -> str:
    """``bare``: the bare loops run beside these runs; the ratios are to their medians.
    ``targeted``: whether one consumer's rate is to be held against what is wanted."""
    bare_per_s = statistics.median(run["per_s"] for run in bare)
    bare_ms = statistics.median(run["cpu_ms"] for run in bare)
    lines = [
        ["bare loop", f"{bare_per_s:,.0f}", "", "1.00",
         f"{1_000 / bare_ms:,.0f}", "1.00", f"{bare_ms:.3f}", "", "", ""],
    ]  # fmt: skip
    for run in runs:
        consumers = sum(ms for name, ms in run.cpu_ms.items() if name.startswith("consumer"))
        lines.append([
            f"{run.consumers} consumer{'s' * (run.consumers > 1)}",
            _wanted(run.per_s) if targeted and run.consumers == 1 else f"{run.per_s:,.0f}",
            f"{run.steady_per_s:,.0f}",
            f"{run.per_s / bare_per_s:.2f}",
            f"{1_000 / consumers:,.0f}",
            f"{bare_ms / consumers:.2f}",
            f"{consumers:.3f}",
            f"{run.cpu_ms['redis']:.3f}",
            f"{run.cpu_ms['broker']:.3f}",
            f"{run.stolen:.1%}",
        ])  # fmt: skip
    head = ["", "answers/s", "steady", "ratio", "a CPU-second", "ratio",
            "consumer", "redis", "broker", "stolen"]  # fmt: skip
    return table(head, lines)


def _wanted(per_s: float) -> str:
    return f"{per_s:,.0f} {'≥' if per_s >= TARGET_PER_S else '<'} {TARGET_PER_S:,}"


def stages(staged: Mapping[str, Any], clock: Mapping[str, float]) -> str:
    shown: dict[str, float] = {}
    for name, ms in staged["stages"].items():
        small = name.startswith("check:") and ms < SMALL_CHECK_MS
        name = "check:other" if small else name
        shown[name] = shown.get(name, 0.0) + ms
    spent = sorted(shown.items(), key=lambda item: -item[1])
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
