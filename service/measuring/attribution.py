"""Whether a difference between two releases can be laid to one thing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from service.makeup import PARTS


class Attributable(StrEnum):
    """``NO``: more than one recorded part of the release differs; ``NOTHING``: none that both
    recorded does; ``UNKNOWN``: no part is recorded on both sides."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing differs"
    UNKNOWN = "not recorded"


@dataclass(frozen=True, slots=True)
class Attribution:
    """``changed``: part → before and after, in the order of :data:`service.makeup.PARTS`;
    ``untold``: parts that one side or both did not record, which may differ unseen."""

    changed: Mapping[str, tuple[Any, Any]]
    untold: tuple[str, ...]
    attributable: Attributable


def attribution_of(first: Mapping[str, Any], second: Mapping[str, Any]) -> Attribution:
    """``first``, ``second``: part → what it was, as in an answer event's ``release``; other keys,
    such as its id, are passed over."""
    told = [part for part in PARTS if _told(first, part) and _told(second, part)]
    changed = {part: (first[part], second[part]) for part in told if first[part] != second[part]}
    return Attribution(
        changed, tuple(part for part in PARTS if part not in told), _verdict(told, len(changed))
    )


def _told(release: Mapping[str, Any], part: str) -> bool:
    return release.get(part) not in (None, "")


def _verdict(told: list[str], changed: int) -> Attributable:
    if not told:
        return Attributable.UNKNOWN
    if not changed:
        return Attributable.NOTHING
    return Attributable.YES if changed == 1 else Attributable.NO
