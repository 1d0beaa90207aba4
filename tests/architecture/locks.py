"""Do the lock files still say what pyproject.toml asks for? Needs no network.

``python -m tests.architecture.locks`` prints each fault and exits 1. Resolving anew and comparing
would need the registry and would fail for reasons outside the change, so the locked graph is
walked instead, from the requirements through the metadata of the installed distributions:
docs/decisions/0003-lock-and-setup.md.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]

# The lock files are universal: what any of these would install must be in them. The oldest Python
# that is supported needs the back-ports, a new one may need something else.
SYSTEMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
    # Nobody runs it there, but the resolver counts it in.
    {"sys_platform": "emscripten", "platform_system": "Emscripten", "os_name": "posix"},
)
PYTHONS = (
    {"python_version": "3.11", "python_full_version": "3.11.0"},
    {"python_version": "3.14", "python_full_version": "3.14.0"},
)
BUILD = "requirements-build.lock"
DEVELOP = "requirements-dev.lock"
CPYTHON = {"implementation_name": "cpython", "platform_python_implementation": "CPython"}
PLATFORMS = [{**system, **python, **CPYTHON} for system in SYSTEMS for python in PYTHONS]


@dataclass
class Pin:
    """One distribution of a lock file; ``marker`` says where it is installed, None everywhere."""

    version: str
    marker: Marker | None
    hashes: list[str] = field(default_factory=list)

    @property
    def applies_here(self) -> bool:
        return self.marker is None or self.marker.evaluate()


Lock = dict[str, Pin]  # by normalized name


def faults(root: Path = ROOT) -> list[str]:
    """Everything that is wrong with the lock files under ``root``, a sentence each."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    runtime = [Requirement(line) for line in project["project"]["dependencies"]]
    groups = project["dependency-groups"]
    backend = [Requirement(line) for line in project["build-system"]["requires"]]
    build = [*_group(groups, "build"), *backend]
    develop = [*runtime, *_group(groups, "dev"), *backend]
    wanted = {"requirements.lock": runtime, BUILD: build, DEVELOP: develop}
    try:
        locks = {name: read_lock((root / name).read_text()) for name in wanted}
    except ValueError as error:
        return [str(error)]
    return [
        *(f"{name}: {fault}" for name in wanted for fault in _compare(wanted[name], locks[name])),
        *(
            f"{fault}: {name} and {DEVELOP} differ"
            for name in wanted
            for fault in _disagreements(locks[name], locks[DEVELOP])
        ),
    ]


def _group(groups: dict[str, Any], name: str) -> Iterator[Requirement]:
    """A dependency group with the groups that it includes (PEP 735)."""
    for line in groups[name]:
        if isinstance(line, dict):
            yield from _group(groups, line["include-group"])
        else:
            yield Requirement(line)


def read_lock(text: str) -> Lock:
    """Parse ``name==version`` lines with their ``--hash`` lines. Of several versions of one
    distribution, the one for this machine.

    Raises:
        ValueError: a line is neither, so an option or an address has slipped in.
    """
    lock: Lock = {}
    pin = None
    for line in text.splitlines():
        if pinned := re.fullmatch(r"([A-Za-z0-9._-]+)==([^\s;]+)(?: ; (.+))? \\", line):
            pin = Pin(pinned[2], Marker(pinned[3]) if pinned[3] else None)
            name = canonicalize_name(pinned[1])
            if name not in lock or pin.applies_here:
                lock[name] = pin
        elif pin and (hashed := re.fullmatch(r" {4}--hash=(sha256:[0-9a-f]{64})(?: \\)?", line)):
            pin.hashes.append(hashed[1])
        else:
            raise ValueError(f"not a line of a lock file: {line!r}")
    return lock


def _compare(wanted: list[Requirement], lock: Lock) -> Iterator[str]:
    needed: set[str] = set()
    for origin, requirement in _closure(wanted):
        name = canonicalize_name(requirement.name)
        needed.add(name)
        if name not in lock:
            yield f"{requirement} ({origin}) is missing"
        elif not requirement.specifier.contains(lock[name].version, prereleases=True):
            yield f"{requirement} ({origin}) is not satisfied by {lock[name].version}"
    for locked, pin in lock.items():
        if not pin.hashes:
            yield f"{locked} has no hash"
        if locked not in needed:
            yield f"{locked} is locked, but nothing asks for it"
        elif pin.applies_here and _installed(locked) != pin.version:
            yield f"{locked} {pin.version} is locked, {_installed(locked)} is installed: make setup"


def _closure(wanted: list[Requirement]) -> Iterator[tuple[str, Requirement]]:
    """Each requirement that some platform has, with who asks for it, the transitive ones too."""
    pending = [("pyproject.toml", requirement, "") for requirement in wanted]
    seen: set[str] = set()
    while pending:
        origin, requirement, extra = pending.pop()
        if not _applies(requirement.marker, extra):
            continue
        yield origin, requirement
        for wish in ("", *requirement.extras):
            key = f"{canonicalize_name(requirement.name)}[{wish}]"
            if key not in seen:
                seen.add(key)
                pending += [(key, child, wish) for child in _requirements(requirement.name)]


def _applies(marker: Marker | None, extra: str) -> bool:
    return marker is None or any(
        marker.evaluate({**platform, "extra": extra}) for platform in PLATFORMS
    )


def _requirements(name: str) -> Iterable[Requirement]:
    """What a distribution asks for; nothing for one that is for another platform than this."""
    try:
        return [Requirement(line) for line in requires(name) or ()]
    except PackageNotFoundError:
        return ()


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _disagreements(part: Lock, develop: Lock) -> list[str]:
    """What is tested must be what is shipped, and what that is built with."""
    return [
        name
        for name, pin in part.items()
        if name not in develop
        or (develop[name].version, develop[name].hashes) != (pin.version, pin.hashes)
    ]


def main() -> int:
    found = faults()
    for fault in found:
        sys.stderr.write(f"{fault}\n")
    if found:
        sys.stderr.write("After a change of pyproject.toml: make lock, and commit the files.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
