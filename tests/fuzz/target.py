"""One input of the fuzzer: bytes, read as an event, and as the texts of one."""

from __future__ import annotations

from service.checks import run_checks
from service.checks.model import CheckInput, NotEvaluated
from service.events import AnswerEvent, Chunk, Citation, parse_event
from service.policy import AppPolicy

_POLICY = AppPolicy()


class CheckFailed(AssertionError):
    """A check raised; the message names its class and place, never the input."""


def one_input(data: bytes) -> None:
    """Raises what a parser raises, and :class:`CheckFailed` for a check that does."""
    parsed = parse_event(data)
    if isinstance(parsed, AnswerEvent):
        _check(parsed)
    # nearly no mutated bytes are JSON: as text they reach the checks at once
    answer, _, rest = data.decode("utf-8", "ignore").partition("\0")
    text, _, query = rest.partition("\0")
    event = AnswerEvent(
        event_id="fuzz",
        query=query,
        answer=answer,
        retrieved=[Chunk(ref="kb-1#a", text=text), Chunk(ref="https://kb.example/2", text=text)],
        citations=[Citation(ref=query[:40] or "kb-1", start=len(rest), end=len(answer))],
    )
    _check(event)


def _check(event: AnswerEvent) -> None:
    texts = tuple(chunk.text for chunk in event.retrieved)
    for name, result in run_checks(CheckInput(event, texts, _POLICY)).items():
        if result.not_evaluated is NotEvaluated.CHECK_ERROR:
            raise CheckFailed(f"{name}: {result.error}")
        for found in result.findings:
            if found.start is not None and event.answer[found.start : found.end] != found.surface:
                raise CheckFailed(f"{name}: {found.reason} does not slice to its surface")
