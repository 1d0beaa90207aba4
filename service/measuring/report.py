"""What a measurement of retrieval says, as lines of text and as one object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.estimates.bootstrap import question_mean
from service.estimates.retrieval import attainable_precision
from service.measuring.questions import NO_LIST, Selection
from service.measuring.retrieval import missing
from service.measuring.runs import Run
from service.measuring.summary import Mean, by_tag, denominator, means


def retrieval_text(run: Run, selection: Selection, k: int) -> list[str]:
    """The questions that miss something, the means, by tag, the denominator, stale labels."""
    tags = by_tag(run.outcomes)
    parts = (
        [
            f"Retrieval: {run.header.run}, app {run.header.app}, the first {k} refs count",
            denominator(run.header.questions),
        ],
        _unlisted_lines(selection),
        missing_lines(run, k),
        mean_lines(means(run.outcomes)),
        attainable_lines(run, k),
        _short_lines(run, k),
        tag_lines(tags) if tags else [],
        stale_lines(selection),
    )
    return [line for part in parts if part for line in (*part, "")][:-1]


def _unlisted_lines(selection: Selection) -> list[str]:
    names = [question.query_id for question in selection.excluded.get(NO_LIST, ())]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"Nothing retrieved for {', '.join(names[:_SHOWN])}{more}"] if names else []


_SHOWN = 20


def missing_lines(run: Run, k: int) -> list[str]:
    return [
        f"{each.query_id} {each.found}/{each.needed} missing: {', '.join(each.refs)}"
        + (" (critical)" if each.critical else "")
        for each in missing(run.outcomes, k)
    ]


def mean_lines(found: Mapping[str, Mean]) -> list[str]:
    if not found:
        return ["nothing measured"]
    width = max(map(len, found))
    head = f"{'':<{width}}   mean  95 % interval   questions"
    return [head, *(f"{name:<{width}}  {_cells(mean)}  {mean.questions:>9}"
                    for name, mean in found.items())]  # fmt: skip


def attainable_lines(run: Run, k: int) -> list[str]:
    """What precision is held against: with one needed ref it cannot be high."""
    measured = [each for each in run.outcomes if each.measures.get(f"precision@{k}") is not None]
    most = question_mean([attainable_precision(each.relevant, k) for each in measured]).value
    if most is None or most == 1:
        return []
    return [f"precision@{k} cannot exceed {most:.3f} here: few refs are needed."]


def tag_lines(tags: Mapping[str, Mapping[str, Mean]]) -> list[str]:
    """One table: a row a tag, a column a measure."""
    names = list(dict.fromkeys(name for found in tags.values() for name in found))
    width = max(len("tag"), *map(len, tags))
    head = "  ".join([f"{'tag':<{width}}", "questions", *(f"{name:<16}" for name in names)])
    rows = []
    for tag, found in tags.items():
        count = max((mean.questions for mean in found.values()), default=0)
        cells = [f"{_short_cell(found[name]) if name in found else '':<16}" for name in names]
        rows.append("  ".join([f"{tag:<{width}}", f"{count:>9}", *cells]).rstrip())
    return [head.rstrip(), *rows]


def _cells(mean: Mean) -> str:
    value, low, high = mean.estimate.value, mean.estimate.low, mean.estimate.high
    if value is None:
        return f"{'–':>5}  {'':<13}"
    if low is None or high is None:
        return f"{value:.3f}  {'':<13}"
    return f"{value:.3f}  [{low:.3f},{high:.3f}]"


def _short_cell(mean: Mean) -> str:
    value, low, high = mean.estimate.value, mean.estimate.low, mean.estimate.high
    if value is None:
        return "–"
    if low is None or high is None:
        return f"{value:.2f}"
    return f"{value:.2f} [{low:.2f},{high:.2f}]"


def _short_lines(run: Run, k: int) -> list[str]:
    """Lists that are all cut before k say nothing of what stands behind."""
    longest = max((len(outcome.retrieved) for outcome in run.outcomes), default=k)
    if longest >= k:
        return []
    return [f"No list holds more than {longest} refs, so nothing is known of the places behind."]


def stale_lines(selection: Selection) -> list[str]:
    if not selection.stale:
        return []
    lines = [f"  {query_id}: {', '.join(refs)}" for query_id, refs in selection.stale.items()]
    return ["Stale labels: they name refs that the corpus does not have.", *lines]


def retrieval_json(run: Run, selection: Selection, k: int) -> dict[str, Any]:
    return {
        "run": run.header,
        "denominator": denominator(run.header.questions),
        "means": means_json(means(run.outcomes)),
        "by_tag": {tag: means_json(found) for tag, found in by_tag(run.outcomes).items()},
        "missing": list(missing(run.outcomes, k)),
        "stale": {query_id: list(refs) for query_id, refs in selection.stale.items()},
        "excluded": {
            reason: [question.query_id for question in questions]
            for reason, questions in selection.excluded.items()
        },
    }


def means_json(found: Mapping[str, Mean]) -> dict[str, Any]:
    return {
        name: {
            "mean": mean.estimate.value,
            "low": mean.estimate.low,
            "high": mean.estimate.high,
            "questions": mean.questions,
        }
        for name, mean in found.items()
    }
