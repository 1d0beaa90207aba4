"""What redaction costs an answer that is kept: ``python -m tests.bench.redaction``."""

from __future__ import annotations

import time
from itertools import islice

from service.checks import run_checks
from service.checks.model import CheckInput, CheckResult
from service.events import AnswerEvent, as_told, parse_event
from service.policy import AppPolicy
from service.redaction.answers import masked_answer
from service.redaction.redactor import redactor_of
from tests.bench.events import EventStream

EVENTS = 300
Ready = tuple[bytes, tuple[str | None, ...], dict[str, CheckResult]]


def ready(raw: bytes, policy: AppPolicy) -> Ready:
    event = parse_event(raw)
    assert isinstance(event, AnswerEvent)
    texts = tuple(chunk.text for chunk in event.retrieved)
    return raw, texts, run_checks(CheckInput(event, texts, policy))


def microseconds(answers: list[Ready], policy: AppPolicy) -> float:
    """CPU an answer."""
    redactor = redactor_of(policy.redaction)
    begun = time.process_time()
    for raw, texts, results in answers:
        masked_answer(as_told(raw, "default"), texts, results, redactor)
    return (time.process_time() - begun) * 1e6 / len(answers)


def main() -> None:
    policy = AppPolicy()
    raws = list(islice(EventStream("fresh").take(EVENTS), EVENTS))
    plain = [ready(raw, policy) for raw in raws]
    value = b"Please call +49 30 901820 or write to jane.doe@example.com. "
    told = [ready(raw.replace(b'"text":"', b'"text":"' + value), policy) for raw in raws]
    size = sum(map(len, raws)) // EVENTS
    print(f"{EVENTS} events of {size} bytes, µs of CPU an answer")
    microseconds(plain[:20], policy)
    print(f"nothing to mask            {microseconds(plain, policy):8.0f}")
    print(f"two values in every chunk  {microseconds(told, policy):8.0f}")


if __name__ == "__main__":
    main()
