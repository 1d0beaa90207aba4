"""The access file, read again when it changes: a key or a group that is struck out there is out at
once."""

from __future__ import annotations

import os
from pathlib import Path

import structlog

from service.access.rules import AccessRules
from service.settings import SettingsError, load_access

log = structlog.get_logger(__name__)


class AccessFile:
    """A broken one is reported once, and the last good one stays in force. Raises
    :class:`SettingsError` when the first one is broken."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stamp = self._changed_at()
        self._rules = load_access(path)

    def __call__(self) -> AccessRules:
        stamp = self._changed_at()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._rules = load_access(self._path)
            except SettingsError as error:
                log.error("access_refused", error=str(error))
            else:
                log.info("access_reloaded", people=len(self._rules.people))
        return self._rules

    def _changed_at(self) -> int:
        try:
            return os.stat(self._path).st_mtime_ns if self._path else 0
        except OSError:
            return 0
