"""``python -m tests.servers.warm DESCRIPTOR``: imports what the commands import, then forks for
each command that the socket asks for (see :mod:`tests.servers.commands`).

The command line itself, which reads the terminal's width when it is imported, is left to the fork:
that has its own arguments, environment and standard streams by then, and ends as any Python does.
"""

from __future__ import annotations

import array
import faulthandler
import gc
import importlib
import json
import os
import runpy
import socket
import sys

IMPORTED = (
    *("typer", "rich.progress", "uvicorn"),
    *("service.bootstrap", "service.embedded", "service.web.app", "service.demo"),
    *("consumers.runtime", "consumers.judge", "consumers.upkeep"),
)
LONGEST = 1 << 17
STREAMS = 3


def serve(asked: socket.socket) -> bytes:
    """What a command is to be; returns in its process alone."""
    while True:
        request, streams = _receive(asked)
        if not request:
            os._exit(0)
        between = os.fork()
        if between == 0:
            read_end, write_end = os.pipe()
            if pid := os.fork():
                # Once this process has ended, the command is a child of the tests' own one.
                asked.send(str(pid).encode())
                os._exit(0)
            os.close(write_end)
            os.read(read_end, 1)  # that it has ended
            os.close(read_end)
            asked.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return request
        for stream in streams:
            os.close(stream)
        os.waitpid(between, 0)
        asked.send(b"orphaned")


def _receive(asked: socket.socket) -> tuple[bytes, list[int]]:
    numbers = array.array("i")
    room = socket.CMSG_LEN(STREAMS * numbers.itemsize)
    request, ancillary, _, _ = asked.recvmsg(LONGEST, room)
    for _, kind, data in ancillary:
        assert kind == socket.SCM_RIGHTS
        numbers.frombytes(data)
    return request, list(numbers)


def become(request: bytes) -> None:
    told = json.loads(request)
    os.environ.clear()
    os.environ.update(told["environment"])
    if "PYTHONFAULTHANDLER" in os.environ:
        faulthandler.enable()
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", buffering=1 if os.isatty(1) else -1, closefd=False)
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    sys.argv[1:] = told["arguments"]
    runpy.run_module("service.cli", run_name="__main__", alter_sys=True)


def main() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    assert not any(name.startswith("service.cli") for name in sys.modules)
    assert len(os.listdir("/proc/self/task")) == 1, "a fork takes no thread along"
    gc.collect()
    gc.freeze()
    become(serve(socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
