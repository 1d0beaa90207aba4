"""What the judge said of some hours' answers, as a sample of all of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.judging.judgement import Status
from service.judging.verification import faithfulness

Sample = list[tuple[float, float]]
"""(y, π) of each judged answer."""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """What :func:`service.estimates.weighted.weighted` takes: ``faithfulness`` of answers with a
    claim, where the judge saw all that the model saw; ``sufficiency``: 1 where the context was."""

    faithfulness: Sample = field(default_factory=list)
    sufficiency: Sample = field(default_factory=list)


def judged_by_app(rows: Iterable[Mapping[str, Any]], hours: range) -> dict[str, JudgedSample]:
    """``rows``: as :func:`service.judging.results.compact` makes them; ``hours``: since 1970."""
    found: dict[str, JudgedSample] = {}
    for row in rows:
        if row["status"] != Status.JUDGED or row["hour"] not in hours or "claims" not in row:
            continue
        sample = found.setdefault(row["app"], JudgedSample())
        sample.sufficiency.append((float(row["sufficient"]), row["pi"]))
        share = faithfulness(Counter(row["claims"]).elements())
        if share is not None and not row["partial"]:
            sample.faithfulness.append((share, row["pi"]))
    return found
