"""What ``serve`` tells the pages about the judge."""

from __future__ import annotations

from dataclasses import fields

from pydantic import SecretStr
from structlog.testing import capture_logs

from service.bootstrap import build
from service.cli import serving
from service.health import Health, readiness
from service.settings import Settings
from service.web.judging import judge_line
from service.web.texts import Tongue

SECRETS = Settings(
    judge_base_url="http://judge.example/v1",
    judge_model="m-1",
    judge_api_key=SecretStr("sk-secret"),
    judge_tokens_per_day=5_000,
)


def test_without_an_endpoint_the_judge_is_off() -> None:
    state = serving._judge_state(build(Settings()), scripted=False)()
    assert judge_line(state, Tongue("en")) == "off, set GROUNDWATCH_JUDGE_BASE_URL"


def test_with_one_its_model_and_its_budget_show_and_no_secret() -> None:
    state = serving._judge_state(build(SECRETS), scripted=True)()
    assert judge_line(state, Tongue("en")) == (
        "scripted: no model ruled · asks m-1 · 0 wait · factor 1 · budget left today: 5,000 tokens"
    )
    shown = " ".join(str(getattr(state, field.name)) for field in fields(state))
    for secret in ("secret", "judge.example"):
        assert secret not in shown


def test_off_is_said_once_at_the_start_and_leaves_everything_ready() -> None:
    health = Health()
    with capture_logs() as logs:
        serving._introduce_judge(Settings(), health, scripted=False)
    status, body = readiness(health)
    assert (status, body["checks"]["judge"]) == (200, {"ok": True, "detail": serving.JUDGE_OFF})
    assert "GROUNDWATCH_JUDGE_BASE_URL" in serving.JUDGE_OFF
    assert [entry["state"] for entry in logs if entry["event"] == "judge"] == [serving.JUDGE_OFF]
