"""Each command that needs Kafka and Redis, against real ones."""

from __future__ import annotations

import json

import httpx
import pytest

from consumers import runtime
from consumers.upkeep import list_dead_letters
from service.health import Health
from service.ingest import Ingest
from service.pipeline import Item
from tests.integration.world import World, answer_event


def test_the_books_say_by_their_exit_code_whether_they_balance(make_world) -> None:
    world = make_world(partitions=2)
    world.produce(200)
    world.consume()
    world.until_received()
    shown = world.run("books")
    assert shown.returncode == 0, shown.stderr
    assert "The books balance." in shown.stdout
    assert "received 200" in shown.stdout
    told = world.run("books", "--format", "json")
    assert told.returncode == 0
    found = json.loads(told.stdout)
    assert found["balanced"] is True
    equations = {equation["name"]: equation for equation in found["equations"]}
    assert equations["records"]["left"] == {"received": 200}
    assert equations["records"]["right"]["rejected"] == 2

    keys = world.parts.store.connection.keys
    client = world.parts.store.connection.client
    client.hincrby(keys.totals, "flagged", 3)
    shown = world.run("books")
    assert shown.returncode == 1
    assert "flagged by 3" in shown.stdout


def test_a_record_dropped_on_the_way_shows(make_world, monkeypatch) -> None:
    world = make_world(partitions=1)
    world.produce(100)
    read = Ingest.read
    dropped: list[Item] = []

    def drop_one(self, records, stages):
        items = read(self, records, stages)
        if items and not dropped:
            dropped.append(items[0])
            return items[1:]
        return items

    monkeypatch.setattr(Ingest, "read", drop_one)
    with runtime.answers_consumer(world.parts, Health(), "earliest") as consumer:
        while world.received() < 100 or world.outboxes():
            consumer.turn()
    assert len(dropped) == 1
    assert world.books() == {**dict.fromkeys(world.books(), 0), "records": 1}
    shown = world.run("books")
    assert shown.returncode == 1
    assert "records by 1" in shown.stdout
    address = world.serve()
    metrics = httpx.get(f"{address}/metrics", timeout=20).text
    assert 'groundwatch_accounting_imbalance{equation="records"} 1.0' in metrics
    assert 'groundwatch_accounting_imbalance{equation="offsets"} 0.0' in metrics
    assert httpx.get(f"{address}/v1/books", timeout=20).json()["balanced"] is False
    # A rebuild restores the books as they were: it hides nothing.
    world.rebuild()
    assert world.books()["records"] == 1


def test_checkpoints_and_what_asks_before_it_acts(make_world) -> None:
    world = make_world(partitions=2)
    world.produce(100)
    consumer = world.consume()
    world.until_received()
    assert world.stop(consumer) == 0
    shown = world.run("checkpoints")
    assert shown.returncode == 0
    assert shown.stdout.count(world.answers) == 2
    before = world.snapshot()
    for command in (
        ("rebuild",),
        ("checkpoints", "reset", "--to", "earliest"),
    ):
        asked = world.run(*command, stdin="n\n")
        assert asked.returncode == 1, command
    assert world.snapshot() == before
    one = world.run("checkpoints", "reset", "--to", "7", "--partition", "1", "--yes")
    assert one.returncode == 0
    assert "/1: next offset 7" in one.stdout
    nexts = [world.parts.store.checkpoints.get(world.answers, p) for p in (0, 1)]
    assert [found and found.next for found in nexts] == [50, 7]
    refused = world.run("checkpoints", "reset", "--to", "0", "--partition", "9", "--yes")
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr


def test_dead_letters_are_listed_and_sent_again(make_world) -> None:
    world = make_world(partitions=2)
    policy = world.folder / "policy.yaml"
    policy.write_text("unknown_apps: reject\napps: {support: {}}\n")
    world.send_all(*(answer_event(f"new-{n}", app="newcomer") for n in range(3)), b"{")
    world.consume()
    world.until_received(4)
    listed = world.run("dead-letters", "list")
    assert listed.returncode == 0
    assert "4 dead letters" in listed.stdout
    assert f"{world.answers}/0@3" in listed.stdout
    listed = world.run("dead-letters", "list", "--reason", "unknown_app", "--limit", "2")
    assert "3 dead letters, 2 shown" in listed.stdout
    # What refused them is mended (the running consumer reads the file again), and they pass.
    policy.write_text("unknown_apps: reject\napps: {support: {}, newcomer: {}}\n")
    sent = world.run("dead-letters", "redrive", "--reason", "unknown_app", "--yes")
    assert sent.returncode == 0, sent.stderr
    assert "3 sent again, 0 passed over" in sent.stdout
    world.until_received(7)
    assert world.totals()["checked"] == 3
    assert set(world.books().values()) == {0}
    assert len(list(list_dead_letters(world.facts, world.dead_letters))) == 4


def test_many_large_dead_letters_are_sent_again(make_world) -> None:
    """More than the producer may buffer at once."""
    world = make_world(partitions=1, max_event_bytes=1_000)
    large = [answer_event(f"large-{n}", query="q" * 900_000) for n in range(45)]
    world.send_all(*large[:20])
    world.send_all(*large[20:])
    consumer = world.consume()
    world.until_received(45)
    assert world.stop(consumer) == 0
    sent = world.run("dead-letters", "redrive", "--yes")
    assert sent.returncode == 0, sent.stderr
    assert "45 sent again" in sent.stdout
    assert world.facts.log_bounds(world.answers, 0) == (0, 90)


