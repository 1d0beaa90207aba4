"""What the log says, and what it must not."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from service.logs import configure_logging

SECRET = "zQ-what-the-answer-said"
ESCAPE = "\x1b[2J\x07"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    structlog.reset_defaults()


def said(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def fail() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        raise RuntimeError(f"again {SECRET}") from error


def test_a_line_is_json_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")
    structlog.get_logger("x").info("batch", partition=3, event_id="a")
    structlog.get_logger("x").debug("nothing")
    [line] = said(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "batch", "level": "info", "partition": 3, "event_id": "a"}


def test_an_exception_is_told_by_class_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")
    try:
        fail()
    except RuntimeError:
        structlog.get_logger("x").error("broken", exc_info=True)
    [line] = said(capsys)
    assert SECRET not in str(line)
    assert [cause["type"] for cause in line["raised"]] == ["RuntimeError", "ValueError"]
    assert line["raised"][1]["frames"][-1].startswith("test_logs.py:")
    assert line["raised"][1]["frames"][-1].endswith(" fail")


def test_libraries_speak_through_the_same_renderer(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug")
    logging.getLogger("kafka.conn").warning("no answer from %s", "broker 1")
    [line] = said(capsys)
    assert (line["event"], line["logger"], line["level"]) == (
        "no answer from broker 1", "kafka.conn", "warning",
    )  # fmt: skip


def test_of_what_a_library_caught_no_text_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug")
    try:
        fail()
    except RuntimeError:
        # As asyncio reports a task that nobody asked for its result.
        logging.getLogger("asyncio").error(
            "Task exception was never retrieved\nfuture: ValueError(%r)", SECRET, exc_info=True
        )
    [line] = said(capsys)
    assert SECRET not in str(line)
    assert line["event"] == "Task exception was never retrieved"
    assert [cause["type"] for cause in line["raised"]] == ["RuntimeError", "ValueError"]


def test_libraries_do_not_speak_below_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug")
    loud = logging.getLogger("openai")
    loud.setLevel(logging.DEBUG)
    try:
        loud.debug("request %s", SECRET)
        loud.info("request %s", SECRET)
    finally:
        loud.setLevel(logging.NOTSET)
    assert said(capsys) == []


def test_configured_twice_it_speaks_once(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")
    configure_logging("info")
    logging.getLogger("kafka").warning("once")
    assert len(said(capsys)) == 1


def test_a_terminal_gets_lines_that_cannot_steer_it(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "console")
    structlog.get_logger("x").info("batch", event_id=f"a{ESCAPE}", source=f"s{ESCAPE}")
    logging.getLogger("kafka").warning("from %s", ESCAPE)
    try:
        fail()
    except RuntimeError:
        structlog.get_logger("x").error("broken", exc_info=True)
    text = capsys.readouterr().err
    assert "\x1b" not in text
    assert "\x07" not in text
    assert SECRET not in text
    assert len(text.splitlines()) == 3
