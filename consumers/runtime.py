"""Kafka's part of the composition: from settings to a running consumer and to the HTTP intake."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from consumers.answers import AnswersConsumer, AnswersOptions
from consumers.delivery import Courier, ReviewSink, VerdictSink
from consumers.feedback import FeedbackConsumer, FeedbackOptions, FeedbackThread, TopicMissing
from consumers.intake import KafkaFeedback, KafkaIntake
from consumers.kafka import KafkaOptions, PartitionConsumer, RecordProducer, TopicFacts
from consumers.kafka.tokens import TokenEndpoint, TokenFile
from consumers.kafka.topics import Start
from consumers.outages import Outages
from consumers.placement import Placement
from consumers.progress import AnswersProgress
from service.bootstrap import Parts
from service.health import Health
from service.joining import FeedbackJoin
from service.outage import Misconfiguration
from service.settings import Settings, revealed
from service.tls import client_context


def kafka_options(settings: Settings) -> KafkaOptions:
    """Raises :class:`Misconfiguration` when no bootstrap address is set."""
    if settings.kafka_bootstrap is None:
        raise Misconfiguration(
            "this command needs Kafka: set GROUNDWATCH_KAFKA_BOOTSTRAP=host:port"
        )
    return KafkaOptions(
        bootstrap=settings.kafka_bootstrap,
        security=_security(settings),
        request_timeout_ms=5_000,
        session_timeout_ms=int(settings.session_timeout_s * 1000),
        max_poll_interval_ms=int(settings.max_poll_interval_s * 1000),
        max_poll_records=settings.max_poll_records,
        max_decompressed_bytes=settings.max_decompressed_bytes,
        # The broker knows what a topic takes; the client's own limit is before compression.
        max_request_bytes=16 << 20,
    )


def _security(settings: Settings) -> dict[str, Any]:
    """The files go to the client by name: it reads them anew for each connection, so that
    certificates may be replaced. They are tried here, as it would ask in vain for ever."""
    client_context(
        "KAFKA_SSL",
        settings.kafka_ssl_cafile,
        settings.kafka_ssl_certfile,
        settings.kafka_ssl_keyfile,
        revealed(settings.kafka_ssl_password),
    )
    given = {
        "security_protocol": settings.kafka_security_protocol,
        "ssl_cafile": _named(settings.kafka_ssl_cafile),
        "ssl_certfile": _named(settings.kafka_ssl_certfile),
        "ssl_keyfile": _named(settings.kafka_ssl_keyfile),
        "ssl_password": revealed(settings.kafka_ssl_password),
        "sasl_mechanism": settings.kafka_sasl_mechanism,
        "sasl_plain_username": settings.kafka_sasl_username,
        "sasl_plain_password": revealed(settings.kafka_sasl_password),
        "sasl_oauth_token_provider": _tokens(settings),
    }
    return {name: value for name, value in given.items() if value is not None}


@cache
def _tokens(settings: Settings) -> TokenFile | TokenEndpoint | None:
    """One for all clients of this process."""
    if settings.kafka_oauth_token_file is not None:
        return TokenFile(settings.kafka_oauth_token_file)
    url, client_id = settings.kafka_oauth_token_url, settings.kafka_oauth_client_id
    secret = revealed(settings.kafka_oauth_client_secret)
    if url is None or client_id is None or secret is None:
        return None
    context = client_context("KAFKA_OAUTH_SSL", settings.kafka_oauth_ssl_cafile)
    return TokenEndpoint(url, client_id, secret, settings.kafka_oauth_scope, context)


def _named(path: Path | None) -> str | None:
    return str(path) if path is not None else None


@contextlib.contextmanager
def answers_consumer(parts: Parts, health: Health, start: Start) -> Iterator[AnswersConsumer]:
    """A member of the group, closed at the end.

    Raises :class:`Outage` or :class:`Misconfiguration`.
    """
    settings = parts.settings
    if parts.store.connection.embedded:
        raise Misconfiguration(
            "`consume` needs a Redis that outlives it: set GROUNDWATCH_REDIS_URL=redis://host:6379/0"
        )
    options = kafka_options(settings)
    with contextlib.ExitStack() as stack:
        facts = TopicFacts(options)
        stack.callback(facts.close)
        gaps = settings.answers_transactional or facts.has_offset_gaps(settings.topic_answers)
        producer = RecordProducer(options)
        stack.callback(producer.close)
        consumer = PartitionConsumer(options, settings.topic_answers, settings.group)
        stack.callback(consumer.close, 5.0)
        yield AnswersConsumer(
            consumer,
            producer,
            Placement(parts.store, facts, settings.topic_answers, settings.group, start),
            parts.store,
            parts.ingest,
            parts.metrics,
            health,
            AnswersOptions(
                topic=settings.topic_answers,
                dead_letters=settings.topic_dead_letters,
                verdicts=settings.topic_verdicts,
                group=settings.group,
                gaps_expected=gaps,
                grace_s=settings.grace_s,
            ),
        )


@contextlib.contextmanager
def verdict_sink(parts: Parts, health: Health) -> Iterator[VerdictSink]:
    """Where the judge's workers put their records."""
    producer = RecordProducer(kafka_options(parts.settings))
    try:
        courier = Courier(producer, Outages(parts.metrics, health))
        yield VerdictSink(courier, parts.settings.topic_verdicts)
    finally:
        producer.close()


