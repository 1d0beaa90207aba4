"""What ``serve`` tells the pages about the judge."""

from __future__ import annotations

from dataclasses import fields

from pydantic import SecretStr

from service import cli
from service.bootstrap import build
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
    state = cli._judge_state(build(Settings()), scripted=False)()
    assert judge_line(state, Tongue("en")) == "off, set GROUNDWATCH_JUDGE_BASE_URL"


def test_with_one_its_model_and_its_budget_show_and_no_secret() -> None:
    state = cli._judge_state(build(SECRETS), scripted=True)()
    assert judge_line(state, Tongue("en")) == (
        "scripted: no model ruled · asks m-1 · 0 wait · factor 1 · budget left today: 5,000 tokens"
    )
    shown = " ".join(str(getattr(state, field.name)) for field in fields(state))
    for secret in ("secret", "judge.example"):
        assert secret not in shown
