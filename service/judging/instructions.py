"""Texts that speak to a grader or try to steer one, by a short list of patterns. Pure.

It is a tripwire for what is plainly meant, beside the judge's own report, and no filter: whoever
paraphrases passes it. So a row is only what answers and documents have no business to say. Texts
about prompt injection say it too, and are reported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from service.judging.material import Material, Passage
from service.judging.visible import visible

ANSWER, QUERY, CONTEXT = "answer", "query", "context"
"""Where, unless in a retrieved chunk: then it is the chunk's ref."""

MAX_TEXT = 400_000
"""Characters of one text that are searched."""


class _Row(NamedTuple):
    """``pattern`` is tried only on lower-case text that holds one of ``triggers``."""

    triggers: tuple[str, ...]
    pattern: re.Pattern[str]


def _row(triggers: str, pattern: str, flags: re.RegexFlag = re.IGNORECASE) -> _Row:
    return _Row(tuple(triggers.split()), re.compile(pattern, flags))


_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|former|system|your)"
_EARLIER_DE = (
    r"(?:bisherig|vorherig|vorig|obig|früher|vorangegangen|vorangehend|vorhergehend|dein)\w{0,2}"
)
_RULES = r"(?:instructions?|prompts?|rules|guidelines|directives|rubric)"
_RULES_DE = r"(?:anweisung(?:en)?|instruktion(?:en)?|vorgaben?|regeln|prompts?|befehle?)"
_MACHINE = (
    r"(?:ai|llm|language model|judge|grader|(?:ai|llm|automated|automatic) "
    r"(?:judge|grader|evaluator|reviewer|assessor|fact[- ]checker))"
)
_MACHINE_DE = r"(?:ki|llm|judge|grader|sprachmodell|bewertungsmodell|prüfmodell|ki-\w{3,20})"
_ANSWER = r"(?:sentences?|claims?|answers?|responses?|statements?|everything)"
_ANSWER_DE = r"(?:sätze?|satz|aussagen?|antwort(?:en)?|behauptung(?:en)?|alles|dies|das|sie)"
_GOOD = r"(?:supported|faithful|grounded|not[_ ]a[_ ]claim)"
_GOOD_DE = r"(?:supported|belegt|gestützt|not[_ ]a[_ ]claim)"
_WORDS = r"(?:\w{1,24},? ){0,4}"

