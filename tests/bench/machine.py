"""What was measured on: CPU, cores, versions; and the CPU seconds of a process, by /proc."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from service.checks import numbers

_DEBIAN = "/usr"
_TICKS = os.sysconf("SC_CLK_TCK")
_PACKAGES = ("kafka-python", "redis", "msgspec", "pydantic", "orjson", "crc32c", "lz4")


def describe() -> dict[str, str]:
    """Date, CPU, cores, Python and whose build it is (they differ by an eighth and more), the
    packages on the hot path, and the form of the checks."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": _cpu_model(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f} before the first run",
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_version()} of {sys.base_prefix}{_without_profile()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
        "checks": "as Python" if str(numbers.__file__).endswith(".py") else "compiled to C",
    }


def _without_profile() -> str:
    """Debian does not say how it builds its own, which has had one since long."""
    options = str(sysconfig.get_config_var("CONFIG_ARGS"))
    if sys.base_prefix == _DEBIAN or "--enable-optimizations" in options:
        return ""
    return (
        "; built without profile feedback, unlike the image's and Debian's: apt-get install "
        "python3-venv python3-dev, then make setup PYTHON=/usr/bin/python3"
    )


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def stolen() -> tuple[int, int]:
    """(ticks that the hypervisor gave to others, all ticks) of all cores so far; zeros where the
    system does not tell. Of a machine that is shared, what is stolen is no time of ours."""
    try:
        first = Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0]
    except OSError:
        return 0, 0
    ticks = [int(field) for field in first.split()[1:9]]
    return ticks[7], sum(ticks)


def cpu_seconds(pid: int | None) -> float:
    """User and system time of a process so far, all threads; 0 for None (a server of others)."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
