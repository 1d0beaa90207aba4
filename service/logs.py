"""Structured logs on standard error: JSON, or lines for a terminal. Never a text under watch.

The libraries' loggers go through the same renderer. What they say is cut to one line, and of an
exception only classes and places are told: messages may repeat what a library was given.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import PurePath
from traceback import walk_tb
from typing import Any, Literal

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

Form = Literal["auto", "json", "console"]

LONGEST_LINE = 200
"""Characters of what a library says."""
MOST_FRAMES = 20
MOST_CAUSES = 5


def configure_logging(level: str, form: Form = "auto") -> None:
    """``form``: auto is for people where standard error is a terminal, else JSON."""
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _tell_places,
    ]
    render = _renderer(form)
    structlog.configure(
        processors=[*common, render],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    _take_over_libraries(common, render)


def log_what_nobody_caught() -> None:
    """Of any thread, as everything else: Python's own way prints the message."""

    def tell(kind: type[BaseException], error: BaseException | None, trace: Any) -> None:
        if error is not None and not isinstance(error, KeyboardInterrupt | SystemExit):
            structlog.get_logger(__name__).critical("uncaught", exc_info=(kind, error, trace))

    sys.excepthook = tell
    threading.excepthook = lambda told: tell(told.exc_type, told.exc_value, told.exc_traceback)


def _renderer(form: Form) -> Processor:
    if form == "json" or (form == "auto" and not sys.stderr.isatty()):
        return structlog.processors.JSONRenderer()
    # Ids are a stranger's: as they stand they might steer the terminal.
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), repr_native_str=True)


def _take_over_libraries(common: list[Processor], render: Processor) -> None:
    handler = _LibraryHandler(sys.stderr)
    # Whatever level a library sets itself (OPENAI_LOG does): only its warnings are wanted.
    handler.setLevel(logging.WARNING)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
            foreign_pre_chain=[_first_line, structlog.stdlib.add_logger_name, *common],
            keep_exc_info=False,
            keep_stack_info=False,
        )
    )
    root = logging.getLogger()
    for former in [each for each in root.handlers if isinstance(each, _LibraryHandler)]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)


class _LibraryHandler(logging.StreamHandler[Any]):
    """Ours, among others that a test runner may have put there."""


def _first_line(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """asyncio, for one, says an exception's text in the lines below."""
    line = str(event["event"]).partition("\n")[0][:LONGEST_LINE]
    event["event"] = "".join(char if char.isprintable() else "·" for char in line)
    return event


def _tell_places(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """``exc_info`` as classes and places."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["raised"] = [_told(each) for each in _causes(error)]
    return event


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, then what it came from."""
    cause: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _told(error: BaseException) -> dict[str, Any]:
    frames = [
        f"{PurePath(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
        for frame, line in walk_tb(error.__traceback__)
    ]
    return {"type": type(error).__name__, "frames": frames[-MOST_FRAMES:]}
