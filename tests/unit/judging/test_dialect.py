"""What a refusal teaches, and what it does not."""

from __future__ import annotations

import pytest

from service.judging.completions import Fault
from service.judging.dialect import Dialect, Structured

SPOKEN = Dialect(temperature=0.0, seed=7)


def fault(message: str, parameter: str = "", *codes: str) -> Fault:
    return Fault(frozenset(codes), parameter, message.lower())


@pytest.mark.parametrize(
    ("refusal", "learnt"),
    [
        (
            fault("'max_tokens' is not supported. Use 'max_completion_tokens'.", "max_tokens"),
            Dialect(0.0, 7, max_tokens_name="max_completion_tokens"),
        ),
        (fault("unknown field: max_tokens"), Dialect(0.0, 7, "max_completion_tokens")),
        (fault("no", "temperature", "unsupported_value"), Dialect(None, 7)),
        (fault("Unrecognized request argument supplied: seed"), Dialect(0.0, None)),
        (
            fault("wrong", "response_format.json_schema.schema"),
            Dialect(0.0, 7, structured=Structured.JSON_OBJECT),
        ),
        (
            fault("failed to parse grammar"),
            Dialect(0.0, 7, structured=Structured.JSON_OBJECT),
        ),
        # names a parameter and refuses its value only
        (fault("max_tokens is too large: 5000. At most 4096 are possible", "max_tokens"), None),
        (fault("this model's maximum context length is 10; max_tokens unsupported"), None),
        (fault("unsupported", "messages"), None),
        # a word of the watched text that looks like a name
        (fault("seedling temperatures are unknown"), None),
        (fault(""), None),
    ],
)
def test_what_a_refusal_teaches(refusal: Fault, learnt: Dialect | None) -> None:
    assert SPOKEN.after(refusal) == learnt


def test_nothing_is_learnt_twice() -> None:
    bare = Dialect(None, None, "max_completion_tokens", Structured.PROMPT)
    for name in ("max_tokens", "temperature", "seed", "response_format"):
        assert bare.after(fault("unsupported", name)) is None
    assert bare.lower() is None
