"""The ports as whoever asks may use them: of the apps that are granted, and no others.

Routes are given these and know nothing of grants, so none of them can forget one.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, cast

from service.access.roles import Grant
from service.knowledge_gaps import QuestionReader
from service.questions import Question
from service.web.caller import caller


class Grantable(Protocol):
    def within(self, grant: Grant) -> Any: ...


Port = TypeVar("Port", bound=Grantable)


def for_caller(port: Port) -> Port:
    """The port, narrowed anew at each use to what the caller may see."""
    return cast(Port, _ForCaller(port))


def granted() -> Grant:
    """To whoever asks now; nothing outside of a request."""
    return caller().grant


class GrantedQuestions:
    """Questions that retrieval did not serve, of the granted apps; the newest of all are read."""

    def __init__(self, reader: QuestionReader) -> None:
        self._reader = reader

    def since(self, since_ms: int, most: int) -> list[Question]:
        found = self._reader.since(since_ms, most)
        return [question for question in found if granted().covers(question.app)]


class _ForCaller:
    def __init__(self, port: Grantable) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port.within(granted()), name)
