"""How the scripted judge rules: by a fixed rule, or by known truths with known errors. Pure.

No model is behind it. The rule makes a demo's verdicts plausible; the oracle makes a judge of known
sensitivity and specificity, to see whether rates come out right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
"""Share of a sentence's content words that a passage's sentence needs to speak of the same."""
ENOUGH = 0.8
"""Share of a question's content words in a passage's sentence that makes abstaining wrong."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARK = re.compile(r"\[[^\[\]]{1,80}\]")
"""A citation in square brackets is no part of what is said."""


class _Line(NamedTuple):
    """A sentence of a passage."""

    passage: int
    ref: str
    text: str
    words: frozenset[str]


def plausible(watched: Watched) -> dict[str, Any]:
    """By words and numbers alone: supported when a passage's sentence has at least half of a
    sentence's content words and the passages have its numbers; contradicted when they lack one and
    unsupported when no sentence is alike."""
    return _ruling(watched, lambda text, best: _by_words(text, best, watched))


def demo_rule(events: Iterable[Mapping[str, Any]]) -> Rule:
    """:func:`plausible`, corrected by what is known of the bundled events (:mod:`service.demo`): an
    answer with a tag of :data:`SOUND` has no bad claim, and the sentences of :data:`FALSE` are."""
    sound = {event["query"] for event in events if event["tags"].get("demo") in SOUND}

    def rule(watched: Watched) -> dict[str, Any]:
        def claim(text: str, best: _Line | None) -> dict[str, Any]:
            if any(words in text for words in FALSE):
                return _claim(text, "CONTRADICTED", "the quoted passage says otherwise", best)
            if watched["question"] not in sound:
                return _by_words(text, best, watched)
            if best is None:
                return _claim(text, "NOT_A_CLAIM", "nothing is claimed")
            return _claim(text, "SUPPORTED", "the quoted passage says so", best)

        return _ruling(watched, claim)

    return rule


SOUND = frozenset({"right", "abstention", "clarification"})
FALSE = (
    "add an inbound rule", "up to 120 runs", "are kept for 400 days", "Platz kostet 34 € im Monat",
    "valid for 72 days", "nach 30 Minuten abgebrochen", "512 GB Arbeitsspeicher", "bis 32 °C",
    "goes past 2,000 ms", "a balance of 48.60 €",
)  # fmt: skip
"""What is false in the bundled answers though all its words and numbers stand in their sources."""


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
        numbers = {item["text"]: item["number"] for item in watched["sentences"]}

        def claim(text: str, best: _Line | None) -> dict[str, Any]:
            drawn = _uniform(self.seed, watched["question"], str(numbers[text]), text)
            if self.is_bad(watched, numbers[text]):
                bad = drawn < self.sensitivity
            else:
                bad = drawn >= self.specificity
            if bad or best is None:
                return _claim(text, "UNSUPPORTED", "scripted")
            return _claim(text, "SUPPORTED", "scripted", best)

        return _ruling(watched, claim)


def relevance(watched: Watched) -> dict[str, Any]:
    """To the object that the relevance schema wants."""
    word = "complete" if content_words(watched["answer"]) else "off_topic"
    if _abstains(watched["answer"]):
        word = "partial_but_useful"
    return {"reason": "scripted", "relevance": word}


def correctness(watched: Watched) -> dict[str, Any]:
    """To the object that the correctness schema wants: a fact is stated where one sentence of the
    answer holds all its content words and all its numbers, and no *not*."""
    said = [watched["answer"][one.start : one.end] for one in sentences.read(watched["answer"])]
    return {"facts": [_stated(fact["number"], fact["text"], said) for fact in watched["facts"]]}


_NOT = re.compile(r"\b(?:not|no|never|nicht|kein\w*|nie)\b", re.IGNORECASE)


def _stated(number: int, fact: str, said: Sequence[str]) -> dict[str, Any]:
    words, numbers = content_words(fact), _numbers(fact)
    for text in said:
        if words <= content_words(text) and numbers <= _numbers(text):
            verdict = "STATED" if bool(_NOT.search(fact)) == bool(_NOT.search(text)) else "DENIED"
            return {"fact": number, "quote": text, "reason": "scripted", "verdict": verdict}
    return {"fact": number, "quote": "", "reason": "scripted", "verdict": "NOT_STATED"}


_Judge = Callable[[str, "_Line | None"], dict[str, Any]]
"""To the claim that a sentence is, given the passage's sentence that is most alike."""


def _ruling(watched: Watched, judge: _Judge) -> dict[str, Any]:
    texts = [item["text"] for item in watched["sentences"]]
    kind = classify(speech.read("\n\n".join(texts)))
    lines = _lines(watched)
    claims = {
        item["number"]: judge(item["text"], _most_alike(item["text"], lines))
        for item in watched["sentences"]
    }
    useful = sorted({shown["passage"] for one in claims.values() for shown in one["evidence"]})
    asked = content_words(watched["question"])
    sufficient = bool(useful)
    abstention = "not_an_abstention"
    if kind != ANSWER:
        sufficient = any(len(asked & line.words) >= ENOUGH * len(asked) for line in lines)
        abstention = "wrong" if sufficient else "right"
    wanted = (watched.get("attempt") or {}).get("missing") or claims.keys()
    return {
        "sentences": [
            {"sentence": number, "claims": [one]}
            for number, one in claims.items()
            if number in wanted
        ],
        "context_sufficient": sufficient,
        "useful_passages": useful,
        "contradicting_passages": [],
        "answer_kind": kind,
        "abstention_right": abstention,
        "instructions_in_data": [],
    }


def _by_words(text: str, best: _Line | None, watched: Watched) -> dict[str, Any]:
    words = _words(text)
    if not words or text.rstrip().endswith(("?", ":")) or _abstains(text):
        return _claim(text, "NOT_A_CLAIM", "nothing is claimed")
    if best is None or len(words & best.words) < ALIKE * len(words):
        return _claim(text, "UNSUPPORTED", "no passage speaks of it")
    known = {number for item in watched["passages"] for number in _numbers(item["text"])}
    if _numbers(text) <= known:
        return _claim(text, "SUPPORTED", "the quoted passage says so", best)
    return _claim(text, "CONTRADICTED", "the quoted passage has other numbers", best)


def _claim(text: str, verdict: str, reason: str, shown: _Line | None = None) -> dict[str, Any]:
    evidence = [] if shown is None else [{"passage": shown.passage, "quote": shown.text}]
    return {"claim": text, "evidence": evidence, "reason": reason, "verdict": verdict}


def _lines(watched: Watched) -> list[_Line]:
    return [
        _Line(item["number"], item["ref"], text, content_words(text))
        for item in watched["passages"]
        for one in sentences.read(item["text"])
        if (text := item["text"][one.start : one.end]).strip()
    ]


def _most_alike(text: str, lines: Sequence[_Line]) -> _Line | None:
    """Of the passages that the sentence cites by their refs, else of all; None where not even one
    content word is shared."""
    words = _words(text)
    cited = [line for line in lines if f"[{line.ref}]" in text]
    best = max(cited or lines, key=lambda line: len(words & line.words), default=None)
    return best if best is not None and words & best.words else None


def _words(text: str) -> frozenset[str]:
    return content_words(_MARK.sub("", text))


def _abstains(text: str) -> bool:
    return classify(speech.read(text)) != ANSWER


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(_MARK.sub("", text)))


def _uniform(seed: int, *parts: str) -> float:
    words = "\0".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    digest = blake2b(words, digest_size=8).digest()
    return float(int.from_bytes(digest, "big") >> 11) / float(1 << 53)
