"""Whether a label speaks of what its answer has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from service.review.labels import Label

_NAMES = ("check", "reason", "surface", "start")


@dataclass(frozen=True, slots=True)
class Material:
    """What a label may speak of. ``findings``: (check, reason, surface, start) of each; ``refs``:
    of the retrieved chunks."""

    findings: frozenset[tuple[Any, ...]] = frozenset()
    refs: frozenset[str] = frozenset()


def material_of(body: Mapping[str, Any], *, blind: bool = False) -> Material:
    """``body``: of a case, or of a task (``blind``: no finding was shown)."""
    retrieved = body["event"].get("retrieved")
    chunks = retrieved if isinstance(retrieved, list) else []
    findings = () if blind else body["findings"]
    return Material(
        frozenset(tuple(finding.get(name) for name in _NAMES) for finding in findings),
        frozenset(chunk["ref"] for chunk in chunks if isinstance(chunk, dict) and "ref" in chunk),
    )


def speaks_of_strangers(label: Label, materials: Iterable[Material]) -> bool:
    """Of findings or chunks that none of the answers has. Reads no more of them than it must."""
    called, needed = _called(label), set(label.needed or ())
    if not called and not needed:
        return False
    for material in materials:
        called -= material.findings
        needed -= material.refs
        if not called and not needed:
            return False
    return True


def fitted(label: Label, material: Material) -> Label:
    """A bulk label as one answer of the group carries it: calls of its own findings alone; what is
    needed and was not retrieved for it stands as such."""
    needed = label.needed
    if needed is None or material.refs.issuperset(needed):
        elsewhere = label.needed_elsewhere
    else:
        missed = [ref for ref in needed if ref not in material.refs]
        elsewhere = tuple(dict.fromkeys((*label.needed_elsewhere, *missed)))
        needed = tuple(ref for ref in needed if ref in material.refs)
    findings = tuple(
        finding
        for finding in label.findings
        if tuple(getattr(finding, name) for name in _NAMES) in material.findings
    )
    return replace(label, findings=findings, needed=needed, needed_elsewhere=elsewhere)


def _called(label: Label) -> set[tuple[Any, ...]]:
    return {tuple(getattr(finding, name) for name in _NAMES) for finding in label.findings}
