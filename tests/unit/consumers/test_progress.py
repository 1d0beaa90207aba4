"""When feedback has no answer to wait for any more."""

from __future__ import annotations

from consumers.progress import LOOK_EVERY_S, AnswersProgress


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_covers_what_stood_there_when_it_asked_once_all_of_that_is_checked() -> None:
    clock, ends, checked, asked = Clock(), {0: 10, 1: 0}, {0: 9}, []

    def told() -> dict[int, int]:
        asked.append(clock.now)
        return dict(ends)

    progress = AnswersProgress(told, lambda: checked, clock)
    assert not progress.covers(0.0)
    progress.look()
    assert not progress.covers(100.0)
    # Answers that come later are nobody's to wait for.
    ends[0] = 1_000
    checked[0] = 10
    progress.look()
    assert not progress.covers(100.0)
    clock.now += LOOK_EVERY_S
    progress.look()
    assert progress.covers(100.0)
    assert not progress.covers(100.1)
    clock.now += LOOK_EVERY_S
    progress.look()
    assert asked == [100.0, 100.0 + 2 * LOOK_EVERY_S]
    assert not progress.covers(clock.now)