def test_texts_from_the_corpus(make_world) -> None:
    world = make_world(partitions=1)
    corpus = world.folder / "corpus.jsonl"
    chunks = {"pricing#plans": "Pro: 45 € a seat.", "legal#terms": "30 days notice."}
    corpus.write_text("".join(json.dumps({"ref": r, "text": t}) + "\n" for r, t in chunks.items()))
    loaded = world.run("corpus", "load", str(corpus), "--corpus", "2026-11")
    assert loaded.returncode == 0, loaded.stderr
    assert "2 chunks stored" in loaded.stdout

    def event(event_id: str, ref: str, answer: str) -> bytes:
        release = {"id": "r1", "corpus": "2026-11"}
        return answer_event(event_id, answer=answer, retrieved=[{"ref": ref}], release=release)

    world.send_all(
        event("right", "pricing#plans", "A seat costs 45 € [pricing#plans]."),
        event("wrong", "pricing#plans", "A seat costs 54 € [pricing#plans]."),
        event("absent", "pricing#old", "A seat costs 45 € [pricing#old]."),
        event("elsewhere", "pricing#plans", "Pay 45 € [pricing#plans] and mind [legal#terms]."),
        event("nowhere", "pricing#plans", "Pay 45 € [pricing#plans] and mind [legal#fees]."),
    )
    world.consume()
    world.until_received(5)
    reasons = {
        event_id: {(f["check"], f["reason"]) for f in world.case(event_id).findings}
        for event_id in world.cases()
    }
    assert ("numbers", "absent") in reasons["wrong"] or ("numbers", "transposed") in reasons[
        "wrong"
    ]
    assert reasons["elsewhere"] == {("citations", "not_retrieved")}
    assert reasons["nowhere"] == {("citations", "unknown_ref")}
    assert "right" not in reasons
    assert world.totals()["not_evaluated:numbers:missing_text"] == 1
    # The reviewer sees the text that was looked up, and it survives a rebuild; so does the corpus.
    assert world.case("wrong").event["retrieved"][0]["text"] == chunks["pricing#plans"]
    before = world.snapshot()
    world.rebuild()
    assert world.snapshot() == before
    assert world.parts.documents.get({("2026-11", "legal#terms")})

    corpus.write_text('{"ref": "a", "text": "secret words"}\n{"ref": 7, "text": "secret words"}\n')
    refused = world.run("corpus", "load", str(corpus))
    assert refused.returncode == 2
    assert "line 2" in refused.stderr
    assert "secret" not in refused.stdout + refused.stderr


def test_replay_of_the_topic_and_of_a_file(make_world) -> None:
    world = make_world(partitions=2)
    world.produce(200)
    replayed = world.run("replay", "--topic")
    assert replayed.returncode == 0, replayed.stderr
    assert "200 events, 10 answers flagged" in replayed.stdout
    assert "The books balance." in replayed.stdout
    # Into a throwaway store: the configured one and the topics know nothing of it.
    assert world.received() == 0
    assert world.verdicts_read() == ({}, set())
    file = world.folder / "events.jsonl"
    file.write_bytes(b"\n".join(answer_event(f"f-{n}", faulty=n < 3) for n in range(20)))
    assert "20 events, 3 answers flagged" in world.run("replay", str(file)).stdout
    refused = world.run("replay", str(file), "--commit")
    assert refused.returncode == 2
    assert "POST /v1/answers" in refused.stderr
    assert world.received() == 0
    assert world.run("replay").returncode == 2


def test_serve_takes_answers_for_kafka(make_world) -> None:
    world = make_world(partitions=2)
    address = world.serve()
    world.consume()
    one_event = json.loads(answer_event("one", faulty=True))
    with httpx.Client(base_url=address, timeout=30) as client:
        one = client.post("/v1/answers", json=one_event)
        assert one.status_code == 202, one.text
        many = [json.loads(answer_event(f"many-{n}")) for n in range(20)]
        assert client.post("/v1/answers", json=many).status_code == 202
        refused = client.post("/v1/answers", json={"event_id": 7, "query": "a secret"})
        assert refused.status_code in (400, 422)
        assert "secret" not in refused.text
        world.until_received(21)
        world.until(lambda: client.get("/v1/cases").json()["cases"])
        (case,) = client.get("/v1/cases", params={"check": "citations"}).json()["cases"]
        assert case["event_id"] == "one"
        assert client.get(f"/v1/cases/{case['case_id']}").status_code == 200
        assert client.get("/v1/books").json()["balanced"] is True
        assert client.get("/readyz").status_code == 200
        assert client.get("/queue").status_code == 200
    # The same id lands in the same partition, and is recognised.
    with httpx.Client(base_url=address, timeout=30) as client:
        assert client.post("/v1/answers", json=one_event).status_code == 202
    world.until_received(22)
    assert world.totals()["duplicate"] == 1
    assert set(world.books().values()) == {0}


@pytest.mark.parametrize(
    "command",
    [("books",), ("consume",), ("dead-letters", "list")],
)
def test_a_command_without_its_servers_says_what_to_set(make_world, command) -> None:
    world: World = make_world(partitions=1)
    world.environment["GROUNDWATCH_REDIS_URL"] = "memory://"
    if command[0] == "dead-letters":
        del world.environment["GROUNDWATCH_KAFKA_BOOTSTRAP"]
    refused = world.run(*command)
    assert refused.returncode == 2
    assert "GROUNDWATCH_" in refused.stderr
    assert "Traceback" not in refused.stderr
