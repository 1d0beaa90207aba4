"""A probe is known by its id, by groundwatch alone, and is in no live rate."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import generate_latest

from service.accounting import (
    LIVE,
    MISLABELLED_PROBE,
    Kind,
    counters_of,
    decode_row,
    encode_row,
    totals_of,
)
from service.measuring.probe_ids import PREFIX, is_probe_id, probe_id
from service.metrics import Metrics
from service.pipeline import Effects, Seen, process
from tests.unit.answers import NOW, TERMS, batch_of, raw

ISSUED = probe_id(TERMS.secret, bytes(8))


def effects_of(*values: bytes) -> Effects:
    return process(batch_of(*values), {}, Seen(), replace(TERMS, judge=True))


def made(name: str = "a", **fields: Any) -> bytes:
    return json.dumps(
        json.loads(raw(name)) | {"release": {"id": "r1", "model": "m"}} | fields
    ).encode()


def test_an_id_is_known_again_by_the_secret_alone() -> None:
    assert is_probe_id(TERMS.secret, ISSUED)
    assert not is_probe_id(b"another secret", ISSUED)
    assert probe_id(TERMS.secret, b"12345678") != ISSUED


@pytest.mark.parametrize(
    "forged",
    ["", PREFIX, f"{PREFIX}{bytes(8).hex()}", f"{PREFIX}{bytes(8).hex()}-{'0' * 16}",
     ISSUED.replace("00", "01", 1), ISSUED + "0", ISSUED.upper(), f"x{ISSUED}",
     f"{PREFIX}\ud800-ä"],
    ids=["empty", "prefix", "unsealed", "zeros", "nonce", "longer", "upper", "moved", "surrogate"],
)  # fmt: skip
def test_nobody_else_s_text_is_a_probe_s_id(forged: str) -> None:
    assert not is_probe_id(TERMS.secret, forged)


@pytest.mark.parametrize("field", ["event_id", "session_id", "trace_id"])
def test_a_probe_that_says_it_is_live_is_in_no_rate(field: str) -> None:
    effects = effects_of(made(**{field: ISSUED}))
    [row] = effects.rows
    assert (row.kind, row.purpose, row.selection) == (Kind.CHECKED, MISLABELLED_PROBE, "")
    assert counters_of(effects.rows) == {}
    assert totals_of(effects.rows)["checked"] == 1, "the books count every answer"
    assert (effects.makeups, effects.jobs, effects.tasks) == ((), (), ())
    assert decode_row(json.loads(json.dumps(encode_row(row)))).purpose == MISLABELLED_PROBE


@pytest.mark.parametrize("purpose", ["probe", "shadow"])
def test_what_says_that_it_is_no_live_answer_is_believed(purpose: str) -> None:
    effects = effects_of(made(event_id=ISSUED, purpose=purpose))
    [row] = effects.rows
    assert (row.purpose, row.selection) == (purpose, "")
    assert counters_of(effects.rows) == {}
    assert (effects.makeups, effects.jobs, effects.tasks) == ((), (), ())


def test_a_live_answer_stays_one_whatever_its_ids_look_like() -> None:
    effects = effects_of(made(session_id=PREFIX + "of a user", trace_id="-"))
    [row] = effects.rows
    assert row.purpose == LIVE
    assert row.selection
    assert len(counters_of(effects.rows)) == 1
    assert effects.makeups


def test_mislabelled_probes_are_counted_by_app() -> None:
    metrics = Metrics()
    effects = effects_of(made(event_id=ISSUED), made("b"), made("c", purpose="probe"))
    metrics.observe_rows(effects.rows, now_ms=NOW)
    told = generate_latest(metrics.registry).decode()
    assert 'groundwatch_mislabelled_probes_total{app="support"} 1.0' in told
    assert 'groundwatch_answers_total{app="support",release="r1",status="ok"} 1.0' in told
