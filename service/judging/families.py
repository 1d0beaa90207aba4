"""Which family a model is of, told by its name. A judge prefers what its own family wrote
("self-preference"), so judge and generator should be of two. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

FAMILIES: dict[str, tuple[str, ...]] = {
    "GPT": ("gpt", "chatgpt", "o1", "o3", "o4", "davinci", "text-davinci"),
    "Claude": ("claude",),
    "Gemini": ("gemini", "gemma", "palm"),
    "Llama": ("llama", "meta-llama", "codellama", "vicuna"),
    "Mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral", "pixtral"),
    "Qwen": ("qwen", "qwq"),
    "DeepSeek": ("deepseek",),
    "Command": ("command", "c4ai", "aya"),
    "Phi": ("phi",),
    "Grok": ("grok",),
    "Nova": ("nova",),
    "GLM": ("glm", "chatglm"),
    "Kimi": ("kimi", "moonshot"),
    "Granite": ("granite",),
}
"""Family → how the names of its models begin, in lower case."""

_WORDS = re.compile(r"[/:.@\s]+")
"""Names come with a provider before them and a tag behind (``provider/model:tag``)."""
_BEGINS = {prefix: family for family, prefixes in FAMILIES.items() for prefix in prefixes}


def family_of(model: str) -> str | None:
    """None for a name that no family claims. A distilled model is of the family that its name
    begins with."""
    for word in _WORDS.split(model.lower()):
        for prefix, family in _BEGINS.items():
            if word.startswith(prefix) and not word[len(prefix) :][:1].isalpha():
                return family
    return None


def shared_family(judge: str, generators: Iterable[str]) -> str | None:
    """The family of the judge, where one of the generators is of it too."""
    family = family_of(judge)
    return family if family is not None and family in map(family_of, generators) else None
