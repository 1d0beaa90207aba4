"""A real broker with TLS, logins and ACLs: what works, and what a fault is called."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from kafka import KafkaAdminClient
from kafka.admin import ScramMechanism, UserScramCredentialUpsertion

from consumers.kafka import KafkaOptions, PartitionConsumer, RecordProducer, TopicFacts
from consumers.runtime import kafka_options
from service.demo.scripted_judge import ScriptedJudge
from service.demo.scripted_rulings import Oracle
from service.outage import Outage
from service.settings import load_settings
from tests.integration.conftest import _collect_sockets_now
from tests.integration.reviewer import Reviewer
from tests.integration.world import World, answer_event
from tests.servers import commands, one_at_a_time, unavailable
from tests.servers.certificates import Authority
from tests.servers.redis import RedisMissing
from tests.servers.secure_kafka import PASSWORD, STRANGER, USER, SecureBroker, unsigned_token
from tests.servers.secure_redis import SecureRedis
from tools.kafka.broker import free_port
from tools.kafka.jars import KafkaMissing, broker_jars

DOCS = Path(__file__).parents[2] / "docs" / "transport.md"
ACLS = DOCS.read_text(encoding="utf-8")
Settings = dict[str, Any]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def secured(tmp_path_factory, authority: Authority) -> Iterator[SecureBroker]:
    broker = SecureBroker(tmp_path_factory.mktemp("kafka"), authority)
    try:
        with one_at_a_time():
            broker_jars()
        broker.start()
    except KafkaMissing as error:
        unavailable(str(error))
    yield broker
    broker.stop()
    _collect_sockets_now()


@pytest.fixture(scope="module")
def facts(secured: SecureBroker) -> Iterator[TopicFacts]:
    """The administrator's."""
    made = TopicFacts(KafkaOptions(secured.bootstrap, bootstrap_timeout_ms=15_000))
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(secured: SecureBroker, facts: TopicFacts) -> str:
    """A topic, and a group of the same name, that the user may use."""
    facts.create_topic("shared")
    secured.allow(ACLS, dict.fromkeys(NAMES, "shared"))
    return "shared"


NAMES = (
    *("rag.answers", "rag.answers.dead-letter", "rag.verdicts", "rag.feedback", "rag.reviews"),
    *("groundwatch-checks", "groundwatch-checks-feedback"),
)


@pytest.fixture(scope="module")
def login(secured: SecureBroker, authority: Authority) -> Settings:
    return {
        "kafka_bootstrap": secured.login,
        "kafka_security_protocol": "SASL_SSL",
        "kafka_ssl_cafile": authority.ca,
        "kafka_sasl_mechanism": "SCRAM-SHA-512",
        "kafka_sasl_username": USER,
        "kafka_sasl_password": PASSWORD,
    }


def options(settings: Settings, timeout_ms: int = 15_000) -> KafkaOptions:
    environ = {f"GROUNDWATCH_{k.upper()}": str(v) for k, v in settings.items() if v is not None}
    made = kafka_options(load_settings(environ))
    return dataclasses.replace(made, bootstrap_timeout_ms=timeout_ms, session_timeout_ms=6_000)


def goes_round(made: KafkaOptions, topic: str, value: bytes) -> None:
    """Produce, consume, commit."""
    producer = RecordProducer(made)
    delivery = producer.send(topic, None, value)
    assert delivery.wait(20)
    offset = delivery.offset()
    assert offset is not None, delivery.failed()
    producer.close()
    consumer = PartitionConsumer(made, topic, topic)
    try:
        got: list[bytes | None] = []
        give_up = time.monotonic() + 40
        while value not in got and time.monotonic() < give_up:
            poll = consumer.poll(200)
            for partition in poll.unpositioned:
                consumer.seek(partition, offset)
            got += [record.value for record in poll.records.get(0, ())]
        assert got == [value]
        assert consumer.commit({0: offset + 1}, 10)
    finally:
        consumer.close(5)


# What works.


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_over_tls(login: Settings, shared: str, mechanism: str) -> None:
    made = options(login | {"kafka_sasl_mechanism": mechanism})
    goes_round(made, shared, mechanism.encode())


def test_a_password_without_tls(secured: SecureBroker, login: Settings, shared: str) -> None:
    settings = login | {
        "kafka_bootstrap": secured.open,
        "kafka_security_protocol": "SASL_PLAINTEXT",
        "kafka_sasl_mechanism": "SCRAM-SHA-256",
        "kafka_ssl_cafile": None,
    }
    goes_round(options(settings), shared, b"open")


@pytest.fixture
def certificate(secured: SecureBroker, authority: Authority) -> Settings:
    pair = authority.issue(USER)
    return {
        "kafka_bootstrap": secured.mutual,
        "kafka_security_protocol": "SSL",
        "kafka_ssl_cafile": authority.ca,
        "kafka_ssl_certfile": pair.certificate,
        "kafka_ssl_keyfile": pair.key,
    }


