from __future__ import annotations

from service.health import Condition, Health, liveness, readiness


def test_a_process_lives_as_long_as_it_ticks() -> None:
    now = [100.0]
    health = Health(clock=lambda: now[0])
    now[0] = 104.0
    assert health.alive(max_age_s=4)
    assert not health.alive(max_age_s=3.9)
    health.tick()
    assert health.alive(max_age_s=0)
    now[0] = 105.0
    assert liveness(health, 0.5) == (
        503,
        {"alive": False, "tick_age_seconds": 1.0, "max_age_seconds": 0.5},
    )


def test_what_is_expected_and_has_not_reported_is_not_ready() -> None:
    health = Health(expects=("redis", "joined"))
    health.set("redis", True)
    ready, conditions = health.ready()
    assert not ready
    assert conditions == {"redis": Condition(True), "joined": Condition(False, "not reported yet")}
    health.set("joined", True, "2 partitions")
    assert readiness(health) == (
        200,
        {
            "ready": True,
            "checks": {
                "joined": {"ok": True, "detail": "2 partitions"},
                "redis": {"ok": True, "detail": ""},
            },
        },
    )


def test_one_bad_report_is_enough_and_can_be_taken_back() -> None:
    health = Health()
    health.set("halted", False, "store_lost")
    assert readiness(health)[0] == 503
    health.set("halted", True)
    assert readiness(health)[0] == 200


def test_trouble_that_is_tolerated_is_told_and_leaves_the_process_ready() -> None:
    health = Health(tolerates=("endpoint",))
    health.set("endpoint", False, "away")
    assert readiness(health) == (
        200,
        {"ready": True, "checks": {"endpoint": {"ok": False, "detail": "away"}}},
    )
    health.set("redis", False, "away")
    assert readiness(health)[0] == 503
