"""Hostile events: the right dead letter or a verdict, never a crash, and no text of theirs anywhere
that an operator reads. Every payload carries a marker."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from kafka import KafkaProducer

from consumers.upkeep import list_dead_letters, redrive
from service.checks import CHECKS
from service.records import Record
from tests.integration.world import World, answer_event
from tests.servers.kafka import HEADER_SIZE, batches_of, rewrite_batch

MARKER = "zQmArKeRzQ"
MIB = 1 << 20


def event(event_id: str, **more: Any) -> bytes:
    fields: dict[str, Any] = {"query": MARKER, "tags": {MARKER: MARKER}, **more}
    return answer_event(event_id, **fields)


def expect_silence(world: World) -> None:
    """The marker is in no log line, no metric, no health report, no header of ours."""
    for number in range(len(world.processes)):
        assert MARKER not in world.log(number)
    for path in ("/metrics", "/healthz", "/readyz"):
        assert MARKER not in world.probe(path).text
    for record in world.facts.read_all(world.dead_letters):
        assert isinstance(record, Record)
        for name, value in record.headers:
            assert not name.startswith("x.errors.") or MARKER.encode() not in value
    for letter in list_dead_letters(world.facts, world.dead_letters):
        assert MARKER not in repr(letter)


def reasons(world: World) -> Counter[str]:
    return Counter(letter.reason for letter in list_dead_letters(world.facts, world.dead_letters))


def rejected() -> dict[str, list[bytes | None]]:
    """Reason → payloads that must be refused for it."""
    good = event("x").decode()
    nested = '{"event_id":"%s","query":"q","answer":"a","retrieved":[],"metadata":%s}'
    return {
        "invalid_json": [
            None,
            b"",
            b" ",
            good[:-20].encode(),
            good.replace('"purpose"', "").encode()[:40],
            (nested % (MARKER, "[" * 100_000 + "]" * 100_000)).encode(),
            (nested % (MARKER, '{"a":' * 100_000)).encode(),
            b'{"event_id": "\\ud800 ' + MARKER.encode() + b'"}',
            good.replace("Pro: 45", "\\udc00").encode(),
            (nested % (MARKER, '{"n": NaN}')).encode(),
            (nested % (MARKER, '{"n": -Infinity}')).encode(),
            MARKER.encode(),
            b"\xef\xbb\xbf" + good.encode(),
        ],
        "not_utf8": [b"\xff\xfe" + MARKER.encode(), good.encode("utf-16")],
        "schema": [
            b"[]",
            b"7",
            f'"{MARKER}"'.encode(),
            json.dumps({MARKER: MARKER}).encode(),
            event(""),
            event("x" * 257),
            event("x", answer=7),
            event("x", answer=None),
            event("x", retrieved={MARKER: 1}),
            event("x", retrieved=[MARKER]),
            event("x", retrieved=[{"ref": ""}]),
            event("x", retrieved=[{"ref": "r" * 3_000}]),
            event("x", citations=[{"ref": "r", "start": MARKER}]),
            event("x", occurred_at=MARKER),
            event("x", purpose=MARKER),
            event("x", app=""),
            event("x", tags={MARKER: 1}),
            event("x", release=MARKER),
            event("x", user=[MARKER]),
        ],
        "too_large": [
            event("x", retrieved=[{"ref": f"r{n}", "text": MARKER} for n in range(201)]),
            event("x", answer="a" * (MIB + 10)),
        ],
        "unsupported_version": [event("x", schema_version=2), event("x", schema_version="1")],
    }


def accepted() -> list[bytes]:
    """Odd, but answers; about half of them with findings."""
    chunk = {"ref": "pricing#plans", "text": "Pro: 45 €"}
    deep: object = MARKER
    for _ in range(150):
        deep = [deep]
    odd: list[dict[str, Any]] = [
        {"answer": ""},
        {"query": "", "answer": "", "retrieved": []},
        {"retrieved": [{"ref": "r", "text": ""}]},
        {"retrieved": [{"ref": f"r{n}", "text": f"{n} €"} for n in range(200)]},
        {"answer": "null\0byte 77 € [no\0where]", "retrieved": [{"ref": "no\0pe", "text": "\0"}]},
        {"answer": "costs 77 €", "retrieved": [{**chunk, "metadata": {"deep": deep}}]},
        {"answer": "costs 77 €", "retrieved": [{**chunk, "metadata": {"n": 10**400}}]},
        {"answer": "costs 77 €", "retrieved": [{**chunk, "rank": 10**40, "number": -(10**40)}]},
        {"answer": "costs 77 €", "usage": {"input_tokens": 2**200}},
        {"answer": "costs 77 €", "citations": [{"ref": "gone", "start": -(2**70), "end": 2**70}]},
        {"answer": "costs 77 €", "occurred_at": "0001-01-01T00:00:00+14:00"},
        {"answer": "costs 77 €", "occurred_at": "9999-12-31T23:59:59-14:00"},
        {"answer": "costs 77 €", "occurred_at": "0001-01-01T00:00:00"},
        {"answer": "costs 77 €", "app": "a:b/c\n\x1f\0" + MARKER, "release": {"id": "\x1f:\n\0"}},
        {"answer": "costs 77 €", "app": "../{x}*?[]", "language": "\x1f:"},
        {"answer": "9" * 500_000},
        {"answer": "[" + "x" * 500_000 + "]"},
        {"answer": "see https://example.org/" + "x" * 500_000},
        {"answer": "[" * 400_000},
        {"answer": "1," * 300_000},
        {"answer": "\u202e77 €\u2066 <script>alert(1)</script> [gone#\u202e]"},
        {"answer": "costs 77 €", "extra": {MARKER: [MARKER] * 50}},
    ]
    events = [event(f"odd-{n}", **more) for n, more in enumerate(odd)]
    events.append(event("i" * 256, answer="costs 77 €"))
    twice = event("first").decode()[:-1] + ', "event_id": "last", "answer": "costs 77 €"}'
    events.append(twice.encode())
    return events


def test_what_must_be_refused_is_and_what_is_odd_is_checked(make_world) -> None:
    world = make_world(partitions=1, topic_configs={"max.message.bytes": str(4 * MIB)})
    refused = rejected()
    wanted: Counter[str] = Counter()
    for reason, payloads in refused.items():
        wanted[reason] = len(payloads)
        world.send_all(*payloads)
    odd = accepted()
    world.send_all(*odd)
    garbage = bytes(range(256))
    world.send(odd[0], key=garbage, headers=[("x.errors.reason", garbage), ("\ud7ff", garbage)])
    assert world.producer.flush(30)
    count = sum(wanted.values()) + len(odd) + 1
    consumer = world.consume()
    world.until_received(count, timeout_s=100)
    assert reasons(world) == wanted
    totals = world.totals()
    assert totals["checked"] == len(odd)
    assert totals["duplicate"] == 1
    assert set(world.books().values()) == {0}
    # Every flagged answer is a case that the store and the topic can give back.
    assert len(list(world.all_cases())) == totals["cases"] == totals["flagged"] > 12
    _, cases = world.verdicts_read()
    assert len(cases) == totals["cases"]
    before = world.snapshot()
    assert world.stop(consumer) == 0
    done = world.run("rebuild", "--yes")
    assert done.returncode == 0, done.stderr
    listed = world.run("dead-letters", "list")
    assert listed.returncode == 0
    assert MARKER not in done.stdout + done.stderr + listed.stdout + listed.stderr
    assert world.snapshot() == before
    world.consume()
    world.until(lambda: world.probe("/readyz", 1).status_code == 200)
    world.processes.pop(0)
    (world.folder / "consume-1.log").rename(world.folder / "consume-0.log")
    expect_silence(world)


def test_findings_at_the_size_limit_fill_a_case(make_world) -> None:
    """Thousands of unknown numbers and citations in events of nearly 1 MiB, against a verdicts
    topic that takes less than one such event."""
    world = make_world(partitions=1, max_case_bytes=200_000)
    draw = random.Random(5)
    numbers = " ".join(f"{draw.randrange(10**6, 10**9)} €" for _ in range(4_500))
    refs = " ".join(f"[ref-{n}#{MARKER}]" for n in range(3_000))
    # What does not compress, so that the limit is met on the wire too.
    noise = "".join(chr(draw.randrange(0x4E00, 0x9FFF)) for _ in range(280_000))
    world.send_all(
        event("numbers", answer=numbers, retrieved=[{"ref": "n", "text": noise}]),
        event("refs", answer=refs, retrieved=[{"ref": "n", "text": noise[:200_000]}]),
        event("both", answer=noise[:100_000] + refs[:40_000] + numbers[:40_000]),
    )
    world.consume()
    world.until_received(3, timeout_s=100)
    assert set(world.books().values()) == {0}
    assert world.totals()["cases"] == 3
    _, cases = world.verdicts_read()
    assert cases == {"numbers", "refs", "both"}
    reduced = [case for case in world.all_cases() if case.reduced]
    assert reduced
    assert all(case.findings for case in world.all_cases())
    expect_silence(world)


def test_a_dead_letter_larger_than_its_topic_is_cut_and_says_so(make_world) -> None:
    world = make_world(partitions=1, topic_configs={"max.message.bytes": str(8 * MIB)})
    noise = random.Random(9).randbytes(3 * MIB)
    world.send_all(noise, noise[: MIB + 300_000])
    world.consume()
    world.until_received(2)
    letters = list(list_dead_letters(world.facts, world.dead_letters))
    assert [letter.reason for letter in letters] == ["too_large"] * 2
    assert [letter.truncated for letter in letters] == [True, True]
    assert all(0 < letter.size <= MIB for letter in letters)
    for record in world.facts.read_all(world.dead_letters):
        assert isinstance(record, Record)
        headers = dict(record.headers)
        offset = int(headers["x.errors.offset"])
        original = (noise, noise[: MIB + 300_000])[offset]
        assert int(headers["x.errors.truncated"]) == len(original)
        assert original.startswith(record.value or b"?")
    # Neither can be sent again.
    assert redrive(
        world.facts, world.producer, world.dead_letters, world.answers, lambda _: True
    ) == (0, 2)


def test_a_dead_letter_within_its_topics_limit_is_whole(make_world) -> None:
    """1 MiB is the limit of an event, not of what a dead letter may keep."""
    limit = {"max.message.bytes": str(4 * MIB)}
    world = make_world(partitions=1, topic_configs=limit)
    world.delete_topic(world.dead_letters)
    world.facts.create_topic(world.dead_letters, 1, limit)
    noise = random.Random(9).randbytes(2 * MIB)
    world.send_all(noise)
    world.consume()
    world.until_received(1)
    (record,) = world.facts.read_all(world.dead_letters)
    assert isinstance(record, Record)
    assert record.value == noise


def test_a_bomb_and_a_batch_that_cannot_be_decoded(make_world, broker) -> None:
    world = make_world(partitions=1, max_decompressed_bytes=4 * MIB)
    world.produce(20, faulty_every=0, poison_every=0)
    bomb = KafkaProducer(
        bootstrap_servers=broker.bootstrap, compression_type="zstd", max_request_size=64 * MIB,
        linger_ms=200, batch_size=64 * MIB,
    )  # fmt: skip
    for _ in range(3):
        bomb.send(world.answers, MARKER.encode() * (MIB // 2), partition=0)
    bomb.flush()
    bomb.close()
    deliveries = [world.send(event(f"broken-{n}")) for n in range(7)]
    assert world.producer.flush(30)
    first = deliveries[0].offset()
    batch = next(batch for batch in batches_of(broker, world.answers) if batch.first == first)

    def scramble(data: bytearray) -> None:
        data[HEADER_SIZE:] = random.Random(7).randbytes(len(data) - HEADER_SIZE)

    rewrite_batch(broker, world.answers, batch, scramble)
    broken = batch.next - batch.first
    world.produce(20, faulty_every=0, poison_every=0)
    world.consume()
    world.until(lambda: sum(b.next for b in world.parts.store.checkpoints.books()) == 50)
    world.until(lambda: not world.outboxes())
    (book,) = world.parts.store.checkpoints.books()
    assert book.counts["lost"] == book.counts["lost:undecodable"] == 3 + broken
    assert book.counts["received"] == 50 - 3 - broken
    assert set(world.books().values()) == {0}
    letters = list(list_dead_letters(world.facts, world.dead_letters))
    assert {letter.reason for letter in letters} == {"undecodable"}
    ranges = {}
    for record in world.facts.read_all(world.dead_letters):
        assert isinstance(record, Record)
        headers = dict(record.headers)
        ranges[int(headers["x.errors.offset"])] = int(headers["x.errors.next_offset"])
    lost = {offset for start, end in ranges.items() for offset in range(start, end)}
    assert lost == set(range(20, 23)) | set(range(batch.first, batch.next))
    assert world.metric('records_total{kind="lost"}') == 3 + broken
    before = world.snapshot()
    world.rebuild()
    assert world.snapshot() == before
    expect_silence(world)


def test_unknown_apps_are_refused_where_the_policy_says_so(make_world) -> None:
    world = make_world(partitions=1)
    (world.folder / "policy.yaml").write_text("unknown_apps: reject\napps: {support: {}}\n")
    world.send_all(
        event("a"), event("b", app="support\0"), event("c", app=MARKER), event("d", app="Support")
    )
    world.consume()
    world.until_received(4)
    assert reasons(world) == {"unknown_app": 3}
    assert world.totals()["rejected:unknown_app"] == 3
    expect_silence(world)


def test_a_flood_of_names_makes_no_flood_of_labels(make_world) -> None:
    world = make_world(partitions=2, releases_per_app=5)
    for n in range(10_000):
        world.send(
            event(f"flood-{n}", app="support" if n % 2 else f"app-{n}", release={"id": f"r-{n}"}),
            n % 2,
        )
    assert world.producer.flush(100)
    world.consume()
    world.until_received(10_000, timeout_s=100)
    assert set(world.books().values()) == {0}
    exposition = world.probe("/metrics").text
    assert exposition.count("groundwatch_check_results_total{") < 2 * 21 * len(CHECKS) * 5 + 1
    assert {app for app, _ in world.parts.store.archive.counters()} == {"support", "other"}
    fields = {f for c in world.parts.store.archive.counters().values() for f in c}
    assert len({field.split("\x1f")[0] for field in fields}) <= 2 * 6
    checked = sum(
        n
        for counter in world.parts.store.archive.counters().values()
        for name, n in counter.items()
        if name.endswith("\x1fchecked")
    )
    assert checked == 10_000
    expect_silence(world)


def test_a_flood_of_flagged_answers_is_counted_and_not_stored(make_world) -> None:
    world = make_world(partitions=2, cases_per_group_day=5)
    for n in range(3_000):
        world.send(event(f"alike-{n}", answer="It costs 45 € [pricing#gone]."), n % 2)
    assert world.producer.flush(60)
    world.produce(500, faulty_every=0)
    world.consume()
    world.until_received(3_500)
    totals = world.totals()
    assert (totals["flagged"], totals["cases"], totals["suppressed"]) == (3_000, 5, 2_995)
    assert set(world.books().values()) == {0}
    (group,) = world.snapshot()["groups"].values()
    assert group["count"] == "3000"
    assert world.metric('cases_total{disposition="suppressed"}') == 2_995
    assert all(case.summary.alike == 3_000 for case in world.all_cases())
    before = world.snapshot()
    world.rebuild()
    assert world.snapshot() == before
