"""What a survey means for whoever sets groundwatch up."""

from __future__ import annotations

from collections.abc import Iterator

from service.doctor.advice import Advice
from service.doctor.survey import OF_CHUNKS, OPTIONAL, Survey
from service.events import EventLimits
from service.policy import Policy

AREA = "sample"
FEW = 0.9
"""Share of resolving citations below which the policy, the refs or the application is wrong."""
REFUSALS_SHOWN = 10
NAME_SHOWN = 64


def examine(
    survey: Survey, policy: Policy, limits: EventLimits = EventLimits()
) -> Iterator[Advice]:
    yield from _readable(survey)
    if not survey.events:
        return
    yield from _fields(survey)
    yield from _texts(survey)
    yield from _sizes(survey, limits)
    yield from _apps(survey, policy)
    yield from _citations(survey, policy)


def _readable(survey: Survey) -> Iterator[Advice]:
    for shape, n in survey.foreign.most_common():
        yield Advice(
            "fail" if not survey.events else "warn",
            AREA,
            f"{n} of {survey.lines} lines are no answer events ({shape})",
            "describe their shape in the policy file (mappings, docs/mapping.md)",
        )
    for refusal, n in survey.refused.most_common(REFUSALS_SHOWN):
        yield Advice(
            "fail" if not survey.events else "warn",
            AREA,
            f"{n} of {survey.lines} lines are refused: {refusal}",
            "mend the sender (docs/contract.md)",
        )
    if survey.events:
        mapped = f", {survey.mapped} by a mapping" if survey.mapped else ""
        yield Advice("ok", AREA, f"{survey.events} of {survey.lines} lines are read{mapped}")
    elif not survey.lines:
        yield Advice("fail", AREA, "the file holds no line", "give a file with one event a line")


def _fields(survey: Survey) -> Iterator[Advice]:
    for name, (without, _) in OPTIONAL.items():
        if lacking := survey.lacking[name]:
            yield Advice(
                "warn",
                "fields",
                f"{name} is missing in {lacking / survey.events:.1%} of the events: {without}",
                "send it, where the application knows it",
            )
    for name, (without, _) in OF_CHUNKS.items():
        if lacking := survey.chunks_lacking[name]:
            yield Advice(
                "warn",
                "fields",
                f"retrieved[].{name} is missing in {lacking / survey.chunks:.1%} of the chunks: "
                + without,
                "send it, where the application knows it",
            )


def _texts(survey: Survey) -> Iterator[Advice]:
    if survey.textless:
        yield Advice(
            "warn",
            "texts",
            f"{survey.textless / survey.events:.1%} of the events have a chunk without its text",
            "groundwatch corpus load, or GROUNDWATCH_DOCUMENTS_URL (docs/chunk-texts.md)",
        )
    if survey.empty:
        yield Advice(
            "warn",
            "texts",
            f"{survey.empty / survey.events:.1%} of the events retrieved nothing",
            "is that so, or are the chunks not sent?",
        )


def _sizes(survey: Survey, limits: EventLimits) -> Iterator[Advice]:
    sizes = sorted(survey.sizes)
    middle, rare, largest = sizes[len(sizes) // 2], sizes[len(sizes) * 95 // 100], sizes[-1]
    said = f"bytes an event: {middle} in the middle, {rare} at 95 %, {largest} at most"
    if largest > limits.max_bytes:
        over = sum(size > limits.max_bytes for size in sizes)
        yield Advice(
            "warn",
            "sizes",
            f"{said}; {over} have more than {limits.max_bytes} and are refused",
            "GROUNDWATCH_MAX_EVENT_BYTES, and max.message.bytes of the topics",
        )
    else:
        yield Advice("ok", "sizes", said)


def _apps(survey: Survey, policy: Policy) -> Iterator[Advice]:
    unlisted = sum(app.events for name, app in survey.apps.items() if name not in policy.apps)
    if unlisted:
        yield Advice(
            "warn",
            "apps",
            f"{unlisted / survey.events:.1%} of the events are of apps that the policy does not "
            f"list ({len(survey.apps)} apps in all): their figures go by the name other",
            "put the proposed policy in place",
        )


def _citations(survey: Survey, policy: Policy) -> Iterator[Advice]:
    for name, app in survey.apps.items():
        label = name[:NAME_SHOWN]
        now = policy.of(name).citations
        share, better = app.share(now.base, now.separator), app.share(app.base, app.separator)
        if not app.citations:
            yield Advice(
                "warn",
                "citations",
                f"{label}: none of {app.events} answers cites in a form that is known",
                "compare with docs/checks/citations.md; send `citations` in the event",
            )
        elif better > share:
            yield Advice(
                "warn",
                "citations",
                f"{label}: {share:.1%} of the citations resolve, {better:.1%} would with base "
                f"{app.base} and separator {app.separator}",
                "put the proposed policy in place",
            )
        elif share < FEW:
            yield Advice(
                "warn",
                "citations",
                f"{label}: {share:.1%} of {app.citations} citations resolve",
                "groundwatch check FILE shows which do not",
            )
        else:
            yield Advice(
                "ok", "citations", f"{label}: {share:.1%} of {app.citations} citations resolve"
            )
