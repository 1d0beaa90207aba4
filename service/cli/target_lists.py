"""Retrieved lists from a target that is asked, for `groundwatch measure retrieval`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from service import bootstrap
from service.cli.shared import printable, progress
from service.settings import Settings, load_policy

if TYPE_CHECKING:
    from service.measuring.lists import RetrievedList
    from service.measuring.questions import Question


class TargetLists:
    """One list a question that the target answered and of which it says what it retrieved.
    ``unread``: why others have none."""

    def __init__(
        self, settings: Settings, name: str, questions: Sequence[Question], k: int, run: str
    ) -> None:
        self._target = bootstrap.target(name, load_policy(settings.policy))
        self._questions = questions
        self._k, self._run, self._app = k, run, settings.default_app
        self.unread: list[str] = []

    def __iter__(self) -> Iterator[RetrievedList]:
        """Ctrl-C included: what was answered until then is not thrown away."""
        found: list[RetrievedList] = []
        try:
            asyncio.run(self._ask(found))
        except KeyboardInterrupt:
            self.unread.append("broken off: what is not answered yet has no list")
        yield from found

    @property
    def notes(self) -> list[str]:
        return [printable(each) for each in dict.fromkeys(self.unread)]

    async def _ask(self, found: list[RetrievedList]) -> None:
        from service.measuring.lists import of_event
        from service.measuring.targets.asking import ask_all
        from service.measuring.targets.port import TargetFailure, TargetRequest, event_of

        requests = [
            TargetRequest(each.query, each.query_id, self._run, each.language, self._k)
            for each in self._questions
        ]
        apps = {each.query_id: each.app for each in self._questions}
        try:
            with progress("asking") as tell:
                async for asked in ask_all(self._target, requests):
                    tell(f"{len(found)} of {len(requests)} questions")
                    if isinstance(asked.got, TargetFailure):
                        self.unread.append(
                            f"no list ({asked.got.reason.value}): {asked.got.message}"
                        )
                    elif asked.got.retrieved is None:
                        self.unread.append("no list: the target does not say what it retrieved")
                    else:
                        app = apps[asked.request.query_id] or self._app
                        found.append(of_event(event_of(asked.request, asked.got, app)))
        finally:
            await self._target.close()
