"""doctor: what is wrong with an installation, and what a sample of events says about its policy."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from service.bootstrap import redis_connection
from service.cli.shared import err, out, printable, progress, settings_of
from service.doctor import clock, redis, sample, topics
from service.doctor.advice import Advice, Status, healthy
from service.doctor.proposal import propose
from service.doctor.survey import Survey
from service.doctor.topics import Role, Tools
from service.events import EventLimits
from service.outage import Misconfiguration, Outage
from service.policy import Policy
from service.settings import Settings, SettingsError, load_policy
from service.store import inspection as of_redis

_PRINCIPALS = {
    "PLAINTEXT": "ANONYMOUS",
    "SSL": "NAME-IN-THE-CERTIFICATE",
    "SASL_PLAINTEXT": "SUBJECT-OF-THE-TOKEN",
    "SASL_SSL": "SUBJECT-OF-THE-TOKEN",
}
"""Who Kafka takes somebody without a user name for."""

COLOURS: dict[Status, str] = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def doctor(
    events: Annotated[
        typer.FileText | None,
        typer.Argument(help="A sample of events, one a line; - is standard input."),
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="json: one object.")] = "text",
    policy_out: Annotated[
        Path | None, typer.Option(help="Write the proposed policy there instead of printing it.")
    ] = None,
) -> None:
    """Says what is wrong with Kafka, Redis, clocks and policy, and how to mend it.

    Nothing is changed. With a sample of EVENTS also: which fields are missing, how the answers
    cite, from where their numbers count, and a proposed policy file. Exit code 1 when something
    failed; a warning works, but somebody should know.
    """
    settings = settings_of(quiet=True)
    shown = format == "text"
    said: list[Advice] = []
    survey = None if events is None else Survey()
    sampled = () if survey is None else _sample(survey, events, settings)
    for line in chain(_installation(settings), sampled):
        if shown:
            _print(line, said[-1].mend if said else "")
        said.append(line)
    proposed = propose(survey) if survey is not None and survey.events else None
    if proposed is not None and policy_out is not None:
        policy_out.write_text(proposed, encoding="utf-8")
    if shown:
        _print_survey(survey, proposed, policy_out)
    else:
        typer.echo(json.dumps(_as_json(said, survey, proposed), ensure_ascii=False))
    raise typer.Exit(0 if healthy(said) else 1)


def _installation(settings: Settings) -> Iterator[Advice]:
    yield from _kafka(settings)
    yield from _redis(settings)
    yield from _policy(settings)


def _kafka(settings: Settings) -> Iterator[Advice]:
    if settings.embedded:
        yield Advice(
            "ok",
            "kafka",
            "embedded: no Kafka is configured, `serve` takes answers over HTTP and keeps verdicts "
            f"in {settings.data_dir}",
        )
        return
    # Kafka's client is only loaded where it is needed.
    from consumers import runtime
    from consumers.kafka.inspection import Inspection

    try:
        inspection = Inspection(runtime.kafka_options(settings))
    except (Outage, Misconfiguration) as error:
        yield Advice("fail", "kafka", str(error), "topics, rights and clock are not examined")
        return
    with contextlib.closing(inspection):
        try:
            yield from _cluster(inspection, settings)
        except Outage as error:
            yield Advice("fail", "kafka", str(error), "run the doctor again once that is mended")


def _cluster(inspection: Any, settings: Settings) -> Iterator[Advice]:
    names: dict[Role, str] = {
        "answers": settings.topic_answers,
        "dead_letters": settings.topic_dead_letters,
        "verdicts": settings.topic_verdicts,
        "reviews": settings.topic_reviews,
        "feedback": settings.topic_feedback,
    }
    tools = Tools(
        settings.kafka_bootstrap or "",
        inspection.brokers(),
        settings.kafka_security_protocol != "PLAINTEXT",
    )
    yield Advice("ok", "kafka", f"{tools.brokers} brokers by way of {tools.bootstrap}")
    planned = topics.plan(names, settings.max_event_bytes)
    found = inspection.topics(names.values())
    yield from topics.examine(
        planned, found, tools, settings.max_event_bytes, settings.max_case_bytes
    )
    user = settings.kafka_sasl_username or _PRINCIPALS[settings.kafka_security_protocol]
    rights = {
        group: inspection.group_rights(group)
        for group in (settings.group, f"{settings.group}-feedback")
    }
    yield from topics.examine_rights(planned, found, rights, user, tools)
    told = inspection.clock()
    if told is None:
        yield Advice(
            "warn",
            clock.AREA,
            "the cluster's time cannot be asked (it takes the right Describe on the cluster)",
            "see that NTP sets the clocks of brokers and of this machine",
        )
    else:
        yield clock.examine("Kafka", *told)


def _redis(settings: Settings) -> Iterator[Advice]:
    if settings.redis_url == "memory://":
        yield Advice(
            "ok" if settings.embedded else "fail",
            redis.AREA,
            "embedded: the store is in the memory of `serve`, and is filled again from its files",
            "" if settings.embedded else "set GROUNDWATCH_REDIS_URL: consumers share a Redis",
        )
        return
    try:
        connection = redis_connection(settings)
    except Misconfiguration as error:
        yield Advice("fail", redis.AREA, str(error), "see GROUNDWATCH_REDIS_SSL_CAFILE and others")
        return
    try:
        facts = of_redis.inspect(connection)
        yield from redis.examine(facts)
        yield clock.examine("Redis", *of_redis.clock(connection))
    except Outage as error:
        yield Advice("fail", redis.AREA, str(error), "see GROUNDWATCH_REDIS_URL")
    finally:
        connection.client.close()


def _policy(settings: Settings) -> Iterator[Advice]:
    if settings.policy is None:
        yield Advice(
            "warn",
            "policy",
            "no policy file: every app goes by the name other and is checked with the defaults",
            "groundwatch doctor EVENTS.jsonl proposes one; GROUNDWATCH_POLICY names it",
        )
        return
    try:
        policy = load_policy(settings.policy)
    except SettingsError as error:
        yield Advice("fail", "policy", str(error), "mend the file; docs/contract.md names fields")
    else:
        yield Advice("ok", "policy", f"{len(policy.apps)} apps, {len(policy.mappings)} mappings")


def _sample(survey: Survey, events: Any, settings: Settings) -> Iterator[Advice]:
    """Reads all of ``events`` into ``survey`` first."""
    try:
        policy = load_policy(settings.policy)
    except SettingsError:  # said already
        policy = Policy()
    limits = EventLimits(settings.max_event_bytes, settings.max_chunks, settings.max_text)
    with progress("reading the sample") as tell:
        for line in events:
            survey.add(line, policy, limits)
            if survey.lines % 100 == 0:
                tell(f"{survey.lines} lines")
    yield from sample.examine(survey, policy, limits)


def _print(line: Advice, mended: str) -> None:
    """``mended``: what stands before it, not to be said twice."""
    out.print(f"[{COLOURS[line.status]}]{line.status:4}[/]  ", end="")
    out.print(f"{line.area}: {printable(line.said)}", highlight=False, markup=False, soft_wrap=True)
    if line.mend and line.mend != mended:
        # Unbroken: a command is there to be copied.
        out.print(f"      {line.mend}", highlight=False, markup=False, soft_wrap=True)


def _print_survey(survey: Survey | None, proposed: str | None, written: Path | None) -> None:
    if survey is None:
        return
    for name, app in sorted(survey.apps.items(), key=lambda item: -item[1].events):
        separator = app.separator
        languages = ", ".join(f"{printable(code)} {n}" for code, n in app.languages.most_common(6))
        forms = ", ".join(f"{form} {n}" for form, n in app.forms.most_common()) or "none"
        out.print(
            f"\n{printable(name)}: {app.events} answers ({languages})\n"
            f"    citations: {app.citations} in {app.citing} answers; forms: {forms}\n"
            f"    resolving: {app.share(0, separator):.1%} counted from 0, "
            f"{app.share(1, separator):.1%} from 1; separator {separator}",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip
    if proposed is None:
        return
    if written is not None:
        err.print(f"The proposed policy stands in {written}", highlight=False, markup=False)
        return
    out.print("\nProposed policy:\n", highlight=False)
    typer.echo(proposed, nl=False)


def _as_json(said: list[Advice], survey: Survey | None, proposed: str | None) -> dict[str, Any]:
    return {
        "healthy": healthy(said),
        "advice": [
            {"status": line.status, "area": line.area, "said": line.said, "mend": line.mend}
            for line in said
        ],
        "sample": None if survey is None else _sample_json(survey),
        "policy": proposed,
    }


def _sample_json(survey: Survey) -> dict[str, Any]:
    return {
        "lines": survey.lines,
        "events": survey.events,
        "mapped": survey.mapped,
        "refused": dict(survey.refused),
        "foreign": dict(survey.foreign),
        "missing": {
            **{name: n / survey.events for name, n in survey.lacking.items()},
            **{f"retrieved[].{n}": k / survey.chunks for n, k in survey.chunks_lacking.items()},
        },
        "apps": {
            name: {
                "answers": app.events,
                "citing": app.citing,
                "citations": app.citations,
                "forms": dict(app.forms),
                "resolving": {
                    "base_0": app.share(0, app.separator),
                    "base_1": app.share(1, app.separator),
                },
                "separator": app.separator,
                "languages": dict(app.languages),
            }
            for name, app in survey.apps.items()
        },
    }
