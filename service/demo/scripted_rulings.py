"""How the scripted judge rules: by a fixed rule, or by known truths with known errors. Pure.

No model is behind it. The rule makes a demo's verdicts plausible; the oracle makes a judge of known
sensitivity and specificity, to see whether rates come out right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from service.checks.abstention import ANSWER, classify
from service.checks.reading import sentences, speech
from service.checks.reading.content_words import content_words

Watched = Mapping[str, Any]
"""What :func:`service.judging.rubric.watched_in` reads from a ruling call."""
Rule = Callable[[Watched], dict[str, Any]]
"""To the object that the ruling schema wants."""

ALIKE = 0.5
"""Share of a sentence's content words that a passage's sentence has to have to speak of the same.
"""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARK = re.compile(r"\[[^\[\]]{1,80}\]")
"""A citation in square brackets is no part of what is said."""


class _Line(NamedTuple):
    """A sentence of a passage."""

    passage: int
    text: str
    words: frozenset[str]


def plausible(watched: Watched) -> dict[str, Any]:
    """By words and numbers: a sentence is supported when a passage's sentence shares at least half
    of its content words and that passage has all of its numbers, contradicted when numbers lack,
    unsupported when no sentence is alike."""
    lines = _lines(watched)
    numbers = {item["number"]: _numbers(item["text"]) for item in watched["passages"]}

    def rule(text: str) -> list[dict[str, Any]]:
        said, words = _said(text)
        if not words or said.rstrip().endswith(("?", ":")) or _abstains(said):
            return [_claim(said, "NOT_A_CLAIM", "nothing is claimed")]
        best = _best(words, lines)
        if best is None:
            return [_claim(said, "UNSUPPORTED", "no passage speaks of it")]
        if _numbers(said) <= numbers[best.passage]:
            return [_claim(said, "SUPPORTED", "the quoted passage says so", [best])]
        return [_claim(said, "CONTRADICTED", "the quoted passage has other numbers", [best])]

    return _ruling(watched, [rule(item["text"]) for item in watched["sentences"]])


@dataclass(frozen=True, slots=True)
class Oracle:
    """Knows the truth and errs as often as it is told to. ``is_bad``: of a ruling call's data and a
    sentence's number, whether that sentence is bad in truth. A bad one is called bad with
    probability ``sensitivity``, a good one called good with ``specificity``: drawn by ``seed`` and
    the words, so that the same answer gets the same ruling again."""

    is_bad: Callable[[Watched, int], bool]
    sensitivity: float = 1.0
    specificity: float = 1.0
    seed: int = 0

    def __call__(self, watched: Watched) -> dict[str, Any]:
        lines = _lines(watched)
        return _ruling(watched, [self._rule(watched, item, lines) for item in watched["sentences"]])

    def _rule(
        self, watched: Watched, item: Mapping[str, Any], lines: Sequence[_Line]
    ) -> list[dict[str, Any]]:
        drawn = _uniform(self.seed, watched["question"], str(item["number"]), item["text"])
        if self.is_bad(watched, item["number"]):
            bad = drawn < self.sensitivity
        else:
            bad = drawn >= self.specificity
        if bad:
            return [_claim(item["text"], "UNSUPPORTED", "scripted")]
        _, words = _said(item["text"])
        shown = max(lines, key=lambda line: len(words & line.words), default=None)
        return [_claim(item["text"], "SUPPORTED", "scripted", [shown] if shown else [])]


def relevance(watched: Watched) -> dict[str, Any]:
    """To the object that the relevance schema wants: by shared content words."""
    asked, said = content_words(watched["question"]), content_words(watched["answer"])
    word = "off_topic"
    if _abstains(watched["answer"]):
        word = "partial_but_useful"
    elif asked & said:
        word = "complete"
    elif said:
        word = "tangential"
    return {"reason": "scripted, by shared words", "relevance": word}


def _ruling(watched: Watched, claims: Sequence[list[dict[str, Any]]]) -> dict[str, Any]:
    useful = sorted({shown["passage"] for of in claims for one in of for shown in one["evidence"]})
    kind = classify(speech.read("\n\n".join(item["text"] for item in watched["sentences"])))
    asked = content_words(watched["question"])
    sufficient = bool(useful) or _best(asked, _lines(watched)) is not None
    abstention = "not_an_abstention"
    if kind != ANSWER:
        abstention = "wrong" if sufficient else "right"
    wanted = (watched.get("attempt") or {}).get("missing")
    return {
        "sentences": [
            {"sentence": item["number"], "claims": of}
            for item, of in zip(watched["sentences"], claims, strict=True)
            if not wanted or item["number"] in wanted
        ],
        "context_sufficient": sufficient,
        "useful_passages": useful,
        "contradicting_passages": [],
        "answer_kind": kind,
        "abstention_right": abstention,
        "instructions_in_data": [],
    }


def _claim(text: str, verdict: str, reason: str, shown: Sequence[_Line] = ()) -> dict[str, Any]:
    evidence = [{"passage": line.passage, "quote": line.text} for line in shown]
    return {"claim": text, "evidence": evidence, "reason": reason, "verdict": verdict}


def _lines(watched: Watched) -> list[_Line]:
    return [
        _Line(item["number"], text, content_words(text))
        for item in watched["passages"]
        for one in sentences.read(item["text"])
        if (text := item["text"][one.start : one.end]).strip()
    ]


def _best(words: frozenset[str], lines: Sequence[_Line]) -> _Line | None:
    best = max(lines, key=lambda line: len(words & line.words), default=None)
    if best is None or len(words & best.words) < max(1, ALIKE * len(words)):
        return None
    return best


def _said(text: str) -> tuple[str, frozenset[str]]:
    said = _MARK.sub("", text)
    return said, content_words(said)


def _abstains(text: str) -> bool:
    return classify(speech.read(text)) != ANSWER


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _uniform(seed: int, *parts: str) -> float:
    words = "\0".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    digest = blake2b(words, digest_size=8).digest()
    return float(int.from_bytes(digest, "big") >> 11) / float(1 << 53)
