"""What a finding tells of something that stands in no source, and of the nearest that does."""

from __future__ import annotations

from functools import cached_property

from service.checks.model import CheckInput
from service.checks.reading.grounding import Source
from service.checks.reading.sources import in_german, one_line, where

EXPLAINED = 10
"""Findings of one answer for which the nearest is sought; more are a broken answer."""


class Telling:
    """The details of one answer's findings, in its language."""

    def __init__(self, given: CheckInput) -> None:
        self._given = given
        self._sought = 0

    @cached_property
    def german(self) -> bool:
        return in_german(self._given)

    def may_seek(self) -> bool:
        """Whether the nearest is to be sought for one more finding."""
        self._sought += 1
        return self._sought <= EXPLAINED

    def absent(self, surface: str, near: tuple[Source, str, tuple[str, str]] | None) -> str:
        """``near``: a source, what stands there, and in English and German what it is instead."""
        told = one_line(surface)
        if self.german:
            detail = f"{told} steht in keinem abgerufenen Text."
        else:
            detail = f"{told} stands in no retrieved text."
        if near is None:
            return detail
        source, words, (english, german) = near
        shown = one_line(words)
        if self.german:
            return f"{detail} Am nächsten kommt {where(source)}: {shown} ({german})."
        return f"{detail} Nearest in {where(source)}: {shown} ({english})."
