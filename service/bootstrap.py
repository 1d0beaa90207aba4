"""The one place that builds adapters from settings."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from pydantic import ValidationError

from service.checks import CHECKS
from service.controller import Controller, budget_of
from service.documents import Documents
from service.events import EventLimits
from service.gating import Gatekeeper
from service.ingest import Ingest
from service.judging.corpora import Corpora
from service.judging.endpoint import Breaker
from service.judging.purse import StorePurse
from service.metrics import Metrics
from service.outage import Misconfiguration
from service.pipeline import Terms
from service.policy import Policy, TargetPolicy
from service.settings import (
    Settings,
    SettingsError,
    from_environment,
    load_policy,
    revealed,
)
from service.store import Access, Caps, Connection, Denied, Store, connect
from service.store.budget import Account
from service.store.reviews import Desk
from service.store.reviews.retention import Retention
from service.tls import client_context
from service.traces import NO_TRACES, Traces

if TYPE_CHECKING:
    from service.document_server import DocumentServer
    from service.judging.client import JudgeClient
    from service.judging.judge import Judge
    from service.measuring.judging import AnswerJudge
    from service.measuring.targets.port import Target

log = structlog.get_logger(__name__)


class PolicyTerms:
    """The pipeline's terms. The policy file is read again when it changes; a broken one is
    reported once and the last good one stays in force."""

    def __init__(self, settings: Settings, secret: bytes, policy: Policy | None = None) -> None:
        self._settings = settings
        self._path: Path | None = settings.policy if policy is None else None
        self._stamp = self._changed_at()
        self._terms = _terms(settings, secret, policy or load_policy(settings.policy))

    def __call__(self) -> Terms:
        stamp = self._changed_at()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                policy = load_policy(self._path)
            except SettingsError as error:
                log.error("policy_refused", error=str(error))
            else:
                self._terms = _terms(self._settings, self._terms.secret, policy)
                log.info("policy_reloaded", apps=len(policy.apps))
        return self._terms

    def _changed_at(self) -> int:
        try:
            return os.stat(self._path).st_mtime_ns if self._path else 0
        except OSError:
            return 0


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that does not depend on Kafka."""

    settings: Settings
    store: Store
    documents: Documents
    terms: PolicyTerms
    metrics: Metrics
    ingest: Ingest
    traces: Traces


def build(settings: Settings, policy: Policy | None = None) -> Parts:
    """Raises :class:`Outage` when Redis is away, :class:`Misconfiguration` or
    :class:`SettingsError` when something can never work."""
    connection = redis_connection(settings)
    store = Store.over(connection, caps(settings), CHECKS)
    store.checkpoints.open()
    check_redis(store)
    documents = Documents(connection, _document_server(settings))
    terms = PolicyTerms(settings, _secret(settings, store), policy)
    metrics = Metrics()
    traces = _traces(settings)
    ingest = Ingest(store, documents, terms, metrics, traces)
    return Parts(settings, store, documents, terms, metrics, ingest, traces)


def redis_connection(settings: Settings) -> Connection:
    """Raises :class:`Misconfiguration` for a TLS file that cannot be used; does not talk yet."""
    access = Access(
        settings.redis_username,
        revealed(settings.redis_password),
        settings.redis_ssl_cafile,
        settings.redis_ssl_certfile,
        settings.redis_ssl_keyfile,
        revealed(settings.redis_ssl_password),
    )
    client_context("REDIS_SSL", access.cafile, access.certfile, access.keyfile, access.key_password)
    return connect(settings.redis_url, settings.redis_namespace, access=access)


def _traces(settings: Settings) -> Traces:
    if settings.traces_endpoint is None:
        return NO_TRACES
    # The SDK is only loaded where it is wanted: it takes a quarter of a second.
    from service.traces.otlp import OtlpTraces

    return OtlpTraces(settings.traces_endpoint)


def _document_server(settings: Settings) -> DocumentServer | None:
    if settings.documents_url is None:
        return None
    # httpx is only loaded where it is needed.
    from service.document_server import DocumentServer

    return DocumentServer(
        settings.documents_url,
        settings.documents_timeout_s,
        settings.documents_cache_bytes,
        tls=client_context("DOCUMENTS_SSL", settings.documents_ssl_cafile),
    )


def caps(settings: Settings) -> Caps:
    return Caps(
        cases_per_group_day=settings.cases_per_group_day,
        max_cases=settings.max_cases,
        max_groups=settings.max_groups,
        releases_per_app=settings.releases_per_app,
        id_window_ms=settings.id_window_s * 1000,
        max_backlog=settings.judge_max_backlog,
        max_questions=settings.max_questions,
        # Embedded, there is no topic in which an answer could be read again.
        feedback_window_ms=0 if settings.embedded else settings.feedback_window_s * 1000,
    )


def controller(parts: Parts) -> Controller:
    """What keeps the sample within the budget, and audits to their number a day."""
    return Controller(
        parts.store.connection,
        lambda: parts.terms().policy,
        budget_of(parts.settings),
        parts.store.jobs.pending,
    )


def desk(parts: Parts, on_change: Callable[[], object]) -> Desk:
    """``on_change``: told after each write that the outbox of reviews has work."""
    return Desk(
        parts.store.connection,
        lambda: parts.terms().policy,
        parts.terms().secret,
        int(parts.settings.review_lease_s * 1000),
        on_change,
        parts.metrics.observe_label,
        parts.metrics.observe_redactions,
    )


def gatekeeper(parts: Parts, now: Callable[[], float]) -> Gatekeeper | None:
    """None where no rules file is configured; one that cannot be read is told at the start: raises
    OSError, or :class:`service.measuring.rules.BadRules`."""
    if parts.settings.gates is None:
        return None
    keeper = Gatekeeper(parts.settings.gates, parts.store.archive, now)
    keeper.read()
    return keeper


