"""Where an export goes: standard output, or a file that a later run goes on with."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

import orjson

from service.exporting.cursor import Cursor, decode_cursor, encode_cursor
from service.exporting.part import Part

KEPT_EVERY = 200
"""Parts after which the file is synced and its cursor moves on."""


class Output(Protocol):
    @property
    def cursor(self) -> Cursor:
        """After what was written so far."""
        ...

    def write_head(self, line: str) -> None:
        """A format's first line, empty for none; left out where an earlier run wrote it."""
        ...

    def write(self, part: Part) -> None: ...


class Printed:
    """Line by line; nothing is remembered."""

    def __init__(self, echo: Callable[[str], None], after: Cursor) -> None:
        self._echo, self._cursor = echo, after

    @property
    def cursor(self) -> Cursor:
        return self._cursor

    def write_head(self, line: str) -> None:
        if line and self.cursor.at_start:
            self._echo(line)

    def write(self, part: Part) -> None:
        for line in part.lines:
            self._echo(line)
        self._cursor = part.cursor or self._cursor


class Kept:
    """A file, and beside it ``<file>.cursor``: how many bytes of it are whole, and where to go on.

    What a killed run wrote beyond that is cut off, so that no line comes twice or by halves. The
    file holds what people and users wrote: only its owner may read it.
    """

    def __init__(self, path: Path, export: str, after: Cursor) -> None:
        """``export``: what the file holds; ``after``: where a new file begins. Raises ValueError
        for a file that is not such an export or was changed since, OSError as ``open`` does."""
        self._path, self._export = path, export
        self._state = path.with_name(path.name + ".cursor")
        whole, cursor = self._resume(after)
        self._file = _open(path)
        self._file.truncate(whole)
        self._file.seek(whole)
        self._written = whole, cursor
        self._keep()

    @property
    def cursor(self) -> Cursor:
        return self._written[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """What was written stays, also of a run that broke off."""
        self._keep()
        self._file.close()

    def write_head(self, line: str) -> None:
        if line and self._file.tell() == 0:
            self._file.write(line.encode() + b"\n")

    def write(self, part: Part) -> None:
        """OSError when the disk is full: what was kept until then stays whole."""
        if part.cursor is None:
            return
        self._file.write("".join(line + "\n" for line in part.lines).encode())
        self._written = self._file.tell(), part.cursor
        self._unkept += 1
        if self._unkept >= KEPT_EVERY:
            self._keep()

    def _resume(self, after: Cursor) -> tuple[int, Cursor]:
        size = self._path.stat().st_size if self._path.exists() else 0
        if not self._state.exists():
            if size:
                raise ValueError(
                    f"{self._path} exists, and no {self._state.name} beside it says where to go "
                    "on: name another file"
                )
            return 0, after
        if not after.at_start:
            raise ValueError(f"{self._path} goes on where it stopped: leave --after out")
        try:
            state = orjson.loads(self._state.read_bytes())
            export, whole, cursor = state["export"], state["bytes"], decode_cursor(state["cursor"])
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{self._state} cannot be read: name another file") from None
        if export != self._export:
            raise ValueError(f"{self._path} holds {export}, not {self._export}: name another file")
        if size < whole:
            raise ValueError(f"{self._path} was cut since the last run: name another file")
        return whole, cursor

    def _keep(self) -> None:
        whole, cursor = self._written
        self._file.flush()
        os.fsync(self._file.fileno())
        state = {"export": self._export, "bytes": whole, "cursor": encode_cursor(cursor)}
        fresh = self._state.with_name(self._state.name + ".new")
        with _open(fresh) as file:
            file.truncate()
            file.write(orjson.dumps(state))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._state)
        self._unkept = 0


def _open(path: Path) -> BinaryIO:
    """For reading and writing, made if need be, for its owner's eyes only."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    return os.fdopen(descriptor, "r+b")
