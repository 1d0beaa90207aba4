"""Model families by name."""

from __future__ import annotations

import pytest

from service.judging.families import family_of, shared_family


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4.1-mini", "GPT"),
        ("openai/gpt-4o", "GPT"),
        ("chatgpt-4o-latest", "GPT"),
        ("o3-mini", "GPT"),
        ("o1", "GPT"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "Claude"),
        ("eu.anthropic.claude-haiku", "Claude"),
        ("models/gemini-2.0-flash", "Gemini"),
        ("meta-llama/Llama-3.3-70B-Instruct", "Llama"),
        ("llama3.1:8b", "Llama"),
        ("mistral-large-latest", "Mistral"),
        ("mixtral:8x7b", "Mistral"),
        ("Qwen/Qwen2.5-72B", "Qwen"),
        ("qwq", "Qwen"),
        ("deepseek-r1", "DeepSeek"),
        ("command-r-plus", "Command"),
        ("opus-of-ours", None),
        ("oak-1", None),
        ("commander", None),
        ("", None),
    ],
)
def test_a_name_tells_the_family(model: str, family: str | None) -> None:
    assert family_of(model) == family


def test_judge_and_generator_of_one_family_are_named() -> None:
    assert shared_family("gpt-4.1", ["claude-4", "azure/gpt-4o-mini"]) == "GPT"
    assert shared_family("gpt-4.1", ["claude-4"]) is None
    # Of two names that nobody knows nothing is claimed.
    assert shared_family("ours-1", ["ours-1"]) is None