def retention(parts: Parts) -> Retention:
    settings = parts.settings
    return Retention(parts.store.connection, settings.review_retention_days, settings.max_groups)


def judge(parts: Parts, corpora: Corpora, scripted: bool = False) -> tuple[Judge, JudgeClient]:
    """Of one event loop; the client is to be closed there. Raises :class:`Misconfiguration` where
    no endpoint is set."""
    # The client is only loaded where it is needed.
    from service.judging.client import EndpointOptions, JudgeClient
    from service.judging.judge import Judge, JudgeOptions, version_of

    settings = parts.settings
    if settings.judge_base_url is None or settings.judge_model is None:
        raise Misconfiguration(
            "the judge is off: set GROUNDWATCH_JUDGE_BASE_URL and GROUNDWATCH_JUDGE_MODEL"
        )
    key = settings.judge_api_key
    temperature, seed = settings.judge_temperature, settings.judge_seed
    endpoint = EndpointOptions(
        settings.judge_base_url,
        settings.judge_model,
        key.get_secret_value() if key is not None else "",
        temperature,
        seed,
        client_context("JUDGE_SSL", settings.judge_ssl_cafile),
    )
    options = JudgeOptions(
        settings.judge_max_tokens,
        settings.judge_call_timeout_s,
        settings.judge_relevance,
        scripted,
    )
    client, budget = JudgeClient(endpoint), budget_of(settings)
    purse = StorePurse(Account(parts.store.connection), budget, lambda: int(time.time() * 1000))
    return Judge(
        client,
        Breaker(time.monotonic),
        purse,
        budget.prices,
        model=settings.judge_model,
        version=version_of(settings.judge_model, temperature, seed, options),
        secret=parts.terms().secret,
        clock=time.monotonic,
        sleep=asyncio.sleep,
        random=random.random,
        options=options,
        corpora=corpora,
    ), client


@contextlib.asynccontextmanager
async def answer_judge(settings: Settings) -> AsyncIterator[AnswerJudge]:
    """The configured judge for measured answers, after it was found to be there. Its calls are in
    the configured bounds, but in no account that other processes share: a measurement neither waits
    for the day's budget nor takes from it. Raises :class:`Misconfiguration`."""
    from service.judging.endpoint import trouble_of
    from service.measuring.judging import AnswerJudge

    # Relevance is a third call, and no part of what is measured.
    apart = {"redis_url": "memory://", "judge_relevance": False}
    parts = build(settings.model_copy(update=apart))
    ruling, client = judge(parts, Corpora(parts.documents))
    try:
        found = await client.probe()
        if not found.usable:
            trouble = trouble_of(found.outcome) or found.detail or found.outcome.value
            raise Misconfiguration(
                f"the judge cannot be asked (--no-judge does without): {trouble}"
            )
        yield AnswerJudge(ruling, settings.judge_deadline_s)
    finally:
        await client.close()


def target(name: str, policy: Policy) -> Target:
    """``name``: of the policy's ``targets``, ``module:function``, or the address of an endpoint
    that speaks the contract's names. Raises :class:`Misconfiguration` or :class:`SettingsError`."""
    # The HTTP client is only loaded where it is needed.
    from service.measuring.targets.endpoint import Endpoint
    from service.measuring.targets.function import load_function

    found = policy.targets.get(name)
    if found is None and name.startswith(("http://", "https://")):
        try:
            found = TargetPolicy(url=name)
        except ValidationError as error:
            raise Misconfiguration(f"--target: url: {error.errors()[0]['msg']}") from None
    if found is not None:
        headers = {
            header: from_environment(f"targets.{name}.headers.{header}", value)
            for header, value in found.headers.items()
        }
        return Endpoint(name, found, headers)
    if ":" in name:
        return load_function(name)
    known = ", ".join(sorted(policy.targets)) or "none"
    raise Misconfiguration(
        f"--target {name}: no such target in the policy file (there: {known}); it may also be "
        "module:function, or an address that begins with http:// or https://"
    )


def check_redis(store: Store) -> None:
    """Refuse a Redis that may throw keys away; warn about one that forgets at a restart."""
    if store.connection.embedded:
        return
    try:
        with store.connection.guard():
            info = store.connection.client.info()
    except Denied:
        log.warning(
            "redis_not_checked",
            consequence="whether it evicts keys and keeps what it holds is not known, nor how full "
            "it is: cases are kept until it refuses them",
            mend="let the Redis user run INFO: docs/transport.md",
        )
        return
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        raise Misconfiguration(
            f"Redis evicts keys (maxmemory-policy {policy}): counters and checkpoints would go; "
            "run `redis-cli config set maxmemory-policy noeviction`"
        )
    if not info.get("aof_enabled"):
        log.warning(
            "redis_without_aof",
            consequence="a Redis restart loses what came after the last snapshot; "
            "`groundwatch rebuild` restores it from the verdicts topic",
            mend="redis-cli config set appendonly yes",
        )


def _terms(settings: Settings, secret: bytes, policy: Policy) -> Terms:
    return Terms(
        policy=policy,
        secret=secret,
        limits=EventLimits(settings.max_event_bytes, settings.max_chunks, settings.max_text),
        default_app=settings.default_app,
        releases_per_app=settings.releases_per_app,
        id_window_ms=settings.id_window_s * 1000,
        case_bytes=settings.max_case_bytes,
        judge=settings.judging,
    )


def _secret(settings: Settings, store: Store) -> bytes:
    if settings.sampling_secret is not None:
        return settings.sampling_secret.get_secret_value().encode()[:64]
    return store.checkpoints.secret()