@contextlib.contextmanager
def review_sink(parts: Parts, health: Health) -> Iterator[ReviewSink]:
    """Where ``serve`` puts what people said."""
    producer = RecordProducer(kafka_options(parts.settings))
    try:
        courier = Courier(producer, Outages(parts.metrics, health))
        yield ReviewSink(courier, parts.settings.topic_reviews)
    finally:
        producer.close()


@contextlib.contextmanager
def feedback_consumer(parts: Parts) -> Iterator[FeedbackConsumer]:
    """With clients of its own, closed at the end. Raises :class:`TopicMissing`, and as
    :func:`answers_consumer` does."""
    settings = parts.settings
    options, topic = kafka_options(settings), settings.topic_feedback
    answers, group = settings.topic_answers, f"{settings.group}-feedback"
    # Outages of this thread are no news to the process: the answers' loop reports its own.
    outages = Outages(parts.metrics, Health())
    with contextlib.ExitStack() as stack:
        facts = TopicFacts(options)
        stack.callback(facts.close)
        if not facts.exists(topic):
            raise TopicMissing(f"there is no topic {topic}")
        producer = RecordProducer(options)
        stack.callback(producer.close)
        consumer = PartitionConsumer(options, topic, group)
        stack.callback(consumer.close, 5.0)
        courier = Courier(producer, outages)
        for app in parts.terms().policy.apps:
            parts.metrics.watch_feedback_of(app)
        yield FeedbackConsumer(
            consumer,
            facts,
            courier,
            VerdictSink(courier, settings.topic_verdicts),
            FeedbackJoin(
                parts.store, parts.documents, parts.terms, lambda at: facts.record_at(*at)
            ),
            AnswersProgress(
                lambda: facts.ends(answers),
                lambda: parts.store.checkpoints.glance(
                    answers, range(facts.partition_count(answers))
                )[1],
            ),
            parts.store,
            parts.metrics,
            outages,
            FeedbackOptions(topic, settings.topic_dead_letters, group),
        )


@contextlib.contextmanager
def feedback_thread(parts: Parts, health: Health) -> Iterator[None]:
    """Feedback beside the answers, where it is on."""
    settings = parts.settings
    if not settings.feedback_window_s:
        health.set("feedback", True, "off: GROUNDWATCH_FEEDBACK_WINDOW_S is 0")
        yield
        return
    thread = FeedbackThread(lambda: feedback_consumer(parts), health)
    try:
        yield
    finally:
        thread.close(settings.grace_s)


@contextlib.contextmanager
def kafka_feedback(parts: Parts) -> Iterator[KafkaFeedback]:
    """Where ``serve`` puts the feedback that comes over HTTP."""
    producer = RecordProducer(kafka_options(parts.settings))
    try:
        yield KafkaFeedback(producer, parts.settings.topic_feedback, parts.terms)
    finally:
        producer.close()


@contextlib.contextmanager
def kafka_intake(parts: Parts) -> Iterator[KafkaIntake]:
    """Where ``serve`` puts the events that come over HTTP."""
    producer = RecordProducer(kafka_options(parts.settings))
    try:
        yield KafkaIntake(producer, parts.settings.topic_answers, parts.terms)
    finally:
        producer.close()
