"""docs/contract.md is held to the code: fields, limits, reasons and examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from consumers.dead_letters import PREFIX, Letter, letter_of, letter_of_batch
from service import contract
from service.events import AnswerEvent, EventLimits, Rejection, RejectReason, parse_event
from service.pipeline import DeadLetter
from service.records import Record, Undecodable

CONTRACT = (Path(__file__).parents[2] / "docs" / "contract.md").read_text(encoding="utf-8")
MODELS: dict[str, type[BaseModel]] = {
    "event": contract.AnswerEvent,
    "retrieved": contract.Chunk,
    "context": contract.ContextItem,
    "citations": contract.Citation,
    "user": contract.User,
    "release": contract.Release,
    "usage": contract.Usage,
}


def section(heading: str) -> str:
    match = re.search(rf"^##+ {heading}\n(.*?)(?=^##|\Z)", CONTRACT, re.MULTILINE | re.DOTALL)
    assert match is not None, heading
    return match[1]


def rows(heading: str) -> list[list[str]]:
    """The cells of each line of the section's first table, without its head."""
    table = re.search(r"(?:^\|.*\n)+", section(heading), re.MULTILINE)
    assert table is not None, heading
    return [line.strip("|").split("|") for line in table[0].splitlines()[2:]]


def code(cell: str) -> str:
    match = re.fullmatch(r"`([^`]+)`", cell.strip())
    assert match is not None, cell
    return match[1]


@pytest.mark.parametrize("heading", MODELS)
def test_documented_fields_are_the_models(heading: str) -> None:
    documented = [code(row[0]) for row in rows(heading)]
    assert documented == list(MODELS[heading].model_fields)


@pytest.mark.parametrize("heading", MODELS)
def test_required_and_nullable_are_documented(heading: str) -> None:
    for name, kind, default, *_ in rows(heading):
        field = MODELS[heading].model_fields[code(name)]
        assert (default.strip() == "required") is field.is_required(), name
        assert ("*null*" in kind) is (field.default is None and not field.is_required()), name


def test_documented_reasons_are_the_code_s() -> None:
    assert {code(row[0]) for row in rows("When an event is rejected")} == set(RejectReason)


def test_documented_limits_are_the_defaults() -> None:
    limits = EventLimits()
    values = [int(row[1]) for row in rows("Limits")]
    assert values == [limits.max_bytes, limits.max_chunks, limits.max_text]


def test_every_example_is_a_valid_event() -> None:
    examples = re.findall(r"```json\n(.*?)```", CONTRACT, re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        assert isinstance(parse_event(example.encode()), AnswerEvent)


def test_the_message_shown_is_one_that_the_code_gives() -> None:
    raw = b'{"event_id":"a","query":"","answer":"","retrieved":['
    raw += b'{"ref":"r"},' * 3 + b'{"ref":"r","score":"high"}]}'
    rejection = parse_event(raw)
    assert isinstance(rejection, Rejection)
    assert f"`{rejection.message}`" in CONTRACT


def test_documented_dead_letter_headers_are_the_code_s() -> None:
    record = Record(0, 7, 0, b"key", b"value", (("sender", b"a"),))
    letter = letter_of(DeadLetter(record, "schema", "retrieved: must be a list"), "t", "g")
    batch = letter_of_batch(Undecodable(0, 7, 9, "no codec"), "t", "g", 0)
    written = {name for each in (letter.cut(2), batch) for name, _ in each.headers}
    assert written - {"sender"} == set(re.findall(rf"^\| `({PREFIX}\w+)`", CONTRACT, re.MULTILINE))
    assert header(letter.cut(2), "truncated") == b"5"
    assert (header(batch, "reason"), header(batch, "next_offset")) == (b"undecodable", b"9")


def header(letter: Letter, name: str) -> bytes:
    return dict(letter.headers)[PREFIX + name]
