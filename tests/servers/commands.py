"""``groundwatch`` as processes of their own, without a second of imports for each of them.

On Linux a warm process, one for each process of the tests, has imported it all, and forks. What it
forks is handed to us as a child: with the process id, the arguments, the environment, the standard
streams and the end that ``python -m service.cli`` would have. Elsewhere, and where Python's own
environment differs (other code is to be run), it is started the long way.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "service.cli")
LONGEST_PAUSE_S = 0.05
_SET_CHILD_SUBREAPER = 36
"""prctl(2): orphans of our children become ours."""


class Command:
    """A process that was forked for us; as :class:`subprocess.Popen` where the two have a name in
    common."""

    def __init__(self, pid: int, arguments: Sequence[str]) -> None:
        self.pid = pid
        self.args = arguments
        self.returncode: int | None = None
        self._asking = threading.Lock()

    def poll(self) -> int | None:
        with self._asking:
            if self.returncode is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        give_up = None if timeout is None else time.monotonic() + timeout
        pause = 0.001
        while (code := self.poll()) is None:
            if give_up is not None and time.monotonic() > give_up:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Process = subprocess.Popen[bytes] | Command


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: int | IO[Any] = subprocess.DEVNULL,
    stdout: int | IO[Any] = subprocess.DEVNULL,
    stderr: int | IO[Any] = subprocess.DEVNULL,
) -> Process:
    """The command with this environment and no other, in the folder of the tests."""
    if sys.platform != "linux" or _pythons(environment) != _pythons(os.environ):
        return subprocess.Popen(
            [*COMMAND, *arguments], env=environment, stdin=stdin, stdout=stdout, stderr=stderr
        )
    with open(os.devnull, "r+b") as nothing:
        streams = [
            nothing.fileno() if stream == subprocess.DEVNULL else _number(stream)
            for stream in (stdin, stdout, stderr)
        ]
        return _warm().fork(arguments, environment, streams)


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: str = "",
    timeout_s: float = 100.0,
) -> subprocess.CompletedProcess[str]:
    """One command to its end, and what it said."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        with tempfile.TemporaryFile() as told:
            given.write(stdin.encode())
            given.seek(0)
            process = start(arguments, environment, stdin=given, stdout=said, stderr=told)
            try:
                code = process.wait(timeout_s)
            finally:
                process.kill()
                process.wait()
            texts = []
            for file in (said, told):
                file.seek(0)
                texts.append(file.read().decode())
    return subprocess.CompletedProcess([*COMMAND, *arguments], code, *texts)


def _number(stream: int | IO[Any]) -> int:
    return stream if isinstance(stream, int) else stream.fileno()


def _pythons(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith("PYTHON") and name != "PYTHONFAULTHANDLER"
    }


@cache
def _warm() -> _Warm:
    return _Warm()


class _Warm:
    def __init__(self) -> None:
        self._asking = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # It ends once nobody holds the other end, however we end.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.servers.warm", str(theirs.fileno())],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self._end)

    def fork(
        self, arguments: Sequence[str], environment: Mapping[str, str], streams: list[int]
    ) -> Command:
        asked = {"arguments": list(arguments), "environment": dict(environment)}
        with self._asking:
            _adopt(True)
            try:
                socket.send_fds(self._socket, [json.dumps(asked).encode()], streams)
                pid = int(self._socket.recv(64))
                assert self._socket.recv(64) == b"orphaned"
            finally:
                _adopt(False)
        return Command(pid, [*COMMAND, *arguments])

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()


def _adopt(orphans: bool) -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_SET_CHILD_SUBREAPER, ctypes.c_ulong(orphans), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
