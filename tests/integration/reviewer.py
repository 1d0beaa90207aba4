"""One web process's desk, and a reviewer who never rests: ``python -m tests.integration.reviewer
NAME``. Prints each change that it was told is saved."""

from __future__ import annotations

import sys
import time

from consumers import runtime
from service.bootstrap import build, desk
from service.health import Health
from service.outage import Outage
from service.review.cases import CaseFilter
from service.review.desk import LeaseLost, LeaseTaken, Stale
from service.review.labels import AnswerCall, Label
from service.review_outbox import ReviewOutbox, ReviewOutboxKeeper
from service.settings import load_settings


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(name: str) -> None:
    parts = build(load_settings())
    with runtime.review_sink(parts, Health()) as sink:
        keeper = ReviewOutboxKeeper(ReviewOutbox(parts.store, sink))
        keeper.start()
        reviews = desk(parts, keeper.wake)
        while True:
            now_ms = int(time.time() * 1000)
            try:
                lease = reviews.next_case(name, CaseFilter(), now_ms)
                if lease is None:
                    tell("done")
                    time.sleep(60)
                    continue
                version = reviews.labelled(lease.subject).version
                label = Label(answer=AnswerCall.WRONG, note=f"by {name}")
                change = reviews.save(lease, label, version, now_ms)
            except (LeaseLost, LeaseTaken, Stale, Outage):
                continue
            tell(f"{change.subject} {change.number}")


if __name__ == "__main__":
    main(sys.argv[1])
