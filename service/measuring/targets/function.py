"""A target in Python: ``module:function``, from a request of the contract to an answer of it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.checks import where
from service.measuring.targets.port import (
    FailureReason,
    TargetAnswer,
    TargetFailure,
    TargetRequest,
    read_answer,
)
from service.outage import Misconfiguration

TIMEOUT_S = 60.0


class Function:
    """Calls ``function`` with the request as a dict (``query``, ``query_id``, ``purpose`` …); it
    gives a dict with ``answer`` and, if it can, ``retrieved``, ``citations``, ``usage`` …, each as
    in the answer event. A plain function runs in a thread, one at a time, as it may not be made for
    more; a coroutine function in the loop."""

    def __init__(
        self, name: str, function: Callable[[dict[str, Any]], Any], timeout_s: float = TIMEOUT_S
    ) -> None:
        self.name = name
        self._function = function
        self._timeout_s = timeout_s
        self._is_coroutine = inspect.iscoroutinefunction(function)
        self.concurrency = 4 if self._is_coroutine else 1

    async def close(self) -> None:
        """Nothing is held."""

    async def ask(self, request: TargetRequest) -> TargetAnswer | TargetFailure:
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout_s):
                data = await self._called(request.as_json())
        except TimeoutError:
            return TargetFailure(
                FailureReason.TIMEOUT, f"{self.name}: no answer within {self._timeout_s} s", True
            )
        # The operator's code may raise anything, and may think that it is a program of its own.
        except (Exception, SystemExit) as error:  # noqa: BLE001 (the operator's code)
            return TargetFailure(FailureReason.RAISED, f"{self.name} raised {where(error)}")
        answer = read_answer(data, None, request)
        if isinstance(answer, TargetAnswer) and not answer.latency_ms:
            answer.latency_ms = {"total": round((time.monotonic() - begun) * 1000, 1)}
        return answer

    async def _called(self, request: dict[str, Any]) -> Any:
        if self._is_coroutine:
            return await self._function(request)
        return await asyncio.to_thread(self._function, request)


def load_function(name: str) -> Function:
    """The callable that ``module:function`` names, looked for in the working directory too, as
    ``python -m`` does. Raises :class:`~service.outage.Misconfiguration`."""
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise Misconfiguration(
            f"--target {name}: neither module:function nor an address that begins with http:// or "
            "https://"
        )
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(importlib.import_module(module_name), attribute)
    except ImportError as error:
        raise Misconfiguration(
            f"--target {name}: cannot import {module_name} from here ({error})"
        ) from None
    except AttributeError:
        raise Misconfiguration(
            f"--target {name}: {module_name} has no {attribute}; write module:function"
        ) from None
    if not callable(function):
        raise Misconfiguration(f"--target {name}: {attribute} is no function")
    return Function(name, function)
