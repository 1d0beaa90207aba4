"""What `serve` and `demo` run: pages, API, and the threads beside them."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog

from service.access.proxies import Proxies, is_loopback, networks_of
from service.access_file import AccessFile
from service.addressed import app_of_answer, app_of_feedback
from service.bootstrap import Parts, controller, desk, gatekeeper
from service.cli.shared import err
from service.controller import ControllerKeeper
from service.embedded import EmbeddedFeedback, EmbeddedIntake
from service.health import Health
from service.intake import Intake
from service.joining import FeedbackJoin
from service.outage import Misconfiguration
from service.outbox import Sink
from service.review_outbox import ReviewOutbox, ReviewOutboxKeeper
from service.settings import Settings
from service.store import MEMORY_URL, Store
from service.store.reviews import Desk

if TYPE_CHECKING:
    from consumers.judge import JudgeThread
    from service.web.authentication import Authenticate
    from service.web.ports import JudgeState
log = structlog.get_logger(__name__)


JUDGE_OFF = "off: GROUNDWATCH_JUDGE_BASE_URL is not set"


def serve_pages(
    parts: Parts,
    intake: Intake,
    settings: Settings,
    sink: EmbeddedIntake | None = None,
    scripted: bool = False,
    now: Callable[[], float] = time.time,
) -> None:
    """``sink``: where judgements go, when this process is to judge as well; ``scripted``: what
    judges is no model; ``now``: seconds since 1970 that answers are aged by."""
    from service.gauges import GaugeKeeper

    # Answers are taken in, whatever ails the judge's endpoint.
    health = Health(expects=("redis",), tolerates=("endpoint",))
    with contextlib.ExitStack() as stack:
        stack.callback(parts.traces.close)
        for keeper in (GaugeKeeper(parts, health, now), ControllerKeeper(controller(parts))):
            keeper.start()
            stack.callback(keeper.close)
        _introduce_judge(settings, health, scripted)
        if settings.judging and sink is not None:
            stack.callback(judge_thread(parts, sink, health, scripted).close)
        reviews = stack.enter_context(_desk(parts, intake, health))
        feedback = stack.enter_context(_feedback(parts, sink))
        _run_web(parts, intake, feedback, reviews, settings, health, scripted, now)


def judge_thread(
    parts: Parts, sink: EmbeddedIntake, health: Health, scripted: bool = False
) -> JudgeThread:
    from consumers.judge import JudgeThread

    return JudgeThread(parts, sink, health, scripted)


def _introduce_judge(settings: Settings, health: Health, scripted: bool) -> None:
    state = f"asks {settings.judge_model}" if settings.judging else JUDGE_OFF
    state += " (scripted: no model rules)" if scripted else ""
    health.set("judge", True, state)
    log.info("judge", state=state)


@contextlib.contextmanager
def _desk(parts: Parts, intake: Intake, health: Health) -> Iterator[Desk]:
    """Embedded, what a person said is in the journal before anybody is told that it is saved; else
    it is in Redis, and a thread produces it."""
    with contextlib.ExitStack() as stack:
        where: Sink
        if isinstance(intake, EmbeddedIntake):
            where = intake.reviews
        else:
            from consumers import runtime

            where = stack.enter_context(runtime.review_sink(parts, health))
        outbox = ReviewOutbox(parts.store, where)
        keeper = ReviewOutboxKeeper(outbox)
        keeper.start()
        stack.callback(keeper.close)
        embedded = isinstance(intake, EmbeddedIntake)
        yield desk(parts, outbox.flush if embedded else keeper.wake)


@contextlib.contextmanager
def _feedback(parts: Parts, sink: EmbeddedIntake | None) -> Iterator[Intake | None]:
    """Where feedback goes that comes over HTTP; None where it is off."""
    if not parts.settings.feedback_window_s:
        yield None
    elif not parts.settings.embedded:
        from consumers import runtime

        with runtime.kafka_feedback(parts) as intake:
            yield intake
    elif sink is None:
        yield None
    else:
        join = FeedbackJoin(parts.store, parts.documents, parts.terms)
        yield EmbeddedFeedback(parts.store, join, sink, parts.metrics)


def _run_web(
    parts: Parts,
    intake: Intake,
    feedback: Intake | None,
    reviews: Desk,
    settings: Settings,
    health: Health,
    scripted: bool,
    now: Callable[[], float],
) -> None:
    import uvicorn

    from service.calibrations import calibrations_over
    from service.web.app import create_app
    from service.web.options import WebOptions

    listener = _listen(settings.host, settings.port)
    address = _address(settings.host, listener.getsockname()[1])
    web = create_app(
        intake=intake,
        feedback=feedback,
        cases=parts.store.archive,
        tasks=parts.store.tasks,
        books=parts.store.archive.books,
        judge=_judge_state(parts, scripted),
        counters=parts.store.archive,
        desk=reviews,
        probes=parts.store.probes.results,
        secret=parts.terms().secret,
        gates=gatekeeper(parts, now),
        calibrations=calibrations_over(parts.store, settings.calibration_days, now, time.monotonic),
        questions=parts.store.questions,
        policy=lambda: parts.terms().policy,
        health=health,
        metrics=parts.metrics,
        settings=WebOptions(
            public_url=settings.public_url or address,
            address=address,
            allowed_hosts=_hosts(settings),
            metrics_open=settings.metrics_open,
            sends_per_minute=settings.sends_per_minute,
            max_body_bytes=max(16 << 20, settings.max_event_bytes),
            wanted=settings.wanted,
        ),
        now=now,
        authenticate=_authenticate(settings, parts.store),
        app_of_answer=lambda raw: app_of_answer(raw, parts.terms()),
        app_of_feedback=lambda raw: app_of_feedback(raw, parts.terms()),
    )
    web.state.desk = reviews
    server = uvicorn.Server(
        uvicorn.Config(
            web,
            host=settings.host,
            port=settings.port,
            log_config=None,
            log_level="warning",
            access_log=False,
            # The address of a peer is what decides whether its headers are believed.
            proxy_headers=False,
        )
    )
    err.print(f"groundwatch serves on [bold]{address}[/bold]  (queue, books, API, metrics)")
    server.run(sockets=[listener])


def _authenticate(settings: Settings, store: Store) -> Authenticate:
    """Who is let in to pages and API. Raises :class:`SettingsError` for an access file that cannot
    be used."""
    from service.web.authentication import Doorkeeper, ProxyHeaders, nobody_is_asked

    if settings.auth != "required":
        return nobody_is_asked
    return Doorkeeper(
        store.api_keys,
        AccessFile(settings.access),
        Proxies(networks_of(settings.trusted_proxies)),
        ProxyHeaders(
            settings.proxy_user_header, settings.proxy_email_header, settings.proxy_groups_header
        ),
        time.time,
        time.monotonic,
    )


def check_door(settings: Settings) -> None:
    """Raises :class:`Misconfiguration` where anybody on the network could come in, or nobody at
    all."""
    if settings.auth == "loopback" and not is_loopback(settings.host):
        raise Misconfiguration(
            f"serve would listen on {settings.host}, and nobody would be asked who they are. Set "
            "GROUNDWATCH_AUTH=required and make a key (`groundwatch keys create`) or list a proxy "
            "(GROUNDWATCH_TRUSTED_PROXIES), see docs/security.md; or listen on 127.0.0.1; or, if "
            "whoever reaches that address may do everything, "
            "GROUNDWATCH_AUTH=anyone-may-do-anything"
        )
    if settings.auth == "required" and settings.redis_url == MEMORY_URL and not settings.access:
        raise Misconfiguration(
            "GROUNDWATCH_AUTH=required, and nobody could come in: a memory:// store keeps no keys. "
            "Set GROUNDWATCH_ACCESS to a file with keys or people in it: docs/security.md"
        )


def _hosts(settings: Settings) -> frozenset[str] | None:
    """Names that a browser may know this server by; None for any, where nobody said which."""
    listed = {name.strip().lower() for name in settings.allowed_hosts.split(",") if name.strip()}
    if settings.public_url:
        listed.add(urlsplit(settings.public_url).netloc.rpartition("@")[2].lower())
    if not listed and settings.auth != "loopback":
        return None
    names = {host if host.endswith("]") else host.partition(":")[0] for host in listed}
    return frozenset({*names, "localhost", "127.0.0.1", "[::1]"})


def _listen(host: str, port: int) -> socket.socket:
    """Bound before anything is promised, so that port 0 has its number; raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=2048)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _judge_state(parts: Parts, scripted: bool) -> Callable[[], JudgeState]:
    from service.web.ports import JudgeState

    budget = controller(parts)

    def state() -> JudgeState:
        if not parts.settings.judging:
            return JudgeState()
        waiting, now_ms = parts.store.jobs.pending(), int(time.time() * 1000)
        return JudgeState(parts.settings.judge_model, scripted, waiting, budget.state(now_ms))

    return state
