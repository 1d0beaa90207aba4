"""Many questions for one target: in order, bounded, patient, and not for ever."""

from __future__ import annotations

import asyncio

from service.measuring.targets.asking import GIVE_UP_AFTER, TRIES, ask_all
from service.measuring.targets.port import (
    FailureReason,
    TargetAnswer,
    TargetFailure,
    TargetRequest,
)

AWAY = TargetFailure(FailureReason.UNREACHABLE, "http://x: away", away=True)
LATE = TargetFailure(FailureReason.TIMEOUT, "http://x: late", away=True)
BROKEN = TargetFailure(FailureReason.MAPPING, "http://x: broken")


class Scripted:
    """Gives what ``script`` says for a query id, in turn, the last again and again."""

    name = "scripted"

    def __init__(self, script=(), concurrency=1):
        self.script = {name: list(answers) for name, answers in dict(script).items()}
        self.concurrency = concurrency
        self.asked: list[str] = []
        self.running = self.most_running = 0

    async def ask(self, request: TargetRequest):
        self.asked.append(request.query_id)
        self.running += 1
        self.most_running = max(self.running, self.most_running)
        await asyncio.sleep(0)
        self.running -= 1
        answers = self.script.get(request.query_id, [])
        answer = answers[0] if len(answers) == 1 else answers.pop(0) if answers else None
        return answer or TargetAnswer(answer=request.query)

    async def close(self):
        """Nothing is held."""


def asked(target, names):
    waits: list[float] = []

    async def sleep(seconds):
        waits.append(seconds)

    async def run():
        requests = [TargetRequest(name, name) for name in names]
        return [one.got async for one in ask_all(target, requests, sleep)]

    return asyncio.run(run()), waits


def reasons(found):
    return ["ok" if isinstance(got, TargetAnswer) else got.reason.value for got in found]


def test_answers_come_in_order_and_no_more_run_than_are_allowed():
    names = [str(number) for number in range(9)]
    target = Scripted(concurrency=3)
    found, _ = asked(target, names)
    assert [got.answer for got in found] == names
    assert target.most_running == 3


def test_who_is_away_is_asked_again_after_growing_pauses():
    target = Scripted({"a": [AWAY, AWAY, TargetAnswer(answer="at last")]})
    found, waits = asked(target, ["a", "b"])
    assert reasons(found) == ["ok", "ok"]
    assert waits == [0.5, 1.0]


def test_what_fails_for_good_or_took_its_time_is_not_asked_again():
    target = Scripted({"a": [BROKEN], "b": [LATE]})
    found, waits = asked(target, ["a", "b", "c"])
    assert reasons(found) == ["mapping", "timeout", "ok"]
    assert (target.asked, waits) == (["a", "b", "c"], [])


def test_after_some_questions_nobody_is_asked_any_more():
    names = [str(number) for number in range(GIVE_UP_AFTER + 3)]
    target = Scripted({name: [AWAY] for name in names})
    found, _ = asked(target, names)
    assert reasons(found) == ["unreachable"] * GIVE_UP_AFTER + ["not_asked"] * 3
    assert len(target.asked) == GIVE_UP_AFTER * TRIES
    assert "http://x: away" in found[-1].message


def test_one_answer_between_shows_that_it_is_there():
    names = ["a", "b", "ok", "c", "d", "last"]
    target = Scripted({name: [AWAY] for name in "abcd"})
    found, _ = asked(target, names)
    assert reasons(found)[-1] == "ok"