def test_a_client_certificate(certificate: Settings, shared: str) -> None:
    goes_round(options(certificate), shared, b"certificate")


@pytest.fixture
def token(login: Settings, tmp_path: Path) -> Settings:
    file = tmp_path / "token"
    file.write_text(unsigned_token() + "\n")
    bare = login | {"kafka_sasl_username": None, "kafka_sasl_password": None}
    return bare | {"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_oauth_token_file": file}


def test_a_token_from_a_file_that_is_replaced(token: Settings, shared: str) -> None:
    file = token["kafka_oauth_token_file"]
    good = file.read_text()
    goes_round(options(token), shared, b"token")
    file.write_text(unsigned_token(life_s=-100))
    refused(options(token, 2_000), "refuses the token")
    file.write_text(good)
    goes_round(options(token), shared, b"token again")


@pytest.fixture
def secure_redis(tmp_path: Path, authority: Authority) -> Iterator[SecureRedis]:
    server = SecureRedis(tmp_path / "redis", authority)
    try:
        server.start()
    except RedisMissing as error:
        unavailable(str(error))
    yield server
    server.stop()


@pytest.fixture
def judge(authority: Authority) -> Iterator[Settings]:
    """A scripted endpoint over TLS."""
    endpoint = ScriptedJudge(Oracle(lambda *_: False))
    context = authority.issue("judge").server_context()
    server = endpoint._server
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with endpoint:
        yield {
            "judge_base_url": endpoint.base_url.replace("http:", "https:"),
            "judge_model": "scripted-oracle",
            "judge_flip_share": 0,
            "judge_ssl_cafile": authority.ca,
        }


@pytest.fixture
def world(secured, facts, login, secure_redis, judge, tmp_path) -> Iterator[World]:
    """Everything over TLS, under the documented users. Only what makes topics and events is the
    administrator."""
    name = uuid.uuid4().hex[:8]
    topics = {f"topic_{kind}": f"{kind}-{name}" for kind in ("feedback", "reviews")}
    for topic in topics.values():
        facts.create_topic(topic)
    admin = KafkaOptions(secured.bootstrap, bootstrap_timeout_ms=15_000)
    settings = login | secure_redis.settings | judge | topics
    url = settings.pop("redis_url")
    made = World(facts, admin, url, tmp_path, redis_namespace="groundwatch", **settings)
    Path(made.environment["GROUNDWATCH_POLICY"]).write_text(
        "default: &all {sampling: {audit: 0, flagged_high: 1, flagged: 1, abstained: 1,"
        " low_overlap: 1, rest: 0.2}}\napps: {support: *all, sales: *all}"
    )
    group = made.settings.group
    used = made.settings
    names = (
        *(used.topic_answers, used.topic_dead_letters, used.topic_verdicts, used.topic_feedback),
        *(used.topic_reviews, group, f"{group}-feedback"),
    )
    secured.allow(ACLS, dict(zip(NAMES, names, strict=True)))
    yield made
    made.close()