_ROWS = (
    # overriding what was said before
    _row(
        "ignore disregard forget override bypass",
        rf"\b(?:ignore|disregard|forget|override|bypass) (?:\w{{1,12}} ){{0,4}}{_EARLIER} "
        rf"(?:\w{{1,12}} ){{0,2}}{_RULES}\b",
    ),
    _row(
        "ignore disregard forget",
        r"\b(?:ignore|disregard|forget) (?:of |any )?all (?:of )?(?:the |these |your )?"
        r"(?:instructions|prompts?)\b",
    ),
    _row(
        "ignorier vergiss vergesst vergessen missacht",
        r"\b(?:ignorier\w{0,3}|vergiss|vergesst|vergessen sie|missacht\w{0,3}) (?:\w{1,12} ){0,3}"
        rf"(?:{_EARLIER_DE} (?:\w{{1,16}} ){{0,2}}{_RULES_DE}"
        r"|alle (?:\w{1,16} )?(?:anweisungen|instruktionen))\b",
    ),
    # speaking to the judge
    _row(
        "you",
        r"(?<!if )(?<!when )(?<!whether )\byou are (?:now )?"
        rf"(?:the (?:\w{{1,16}} )?|an? (?:ai|llm|lenient|generous|automated) ){_MACHINE}\b",
    ),
    _row(
        "bist",
        r"\bdu bist (?:jetzt |nun )?(?:der|die|das|eine?) (?:\w{1,16} )?"
        rf"(?:prüfer|richter|bewerter|{_MACHINE_DE})\b",
    ),
    _row(
        "judge grader evaluator llm ai model",
        r"\b(?:note|message|attention|instructions?|hint|reminder)s? (?:to|for) "
        rf"(?:the |any |all |whichever )?{_MACHINE}s?\b",
    ),
    _row(
        "ki llm sprachmodell judge grader bewertungsmodell prüfmodell",
        r"\b(?:hinweise?|nachricht|anweisung(?:en)?|achtung|notiz) (?:an|für) "
        rf"(?:den |die |das |alle )?{_MACHINE_DE}\b",
    ),
    # dictating the verdict
    _row(
        "supported faithful grounded claim",
        rf"\b(?:(?:rate|grade|score|judge) {_WORDS}(?:{_ANSWER}|this|it|all)"
        rf"|(?:mark|label|treat|count|classify) {_WORDS}{_ANSWER}) "
        rf"{_WORDS}(?:as |to be )(?:\w{{1,12}} )?{_GOOD}\b",
    ),
    _row(
        "supported belegt gestützt claim",
        rf"\b(?:bewerte|markiere|werte|kennzeichne|stufe|beurteile)n? {_WORDS}{_ANSWER_DE} "
        rf"{_WORDS}als (?:\w{{1,16}} )?{_GOOD_DE}\b",
    ),
    _row(
        "supported not_a_claim",
        r"\b(?i:output|return|answer|reply|respond|say|write|verdict|antworte|schreibe|gib|urteil)"
        r"(?: \w{1,16},?){0,3}:? \"?(?:SUPPORTED|NOT_A_CLAIM)\b",
        re.NOFLAG,
    ),
    _row(
        "sufficient",
        r"\b(?:say|state|report|answer|assume|consider|declare|confirm|pretend) (?:that )?"
        r"(?:the )?context (?:is|as|to be|was) (?:\w{1,12} )?sufficient\b",
    ),
    _row(
        "ausreichend hinreichend",
        r"\b(?:melde|behaupte|erkläre|bestätige|nimm an|sage?|gib an),? (?:dass )?"
        r"(?:der |den )?kontext (?:als )?(?:\w{1,12} )?(?:ausreichend|hinreichend)\b",
    ),
    # the judge's own form
    _row(
        "not_a_claim context_sufficient useful_passages contradicting_passages abstention_right "
        "instructions_in_data answer_kind",
        r"\b(?:not_a_claim|context_sufficient|useful_passages|contradicting_passages"
        r"|abstention_right|instructions_in_data|answer_kind)\b",
    ),
    _row("verdict", r"verdict\\?[\"'] ?: ?\\?[\"'](?:supported|unsupported|contradicted)\b"),
    _row("groundwatch", r"groundwatch[-_ ]data[-_ ][0-9a-f]{4}"),
    # chat templates
    _row("<|", r"<\|[a-z_]{2,40}\|>"),
    _row("<｜", r"<｜[^<>｜\n]{2,40}｜>"),
    _row("[inst] [/inst] <<sys>>", r"\[/?INST\]|<</?SYS>>", re.NOFLAG),
    _row("start_of_turn end_of_turn", r"<(?:start|end)_of_turn>"),
    # the prompt itself
    _row(
        "prompt instructions",
        r"\b(?:reveal|print|repeat|output|leak|disclose) (?:me )?(?:\w{1,12} ){0,3}"
        r"(?:system prompt|hidden prompt|your (?:\w{1,12} )?(?:prompt|instructions))\b",
    ),
    _row(
        "prompt anweisungen",
        r"\b(?:verrate?|wiederhole?|zeige?|nenne?|gib) (?:mir )?(?:\w{1,12} ){0,3}"
        r"(?:system-?prompt|deine (?:\w{1,16} )?(?:anweisungen|prompts?))\b",
    ),
    _row("override", r"\bsystem override ?:"),
)  # fmt: skip

_GAPS = re.compile(r"[\s*`]+")
_PIECES = re.compile(r"(?s)[\x00-\x7f]+|[^\x00-\x7f]{1,200}[\x00-\x7f]?")
"""What is normalised at once: marks are put in order by comparing each with those before it, so a
run of a hundred thousand would take hours."""
_normal = partial(unicodedata.normalize, "NFKC")
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
"""Letters of the plane of tags show nothing. A flag has at most six of them."""


def instructs(text: str) -> bool:
    """Whether the text plainly tries to instruct a judge. Linear; at most :data:`MAX_TEXT`
    characters are read."""
    text = text[:MAX_TEXT]
    if not text.isascii():
        if _TAGS.search(text) is not None:
            return True
        text = "".join(map(_normal, _PIECES.findall(visible(text))))[:MAX_TEXT]
    text = _GAPS.sub(" ", text)
    lowered = text.lower()
    return any(
        any(trigger in lowered for trigger in row.triggers) and row.pattern.search(text) is not None
        for row in _ROWS
    )


def places(material: Material) -> tuple[str, ...]:
    """Where the watched text plainly tries to instruct the judge, each place once."""
    return tuple(dict.fromkeys(where for where, text in _texts(material) if instructs(text)))


def place_of(passage: Passage) -> str:
    """What a passage is called where texts that instruct are reported."""
    return passage.ref if passage.retrieved else CONTEXT


def _texts(material: Material) -> Iterator[tuple[str, str]]:
    yield QUERY, material.query
    yield ANSWER, material.answer
    for text in material.said_before:
        yield CONTEXT, text
    for passage in material.passages:
        yield place_of(passage), passage.ref
        yield place_of(passage), passage.text