def test_a_whole_installation(world: World, facts: TopicFacts) -> None:
    world.produce(200)
    world.consume()
    world.judge()
    address = world.serve()
    world.until_received()
    event = json.loads(answer_event("by-http", faulty=True))
    taken = httpx.post(f"{address}/v1/answers", json=event)
    assert taken.status_code == 202, taken.text
    world.until(lambda: world.received() == 201)
    said = {"event_id": "by-http", "app": "support", "thumb": "down"}
    assert httpx.post(f"{address}/v1/feedback", json=said).status_code == 202
    world.until(lambda: world.totals().get("judge:judged", 0) >= 10)
    heard = (f"{world.settings.group}-feedback", world.settings.topic_feedback)
    world.until(lambda: facts.committed(*heard) == {0: 1})
    person = Reviewer(address, "ada")
    person.start()
    try:
        world.until(lambda: len(person.saved) >= 5)
    finally:
        person.leave()
    world.until(lambda: not world.parts.store.reviews.unflushed(1))
    assert len(list(facts.read_all(world.settings.topic_reviews))) >= 5
    world.until(lambda: sum(world.committed().values()) == 201)
    ready = [world.probe("/readyz", number) for number in (0, 1)]
    assert [answer.status_code for answer in ready] == [200, 200], [a.text for a in ready]
    assert len(world.dead()) == 2
    world.stop(world.servers[0])
    assert [world.stop(process) for process in world.processes] == [0, 0]
    for command in (
        ("books",),
        ("checkpoints",),
        ("dead-letters", "list"),
        ("export", "labels"),
        ("export", "cases"),
        ("erase", "--user-hash", "nobody", "--yes"),
        ("rebuild", "--yes"),
        ("books",),
    ):
        done = world.run(*command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert PASSWORD not in done.stdout + done.stderr
    assert set(world.books().values()) == {0}
    assert PASSWORD not in world.logs()


# What a fault is called.


def refused(made: KafkaOptions, *says: str) -> str:
    """Making a client ends within a bounded time, and says this."""
    began = time.monotonic()
    with pytest.raises(Outage) as outage:
        PartitionConsumer(made, "shared", "shared")
    assert time.monotonic() - began < made.bootstrap_timeout_ms / 1000 + 30
    said = str(outage.value)
    assert all(word in said for word in (made.bootstrap, *says)), said
    assert PASSWORD not in said
    return said


Change = Callable[[SecureBroker, Authority, Path], Settings]
FAULTS: dict[str, tuple[Settings | Change, tuple[str, ...]]] = {
    "wrong password": (
        {"kafka_sasl_password": "wrong"},
        ("refuses the user or the password", "KAFKA_SASL_PASSWORD"),
    ),
    "unknown user": (
        {"kafka_sasl_username": "nobody"},
        ("refuses the user or the password", "KAFKA_SASL_USERNAME"),
    ),
    "wrong plain password": (
        {"kafka_sasl_mechanism": "PLAIN", "kafka_sasl_password": "wrong"},
        ("refuses the user or the password", "PLAIN"),
    ),
    "wrong CA": (
        lambda _, __, folder: {"kafka_ssl_cafile": Authority(folder / "other").ca},
        ("not trusted", "KAFKA_SSL_CAFILE"),
    ),
    "the system's CAs": ({"kafka_ssl_cafile": None}, ("not trusted", "KAFKA_SSL_CAFILE")),
    "TLS asked of a plain port": (
        lambda broker, _, __: {"kafka_bootstrap": broker.open},
        ("no TLS is spoken there", "KAFKA_SECURITY_PROTOCOL"),
    ),
    "plain client at a TLS port": (
        {
            "kafka_security_protocol": "PLAINTEXT",
            "kafka_sasl_mechanism": None,
            "kafka_ssl_cafile": None,
            "kafka_sasl_username": None,
            "kafka_sasl_password": None,
        },
        ("speaks TLS", "SSL or SASL_SSL"),
    ),
    "a password without TLS at a TLS port": (
        {"kafka_security_protocol": "SASL_PLAINTEXT", "kafka_ssl_cafile": None},
        ("speaks TLS", "SASL_SSL"),
    ),
    "a mechanism that is not offered": (
        lambda broker, _, __: {
            "kafka_bootstrap": broker.open,
            "kafka_security_protocol": "SASL_PLAINTEXT",
            "kafka_ssl_cafile": None,
        },
        ("does not offer SCRAM-SHA-512", "KAFKA_SASL_MECHANISM"),
    ),
    "a login where none is wanted": (
        lambda broker, _, __: {
            "kafka_bootstrap": broker.bootstrap,
            "kafka_security_protocol": "SASL_PLAINTEXT",
            "kafka_ssl_cafile": None,
        },
        ("wants no SASL", "KAFKA_SECURITY_PROTOCOL"),
    ),
    "no client certificate": (
        lambda broker, _, __: {
            "kafka_bootstrap": broker.mutual,
            "kafka_security_protocol": "SSL",
            "kafka_sasl_mechanism": None,
            "kafka_sasl_username": None,
            "kafka_sasl_password": None,
        },
        ("KAFKA_SSL_CERTFILE",),
    ),
    "a certificate for another host": (
        lambda broker, _, __: {
            "kafka_bootstrap": broker.elsewhere,
            "kafka_security_protocol": "SSL",
            "kafka_sasl_mechanism": None,
            "kafka_sasl_username": None,
            "kafka_sasl_password": None,
        },
        ("not valid for '127.0.0.1'", "KAFKA_BOOTSTRAP"),
    ),
    "nobody listens": (
        lambda _, __, ___: {"kafka_bootstrap": f"127.0.0.1:{free_port()}"},
        ("connection refused", "KAFKA_BOOTSTRAP", "broker runs"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_what_to_check(
    secured: SecureBroker, authority: Authority, login: Settings, tmp_path: Path, fault: str
) -> None:
    change, says = FAULTS[fault]
    changed = change if isinstance(change, dict) else change(secured, authority, tmp_path)
    refused(options(login | changed, 2_500), *says)


def test_a_token_that_is_not_there(token: Settings) -> None:
    token["kafka_oauth_token_file"].unlink()
    refused(options(token, 2_500), "no token", "KAFKA_OAUTH_TOKEN_FILE")


def poll_on(consumer: PartitionConsumer) -> None:
    for _ in range(20):
        consumer.poll(500)


def test_without_acls(secured: SecureBroker, login: Settings, shared: str, facts) -> None:
    made = options(login | {"kafka_sasl_username": STRANGER})
    producer = RecordProducer(made)
    with pytest.raises(Outage, match=r"not authorized for the topic; check its ACLs"):
        producer.send(shared, None, b"x")
    producer.close()
    consumer = PartitionConsumer(made, shared, shared)
    with pytest.raises(Outage, match=r"not authorized for the (topic|consumer group)"):
        poll_on(consumer)
    consumer.close(2)
    known = options(login)
    consumer = PartitionConsumer(known, shared, "another-group")
    with pytest.raises(Outage, match=r"not authorized for the consumer group; check its ACLs"):
        poll_on(consumer)
    consumer.close(2)
    mine = TopicFacts(known)
    with pytest.raises(Outage, match=r"no such topic|not authorized for the topic"):
        mine.partition_count("absent")
    mine.close()


def test_consume_says_why_it_waits_and_goes_on_when_it_is_mended(
    secured: SecureBroker, world: World
) -> None:
    world.produce(20, poison_every=0)
    wrong = "not yet the password"
    world.consume(kafka_sasl_password=wrong)
    world.until(lambda: "KAFKA_SASL_PASSWORD" in world.probe("/readyz").text)
    unready = world.probe("/readyz")
    assert unready.status_code == 503
    assert "refuses the user or the password" in unready.json()["checks"]["kafka"]["detail"]
    assert world.probe("/healthz").status_code == 200
    assert world.processes[0].poll() is None
    set_password(secured, wrong)
    try:
        world.until_received()
        world.until(lambda: world.probe("/readyz").status_code == 200)
    finally:
        set_password(secured, PASSWORD)
    assert wrong not in world.log()


def test_a_password_that_is_changed_under_way_is_told(
    secured: SecureBroker, login: Settings, shared: str
) -> None:
    consumer = PartitionConsumer(options(login), shared, shared)
    consumer.poll(500)
    set_password(secured, "another")
    client = consumer._consumer._client
    client._net.call_soon(lambda: [conn.close() for conn in [*client._manager._conns.values()]])
    try:
        with pytest.raises(Outage, match=r"refuses our login .*KAFKA_SASL_PASSWORD"):
            poll_on(consumer)
    finally:
        set_password(secured, PASSWORD)
    goes_on = False
    give_up = time.monotonic() + 30
    while not goes_on and time.monotonic() < give_up:
        with contextlib.suppress(Outage):
            goes_on = consumer.poll(200).unpositioned == {0} and consumer.commit({0: 0}, 2)
    assert goes_on
    consumer.close(5)


def set_password(secured: SecureBroker, password: str) -> None:
    with contextlib.closing(KafkaAdminClient(bootstrap_servers=secured.bootstrap)) as admin:
        admin.alter_user_scram_credentials(
            [UserScramCredentialUpsertion(USER, ScramMechanism.SCRAM_SHA_512, password)]
        )


# What the doctor says of a user's rights.


def doctor(settings: Settings) -> tuple[int, list[tuple[str, str]]]:
    given = {f"GROUNDWATCH_{k.upper()}": str(v) for k, v in settings.items()}
    done = commands.run(["doctor", "--format", "json"], {**os.environ, **given})
    told = [line for line in json.loads(done.stdout)["advice"] if line["area"] == "access"]
    return done.returncode, [(line["status"], line["said"] + " " + line["mend"]) for line in told]


@pytest.fixture(scope="module")
def installed(secured: SecureBroker, facts: TopicFacts, login: Settings) -> Settings:
    """Topics of an installation, and the least rights on them."""
    for name in NAMES[:5]:
        facts.create_topic(name)
    secured.allow(ACLS, dict(zip(NAMES, NAMES, strict=True)))
    return login


def test_the_doctor_finds_the_least_rights_enough(installed: Settings) -> None:
    consumer = PartitionConsumer(options(installed), NAMES[0], NAMES[5])
    consumer.poll(3_000)
    consumer.close(5)
    _, told = doctor(installed)
    assert [status for status, _ in told] == ["warn"], told
    assert "groundwatch-checks-feedback" in told[0][1], "nobody has joined it yet"


def test_the_doctor_names_what_a_stranger_lacks(installed: Settings) -> None:
    code, told = doctor(installed | {"kafka_sasl_username": STRANGER})
    assert code == 1
    assert {status for status, _ in told} == {"fail"}
    assert any(
        said.startswith("topic rag.verdicts: no right to Describe, Read, Write kafka-acls.sh")
        and "--allow-principal User:stranger" in said
        for _, said in told
    ), told
    assert any("group groundwatch-checks:" in said for _, said in told)
